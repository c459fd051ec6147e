import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	toCitedSentences,
} from "../../src/evidence/evidence.js";
import type { Clock } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { HybridSearch } from "../../src/search/search.js";
import { chooseSentences } from "../answers/answers.js";
import { compareClaim, createClaimVerifier, extractClaims } from "../verify/verify.js";
import { graphsOf } from "./gathering-passes.js";
import type { DeepDiveMode } from "./plan.js";
import {
	type CheckedSentence,
	type DeepDiveState,
	evidenceOf,
	type FoundContradiction,
} from "./state.js";

export interface ChallengeDeps {
	readonly search: HybridSearch;
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
}

/** Sentences that the report will rest on, and are therefore doubted. */
const KEY_SENTENCES: Readonly<Record<DeepDiveMode, number>> = { fast: 12, comprehensive: 36 };
const VERIFIED: Readonly<Record<DeepDiveMode, number>> = { fast: 0, comprehensive: 16 };
/** Concepts in which a sentence's opposite is looked for. */
const OPPONENTS = 6;
/** From this on a refutation is told as a contradiction. */
const REFUTES_LEAST = 0.7;
const CONTRADICTIONS_MAX = 20;

/** Looks for what speaks against each key sentence, anywhere in the graphs the question is asked of. */
export async function challengeFindings(
	{ search, catalog }: ChallengeDeps,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	const graphs = graphsOf(catalog, state);
	const found = new Map<string, FoundContradiction>();
	for (const key of keySentences(catalog, state, KEY_SENTENCES[state.input.mode])) {
		signal.throwIfAborted();
		const { rows } = await search.find({ graphs, query: key.text, limit: OPPONENTS, signal });
		const others = rows.flatMap(({ graph, concept }) => toCitedSentences(graph, concept));
		for (const contradiction of contradictionsOf(key, others)) {
			found.set([contradiction.one, contradiction.other].sort().join("\n"), contradiction);
		}
	}
	return { ...state, contradictions: [...found.values()].slice(0, CONTRADICTIONS_MAX) };
}

/** Which of the others deny a sentence. */
function contradictionsOf(
	key: CitedSentence,
	others: readonly CitedSentence[],
): readonly FoundContradiction[] {
	const [claim] = extractClaims(key.text);
	if (claim?.kind !== "checkable") return [];
	return others.flatMap((other) => {
		if (isOfOnePen(other, key) || !speaksOf(other, key)) return [];
		const { stance, score, reasons } = compareClaim(claim, other.text, contextOf(other));
		if (stance !== "refutes" || score < REFUTES_LEAST) return [];
		return [{ one: key.evidenceId, other: other.evidenceId, reasons }];
	});
}

/** Has the key sentences checked as claims, so that the report can say how many sources carry each. */
export async function verifyFindings(
	deps: ChallengeDeps,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	const verifier = createClaimVerifier(deps);
	const graphs = graphsOf(deps.catalog, state);
	const checked: CheckedSentence[] = [];
	for (const { evidenceId, text } of keySentences(
		deps.catalog,
		state,
		VERIFIED[state.input.mode],
	)) {
		const asOf = state.asOf.slice(0, 10);
		const { verdict, confidence, independentGroups } = await verifier.verify({
			claim: text,
			asOf,
			graphs,
			signal,
		});
		checked.push({ evidenceId, verdict, confidence, independentGroups });
	}
	return { ...state, checked };
}

/** The sentences that say most about the question, and least of the same. */
function keySentences(
	catalog: GraphCatalog,
	{ sentences, input }: DeepDiveState,
	sentencesMax: number,
): readonly CitedSentence[] {
	const offered = evidenceOf(catalog, sentences.slice(0, 4 * sentencesMax));
	return chooseSentences({ question: input.query, offered, sentencesMax });
}

function contextOf({ concept }: CitedSentence) {
	return { names: [concept.title, ...concept.aliases] };
}

/** What one note says twice, or two notes say after one source, are parts of one account and no contradiction. */
function isOfOnePen(other: CitedSentence, key: CitedSentence): boolean {
	if (other.concept === key.concept || other.text === key.text) return true;
	const urls = new Set(key.sources.map(({ sourceUrl }) => sourceUrl));
	return other.sources.some(({ sourceUrl }) => urls.has(sourceUrl));
}

/** Sentences leave out what they are about: only what is told of the same thing can deny one. */
function speaksOf(other: CitedSentence, { concept }: CitedSentence): boolean {
	if (other.concept === concept || other.concept.title === concept.title) return true;
	const terms = contentTerms(`${other.concept.title}\n${other.text}`);
	return [concept.title, ...concept.aliases].some((name) => {
		const words = contentWords(name);
		return words.length > 0 && coverageOf(words, terms) === 1;
	});
}
