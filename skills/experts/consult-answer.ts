import {
	type Artifact,
	type ArtifactRepository,
	answer,
	type Caller,
	type DataStatus,
	type Decision,
	keptUntil,
	noAnswer,
	type Outcome,
	type PageRequest,
	type SkillContext,
	type SkillServices,
} from "../../src/contract/contract.js";
import { contentTerms, contentWords, coverageOf } from "../../src/evidence/evidence.js";
import { notFound, toIsoDay, toIsoTime } from "../../src/kernel/kernel.js";
import type { Concept, Graph, GraphCatalog } from "../../src/knowledge/knowledge.js";
import { type CitationList, createCitationList, toMarks } from "../answers/answers.js";
import {
	CONSULT_LIMITS,
	type ConsultationWire,
	type ConsultMetaWire,
	type ConsultOutput,
	consultationSchema,
} from "./consult-wire.js";
import { type Consultation, consultTwin } from "./consultation.js";
import { type Expert, whyNoConsult } from "./expert-index.js";

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
		elsewhere: told.elsewhere.map(({ record: { id, title, type, expert: desk } }) => {
			return { graph_id: id, title, type, agent_id: desk?.agentId ?? null };
		}),
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

export const CONSULT_BILLING =
	"Paid per call; an expert nobody knows, one without a recorded consent, and notes that do not answer cost nothing.";

/** Asks a twin and keeps the answer for who paid for it. */
export async function consult(
	services: ConsultServices,
	asked: TwinQuestion,
	context: SkillContext,
): Promise<Outcome<ConsultOutput>> {
	const { clock, research } = services;
	const startedMs = clock.monotonicMs();
	const { told, data } = await askTwin(services, asked, context.signal);
	const { decision, mode, writer, warnings } = told;
	const meta = toConsultMeta(services, {
		...{ decision, mode, writer, warnings, startedMs },
		query: asked.question,
		graphIds: data.answer ? [asked.expert.graph.record.id] : [],
	});
	if (!data.answer) return noAnswer({ ok: true, data, meta });
	const until = keptUntil(clock, context);
	if (until === null) return answer({ ok: true, data, meta });
	const id = research.resultIds("cns", context);
	const kept = { ...data, consultation_id: id, kept_until: until };
	const keep = { kind: "consultation", id, data: kept } as const;
	return answer({ ok: true, data: kept, meta }, { keep });
}

/** Throws NOT_FOUND for an unknown expert, and for one without a consent that holds today. */
export async function getConsultable(
	{ expertDirectory, clock }: Pick<SkillServices, "expertDirectory" | "clock">,
	agentId: string,
): Promise<Expert> {
	const expert = await expertDirectory.profile(agentId);
	const why = whyNoConsult(expert, toIsoDay(clock.now()));
	if (why === undefined) return expert;
	throw notFound(
		`"${expert.agentId.slice(0, 80)}" cannot be consulted: ${why}. POST /v1/experts/match names experts for a question.`,
	);
}

/** Graphs that tokens for some graphs alone must name: those of desks and of rosters' specialists. */
export function graphsOfAgents(
	catalog: Pick<GraphCatalog, "list">,
	agentIds: readonly string[],
): readonly string[] {
	const graphs = catalog.list({ type: "expert" });
	const found = agentIds.flatMap((id) => {
		const desk = graphs.find(({ record }) => record.expert?.agentId === id);
		const roster = graphs.find(({ record }) => id.startsWith(`${record.id}:`));
		return (desk ?? roster)?.record.id ?? [];
	});
	return [...new Set(found)];
}

export function toConsultText({ data }: ConsultOutput): string {
	const { answer: told, expert, citations, not_covered: missing } = data;
	if (!told)
		return `${expert.name} does not cover this${missing.length > 0 ? `: ${missing.join(", ")}` : ""}.`;
	const sources = citations.map(({ n, title, source_url: url }) => `[${n}] ${title} (${url})`);
	const lines = told.sentences.map(({ text, citation_ids: ids }) => `${text} ${toMarks(ids)}`);
	return [`${expert.name} (${expert.disclosure})`, lines.join(" "), ...sources].join("\n");
}

/** Desks that can be asked today, each with a question of its own. */
export function offeredDesks({ catalog, clock }: Pick<SkillServices, "catalog" | "clock">) {
	const today = toIsoDay(clock.now());
	return catalog.list({ type: "expert" }).flatMap(({ record: { expert, exampleQueries } }) => {
		const isOffered = expert && whyNoConsult(expert, today) === undefined;
		return isOffered ? [{ agentId: expert.agentId, question: exampleQueries[0] }] : [];
	});
}

export type Consultations = ReturnType<typeof createConsultations>;

/** Answers of experts' twins that their buyers can read again. */
export function createConsultations(artifacts: Pick<ArtifactRepository, "find" | "list">) {
	const find = async (caller: Caller, id: string) => {
		const kept = await artifacts.find(caller, "consultation", id);
		return kept && { ...kept, data: consultationSchema.parse(kept.data) };
	};
	return {
		/** Newest first. Throws INVALID_ARGUMENT for a cursor of another list. */
		async list(caller: Caller, page: PageRequest) {
			const { items, next_cursor } = await artifacts.list(caller, "consultation", page);
			const found = await Promise.all(items.map(({ id }) => find(caller, id)));
			// What was deleted meanwhile is left out.
			const kept = found.filter((one) => one !== undefined);
			return { items: kept.map(toItem), next_cursor };
		},

		/** Throws NOT_FOUND alike for what does not exist, belongs to another caller or has expired. */
		async get(caller: Caller, id: string): Promise<ConsultationWire> {
			const kept = await find(caller, id);
			if (kept) return { ...kept.data, kept_until: toIsoTime(kept.expiresAt) };
			throw notFound(`No consultation of yours is called "${id}".`);
		},
	};
}

function toItem(kept: Omit<Artifact, "data"> & { readonly data: ConsultationWire }) {
	const { id, data, createdAt, expiresAt } = kept;
	return {
		consultation_id: id,
		agent_id: data.expert.id,
		question: data.question,
		created_at: toIsoTime(createdAt),
		expires_at: toIsoTime(expiresAt),
	};
}
