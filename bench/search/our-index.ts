import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.js";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import type { Embedder } from "../../src/search/embedder.js";
import { findConcepts } from "../../src/search/find-concepts.js";
import { buildLexicalSegment, embedGraph } from "../../src/search/index-builder.js";
import { createIndexState, type IndexState, toScopes } from "../../src/search/index-state.js";
import type { ModelLocation } from "../../src/search/model-folder.js";
import { readQuery } from "../../src/search/query-words.js";
import { rankConcepts } from "../../src/search/ranking.js";
import type { SearchOutcome } from "../../src/search/search.js";
import { createTransformersEmbedder } from "../../src/search/transformers-embedder.js";
import { documentId, type Question, type QuestionSet } from "./question-set.js";

export const BUNDLED: ModelLocation = {
	folder: join(PACKAGE_ROOT, "models", "bundled"),
	sums: "required",
};

const DEPTH = 20;
const QUESTIONS_AT_ONCE = 16;

/** Our own index over the graphs of a set, with the vectors of its questions at hand. */
export interface OurIndex {
	lexical(question: Question): readonly string[];
	dense(question: Question): readonly string[];
	fused(question: Question): readonly string[];
	/** What a caller gets, decision included. */
	find(question: Question): SearchOutcome;
}

export async function createOurIndex(set: QuestionSet, model: ModelLocation): Promise<OurIndex> {
	const embedder = await createTransformersEmbedder({ clock: systemClock, model });
	const state = await buildState(set, embedder);
	const vectors: Float32Array[] = [];
	for (let first = 0; first < set.questions.length; first += QUESTIONS_AT_ONCE) {
		const some = set.questions.slice(first, first + QUESTIONS_AT_ONCE);
		const texts = some.map(({ query }) => query);
		vectors.push(...(await embedder.embed(texts, "query")));
	}
	await embedder.close();
	const vectorOf = new Map(set.questions.map(({ id }, index) => [id, vectors[index]]));
	const rank = (question: Question, query: string, vector: Float32Array | undefined) => {
		const scopes = toScopes(state, question.graphs);
		const ranked = rankConcepts({ state, scopes, words: readQuery(query), vector });
		return ranked.slice(0, DEPTH).map(({ scope, concept }) => {
			const found = scope.graph.concepts[concept];
			return found ? documentId(scope.graph, found) : "";
		});
	};
	return {
		lexical: (question) => rank(question, question.query, undefined),
		// Without words the lexical side is silent, and the order is that of the vectors.
		dense: (question) => rank(question, "", vectorOf.get(question.id)),
		fused: (question) => rank(question, question.query, vectorOf.get(question.id)),
		find: (question) =>
			findConcepts({
				state,
				request: { graphs: question.graphs, query: question.query, limit: DEPTH },
				vector: vectorOf.get(question.id),
				clock: systemClock,
			}),
	};
}

async function buildState({ graphs }: QuestionSet, embedder: Embedder): Promise<IndexState> {
	const segments = [];
	for (const graph of graphs) {
		const vectors = await embedGraph(graph, {
			embedder,
			goesOn: () => true,
			onConcepts: () => undefined,
		});
		segments.push({ ...(await buildLexicalSegment(graph)), vectors });
	}
	return createIndexState(segments);
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
