import { INDEX_LIMITS } from "../../src/contract/limits.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { buildLexicalSegment } from "../../src/search/index/index-builder.js";
import { mergeParts, planMerge, tuneParts } from "../../src/search/index/index-merger.js";
import { createIndexState, toScopes } from "../../src/search/index/index-state.js";
import type { Part } from "../../src/search/index/segment.js";
import { readCommonWords } from "../../src/search/lexical/common-words.js";
import { searchLexical } from "../../src/search/lexical/lexical-search.js";
import { toQueryTerms } from "../../src/search/lexical/query-words.js";
import { readWords } from "../../src/search/ranking/ranking.js";
import { BUNDLED } from "./our-index.js";

/** Our lexical side alone over the segments that the engine would make of the graph; it reads misspelt words as a search does. */
export async function buildLexicalSide(
	graph: Graph,
	limit: number,
): Promise<(query: string) => unknown> {
	const parts = (await settledParts(graph)).map((part) => ({ ...part, vectors: undefined }));
	const scopes = toScopes(createIndexState([{ graph, parts }]), [graph]);
	const lexicalScopes = scopes.map(({ segment, base, mask }) => ({
		index: segment.lexical,
		base,
		mask,
	}));
	const commonWords = await readCommonWords(BUNDLED.folder);
	return (query) =>
		searchLexical(toQueryTerms(readWords(query, scopes, commonWords)), lexicalScopes, limit);
}

/** The segments that an import leaves once its merges are done. */
async function settledParts(graph: Graph): Promise<readonly Part[]> {
	const pieces: Part[] = [];
	for (let from = 0; from < graph.concepts.length; from += INDEX_LIMITS.segmentDocuments) {
		const concepts = graph.concepts.slice(from, from + INDEX_LIMITS.segmentDocuments);
		const segment = await buildLexicalSegment({ record: graph.record, concepts });
		pieces.push({ segment, concepts, live: concepts.length });
	}
	let parts = await tuneParts(pieces, INDEX_LIMITS);
	for (let plan = planMerge(parts); plan; plan = planMerge(parts)) {
		const positions = plan;
		const sources = parts.filter((_, position) => positions.includes(position));
		const merged = await mergeParts(sources);
		const rest = parts.flatMap((part, position) => {
			if (position === positions[0]) return [merged];
			return positions.includes(position) ? [] : [part];
		});
		parts = await tuneParts(rest, INDEX_LIMITS);
	}
	return parts;
}
