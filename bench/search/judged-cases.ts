import { systemClock } from "../../src/core/clock.js";
import type { Decision } from "../../src/core/wire.js";
import type { Concept, Graph } from "../../src/knowledge/graph.js";
import { readSigns } from "../../src/search/answer-signs.js";
import { readCommonWords } from "../../src/search/common-words.js";
import type { Embedder } from "../../src/search/embedder.js";
import { type Found, namedFirst } from "../../src/search/found-concepts.js";
import {
	createIndexState,
	type GraphIndex,
	type IndexState,
	type SearchScope,
	toScopes,
} from "../../src/search/index-state.js";
import type { AnswerSigns } from "../../src/search/judge.js";
import { buildLinkGraph } from "../../src/search/link-graph.js";
import { createLocalDenseSide } from "../../src/search/local-dense-side.js";
import type { ModelLocation } from "../../src/search/model-folder.js";
import { weighWords } from "../../src/search/query-coverage.js";
import { type DenseFindings, POOL, rankConcepts, readWords } from "../../src/search/ranking.js";
import { createTransformersEmbedder } from "../../src/search/transformers-embedder.js";
import {
	type LabelledQuery,
	type LabelledSet,
	referenceTo,
	type Split,
} from "../labelled/labelled-queries.js";
import { ASKED_OF_GRAPHS, EVERYDAY } from "./judged-examples.js";
import { multiplyRows } from "./multiplied-rows.js";
import { buildState, type IndexParts, indexGraph } from "./our-index.js";

/**
 * As labelled; without capitals; with all that answers it withdrawn from the graphs; asked of one graph alone; asked of
 * a graph where many rows say what the first ones say, which must change nothing. These turn a few labelled queries into many, but by
 * the hundred they are alike: they count little. Besides, what the graphs say of themselves
 * that they answer, what else can be asked on their subjects, and what certainly none of them answers.
 */
export const VARIANTS = [
	"labelled",
	"lower-case",
	"withdrawn",
	"one-graph",
	"multiplied",
	"example",
	"asked-of-graph",
	"everyday",
] as const;
export type Variant = (typeof VARIANTS)[number];

export interface JudgedCase {
	readonly id: string;
	readonly kind: string;
	readonly variant: Variant;
	/** What an honest librarian would say. */
	readonly decision: Decision;
	readonly signs: { readonly hybrid: AnswerSigns; readonly keyword: AnswerSigns };
	/** Grade of the first row, 0 to 3, in hybrid mode. */
	readonly firstGrade: number;
}

/** Every query of these splits, and what can be made of it, with the signs its first rows show. */
export async function readJudgedCases(
	splits: readonly Split[],
	{ graphs, queries }: LabelledSet,
	model: ModelLocation,
): Promise<readonly JudgedCase[]> {
	const embedder = await createTransformersEmbedder({ clock: systemClock, model });
	const examine = await createExaminer(graphs, model, embedder);
	const labelled = queries
		.filter(({ split }) => splits.includes(split))
		.flatMap((query, at) => [...variantsOf(query, graphs), ...multipliedOf(query, graphs, at)]);
	const asked = [...labelled, ...examplesOf(graphs), ...askedOf(graphs), ...everydayOf(graphs)];
	const cases: JudgedCase[] = [];
	for (const one of asked) cases.push({ ...one, ...(await examine(one)) });
	await embedder.close();
	return cases;
}

interface Asked extends Pick<JudgedCase, "id" | "kind" | "variant" | "decision"> {
	readonly query: string;
	readonly relevant: LabelledQuery["relevant"];
	readonly graphs: readonly Graph[];
	/** References of concepts that are left out. */
	readonly without: ReadonlySet<string>;
	/** How many copies there are of each row that answers, or, where none does, of the first ones. */
	readonly copies?: number;
}

const NOTHING: ReadonlySet<string> = new Set();
const MANY_GRAPHS = 3;
const COPIES = [4, 9, 19] as const;
const COPIED_ROWS = 2;
const GRADE_OF_AN_ANSWER = 3;

function variantsOf(labelled: LabelledQuery, all: readonly Graph[]): readonly Asked[] {
	const { id, kind, query, decision, relevant } = labelled;
	const graphs = all.filter(({ record }) => labelled.graphs?.includes(record.id) ?? true);
	const which = { id, kind, query, relevant, graphs, without: NOTHING };
	const asked: Asked = { ...which, variant: "labelled", decision };
	const lower: Asked = { ...asked, variant: "lower-case", query: query.toLowerCase() };
	if (labelled.kind === "unanswerable") return [asked, lower];
	const without = new Set(Object.keys(relevant));
	const withdrawn: Asked = { ...asked, variant: "withdrawn", decision: "ABSTAIN", without };
	return [asked, lower, withdrawn, ...(graphs.length < MANY_GRAPHS ? [] : oneByOne(asked))];
}

/** Every query with another number of copies, in the graph that answers it best or, where none does, in all that it was asked of. */
function multipliedOf(
	labelled: LabelledQuery,
	all: readonly Graph[],
	at: number,
): readonly Asked[] {
	const { id, kind, query, decision, relevant } = labelled;
	if (decision !== "ANSWER" && decision !== "ABSTAIN") return [];
	const [best] = Object.entries(relevant).sort(([, one], [, other]) => other - one);
	const ids = best ? [best[0].slice(0, best[0].indexOf(":"))] : labelled.graphs;
	const graphs = all.filter(({ record }) => ids?.includes(record.id) ?? true);
	const copies = COPIES[at % COPIES.length] ?? 0;
	return [
		{
			id,
			kind,
			query,
			decision,
			relevant,
			graphs,
			variant: "multiplied",
			without: NOTHING,
			copies,
		},
	];
}

/** Graphs that hold a part of the answer only are left out: who can say what they should decide. */
function oneByOne(asked: Asked): readonly Asked[] {
	return asked.graphs.flatMap((graph): Asked[] => {
		const own = Object.entries(asked.relevant).filter(([name]) =>
			name.startsWith(`${graph.record.id}:`),
		);
		const best = Math.max(0, ...own.map(([, grade]) => grade));
		if (best === 1 || best === 2) return [];
		const decision = best === 0 ? "ABSTAIN" : "ANSWER";
		return [{ ...asked, variant: "one-graph", decision, graphs: [graph] }];
	});
}

/** What a graph says of itself that it answers. */
function examplesOf(graphs: readonly Graph[]): readonly Asked[] {
	const common = { kind: "example", variant: "example", decision: "ANSWER" } as const;
	return graphs.flatMap((graph) =>
		graph.record.exampleQueries.map((query) => ({
			...common,
			id: query,
			query,
			graphs: [graph],
			relevant: {},
			without: NOTHING,
		})),
	);
}

function askedOf(graphs: readonly Graph[]): readonly Asked[] {
	return graphs.flatMap((graph) => {
		const { answered = [], unanswered = [] } = ASKED_OF_GRAPHS[graph.record.id] ?? {};
		const common = { kind: "asked-of-graph", variant: "asked-of-graph" } as const;
		const rest = { ...common, graphs: [graph], relevant: {}, without: NOTHING };
		const ask = (decision: Decision) => (query: string) => ({
			...rest,
			decision,
			id: query,
			query,
		});
		return [...answered.map(ask("ANSWER")), ...unanswered.map(ask("ABSTAIN"))];
	});
}

function everydayOf(graphs: readonly Graph[]): readonly Asked[] {
	const common = { kind: "everyday", variant: "everyday", decision: "ABSTAIN" } as const;
	const rest = { graphs, relevant: {}, without: NOTHING };
	return EVERYDAY.map((query) => ({ ...common, ...rest, id: query, query }));
}

type Examine = (asked: Asked) => Promise<Pick<JudgedCase, "signs" | "firstGrade">>;

async function createExaminer(
	graphs: readonly Graph[],
	model: ModelLocation,
	embedder: Embedder,
): Promise<Examine> {
	const vectors = new Map<string, Float32Array | undefined>();
	const denseSide = createLocalDenseSide({ find: async (query) => vectors.get(query) });
	const state = await buildState({ graphs }, { embedder, denseSide });
	const links = await buildLinkGraph([...state.graphs.values()].flatMap(({ parts }) => parts));
	const commonWords = await readCommonWords(model.folder);
	const look = async (query: string, scopes: readonly SearchScope[]) => {
		const toSearch = scopes.flatMap(({ vectors: region, base, mask }) =>
			region ? [{ vectors: region, base, mask }] : [],
		);
		const hits = await denseSide.search({ query, scopes: toSearch, count: POOL });
		const words = readWords(query, scopes, commonWords);
		const weighed = weighWords(words, scopes);
		const find = (dense: DenseFindings | undefined) =>
			namedFirst(rankConcepts({ scopes, words, dense, links }).ranked, weighed);
		return { weighed, scopes, hybrid: find(hits && { hits, cosineOf: denseSide.cosineOf }), find };
	};
	return async (asked) => {
		const { query, relevant, copies } = asked;
		if (!vectors.has(query)) vectors.set(query, (await embedder.embed([query], "query"))[0]);
		let seen = await look(query, scopesOf(state, asked));
		if (copies) {
			const copied = conceptsToCopy(asked, seen.hybrid);
			const made = await withCopies(state, copied, { embedder, denseSide }, copies);
			seen = await look(query, scopesOf(made, asked));
		}
		const { weighed, scopes, hybrid, find } = seen;
		const [first] = hybrid;
		const name = first && referenceTo(first.slot.scope.segment.graphId, first.concept.id);
		return {
			signs: {
				hybrid: readSigns(weighed, hybrid, { scopes, commonWords }),
				keyword: readSigns(weighed, find(undefined), { scopes, commonWords }),
			},
			firstGrade: (name && relevant[name]) || 0,
		};
	};
}

/** By graph: what answers the query or, where nothing does, what comes first. */
function conceptsToCopy(
	{ graphs, relevant, decision }: Asked,
	found: readonly Found[],
): ReadonlyMap<Graph, readonly Concept[]> {
	const first = new Set(found.slice(0, COPIED_ROWS).map(({ concept }) => concept));
	return new Map(
		graphs.map((graph) => [
			graph,
			graph.concepts.filter((concept) =>
				decision === "ABSTAIN"
					? first.has(concept)
					: relevant[referenceTo(graph.record.id, concept.id)] === GRADE_OF_AN_ANSWER,
			),
		]),
	);
}

/** The same index with more concepts in some of its graphs, as changes of a graph are indexed: in a segment of their own. */
async function withCopies(
	{ graphs }: IndexState,
	copied: ReadonlyMap<Graph, readonly Concept[]>,
	parts: IndexParts,
	times: number,
): Promise<IndexState> {
	const indexed: GraphIndex[] = [];
	for (const [graph, concepts] of copied) {
		const known = graphs.get(graph.record.id)?.parts ?? [];
		const copies = multiplyRows(concepts, times);
		const more = copies.length > 0 ? await indexGraph({ ...graph, concepts: copies }, parts) : [];
		indexed.push({ graph, parts: [...known, ...more] });
	}
	return createIndexState(indexed);
}

function scopesOf(state: IndexState, { graphs, without }: Asked): readonly SearchScope[] {
	const scopes = toScopes(state, graphs);
	if (without.size === 0) return scopes;
	return scopes.flatMap((scope) => {
		const { graphId } = scope.segment;
		const mask = Uint8Array.from(scope.concepts, (concept) =>
			concept && !without.has(referenceTo(graphId, concept.id)) ? 1 : 0,
		);
		return mask.includes(1) ? [{ ...scope, mask }] : [];
	});
}
