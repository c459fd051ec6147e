import type { Decision } from "../contract/contract.js";
import { type Graph, runInTurns, type Steps } from "../knowledge/knowledge.js";
import type { ConceptFilter, HybridSearch, RankedConcept } from "../search/search.js";
import { type CitedSentence, toCitedSentences } from "./cited-sentences.js";
import { contentTerms, contentWords, coverageOf } from "./content-words.js";

/** What the graphs say to a question, sentence by sentence. */
export interface GatheredEvidence {
	readonly decision: Decision;
	/** Words of the question nothing covers. */
	readonly missing: readonly string[];
	readonly mode: "hybrid" | "keyword";
	/** Concepts that were found, best first; none when the search abstains. */
	readonly concepts: readonly RankedConcept[];
	/** Their cited sentences, those that bear most on the question first. */
	readonly sentences: readonly RankedSentence[];
}

export interface RankedSentence extends CitedSentence {
	/** Relevance in 0..1, comparable within one answer only. */
	readonly score: number;
}

export interface GatherRequest {
	readonly graphs: readonly Graph[];
	readonly question: string;
	/** Concepts looked at. */
	readonly conceptsMax: number;
	readonly sentencesMax: number;
	readonly filter?: ConceptFilter | undefined;
	readonly signal: AbortSignal;
}

/** How much a sentence's own words count against the rank of its concept. */
const OWN_SHARE = 0.6;

/** Finds concepts for a question and ranks the sentences they are cited for. */
export async function gatherEvidence(
	search: HybridSearch,
	request: GatherRequest,
): Promise<GatheredEvidence> {
	const { graphs, question, conceptsMax, sentencesMax, filter, signal } = request;
	const found = await search.find({ graphs, query: question, limit: conceptsMax, filter, signal });
	const sentences = await runInTurns(rankSentences(question, found.rows), signal);
	const { decision, missing, mode, rows } = found;
	return { decision, missing, mode, concepts: rows, sentences: sentences.slice(0, sentencesMax) };
}

function* rankSentences(
	question: string,
	rows: readonly RankedConcept[],
): Steps<readonly RankedSentence[]> {
	const asked = contentWords(question);
	const ranked: RankedSentence[] = [];
	for (const { graph, concept, score: conceptScore } of rows) {
		const titleTerms = contentTerms(concept.title);
		for (const sentence of toCitedSentences(graph, concept)) {
			yield;
			const terms = new Set([...contentTerms(sentence.text), ...titleTerms]);
			const own = coverageOf(asked, terms);
			ranked.push({ ...sentence, score: OWN_SHARE * own + (1 - OWN_SHARE) * conceptScore });
		}
	}
	return ranked.sort((a, b) => b.score - a.score);
}
