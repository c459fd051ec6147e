import { z } from "zod";
import {
	answer,
	EVIDENCE_LIMITS,
	pageQuery,
	paidOperation,
	type SkillServices,
	toKeyPart,
	toReply,
} from "../../src/contract/contract.js";
import {
	createBestOf,
	createMomentum,
	type Momentum,
	toArticleRef,
} from "../../src/evidence/evidence.js";
import { invalidArgument, toIsoDay } from "../../src/kernel/kernel.js";
import {
	type Concept,
	compareText,
	type Graph,
	runInTurns,
	type Steps,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { type ConceptFilter, toConceptTest } from "../../src/search/search.js";
import { EVIDENCE_BILLING, graphsNamed } from "../articles/articles.js";
import {
	answerIf,
	createWalk,
	graphMaps,
	placeOf,
	toNode,
	toNodeItem,
	toPage,
	toStep,
} from "../graphs/graphs.js";
import { toConceptFilter, toEvidence } from "../search/search.js";
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
	type linkSchema,
	momentumDayField,
	trendEvidenceInput,
	trendEvidenceOutput,
	trendInput,
	trendListInput,
	trendListOutput,
	trendListQuery,
	trendOutput,
} from "./trend-wire.js";

/** Trends and signals of every graph, by how much more is published on them than a year before. Additive to the contract. */
export const trendList = paidOperation({
	id: "trends.list",
	at: "GET /v1/trends",
	summary: "List trends by momentum",
	description: `Trends and signals, page by page. Momentum is log2((recent + 1) / (before + 1)) over the distinct sources of the last 365 days and of the 365 days before. ${EVIDENCE_BILLING}`,
	query: trendListQuery,
	reply: toReply("TrendListReply", trendListOutput),
	about:
		"Trends and signals of all graphs, or of one, by momentum: how much more was published on them in the last year than in the year before. Filtered by type, tag, trust and date. Not charged when there is none.",
	tags: ["trends", "momentum", "evidence"],
	examples: ["Which trends gained most in the last year?"],
	input: trendListInput,
	output: trendListOutput,
	create: ({ catalog, clock }: Pick<SkillServices, "catalog" | "clock">) => ({
		exampleInput: () => ({ limit: 5 }),
		prepare(input) {
			graphsNamed(catalog, input.graph_id);
			readPlace(toPage("trends", input, 3).after);
		},
		async run(input) {
			const page = toPage("trends", input, 3);
			const begun = readPlace(page.after);
			const asOf = begun?.asOf ?? input.as_of ?? toIsoDay(clock.now());
			const found = await runInTurns(
				findTrends({
					graphs: graphsNamed(catalog, input.graph_id),
					filter: toConceptFilter({ ...input, type: input.type ?? TREND_TYPES }) ?? {},
					asOf,
					after: begun?.place,
					most: input.limit + 1,
				}),
			);
			const items = found.slice(0, input.limit);
			for (const { graph } of items) await graphMaps.ready(graph);
			const last = items.at(-1);
			return answerIf(items.length > 0, {
				ok: true,
				data: {
					items: items.map(({ graph, concept, momentum }) => ({
						...toNodeItem(graph, concept),
						graph_id: graph.record.id,
						momentum: toMomentum(momentum),
					})),
				},
				meta: {
					next_cursor: page.next(
						found.length > items.length,
						last && [asOf, String(last.momentum.score), last.trendId],
					),
				},
			});
		},
	}),
	example: { query: { graph_id: "kubernetes-enhancements", limit: "5" } },
});

interface Trend {
	readonly trendId: string;
	readonly graph: Graph;
	readonly concept: Concept;
	readonly momentum: Momentum;
}

/** Where a trend stands in the list. */
interface TrendPlace {
	readonly score: number;
	readonly trendId: string;
}

/** Trends by momentum, the greatest first, then by id; those behind a place, whether something stands there or not. */
function* findTrends(asked: {
	readonly graphs: readonly Graph[];
	readonly filter: ConceptFilter;
	readonly asOf: string;
	readonly after: TrendPlace | undefined;
	readonly most: number;
}): Steps<readonly Trend[]> {
	const { graphs, filter, asOf, after, most } = asked;
	const momentumOf = createMomentum(asOf);
	const best = createBestOf<Trend>(most, (a, b) => comparePlaces(toPlace(a), toPlace(b)));
	for (const graph of graphs) {
		const isWanted = toConceptTest(filter, graph);
		if (!isWanted) continue;
		for (const concept of graph.concepts) {
			yield;
			if (!isWanted(concept)) continue;
			const trendId = toTrendId(graph.record.id, concept.id);
			const trend = { trendId, graph, concept, momentum: momentumOf(concept.evidence) };
			if (!after || comparePlaces(toPlace(trend), after) > 0) best.add(trend);
		}
	}
	return best.inOrder();
}

function toPlace({ trendId, momentum }: Trend): TrendPlace {
	return { trendId, score: momentum.score };
}

function comparePlaces(a: TrendPlace, b: TrendPlace): number {
	return b.score - a.score || compareText(a.trendId, b.trendId);
}

/** A list begun on one day goes on as of that day. */
function readPlace(
	after: readonly string[] | undefined,
): { readonly asOf: string; readonly place: TrendPlace } | undefined {
	if (!after) return undefined;
	const [asOf = "", score = "", trendId = ""] = after;
	const isPlace = /^\d{4}-\d\d-\d\d$/.test(asOf) && Number.isFinite(Number.parseFloat(score));
	if (isPlace && !Number.isNaN(Date.parse(asOf))) {
		return { asOf, place: { score: Number.parseFloat(score), trendId } };
	}
	throw invalidArgument(
		"The cursor is none of ours; send back next_cursor as it was, or begin anew without a cursor.",
	);
}

/** One trend with its text, sources, momentum and links. Additive to the contract. */
export const trend = paidOperation({
	id: "trends.get",
	at: "GET /v1/trends/{trend_id}",
	agent: {
		name: "get_trend",
		tool: {
			title: "Read one trend",
			description: "One trend with its strength over time and its evidence.",
			fields: {
				trend_id: "trend_id of a row: <graph id>:<node id>",
				as_of: "As of this day, YYYY-MM-DD; today if left out",
			},
		},
	},
	summary: "Read one trend",
	description: `One node in full, by its trend_id, with its momentum and its links. ${EVIDENCE_BILLING}`,
	params: TREND_PARAMS,
	query: z.strictObject({ as_of: momentumDayField.optional() }),
	reply: toReply("TrendReply", trendOutput),
	about:
		"One trend in full, by its trend_id: text, sources, who wrote and verified it, momentum, and what it is linked with.",
	tags: ["trends", "momentum", "provenance"],
	examples: ["What is behind this trend, and is it growing?"],
	input: trendInput,
	output: trendOutput,
	graphsOf: ({ trend_id }) => [graphIdOf(trend_id)],
	toText: ({ data: { title, summary, momentum } }) =>
		`${title}\n\n${summary}\n\nMomentum ${momentum.score} (${momentum.recent} sources in the last year, ${momentum.before} before)`,
	create: ({ catalog, clock }: Pick<SkillServices, "catalog" | "clock">) => ({
		exampleInput: () => ({ trend_id: exampleOf(catalog) }),
		prepare: async ({ trend_id }) => void (await getTrend(catalog, trend_id)),
		async run({ trend_id, as_of }) {
			const { graph, concept } = await getTrend(catalog, trend_id);
			const momentumOf = createMomentum(as_of ?? toIsoDay(clock.now()));
			return answer({
				ok: true,
				data: {
					...toNode(graph, concept),
					graph_id: graph.record.id,
					momentum: toMomentum(momentumOf(concept.evidence)),
					...(await linksOf(graph, concept)),
				},
				meta: {},
			});
		},
	}),
	example: { params: { trend_id: TREND_EXAMPLE }, query: { as_of: "2026-11-22" } },
});

async function linksOf(graph: Graph, concept: Concept) {
	const map = await graphMaps.ready(graph);
	const walk = createWalk(map, {}, EVIDENCE_LIMITS.trendLinksMax);
	const links: z.infer<typeof linkSchema>[] = [];
	walk.follow(placeOf(graph, concept.id), (step, _, direction) => {
		const { to, edge } = toStep(map, step, direction);
		const { type, weight } = edge;
		const trendId = toTrendId(graph.record.id, to.id);
		links.push({ trend_id: trendId, title: to.title, type, direction, weight });
	});
	return { links, is_complete: !walk.isSpent() };
}

/** Every source of one trend, page by page. Additive to the contract. */
export const trendEvidence = paidOperation({
	id: "trends.evidence",
	at: "GET /v1/trends/{trend_id}/evidence",
	summary: "Evidence of a trend",
	description: `Every source that carries it, newest first, page by page. ${EVIDENCE_BILLING}`,
	params: TREND_PARAMS,
	query: z.strictObject(pageQuery),
	reply: toReply("TrendEvidenceReply", trendEvidenceOutput),
	about:
		"Every source that carries a trend, newest first, page by page, each with the article_ref under which all graphs know it. Not charged when there is none.",
	tags: ["trends", "evidence", "sources"],
	examples: ["Which sources carry this trend?"],
	input: trendEvidenceInput,
	output: trendEvidenceOutput,
	graphsOf: ({ trend_id }) => [graphIdOf(trend_id)],
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => ({ trend_id: exampleOf(catalog), limit: 5 }),
		async prepare(input) {
			await getTrend(catalog, input.trend_id);
			toPage("trend-evidence", input, 2);
		},
		async run(input) {
			const { concept } = await getTrend(catalog, input.trend_id);
			const page = toPage("trend-evidence", input, 2);
			const [day = "", id = ""] = page.after ?? [];
			const rest = concept.evidence
				.map((source) => ({
					source,
					key: [source.publishedAt ?? "", toKeyPart(source.articleId)] as const,
				}))
				.filter(({ key }) => !page.after || compareKeys(key, [day, id]) > 0)
				.sort((a, b) => compareKeys(a.key, b.key));
			const shown = rest.slice(0, input.limit);
			return answerIf(shown.length > 0, {
				ok: true,
				data: {
					items: shown.map(({ source }) => ({
						...toEvidence(source),
						article_ref: toArticleRef(source.sourceUrl) ?? null,
					})),
				},
				meta: { next_cursor: page.next(rest.length > shown.length, shown.at(-1)?.key) },
			});
		},
	}),
	example: { params: { trend_id: TREND_EXAMPLE }, query: { limit: "5" } },
});

type Key = readonly [day: string, id: string];

/** Newest first, undated ones last, then by id. */
function compareKeys(a: Key, b: Key): number {
	return compareText(b[0], a[0]) || compareText(a[1], b[1]);
}
