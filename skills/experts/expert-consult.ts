import {
	type Artifact,
	type ArtifactRepository,
	answer,
	type Caller,
	keptUntil,
	noAnswer,
	type Outcome,
	type PageRequest,
	type SkillContext,
	type SkillServices,
} from "../../src/contract/contract.js";
import { ServiceError, toIsoDay, toIsoTime } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import {
	askTwin,
	type ConsultServices,
	type TwinQuestion,
	toConsultMeta,
} from "./consult-answer.js";
import { type ConsultationWire, type ConsultOutput, consultationSchema } from "./consult-wire.js";
import { type Expert, whyNoConsult } from "./expert-index.js";

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
	throw new ServiceError(
		"NOT_FOUND",
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
	const lines = told.sentences.map(
		({ text, citation_ids: ids }) => `${text} ${ids.map((n) => `[${n}]`).join("")}`,
	);
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
			throw new ServiceError("NOT_FOUND", `No consultation of yours is called "${id}".`);
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
