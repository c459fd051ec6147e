import type { CitationWire, CitedTextWire } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	splitSentences,
	toArticleAddress,
} from "../../src/evidence/evidence.js";
import { toTrendId } from "../../src/knowledge/knowledge.js";
import { type AtomicClaim, compareClaim, extractClaims } from "../verify/verify.js";

/** A sentence as a writer hands it in: its words and what they rest on. */
export interface DraftSentence {
	readonly text: string;
	readonly evidenceIds: readonly string[];
}

/** A sentence that may be shown, with the evidence that carries it. */
export interface WrittenSentence {
	readonly text: string;
	/** At least one. */
	readonly evidence: readonly CitedSentence[];
}

type DropReason = "uncited" | "unknown citation" | "not supported" | "unsafe";

/** Share of a sentence's content words that its evidence must hold: one piece alone, or two of them together. */
const SUPPORT_SHARE = 0.6;
const PAIR_SHARE = 0.8;
/** Pieces of evidence that one sentence may rest on. */
const CARRIERS_MAX = 6;
const DIGITS = /\d+(?:[.,]\d+)*/g;
const NEGATION =
	/\b(?:not|no|never|none|nor|neither|nobody|nothing|nowhere|cannot|without|hardly|barely|fails? to)\b|n['’]t\b/i;
/** Links, pictures and markup: a reader is sent to evidence by its citation, never by prose. */
const UNSAFE =
	/\b[a-z][a-z\d+.-]*:\/\/|(?<![:\w])\/\/\w|\b(?:mailto|javascript|data|tel|vbscript):|!?\[[^\]]*\]\(|<[a-z/!]/i;
/** What reads like an address must stand in the evidence as it is. */
const ADDRESS = /[\w.+-]+@[\w-]+\.\w+|\b(?:[a-z\d-]+\.)+[a-z]{2,}\b/gi;

/**
 * Lets through what its own citations carry. A writer names evidence by ids it was offered; a draft is judged sentence by
 * sentence, and one without an id, with an unknown one, whose words or numbers no piece of its evidence holds, that turns
 * its meaning around, or that holds an address of its own is dropped. What is quoted word for word always passes. Each
 * sentence cites what carries it, and nothing else it was handed in with.
 */
export function passCitationGate(
	draft: readonly DraftSentence[],
	offered: readonly CitedSentence[],
) {
	const byId = new Map(offered.map((sentence) => [sentence.evidenceId, sentence]));
	const written: WrittenSentence[] = [];
	/** Sentences that are left out, and why. */
	const dropped: { text: string; reason: DropReason }[] = [];
	for (const { text: whole, evidenceIds } of draft) {
		const ids = [...new Set(evidenceIds)];
		const named = ids.flatMap((id) => byId.get(id) ?? []);
		const quoted = named.find(({ text }) => text === whole);
		const texts = quoted ? [whole] : splitSentences(whole).map(withoutLooseMarks);
		for (const text of texts) {
			const judged = judgeSentence(text, { named, isKnown: named.length === ids.length });
			if (typeof judged === "string") dropped.push({ text, reason: judged });
			else written.push({ text, evidence: judged });
		}
	}
	return { written, dropped };
}

/** The mark that begins a picture stays behind with the sentence before it. */
function withoutLooseMarks(text: string): string {
	return text.replace(/(?<=[.!?…]["'”’)]?)\s+[!?.[\]()]+$/, "");
}

/** The evidence that carries a sentence, or why it is left out. */
function judgeSentence(
	text: string,
	{ named, isKnown }: { readonly named: readonly CitedSentence[]; readonly isKnown: boolean },
): readonly CitedSentence[] | DropReason {
	if (named.length === 0 && isKnown) return "uncited";
	if (!isKnown) return "unknown citation";
	const quoted = named.find((sentence) => sentence.text === text);
	if (quoted) return [quoted];
	if (isUnsafe(text, named)) return "unsafe";
	const [claim] = extractClaims(text);
	const fitting = named.slice(0, CARRIERS_MAX).filter((sentence) => !isDenied(claim, sentence));
	const carriers = fitting.filter((sentence) => isSupported(text, sentence.text));
	if (carriers.length > 0) return carriers;
	return findPair(text, fitting) ?? "not supported";
}

function isUnsafe(text: string, named: readonly CitedSentence[]): boolean {
	if (UNSAFE.test(text)) return true;
	const addresses = text.match(ADDRESS) ?? [];
	return addresses.some((address) => !named.some((sentence) => sentence.text.includes(address)));
}

function isDenied(claim: AtomicClaim | undefined, { text, concept }: CitedSentence): boolean {
	if (!claim) return false;
	const names = [concept.title, ...concept.aliases];
	return compareClaim(claim, text, { names }).stance === "refutes";
}

/** Two pieces of which neither alone, but both together hold what is said. */
function findPair(text: string, named: readonly CitedSentence[]) {
	for (const [place, one] of named.entries()) {
		for (const other of named.slice(place + 1)) {
			const both = `${one.text}\n${other.text}`;
			if (isSupported(text, both, PAIR_SHARE)) return [one, other];
		}
	}
	return undefined;
}

/** Whether a text's words, numbers and negation are those of its evidence. */
export function isSupported(text: string, evidence: string, share = SUPPORT_SHARE): boolean {
	const words = contentWords(text);
	if (words.length === 0) return false;
	if (coverageOf(words, contentTerms(evidence)) < share) return false;
	const numbers = new Set(evidence.match(DIGITS) ?? []);
	if ((text.match(DIGITS) ?? []).some((number) => !numbers.has(number))) return false;
	return NEGATION.test(text) === NEGATION.test(evidence);
}

export type CitationList = ReturnType<typeof createCitationList>;

/**
 * Numbers evidence in the order in which an answer cites it, each piece once. Pieces are distinguished by their ids, or as
 * `keyOf` says: one sentence may be cited once for each publisher.
 */
export function createCitationList(
	keyOf: (sentence: CitedSentence) => string = ({ evidenceId }) => evidenceId,
) {
	const cited = new Map<string, CitedSentence>();
	const numbers = new Map<string, number>();
	/** The number of a piece of evidence, given on first use. */
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
		/** Whether it has a number already. */
		has: (sentence: CitedSentence): boolean => numbers.has(keyOf(sentence)),
		/** A sentence with the numbers of its evidence. */
		cite: ({ text, evidence }: WrittenSentence): CitedTextWire => ({
			text,
			citation_ids: evidence.map(numberOf),
		}),
		toWire: (): readonly CitationWire[] =>
			[...cited.values()].map((sentence, index) => toCitation(sentence, index + 1)),
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
