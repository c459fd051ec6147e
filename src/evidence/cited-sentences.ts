import type { Decision } from "../contract/contract.js";
import { visibleText } from "../kernel/kernel.js";
import {
	type Concept,
	type Evidence,
	FOOTNOTE,
	findConcept,
	type Graph,
	isProse,
	runInTurns,
	type Steps,
	toBlocks,
	toPlainText,
	toSections,
	toTableSentences,
	toTrendId,
} from "../knowledge/knowledge.js";
import type { ConceptFilter, HybridSearch, RankedConcept, SearchEffort } from "../search/search.js";
import { contentTerms, contentWords, coverageOf } from "./content-words.js";
import { readsLikeInjection } from "./injected-text.js";

/** What a concept's sources are cited for: sources carry no text of their own, so this is what can be quoted and checked. */
export interface CitedSentence {
	/** `<trend_id>~<place>`: names this sentence wherever it is cited. */
	readonly evidenceId: string;
	readonly graph: Graph;
	readonly concept: Concept;
	/** Counted from 0 over the whole concept; 0 is its summary. Rows of tables come after all else, as tables were not read once. */
	readonly place: number;
	/** Counted from 0 over the whole concept; 0 is its summary. */
	readonly paragraph: number;
	/** What it stands under; undefined in the summary and before the first heading. */
	readonly heading: string | undefined;
	/** Its number in a numbered list that it begins an item of. */
	readonly step?: number | undefined;
	/** True of a row of a table. */
	readonly isRow?: true | undefined;
	/** Plain, one line, without what only a machine would notice. */
	readonly text: string;
	/** At least one source: sentences that nothing carries are left out. */
	readonly sources: readonly Evidence[];
}

/** Stand in for notes while Markdown is taken off; no text holds them, because private characters are cut out first. */
const OPEN = "\u{e000}";
const CLOSE = "\u{e001}";
const MARK = /\ue000(\d{1,6})\ue001/g;
/** Closing punctuation and the notes right behind it. */
const NOTES_BEHIND = /([.!?…]["'”’)\]]*)((?:\ue000\d{1,6}\ue001)+)/g;
const PRIVATE = /[\ue000\ue001]/g;
const HAS_WORDS = /\p{L}/u;
/** A break that is none: an abbreviation, or an initial, stands before it. */
const ABBREVIATION =
	/(?:^|[\s(])(?:e\.g|i\.e|cf|vs|etc|approx|no|nos|sec|secs|fig|ch|pp?|vol|eq|ed|eds|st|dr|mr|mrs|ms|inc|ltd|co|corp|\p{Lu})\.$/iu;

/** Where an item of a list begins: it ends the sentence before, whatever stands there. */
const LIST_ITEM = /\n(?=[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])/;

const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });

/**
 * The sentences of a concept that something carries, its summary first. A sentence with footnotes has the sources these
 * name and those that no footnote names, which carry the document as a whole; all others have the latter alone. A concept
 * without sources is its own, and so is one that says it is. Rows of tables are sentences, too, with the sources of the
 * sentence before their table. A summary that the body says again has what that has, and all sources where each is named by
 * some footnote. Sentences that order a model about are left out, with what follows them in their paragraph.
 */
export function toCitedSentences(graph: Graph, concept: Concept): readonly CitedSentence[] {
	const { summary } = concept;
	const isOwn = concept.evidence.length === 0 || concept.isOwnSource === true;
	const evidence = [...(isOwn ? [toOwnSource(graph, concept)] : []), ...concept.evidence];
	const told = new Set<string>();
	const sentences: CitedSentence[] = [];
	let [place, rowPlace] = [0, 0];
	let injectedParagraph: number | undefined;
	type Written = Pick<
		CitedSentence,
		"text" | "sources" | "paragraph" | "heading" | "step" | "isRow"
	>;
	const add = (sentence: Written) => {
		const at = sentence.isRow ? rowPlace++ : place++;
		const { text, sources, paragraph } = sentence;
		// What follows in its paragraph goes on ordering.
		if (readsLikeInjection(text)) injectedParagraph = paragraph;
		if (paragraph === injectedParagraph) return;
		if (sources.length === 0 || told.has(text) || !HAS_WORDS.test(text)) return;
		told.add(text);
		const evidenceId = `${toTrendId(graph.record.id, concept.id)}~${at}`;
		sentences.push({ evidenceId, graph, concept, place: at, ...sentence });
	};
	const body = readBody(concept, evidence);
	for (const text of splitSentences(toLine(summary))) {
		const said =
			body.whole.length > 0 ? body.sentences.find((one) => one.text === text) : undefined;
		const sources = said?.sources ?? (body.whole.length > 0 ? body.whole : evidence);
		add({ text, sources, paragraph: 0, heading: undefined });
	}
	place = Math.max(place, 1);
	rowPlace = place + body.sentences.filter(({ isRow }) => !isRow).length;
	for (const sentence of body.sentences) add(sentence);
	return sentences;
}

/** The sentence behind an evidence id; undefined when there is none. */
export function findCitedSentence(
	graphs: { readonly find: (graphId: string) => Graph | undefined },
	evidenceId: string,
): CitedSentence | undefined {
	const [, graphId = "", conceptId = ""] = /^([^:~]+):([^~]+)~\d{1,6}$/.exec(evidenceId) ?? [];
	const graph = graphs.find(graphId);
	const concept = graph && findConcept(graph, conceptId);
	if (!concept) return undefined;
	return toCitedSentences(graph, concept).find((sentence) => sentence.evidenceId === evidenceId);
}

/** More than the longest abbreviation and what stands before it. */
const TAIL_CHARS = 16;

/** Sentences of a plain text, trimmed; abbreviations and initials end none. Linear in the length of the text. */
export function splitSentences(text: string): readonly string[] {
	const sentences: string[] = [];
	let start = 0;
	let tail = "";
	for (const { segment, index } of segmentsOf(text)) {
		const near = tail + segment;
		const end = near.trimEnd();
		tail = end.slice(-TAIL_CHARS) + (end.length < near.length ? " " : "");
		if (ABBREVIATION.test(end.slice(-TAIL_CHARS))) continue;
		const next = index + segment.length;
		const sentence = text.slice(start, next).trim();
		if (sentence !== "") sentences.push(sentence);
		start = next;
		tail = "";
	}
	const rest = text.slice(start).trim();
	if (rest !== "") sentences.push(rest);
	return sentences;
}

const WINDOW_CHARS = 4_096;

/**
 * What the segmenter says of the whole text, asked piece by piece, for each of its steps takes time in proportion to the
 * text it was given. The last two of a piece depend on what follows and are asked for again.
 */
function* segmentsOf(text: string): Iterable<{ readonly segment: string; readonly index: number }> {
	let start = 0;
	let chars = WINDOW_CHARS;
	while (start < text.length) {
		const isLast = start + chars >= text.length;
		const found = [...SENTENCES.segment(text.slice(start, start + chars))];
		const sure = isLast ? found : found.slice(0, -2);
		for (const { segment, index } of sure) yield { segment, index: start + index };
		const last = sure.at(-1);
		start += last ? last.index + last.segment.length : 0;
		chars = last ? WINDOW_CHARS : 2 * chars;
	}
}

/** A document that names no sources is the source of what it says itself. Its address names it within this service alone. */
function toOwnSource({ record: { id } }: Graph, { title, path }: Concept): Evidence {
	const sourceUrl = `urn:tollgraph:${id}:${encodeURI(path)}`;
	return { articleId: path, title, sourceUrl, publishedAt: undefined, datePrecision: undefined };
}

/** The sentences of a body, and the sources that carry all of it: those no footnote names. */
function readBody({ body }: Concept, evidence: readonly Evidence[]) {
	const byId = new Map(evidence.map((source) => [source.articleId, source]));
	const names: string[] = [];
	const marked = body
		.replace(PRIVATE, "")
		.replace(FOOTNOTE, (_, name: string) => `${OPEN}${names.push(name) - 1}${CLOSE}`);
	const noted = new Set(names);
	const whole = evidence.filter(({ articleId }) => !noted.has(articleId));
	return { whole, sentences: sentencesOf(marked, { whole, byId, names }) };
}

interface Attribution {
	readonly whole: readonly Evidence[];
	readonly byId: ReadonlyMap<string, Evidence>;
	readonly names: readonly string[];
}

/** In reading order. */
function sentencesOf(marked: string, attribution: Attribution) {
	const blocks = toSections(marked).flatMap(({ lines, heading }) =>
		toBlocks(lines).map((text, at) => ({
			text,
			heading: heading?.replace(MARK, "").trim() || undefined,
			isFirst: at === 0,
		})),
	);
	/** What the sentence before a table names as its sources is where its figures come from; of another section it says nothing. */
	let notes = "";
	const read = blocks.flatMap(({ text, heading, isFirst }) => {
		if (isFirst) notes = "";
		if (isProse(text)) {
			const sentences = text.split(LIST_ITEM).flatMap(toItemSentences);
			notes = (sentences.at(-1)?.sentence.match(MARK) ?? []).join("");
			return [{ heading, sentences, isTable: false }];
		}
		const rows = toTableSentences(text);
		const sentences = rows.map((row) => ({ sentence: toLine(row) + notes, step: undefined }));
		return rows.length === 0 ? [] : [{ heading, sentences, isTable: true }];
	});
	return read.flatMap(({ heading, sentences, isTable }, at) =>
		sentences.map(({ sentence, step }) => ({
			...attribute(sentence, attribution),
			...{ paragraph: at + 1, heading },
			...(step !== undefined && { step }),
			...(isTable && { isRow: true as const }),
		})),
	);
}

function attribute(sentence: string, { whole, byId, names }: Attribution) {
	const noted = [...sentence.matchAll(MARK)].flatMap(
		([, index]) => byId.get(names[Number(index)] ?? "") ?? [],
	);
	const text = sentence.replace(MARK, "").replace(/\s+/g, " ").trim();
	return { text, sources: [...new Set([...noted, ...whole])] };
}

const STEP = /^[ \t]*(\d{1,3})[.)][ \t]/;

/** A link and the notes behind it. */
const NOTED_LINK = /(?<!!)\[([^[\]]{1,500})\]\([^()\s]{0,2000}\)((?:\ue000\d{1,6}\ue001)+)/g;

/** A link that reads several sentences, as references do, carries each of them. */
function noteEach(link: string, label: string, notes: string): string {
	const sentences = splitSentences(label.replace(/\s+/g, " "));
	return sentences.length < 2 ? link : sentences.map((sentence) => sentence + notes).join(" ");
}

/** Sentences of a paragraph, or of an item of a list; the first one of a numbered item has its number. */
function toItemSentences(item: string) {
	const [, number] = STEP.exec(item) ?? [];
	// A note belongs to the sentence it ends, so it moves in front of the full stop.
	const noted = item.replace(NOTED_LINK, noteEach);
	const sentences = splitSentences(toLine(noted).replace(NOTES_BEHIND, "$2$1"));
	return sentences.map((sentence, at) => {
		const next = sentences[at + 1] ?? "";
		// `It is faster. (#12)`: what stands without words belongs to the words before.
		const notes = HAS_WORDS.test(next) ? "" : (next.match(MARK) ?? []).join("");
		const step = at === 0 && number !== undefined ? Number(number) : undefined;
		return { sentence: sentence + notes, step };
	});
}

function toLine(markdown: string): string {
	return visibleText(toPlainText(markdown)).replace(/\s+/g, " ").trim();
}

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
	/** "best" by default. */
	readonly effort?: SearchEffort | undefined;
	readonly signal: AbortSignal;
}

/** Least share of the words of something that evidence holds where it speaks of it. */
const SPOKEN_SHARE = 0.5;

/** Whether sentences, or the names of what they stand under, speak of something; of nothing they all do. */
export function isSpokenOf(text: string, sentences: readonly CitedSentence[]): boolean {
	const said = sentences.flatMap(({ text, concept }) => [text, concept.title, ...concept.aliases]);
	return coverageOf(contentWords(text), contentTerms(said.join("\n"))) >= SPOKEN_SHARE;
}

/** How much a sentence's own words count against the rank of its concept. */
const OWN_SHARE = 0.6;

/** Finds concepts for a question and ranks the sentences they are cited for. */
export async function gatherEvidence(
	search: HybridSearch,
	request: GatherRequest,
): Promise<GatheredEvidence> {
	const { graphs, question: query, conceptsMax: limit, sentencesMax } = request;
	const { filter, effort, signal } = request;
	const found = await search.find({ graphs, query, limit, filter, effort, signal });
	const sentences = await runInTurns(rankSentences(query, found.rows), signal);
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
