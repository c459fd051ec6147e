import type { CitationWire, CitedTextWire } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	sourceKindOf,
	splitSentences,
	titled,
	toArticleAddress,
	toCitedSentences,
	toPassage,
} from "../../src/evidence/evidence.js";
import { toTrendId } from "../../src/knowledge/knowledge.js";
import { type PairJudge, readPairs } from "../../src/search/search.js";
import { isDenial, objectToSupport, readFacts } from "../verify/verify.js";
import type { DraftSentence } from "./writer/writing-task.js";

/** A sentence that may be shown, with the evidence that carries it. */
export interface WrittenSentence {
	readonly text: string;
	/** At least one. */
	readonly evidence: readonly CitedSentence[];
	/** Place of the part of the question that it answers, as its writer says. */
	readonly part?: number;
}

export type DropReason = "uncited" | "unknown citation" | "not supported" | "not read" | "unsafe";

/** From which reading on evidence carries a sentence: one left out costs a quotation, a lie that passes costs a name. */
const CARRIES_LEAST = 0.87;
/** Pieces of evidence that one sentence may rest on. */
const CARRIERS_MAX = 6;
/** Links, pictures and markup: a reader is sent to evidence by its citation, never by prose. */
const UNSAFE =
	/\b[a-z][a-z\d+.-]*:\/\/|(?<![:\w])\/\/\w|\b(?:mailto|javascript|data|tel|vbscript):|!?\[[^\]]*\]\(|<[a-z/!]/i;
/** What reads like an address must stand in the evidence as it is. */
const ADDRESS = /[\w.+-]+@[\w-]+\.\w+|\b(?:[a-z\d-]+\.)+[a-z]{2,}\b/gi;

/** A sentence that is left out, and why. */
export interface DroppedSentence {
	readonly text: string;
	readonly reason: DropReason;
}

interface DraftContext {
	/** What a writer was offered. */
	readonly offered: readonly CitedSentence[];
	readonly judge: PairJudge | undefined;
	readonly signal: AbortSignal;
}

/**
 * Lets through what its own citations carry. A writer names evidence by ids it was offered; a draft is judged sentence by
 * sentence. What quotes its evidence passes; anything else must be borne out by it as a model reads them together, and has
 * no figure, date, name or address that it lacks. Without a judge only quotations pass. Each sentence cites
 * what carries it, and nothing else it was handed in with.
 */
export async function passCitationGate(
	draft: readonly DraftSentence[],
	{ offered, judge, signal }: DraftContext,
) {
	const byId = new Map(offered.map((sentence) => [sentence.evidenceId, sentence]));
	const sentences = draft.flatMap(({ text: whole, evidenceIds, part }) => {
		const ids = [...new Set(evidenceIds)];
		const named = ids.flatMap((id) => byId.get(id) ?? []);
		const quoted = named.find(({ text }) => text === whole);
		const texts = quoted ? [whole] : splitSentences(whole).map(withoutLooseMarks);
		const isKnown = named.length === ids.length;
		return texts.map((text) => ({ text, named, isKnown, part }));
	});
	// The judge reads what is asked at once in few batches.
	const outcomes = await Promise.all(
		sentences.map(async (sentence) => {
			const screened = screen(sentence);
			const outcome = screened ?? (await readBeside(judge, sentence, signal));
			return { ...sentence, outcome };
		}),
	);
	const written: WrittenSentence[] = [];
	const dropped: DroppedSentence[] = [];
	for (const { text, outcome, part } of outcomes) {
		if (typeof outcome === "string") dropped.push({ text, reason: outcome });
		else written.push({ text, evidence: outcome, ...(part !== undefined && { part }) });
	}
	return { written, dropped };
}

/** The mark that begins a picture stays behind with the sentence before it. */
function withoutLooseMarks(text: string): string {
	return text.replace(/(?<=[.!?…]["'”’)]?)\s+[!?.[\]()]+$/, "");
}

interface NamedEvidence {
	readonly text: string;
	readonly named: readonly CitedSentence[];
}

/** The evidence that carries a sentence, or why it is left out. */
type Outcome = readonly CitedSentence[] | DropReason;

/** What is settled without a model: what must be left out, and what is a quotation; undefined for what is to be read. */
function screen({
	text,
	named,
	isKnown,
}: NamedEvidence & { readonly isKnown: boolean }): Outcome | undefined {
	if (!isKnown) return "unknown citation";
	if (named.length === 0) return "uncited";
	const exact = named.find((sentence) => sentence.text === text);
	if (exact) return [exact];
	if (isUnsafe(text, named)) return "unsafe";
	const quoted = named.find((sentence) => isQuote(text, sentence.text));
	if (quoted) return [quoted];
	const cited = named.slice(0, CARRIERS_MAX);
	// A denial that nothing cited has is the writer's own, however near the rest is.
	if (isDenial(text) && !cited.some((one) => isDenial(one.text))) return "not supported";
	const about = cited.flatMap(({ concept }) => [concept.title, ...concept.aliases]);
	const there = [...cited.map((sentence) => sentence.text), ...about].join(" ; ");
	return objectToSupport(readFacts(text), readFacts(there)) ? "not supported" : undefined;
}

/** Beside all of its evidence and, where that is several pieces, beside each, to cite no more than carries it. */
async function readBeside(
	judge: PairJudge | undefined,
	{ text, named }: NamedEvidence,
	signal: AbortSignal,
): Promise<Outcome> {
	const cited = named.slice(0, CARRIERS_MAX);
	const alone = cited.length > 1 ? cited : [];
	const passages = alone.map((one) => titled([one.concept.title], [one.text]));
	const pairs = [toEvidenceText(cited), ...passages].map((passage) => ({ text, passage }));
	const { readings } = await readPairs(judge, pairs, signal);
	if (!readings) return "not read";
	const [all, ...each] = readings.map(({ supports }) => supports >= CARRIES_LEAST);
	if (!all) return "not supported";
	const carriers = cited.filter((_, place) => each[place]);
	return carriers.length > 0 ? carriers : cited;
}

function isUnsafe(text: string, named: readonly CitedSentence[]): boolean {
	if (UNSAFE.test(text)) return true;
	const addresses = text.match(ADDRESS) ?? [];
	return addresses.some((address) => !named.some((sentence) => sentence.text.includes(address)));
}

/** Numbers of citations, as writers set them behind what they cite. */
/** Behind a word it is part of it: `arr[0]`. */
const CITATION_MARK = /(?<=^|[\s.,;:!?…)"'”’\]])\[\^?\d{1,3}\]/g;
/** Words and numbers with what is written inside them, and signs that change what a number says. */
const TOKEN = /-(?=\p{N})|[\p{L}\p{N}]+(?:[.,:'’/-][\p{L}\p{N}]+)*|[\p{S}%§#&*@\\‰]|!(?=\S)/gu;

/** True where a text is its evidence but for case, punctuation and marks of citation. */
function isQuote(text: string, evidence: string): boolean {
	const tokensOf = (one: string) => one.toLowerCase().replaceAll("’", "'").match(TOKEN)?.join(" ");
	return tokensOf(text.replace(CITATION_MARK, " ")) === tokensOf(evidence);
}

/** Words of cited sentences up to which their neighbors are read too: a model cuts what is longer. */
const NEIGHBOR_WORDS = 60;

/** Evidence as it is read: titles, then the cited sentences; a lone one among its neighbors, others each behind the one before it. */
function toEvidenceText(cited: readonly CitedSentence[]): string {
	const [first, ...more] = cited;
	if (first && more.length === 0) {
		const { graph, concept } = first;
		const sentences = toCitedSentences(graph, concept);
		return toPassage(first, { title: concept.title, sentences }).text;
	}
	const words = cited.flatMap(({ text }) => text.split(/\s+/)).length;
	const ids = new Set(cited.map(({ evidenceId }) => evidenceId));
	const texts = cited.flatMap((sentence) => {
		const all = toCitedSentences(sentence.graph, sentence.concept);
		const at = all.findIndex(({ evidenceId }) => evidenceId === sentence.evidenceId);
		const before = words <= NEIGHBOR_WORDS ? all[at - 1] : undefined;
		return before && !ids.has(before.evidenceId) ? [before.text, sentence.text] : [sentence.text];
	});
	return titled([...new Set(cited.map(({ concept }) => concept.title))], texts);
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
		source_kind: (source && sourceKindOf(source)) ?? null,
		excerpt: text,
		trust_tier: concept.trust,
		graph_id: graph.record.id,
	};
}
