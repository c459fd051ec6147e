import {
	answer,
	keptUntil,
	noAnswer,
	type Outcome,
	type SkillContext,
	type SkillServices,
} from "../../src/contract/contract.js";
import { type Clock, toIsoDay } from "../../src/kernel/kernel.js";
import type { Graph, GraphCatalog } from "../../src/knowledge/knowledge.js";
import {
	askTwin,
	type ConsultServices,
	type TwinQuestion,
	toConsultMeta,
} from "./consult-answer.js";
import type { ConsultOutput } from "./consult-wire.js";
import { assertConsultable, type Expert, whyNoConsult } from "./expert-index.js";

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
	assertConsultable(expert, toIsoDay(clock.now()));
	return expert;
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

function isDeskOffered(clock: Clock) {
	const today = toIsoDay(clock.now());
	return ({ record }: Graph) =>
		record.expert !== undefined &&
		whyNoConsult({ consent: record.expert.consent }, today) === undefined;
}

/** Desks that can be asked today, each with a question of its own. */
export function offeredDesks({ catalog, clock }: Pick<SkillServices, "catalog" | "clock">) {
	const desks = catalog.list({ type: "expert" }).filter(isDeskOffered(clock));
	return desks.flatMap(({ record: { expert, exampleQueries } }) =>
		expert ? [{ agentId: expert.agentId, question: exampleQueries[0] }] : [],
	);
}
