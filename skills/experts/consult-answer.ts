import type { DataStatus, Decision, SkillServices } from "../../src/contract/contract.js";
import { toIsoDay, toIsoTime } from "../../src/kernel/kernel.js";
import type { Graph } from "../../src/knowledge/knowledge.js";
import { type CitationList, createCitationList, type WrittenSentence } from "../answers/answers.js";
import { toAnswerModel } from "./answer-model.js";
import type { ConsultationWire, ConsultMetaWire } from "./consult-wire.js";
import { type Consultation, consultTwin } from "./consultation.js";
import type { Expert } from "./expert-index.js";
import { suggestQuestions } from "./suggested-questions.js";

/** Services of what answers in the name of an expert or analyst. */
export type ConsultServices = Pick<
	SkillServices,
	"search" | "catalog" | "clock" | "expertDirectory" | "research"
>;

export interface TwinQuestion {
	readonly expert: Expert;
	readonly question: string;
	/** The consultation that is gone on from, and what it was about where the question leaves that open. */
	readonly follows?: string | undefined;
	readonly subject?: string | undefined;
	/** Numbers citations over several answers; one for this alone where absent. */
	readonly citations?: CitationList;
}

/** One twin's answer as it travels; `consultation_id` and `kept_until` are added where it is kept. */
export async function askTwin(
	services: ConsultServices,
	{ expert, question, follows, subject, citations = createCitationList() }: TwinQuestion,
	signal: AbortSignal,
) {
	const { search, catalog, clock, research } = services;
	const told = await consultTwin(
		{ search, catalog, writer: research.writer },
		{ expert, question, subject, today: toIsoDay(clock.now()), signal },
	);
	const { answer, concepts } = toAnswerWire(told, citations);
	const data: ConsultationWire = {
		consultation_id: null,
		question,
		follows: follows ?? null,
		subject: subject ?? null,
		expert: toExpertWire(expert),
		answer,
		citations: [...citations.toWire()],
		not_covered: [...told.notCovered],
		elsewhere: told.elsewhere.map(toElsewhere),
		suggested_questions: suggestQuestions({ graph: expert.graph, question, concepts }),
		kept_until: null,
	};
	return { told, data };
}

function toAnswerWire({ answer }: Consultation, list: CitationList) {
	if (!answer) return { answer: null, concepts: [] };
	const { sentences, keyPoints, stance, confidence, limits } = answer;
	const wire = {
		text: sentences.map(({ text }) => text).join(" "),
		sentences: sentences.map(list.cite),
		stance,
		key_points: keyPoints.map(list.cite),
		confidence,
		limits: [...limits],
	};
	return { answer: wire, concepts: conceptsOf(sentences) };
}

function conceptsOf(sentences: readonly WrittenSentence[]) {
	return [...new Set(sentences.flatMap(({ evidence }) => evidence.map(({ concept }) => concept)))];
}

function toExpertWire({ agentId, name, headline, disclosure, consent }: Expert) {
	return {
		id: agentId,
		name,
		headline,
		is_ai_twin: true as const,
		consent: { basis: consent?.basis ?? "", until: consent?.until ?? null },
		disclosure,
	};
}

function toElsewhere({ record: { id, title, type, expert } }: Graph) {
	return { graph_id: id, title, type, agent_id: expert?.agentId ?? null };
}

interface MetaFacts {
	readonly query: string;
	readonly decision: Decision;
	readonly mode: "hybrid" | "keyword";
	readonly graphIds: readonly string[];
	readonly writer: string;
	readonly warnings: readonly string[];
	readonly startedMs: number;
}

const STATUS: Readonly<Record<Decision, DataStatus>> = {
	ANSWER: "EVIDENCE_MATCH",
	PARTIAL: "WEAK_MATCH",
	CLARIFY: "WEAK_MATCH",
	ABSTAIN: "NO_MATCH",
};

/** What every answer of an expert or analyst says of how it was made. */
export function toConsultMeta(
	{ clock, research }: Pick<SkillServices, "clock" | "research">,
	{ query, decision, mode, graphIds, writer, warnings, startedMs }: MetaFacts,
): ConsultMetaWire {
	return {
		query,
		decision,
		dataStatus: STATUS[decision],
		mode,
		graphs_used: [...graphIds],
		as_of: toIsoTime(clock.now()),
		execution_time_ms: Math.round(clock.monotonicMs() - startedMs),
		model: toAnswerModel({ mode, embedder: research.embedder(), writer }),
		warnings: [...warnings],
	};
}
