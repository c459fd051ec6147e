import { systemClock } from "../../src/core/clock.js";
import type { Decision } from "../../src/core/wire.js";
import type { Graph } from "../../src/knowledge/graph.js";
import { readSigns } from "../../src/search/answer-signs.js";
import { readCommonWords } from "../../src/search/common-words.js";
import type { Embedder } from "../../src/search/embedder.js";
import { namedFirst } from "../../src/search/found-concepts.js";
import { type IndexState, type SearchScope, toScopes } from "../../src/search/index-state.js";
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
import { buildState } from "./our-index.js";

/**
 * As labelled; without capitals; with all that answers it withdrawn from the graphs; asked of one graph alone. The last two turn a
 * few labelled queries into many, but by the hundred they are alike: they count little. Besides, what the graphs say of themselves
 * that they answer, what else can be asked on their subjects, and what certainly none of them answers.
 */
export const VARIANTS = [
	"labelled",
	"lower-case",
	"withdrawn",
	"one-graph",
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
		.flatMap((query) => variantsOf(query, graphs));
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
}

const NOTHING: ReadonlySet<string> = new Set();
const MANY_GRAPHS = 3;

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
	return async (asked) => {
		const { query, relevant } = asked;
		if (!vectors.has(query)) vectors.set(query, (await embedder.embed([query], "query"))[0]);
		const scopes = scopesOf(state, asked);
		const toSearch = scopes.flatMap(({ vectors: region, base, mask }) =>
			region ? [{ vectors: region, base, mask }] : [],
		);
		const hits = await denseSide.search({ query, scopes: toSearch, count: POOL });
		const words = readWords(query, scopes, commonWords);
		const weighed = weighWords(words, scopes);
		const look = (dense: DenseFindings | undefined) =>
			namedFirst(rankConcepts({ scopes, words, dense, links }).ranked, weighed);
		const found = look(hits && { hits, cosineOf: denseSide.cosineOf });
		const [first] = found;
		const name = first && referenceTo(first.slot.scope.segment.graphId, first.concept.id);
		return {
			signs: {
				hybrid: readSigns(weighed, found, { scopes, commonWords }),
				keyword: readSigns(weighed, look(undefined), { scopes, commonWords }),
			},
			firstGrade: (name && relevant[name]) || 0,
		};
	};
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
