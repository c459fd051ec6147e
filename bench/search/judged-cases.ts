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
import { buildState } from "./our-index.js";

/** What people ask assistants and no graph of the catalog answers. */
const EVERYDAY = [
	"how long should rice soak before cooking",
	"is it safe to take ibuprofen with coffee",
	"what time is sunset in Lisbon today",
	"write a birthday poem for my grandmother",
	"teach a parrot to talk",
	"average rent of a two room flat in Vienna",
	"how high is the Eiffel Tower",
	"best exercises against back pain",
	"who composed the Moonlight Sonata",
	"polish scratches out of a wooden table",
	"when do the summer holidays start",
	"plot summary of the first season",
	"convert cups of flour to grams",
	"causes of the French revolution",
	"change a flat bicycle tyre",
	"cheapest hotels near the airport",
	"how do bees make honey",
	"ideas for a wedding speech",
	"rash on the arm of a toddler",
	"how much water should I drink each day",
	"population of Argentina",
	"rules of chess for beginners",
	"repot an orchid after it has bloomed",
	"mortgage interest over thirty years",
	"how do I fold a fitted sheet",
	"block of cheese went mouldy, is it still good",
	"my gas bill doubled this winter",
	"address of the nearest post office",
	"which nodes of a tomato plant should I pinch off",
	"how do whales stay together in a pod",
	"how often should I rotate the tyres of my car",
	"hash browns without eggs",
	"seven letter word for a stubborn animal",
	"how do I draft a will",
	"can I freeze cooked pasta",
	"does the library charge for a late book",
	"what does a merchant banker do all day",
	"memory loss in old age",
	"how do I register a newborn child",
	"who was the first person on the moon",
	"why is the sky blue",
	"stop a tap from dripping",
	"what is on at the cinema tonight",
	"vaccinations for a trip to Kenya",
	"how do I request a day off",
	"which side of the road do they drive on in Japan",
	"crossword clue: river in Siberia",
	"how much does a new kitchen cost",
	"my connecting flight was cancelled",
	"how do I get a stain off a silk shirt",
] as const;

/**
 * As labelled; without capitals; with all that answers it withdrawn from the graphs; asked of one graph alone. The last two turn a
 * few labelled queries into many, but by the hundred they are alike: they count little. Besides, what the graphs say of themselves
 * that they answer, and what certainly none of them does.
 */
export const VARIANTS = [
	"labelled",
	"lower-case",
	"withdrawn",
	"one-graph",
	"example",
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
	const asked = [...labelled, ...examplesOf(graphs), ...everydayOf(graphs)];
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
