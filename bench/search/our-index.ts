import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.js";
import { memoizeByObject } from "../../src/kernel/memoize.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { createLocalDenseSide, type DenseSide } from "../../src/search/dense/dense-side.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import type { DenseScope } from "../../src/search/dense/vector-regions.js";
import { buildLexicalSegment, embedConcepts } from "../../src/search/index/index-builder.js";
import {
	createIndexState,
	type GraphIndex,
	type GraphPart,
	type IndexState,
	toScopes,
} from "../../src/search/index/index-state.js";
import type { PairJudge } from "../../src/search/judge/pair-judge.js";
import { readCommonWords } from "../../src/search/lexical/common-words.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import {
	concludeQuery,
	orderByReadings,
	rankQuery,
} from "../../src/search/ranking/find-concepts.js";
import { FOREIGN_QUESTIONS } from "../../src/search/ranking/foreign-questions.js";
import { buildLinkGraph } from "../../src/search/ranking/link-graph.js";
import { createQuestionBackgrounds } from "../../src/search/ranking/question-background.js";
import {
	type DenseFindings,
	POOL,
	type RankRequest,
	type RankWeights,
	rankConcepts,
	readWords,
} from "../../src/search/ranking/ranking.js";
import { createRowReader } from "../../src/search/ranking/row-reader.js";
import type { SearchOutcome } from "../../src/search/ranking/search-outcome.js";
import { documentId, type Question, type QuestionSet } from "./question-set.js";

export const BUNDLED: ModelLocation = {
	folder: join(PACKAGE_ROOT, "models", "encoder"),
	sums: "required",
};

export const BUNDLED_JUDGE: ModelLocation = {
	folder: join(PACKAGE_ROOT, "models", "judge"),
	sums: "required",
};

/** As many as the sides send into the fusion. */
const DEPTH = POOL;
const ROWS = 20;
const QUESTIONS_AT_ONCE = 16;

/** Our own index over the graphs of a set, with the vectors of its questions at hand. */
export interface OurIndex {
	lexical(question: Question): readonly string[];
	dense(question: Question): readonly string[];
	fused(question: Question): readonly string[];
	/** With what links, shared evidence and entities add. */
	linked(question: Question, weights?: RankWeights): readonly string[];
	/** With effort "best", where there is a judge. */
	read(question: Question): Promise<readonly string[]>;
	/** What a caller gets, decision included; with effort "best" where there is a judge. */
	find(question: Question): Promise<Omit<SearchOutcome, "timings">>;
}

export async function createOurIndex(
	set: QuestionSet,
	model: ModelLocation,
	judge?: PairJudge,
): Promise<OurIndex> {
	const embedder = await createTransformersEmbedder(systemClock, model);
	const asked = [...set.questions.map(({ query }) => query), ...FOREIGN_QUESTIONS];
	const vectorOf = await embedQueries(asked, embedder);
	const denseSide = createLocalDenseSide(async (query) => vectorOf.get(query));
	const backgrounds = createQuestionBackgrounds(denseSide);
	const state = await buildState(set, { embedder, denseSide });
	const commonWords = await readCommonWords(model.folder);
	const findings = new Map<string, DenseFindings>();
	for (const { id, query, graphs } of set.questions) {
		const hits = await denseSide.search({
			query,
			scopes: toDenseScopes(state, graphs),
			count: POOL,
		});
		if (hits) findings.set(id, { hits, cosineOf: denseSide.cosineOf });
	}
	const links = await buildLinkGraph([...state.graphs.values()].flatMap(({ parts }) => parts));
	const rank = (question: Question, { query, ...sides }: Asked) => {
		const scopes = toScopes(state, question.graphs);
		const words = readWords(query, scopes, commonWords);
		const { ranked } = rankConcepts({ scopes, words, ...sides });
		return ranked.slice(0, DEPTH).map(({ scope, concept }) => {
			const found = scope.graph.concepts[concept];
			return found ? documentId(scope.graph, found) : "";
		});
	};
	const readRows = createRowReader({ judge, clock: systemClock });
	const rankAndRead = memoizeByObject(async ({ id, query, graphs }: Question) => {
		const scopes = toScopes(state, graphs);
		const ranked = rankQuery({ scopes, query, dense: findings.get(id), links, commonWords });
		const readings = await readRows(query, ranked);
		return readings ? orderByReadings(ranked, readings) : ranked;
	});
	await embedder.close();
	return {
		lexical: (question) => rank(question, { query: question.query, dense: undefined }),
		// Without words the lexical side is silent, and the order is that of the vectors.
		dense: (question) => rank(question, { query: "", dense: findings.get(question.id) }),
		fused: (question) =>
			rank(question, { query: question.query, dense: findings.get(question.id) }),
		linked: (question, weights) =>
			rank(question, { query: question.query, dense: findings.get(question.id), links, weights }),
		async read(question) {
			const { found } = await rankAndRead(question);
			return found
				.slice(0, DEPTH)
				.map(({ slot, concept }) => documentId(slot.scope.graph, concept));
		},
		async find(question) {
			const ranked = await rankAndRead(question);
			const graph = ranked.found[0]?.slot.scope.graph;
			const background = graph && (await backgrounds.of(() => toScopes(state, [graph])));
			return concludeQuery(ranked, { limit: ROWS }, background);
		},
	};
}

/** Vectors by text. */
export async function embedQueries(
	texts: readonly string[],
	embedder: Embedder,
): Promise<ReadonlyMap<string, Float32Array>> {
	const vectors: Float32Array[] = [];
	for (let first = 0; first < texts.length; first += QUESTIONS_AT_ONCE) {
		vectors.push(...(await embedder.embed(texts.slice(first, first + QUESTIONS_AT_ONCE), "query")));
	}
	return new Map(vectors.map((vector, index) => [texts[index] ?? "", vector]));
}

/** What a ranking is made from. */
type Asked = Omit<RankRequest, "scopes" | "words"> & { readonly query: string };

export interface IndexParts {
	readonly embedder: Embedder;
	readonly denseSide: DenseSide;
}

export async function buildState(
	{ graphs }: Pick<QuestionSet, "graphs">,
	parts: IndexParts,
): Promise<IndexState> {
	const indexed: GraphIndex[] = [];
	for (const graph of graphs) indexed.push({ graph, parts: await indexGraph(graph, parts) });
	return createIndexState(indexed);
}

/** All concepts of a graph in one segment. */
export async function indexGraph(
	graph: Graph,
	{ embedder, denseSide }: IndexParts,
): Promise<readonly GraphPart[]> {
	const { concepts } = graph;
	const vectors = await embedConcepts(concepts, {
		embedder,
		goesOn: () => true,
		onConcepts: () => undefined,
	});
	const segment = { ...(await buildLexicalSegment(graph)), vectors };
	return [{ segment, concepts, vectors: vectors && denseSide.add(vectors) }];
}

function toDenseScopes(state: IndexState, graphs: readonly Graph[]): readonly DenseScope[] {
	return toScopes(state, graphs).flatMap(({ vectors, base, mask }) =>
		vectors ? [{ vectors, base, mask }] : [],
	);
}

/** A folder of its own for as long as `work` takes. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), "tollgraph-bench-search-"));
	try {
		return await work(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
