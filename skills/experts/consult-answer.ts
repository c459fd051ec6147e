import type { DataStatus, Decision, SkillServices } from "../../src/contract/contract.js";
import { contentTerms, contentWords, coverageOf } from "../../src/evidence/evidence.js";
import { toIsoDay, toIsoTime } from "../../src/kernel/kernel.js";
import type { Concept, Graph } from "../../src/knowledge/knowledge.js";
import { type CitationList, createCitationList } from "../answers/answers.js";
import { CONSULT_LIMITS, type ConsultationWire, type ConsultMetaWire } from "./consult-wire.js";
import { type Consultation, consultTwin } from "./consultation.js";
import type { Expert } from "./expert-index.js";

/** Services of what answers in the name of an expert. */
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
		suggested_questions: suggestQuestions(expert.graph, question, concepts),
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
	const cited = sentences.flatMap(({ evidence }) => evidence);
	return { answer: wire, concepts: [...new Set(cited.map(({ concept }) => concept))] };
}

function toExpertWire({ agentId, name, headline, disclosure, consent }: Expert) {
	const recorded = { basis: consent?.basis ?? "", until: consent?.until ?? null };
	return { id: agentId, name, headline, is_ai_twin: true as const, consent: recorded, disclosure };
}

function toElsewhere({ record: { id, title, type, expert } }: Graph) {
	return { graph_id: id, title, type, agent_id: expert?.agentId ?? null };
}

interface MetaFacts extends Pick<Consultation, "decision" | "mode" | "writer" | "warnings"> {
	readonly query: string;
	readonly graphIds: readonly string[];
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
		model: toAnswerModel({ mode, writer }, research.embedder()),
		warnings: [...warnings],
	};
}

/** Names the models behind an answer: the embedder there is, unless only keywords were searched, and who wrote. */
export function toAnswerModel(
	{ mode, writer }: Pick<Consultation, "mode" | "writer">,
	embedder: string | undefined,
) {
	return { embedder: mode === "hybrid" ? (embedder ?? null) : null, writer };
}

/** Questions worth asking next: neighbors of the cited concepts first, then the graph's own examples, those nearest to the question first. */
function suggestQuestions(graph: Graph, question: string, concepts: readonly Concept[]) {
	const cited = new Set(concepts.map(({ id }) => id));
	const targets = new Set(concepts.flatMap(({ edges }) => edges.map(({ target }) => target)));
	const linked = graph.concepts
		.filter(({ id }) => targets.has(id) && !cited.has(id))
		.slice(0, CONSULT_LIMITS.suggestions / 2)
		.map(({ title }) => `What follows from "${title}" for this?`);
	const terms = contentTerms(question);
	const examples = graph.record.exampleQueries
		.filter((text) => text !== question)
		.map((text) => ({ text, likeness: coverageOf(contentWords(text), terms) }))
		.sort((a, b) => b.likeness - a.likeness)
		.map(({ text }) => text);
	return [...new Set([...linked, ...examples])].slice(0, CONSULT_LIMITS.suggestions);
}
