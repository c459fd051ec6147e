import type { z } from "zod";
import { paidOperation, type SkillServices, toReply } from "../../src/contract/contract.js";
import { createBestOf, createMomentum, type Momentum } from "../../src/evidence/evidence.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import {
	type Concept,
	compareText,
	type Evidence,
	type Graph,
	runInTurns,
	type Steps,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { type ConceptFilter, toConceptTest } from "../../src/search/search.js";
import { EVIDENCE_BILLING, graphsNamed } from "../articles/articles.js";
import { answerIf, graphMaps, toNodeItem } from "../graphs/graphs.js";
import { toConceptFilter } from "../search/search.js";
import {
	exampleOf,
	getTrend,
	graphIdOf,
	TREND_EXAMPLE,
	TREND_PARAMS,
	TREND_TYPES,
	toMomentum,
} from "./trend-reading.js";
import {
	movedInput,
	movedOutput,
	movedQuery,
	trendHistoryInput,
	trendHistoryOutput,
	trendHistoryQuery,
} from "./trend-wire.js";

/** Momentum of one trend, step by step. Additive to the contract. */
export const trendHistory = paidOperation({
	id: "trends.history",
	at: "GET /v1/trends/{trend_id}/history",
	summary: "History of a trend's momentum",
	description: `Its momentum as of the end of each of the last periods, oldest first, and how many of its sources were published in each, by the sources that the graph cites today: none is known twice, and those without a date do not count. ${EVIDENCE_BILLING}`,
	params: TREND_PARAMS,
	query: trendHistoryQuery,
	reply: toReply("TrendHistoryReply", trendHistoryOutput),
	about:
		"Momentum of one trend as of the end of each of the last months, quarters or years, with the sources published in each. Not charged where none has a source.",
	tags: ["trends", "momentum", "history"],
	examples: ["How did this trend grow over the last three years?"],
	input: trendHistoryInput,
	output: trendHistoryOutput,
	graphsOf: ({ trend_id }) => [graphIdOf(trend_id)],
	create: ({ catalog, clock }: Pick<SkillServices, "catalog" | "clock">) => ({
		exampleInput: () => ({ trend_id: exampleOf(catalog), step: "year", periods: 3 }),
		prepare: async ({ trend_id }) => void (await getTrend(catalog, trend_id)),
		async run({ trend_id, step, periods, as_of }) {
			const { graph, concept } = await getTrend(catalog, trend_id);
			const ends = endsOf(as_of ?? toIsoDay(clock.now()), { step, periods });
			const items = ends.map((end, at) => toPoint(concept.evidence, ends[at - 1], end));
			const shown = items.slice(1);
			const { title } = concept;
			const isWorth = shown.some(({ recent, before }) => recent + before > 0);
			const data = { trend_id, title, graph_id: graph.record.id, step, items: shown };
			return answerIf(isWorth, { ok: true, data, meta: {} });
		},
	}),
	example: {
		params: { trend_id: TREND_EXAMPLE },
		query: { step: "year", periods: "3", as_of: "2026-11-22" },
	},
});

type Step = z.infer<typeof trendHistoryInput>["step"];
const MONTHS = { month: 1, quarter: 3, year: 12 } as const satisfies Record<Step, number>;

/** The last days of so many periods up to a day, and of the one before them, oldest first. */
function endsOf(
	asOf: string,
	{ step, periods }: { readonly step: Step; readonly periods: number },
): readonly string[] {
	const [year = 0, month = 0, day = 0] = asOf.split("-").map(Number);
	const back = (months: number) => {
		// The last day of a month that is shorter.
		const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate();
		return toIsoDay(Date.UTC(year, month - 1 - months, Math.min(day, last)));
	};
	return Array.from({ length: periods + 1 }, (_, at) => back((periods - at) * MONTHS[step]));
}

function toPoint(evidence: readonly Evidence[], after: string | undefined, end: string) {
	const { as_of, ...counts } = toMomentum(createMomentum(end)(evidence));
	const published = new Set<string>();
	for (const { publishedAt, sourceUrl } of evidence) {
		if (publishedAt !== undefined && publishedAt <= end && publishedAt > (after ?? ""))
			published.add(sourceUrl);
	}
	return { as_of, ...counts, published: published.size };
}

/** What rises, what falls and what is new. Additive to the contract. */
export const trendMovers = paidOperation({
	id: "trends.movers",
	at: "GET /v1/trends/movers",
	agent: {
		name: "trend_movers",
		tool: {
			title: "Rising, falling and new trends",
			description:
				"Trends and signals on which more, or less, was published in the last year than in the year before, and those whose first sources are of the last year.",
			fields: {
				graph_id: "Only of this graph; all graphs if left out",
				limit: "Of each kind",
				as_of: "As of this day, YYYY-MM-DD; today if left out",
			},
		},
	},
	summary: "Rising, falling and new trends",
	description: `The trends and signals whose momentum is greatest and least, and apart from them those that are new: all their dated sources are of the last 365 days. ${EVIDENCE_BILLING}`,
	query: movedQuery,
	reply: toReply("TrendMoversReply", movedOutput),
	about:
		"Rising, falling and new trends of all graphs, or of one, by how much more was published on them in the last year than in the year before. Not charged when nothing moved.",
	tags: ["trends", "momentum"],
	examples: ["What is rising, what is falling and what is new?"],
	input: movedInput,
	output: movedOutput,
	toText: ({ data }) =>
		(["rising", "falling", "new"] as const)
			.map((kind) => {
				const lines = data[kind].map(({ title, momentum }) => `- ${title} (${momentum.score})`);
				return [`${kind}:`, ...(lines.length > 0 ? lines : ["- nothing"])].join("\n");
			})
			.join("\n\n"),
	create: ({ catalog, clock }: Pick<SkillServices, "catalog" | "clock">) => ({
		exampleInput: () => ({ limit: 3 }),
		prepare: (input) => void graphsNamed(catalog, input.graph_id),
		async run(input) {
			const asOf = input.as_of ?? toIsoDay(clock.now());
			const found = await runInTurns(
				findMovers({
					graphs: graphsNamed(catalog, input.graph_id),
					filter: toConceptFilter({ ...input, type: input.type ?? TREND_TYPES }) ?? {},
					asOf,
					most: input.limit,
				}),
			);
			for (const { graph } of [...found.rising, ...found.falling, ...found.new])
				await graphMaps.ready(graph);
			const data = {
				rising: found.rising.map(toMoverWire),
				falling: found.falling.map(toMoverWire),
				new: found.new.map(toMoverWire),
			};
			const isWorth = Object.values(data).some(({ length }) => length > 0);
			return answerIf(isWorth, { ok: true, data, meta: { as_of: asOf } });
		},
	}),
	example: { query: { graph_id: "kubernetes-enhancements", limit: "3", as_of: "2026-11-22" } },
});

interface Mover {
	readonly trendId: string;
	readonly graph: Graph;
	readonly concept: Concept;
	readonly momentum: Momentum;
}

function* findMovers(asked: {
	readonly graphs: readonly Graph[];
	readonly filter: ConceptFilter;
	readonly asOf: string;
	readonly most: number;
}): Steps<Readonly<Record<"rising" | "falling" | "new", readonly Mover[]>>> {
	const { graphs, filter, asOf, most } = asked;
	const momentumOf = createMomentum(asOf);
	const lists = createMoverLists(most);
	for (const graph of graphs) {
		const isWanted = toConceptTest(filter, graph);
		if (!isWanted) continue;
		for (const concept of graph.concepts) {
			yield;
			if (!isWanted(concept)) continue;
			const momentum = momentumOf(concept.evidence);
			const mover = { trendId: toTrendId(graph.record.id, concept.id), graph, concept, momentum };
			lists.add(mover);
		}
	}
	return lists.inOrder();
}

function createMoverLists(most: number) {
	const bestBy = (scoreOf: (momentum: Momentum) => number) =>
		createBestOf<Mover>(
			most,
			(a, b) => scoreOf(b.momentum) - scoreOf(a.momentum) || compareText(a.trendId, b.trendId),
		);
	const rising = bestBy(({ score }) => score);
	const falling = bestBy(({ score }) => -score);
	const fresh = bestBy(({ recent }) => recent);
	return {
		add(mover: Mover): void {
			const { concept, momentum } = mover;
			if (isNew(concept.evidence, momentum)) fresh.add(mover);
			else if (momentum.score > 0) rising.add(mover);
			else if (momentum.score < 0) falling.add(mover);
		},
		inOrder: () => ({
			rising: rising.inOrder(),
			falling: falling.inOrder(),
			new: fresh.inOrder(),
		}),
	};
}

/** Whether its dated sources are all of the last year. */
function isNew(evidence: readonly Evidence[], { recent, asOf }: Momentum): boolean {
	if (recent === 0) return false;
	const known = new Set<string>();
	for (const { publishedAt, sourceUrl } of evidence) {
		if (publishedAt !== undefined && publishedAt <= asOf) known.add(sourceUrl);
	}
	return known.size === recent;
}

function toMoverWire({ graph, concept, momentum }: Mover) {
	return {
		...toNodeItem(graph, concept),
		graph_id: graph.record.id,
		momentum: toMomentum(momentum),
	};
}
