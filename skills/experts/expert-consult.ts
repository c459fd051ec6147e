import {
	answer,
	defineSkill,
	keptUntil,
	noAnswer,
	type Outcome,
	type Skill,
	type SkillContext,
} from "../../src/contract/contract.js";
import { type Clock, toIsoDay } from "../../src/kernel/kernel.js";
import type { Graph, GraphCatalog } from "../../src/knowledge/knowledge.js";
import {
	askTwin,
	type ConsultSkillDeps,
	type TwinQuestion,
	toConsultMeta,
} from "./consult-answer.js";
import { type ConsultOutput, consultInput, consultOutput } from "./consult-wire.js";
import { assertConsultable, type Expert, whyNoConsult } from "./expert-index.js";

const EXAMPLE_EXPERT = "transport-security-desk";
const EXAMPLE_QUESTION = "How should a server roll out HSTS?";

/** One question to one expert's twin. Spec: Endpoints, paid operations. */
export const createExpertConsult = (deps: ConsultSkillDeps): Skill<"human_agents.consult"> =>
	defineSkill({
		operationId: "human_agents.consult",
		title: "Consult an expert's twin",
		description:
			"One question to one expert of the roster (GET /v1/experts, POST /v1/experts/match). A machine answers from that expert's own notes alone, every sentence cited, with stance, key points, limits and what the notes do not cover. Experts without a recorded consent are not consulted. Not charged when the notes do not answer.",
		tags: ["expert", "consultation", "advice", "evidence"],
		examples: [EXAMPLE_QUESTION],
		get exampleInput() {
			return exampleOf(deps);
		},
		isOffered: () => offeredDesks(deps).length > 0,
		input: consultInput,
		output: consultOutput,
		capture: "onResult",
		queryOf: ({ question }) => question,
		graphsOf: ({ agent_id }) => graphsOfAgents(deps.catalog, [agent_id]),
		prepare: async ({ agent_id }) => void (await getConsultable(deps, agent_id)),
		toText: toConsultText,
		async run({ agent_id, question }, context) {
			const expert = await getConsultable(deps, agent_id);
			return consult(deps, { expert, question }, context);
		},
	});

/** Asks a twin and keeps the answer for whoever paid for it. */
export async function consult(
	deps: ConsultSkillDeps,
	asked: TwinQuestion,
	context: SkillContext,
): Promise<Outcome<ConsultOutput>> {
	const { clock, research } = deps;
	const startedMs = clock.monotonicMs();
	const { told, data } = await askTwin(deps, asked, context.signal);
	const { decision, mode, writer, warnings } = told;
	const meta = toConsultMeta(deps, {
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

/** Throws NOT_FOUND for an expert nobody knows, and for one in whose name nobody may answer. */
export async function getConsultable(
	{ experts, clock }: Pick<ConsultSkillDeps, "experts" | "clock">,
	agentId: string,
): Promise<Expert> {
	const expert = await experts.profile(agentId);
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

/** Documents and probes use it as it stands, so it asks a desk that can be asked wherever there is one. */
function exampleOf(deps: Pick<ConsultSkillDeps, "catalog" | "clock">) {
	const desks = offeredDesks(deps);
	const [first] = desks;
	const isSample = desks.some(({ agentId }) => agentId === EXAMPLE_EXPERT);
	if (isSample || !first) return { agent_id: EXAMPLE_EXPERT, question: EXAMPLE_QUESTION };
	return { agent_id: first.agentId, question: first.question ?? EXAMPLE_QUESTION };
}

/** Desks that can be asked today, each with a question of its own. */
export function offeredDesks({ catalog, clock }: Pick<ConsultSkillDeps, "catalog" | "clock">) {
	const desks = catalog.list({ type: "expert" }).filter(isDeskOffered(clock));
	return desks.flatMap(({ record: { expert, exampleQueries } }) =>
		expert ? [{ agentId: expert.agentId, question: exampleQueries[0] }] : [],
	);
}
