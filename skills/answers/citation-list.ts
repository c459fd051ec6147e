import type { CitationWire, CitedTextWire } from "../../src/contract/contract.js";
import { type CitedSentence, toArticleAddress } from "../../src/evidence/evidence.js";
import { toTrendId } from "../../src/knowledge/knowledge.js";
import type { WrittenSentence } from "./citation-gate.js";

/** Numbers evidence in the order in which an answer cites it, each piece once. */
export interface CitationList {
	/** The number of a piece of evidence, given on first use. */
	numberOf(sentence: CitedSentence): number;
	/** Whether it has a number already. */
	has(sentence: CitedSentence): boolean;
	/** A sentence with the numbers of its evidence. */
	cite(sentence: WrittenSentence): CitedTextWire;
	toWire(): readonly CitationWire[];
}

/** Pieces of evidence are told apart by their ids, or as `keyOf` says: one sentence may be cited once for each publisher. */
export function createCitationList(
	keyOf: (sentence: CitedSentence) => string = ({ evidenceId }) => evidenceId,
): CitationList {
	const cited = new Map<string, CitedSentence>();
	const numbers = new Map<string, number>();
	const numberOf = (sentence: CitedSentence): number => {
		const key = keyOf(sentence);
		const known = numbers.get(key);
		if (known !== undefined) return known;
		cited.set(key, sentence);
		numbers.set(key, cited.size);
		return cited.size;
	};
	return {
		numberOf,
		has: (sentence) => numbers.has(keyOf(sentence)),
		cite: ({ text, evidence }) => ({ text, citation_ids: evidence.map(numberOf) }),
		toWire: () => [...cited.values()].map((sentence, index) => toCitation(sentence, index + 1)),
	};
}

function toCitation({ evidenceId, graph, concept, text, sources }: CitedSentence, n: number) {
	const [source] = sources;
	const sourceUrl = source?.sourceUrl ?? "";
	return {
		n,
		evidence_id: evidenceId,
		trend_id: toTrendId(graph.record.id, concept.id),
		article_id: source?.articleId ?? "",
		title: source?.title ?? "",
		source_url: sourceUrl,
		published_at: source?.publishedAt ?? null,
		publisher: toArticleAddress(sourceUrl)?.host ?? "",
		excerpt: text,
		trust_tier: concept.trust,
		graph_id: graph.record.id,
	};
}
