import {
	answer,
	defineSkill,
	EVIDENCE_LIMITS,
	type Skill,
	toKeyPart,
} from "../../src/contract/contract.js";
import { createMomentum, type Momentum, toArticleRef } from "../../src/evidence/evidence.js";
import { ServiceError, toIsoDay } from "../../src/kernel/kernel.js";
import { compareText, toTrendId } from "../../src/knowledge/knowledge.js";
import {
	type MomentumWire,
	trendEvidenceInput,
	trendEvidenceOutput,
	trendInput,
	trendListInput,
	trendListOutput,
	trendOutput,
} from "../articles/articles.js";
import {
	answerIf,
	type CatalogSkillDeps,
	createWalk,
	graphMaps,
	placeOf,
	toNode,
	toNodeItem,
	toPage,
	toStep,
} from "../graphs/graphs.js";
import { toConceptFilter, toEvidence } from "../search/search.js";
import { listTrends, type TrendPlace } from "./trend-list.js";
import { getTrend, type KnownTrend } from "./trend-lookup.js";

const TYPES = ["Trend", "Signal"];
const EXAMPLE = "kubernetes-enhancements:trends.job-api";
const TREND_TYPES: ReadonlySet<string> = new Set(TYPES.map((type) => type.toLowerCase()));

/** A trend that exists wherever one does. */
function exampleOf({ catalog }: CatalogSkillDeps): { readonly trend_id: string } {
	const [graphId = "", nodeId] = EXAMPLE.split(":");
	if (catalog.find(graphId)?.concepts.some(({ id }) => id === nodeId)) return { trend_id: EXAMPLE };
	for (const { record, concepts } of catalog.list()) {
		const concept = concepts.find(({ type }) => TREND_TYPES.has(type.toLowerCase()));
		if (concept) return { trend_id: toTrendId(record.id, concept.id) };
	}
	const graph = catalog.list().find(({ concepts }) => concepts.length > 0);
	const [concept] = graph?.concepts ?? [];
	return { trend_id: graph && concept ? toTrendId(graph.record.id, concept.id) : EXAMPLE };
}

/** Trends and signals of every graph, by how much more is published on them than a year before. */
export const createTrendList = ({ catalog, clock }: CatalogSkillDeps): Skill<"trends.list"> =>
	defineSkill({
		operationId: "trends.list",
		title: "List trends by momentum",
		description:
			"Trends and signals of all graphs, or of one, by momentum: how much more was published on them in the last year than in the year before. Filtered by type, tag, trust and date. Not charged when there is none.",
		tags: ["trends", "momentum", "evidence"],
		examples: ["Which trends gained most in the last year?"],
		exampleInput: { limit: 5 },
		input: trendListInput,
		output: trendListOutput,
		capture: "onResult",
		queryOf: () => undefined,
		graphsOf: ({ graph_id }) => (graph_id === undefined ? [] : [graph_id]),
		prepare(input) {
			if (input.graph_id !== undefined) catalog.assertKnown(input.graph_id);
			readPlace(toPage("trends", input, 3).after);
		},
		async run(input) {
			const page = toPage("trends", input, 3);
			const begun = readPlace(page.after);
			const asOf = begun?.asOf ?? input.as_of ?? toIsoDay(clock.now());
			const { items, hasMore } = await listTrends({
				graphs: input.graph_id === undefined ? catalog.list() : [catalog.get(input.graph_id)],
				filter: toConceptFilter({ ...input, type: input.type ?? TYPES }) ?? {},
				asOf,
				after: begun?.place,
				limit: input.limit,
			});
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
						hasMore,
						last && [asOf, String(last.momentum.score), last.trendId],
					),
				},
			});
		},
	});

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
	throw new ServiceError(
		"INVALID_ARGUMENT",
		"The cursor is none of ours; send back next_cursor as it was, or begin anew without a cursor.",
	);
}

/** One trend with its text, sources, momentum and links. */
export const createTrend = (deps: CatalogSkillDeps): Skill<"trends.get"> =>
	defineSkill({
		operationId: "trends.get",
		title: "Read one trend",
		description:
			"One trend in full, by its trend_id: text, sources, who wrote and verified it, momentum, and what it is linked with.",
		tags: ["trends", "momentum", "provenance"],
		examples: ["What is behind this trend, and is it growing?"],
		get exampleInput() {
			return exampleOf(deps);
		},
		input: trendInput,
		output: trendOutput,
		capture: "onResult",
		queryOf: () => undefined,
		graphsOf: ({ trend_id }) => [graphIdOf(trend_id)],
		prepare: async ({ trend_id }) => void (await getTrend(deps.catalog, trend_id)),
		toText: ({ data: { title, summary, momentum } }) =>
			`${title}\n\n${summary}\n\nMomentum ${momentum.score} (${momentum.recent} sources in the last year, ${momentum.before} before)`,
		async run({ trend_id, as_of }) {
			const trend = await getTrend(deps.catalog, trend_id);
			const { graph, concept } = trend;
			const momentumOf = createMomentum(as_of ?? toIsoDay(deps.clock.now()));
			return answer({
				ok: true,
				data: {
					...toNode(graph, concept),
					graph_id: graph.record.id,
					momentum: toMomentum(momentumOf(concept.evidence)),
					...(await linksOf(trend)),
				},
				meta: {},
			});
		},
	});

async function linksOf({ graph, concept }: KnownTrend) {
	const map = await graphMaps.ready(graph);
	const { trendLinksMax } = EVIDENCE_LIMITS;
	const walk = createWalk(map, {}, trendLinksMax);
	const links: ReturnType<typeof toStep>[] = [];
	walk.follow(placeOf(graph, concept.id), (edge, _, direction) => {
		links.push(toStep(map, edge, direction));
	});
	return {
		links: links.map(({ to, edge, direction }) => ({
			trend_id: toTrendId(graph.record.id, to.id),
			title: to.title,
			type: edge.type,
			direction,
			weight: edge.weight,
		})),
		is_complete: !walk.isSpent(),
	};
}

/** Every source of one trend, page by page. */
export const createTrendEvidence = (deps: CatalogSkillDeps): Skill<"trends.evidence"> =>
	defineSkill({
		operationId: "trends.evidence",
		title: "Evidence of a trend",
		description:
			"Every source that carries a trend, newest first, page by page, each with the article_ref under which all graphs know it. Not charged when there is none.",
		tags: ["trends", "evidence", "sources"],
		examples: ["Which sources carry this trend?"],
		get exampleInput() {
			return { ...exampleOf(deps), limit: 5 };
		},
		input: trendEvidenceInput,
		output: trendEvidenceOutput,
		capture: "onResult",
		queryOf: () => undefined,
		graphsOf: ({ trend_id }) => [graphIdOf(trend_id)],
		async prepare(input) {
			await getTrend(deps.catalog, input.trend_id);
			toPage("trend-evidence", input, 2);
		},
		async run(input) {
			const { concept } = await getTrend(deps.catalog, input.trend_id);
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
	});

type Key = readonly [day: string, id: string];

/** Newest first, undated ones last, then by id. */
function compareKeys(a: Key, b: Key): number {
	return compareText(b[0], a[0]) || compareText(a[1], b[1]);
}

function graphIdOf(trendId: string): string {
	return trendId.slice(0, trendId.indexOf(":"));
}

function toMomentum({ asOf, ...counts }: Momentum): MomentumWire {
	return { ...counts, as_of: asOf };
}
