import { fleschKincaid } from "flesch-kincaid";
import { syllable } from "syllable";
import { sentenceOfLink, sourceKindOf, splitSentences } from "../../src/evidence/evidence.js";
import {
	type Concept,
	FOOTNOTE,
	type Graph,
	toParagraphs,
	toPlainText,
	toSections,
} from "../../src/knowledge/knowledge.js";

/** What a graph of the sample catalog must be before it is sold: its faults by file, and its figures. */

export interface Fault {
	readonly file: string;
	readonly fault: string;
}

export interface GraphFigures {
	readonly concepts: number;
	/** Typed edges a concept: relations, without plain links and citations. */
	readonly typedEdges: number;
	/** Words of the bodies, tables counted: the least, the median, the most. */
	readonly words: readonly [number, number, number];
	/** Share of concepts whose body has a table. */
	readonly tables: number;
	/** Relations of type supersedes or contradicts that say from when. */
	readonly dated: number;
	/** Median grade level of the bodies by Flesch and Kincaid (1975). */
	readonly grade: number;
	readonly sentences: number;
	readonly sources: number;
}

/** Edges that say nothing of how two concepts hang together. */
const UNTYPED = new Set(["links-to", "cites"]);
const DATED = new Set(["supersedes", "contradicts"]);
const DEFINITION = /^\[\^([^\]\s]{1,200})\]:\s*(.*)$/gm;
const LIST_ITEM = /\n(?=[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])/;
/** Closing punctuation and the notes right behind it. */
const NOTES_BEHIND = /([.!?:]["'”’)\]]*)((?:\[\^[^\]\s]{1,200}\])+)/g;
const NOTE = /\ue000/;

const typedEdgesOf = ({ edges }: Concept) => edges.filter(({ type }) => !UNTYPED.has(type));

/** Faults of one concept that its own file shows. */
export function findFaults(graph: Graph, concept: Concept): readonly Fault[] {
	const faults = [
		...uncitedSentences(concept).map((text) => `no footnote: ${text.slice(0, 120)}`),
		...faultsOfSources(concept),
		...faultsOfEdges(graph, concept),
	];
	return faults.map((fault) => ({ file: `${graph.record.id}/${concept.path}`, fault }));
}

/** Sentences that no footnote carries. What leads in a list may be carried by its items, and they by it. */
function uncitedSentences({ body }: Concept): readonly string[] {
	return proseOf(body).flatMap((block) => {
		const items = block.split(LIST_ITEM).map(toNotedSentences);
		const [lead = [], ...rest] = items;
		const isLead = rest.length > 0 && /:$/.test(withoutNotes(lead.at(-1) ?? ""));
		const isCarried = isLead && NOTE.test(lead.at(-1) ?? "");
		const own = isLead && rest.every((item) => item.every(hasNote)) ? lead.slice(0, -1) : lead;
		return [...own, ...(isCarried ? [] : rest.flat())].filter((one) => !hasNote(one));
	});
}

const hasNote = (sentence: string) => NOTE.test(sentence) || !/\p{L}{2}/u.test(sentence);
const withoutNotes = (sentence: string) => sentence.replaceAll("\ue000", "").trim();

function toNotedSentences(item: string): readonly string[] {
	const noted = item.replace(NOTES_BEHIND, "$2$1").replace(FOOTNOTE, "\ue000");
	return splitSentences(toPlainText(noted).replace(/\s+/g, " ").trim());
}

function proseOf(body: string): readonly string[] {
	return toSections(body.replace(/\ue000/g, "")).flatMap(({ lines }) => toParagraphs(lines));
}

function faultsOfSources({ body, evidence }: Concept): readonly string[] {
	const used = new Set([...body.matchAll(FOOTNOTE)].map(([, id = ""]) => id));
	const defined = new Map(
		[...body.matchAll(DEFINITION)].map(([, id = "", text = ""]) => [id, text]),
	);
	const known = new Map(evidence.map((source) => [source.articleId, source]));
	return [
		...(evidence.length === 0 ? ["no source"] : []),
		...[...used].filter((id) => !known.has(id)).map((id) => `[^${id}] is no source`),
		...[...used].filter((id) => !defined.has(id)).map((id) => `[^${id}] is not defined`),
		...evidence
			.filter((source) => sourceKindOf(source) === undefined)
			.map(({ articleId }) => `source ${articleId} has no kind`),
		...evidence.flatMap(({ articleId, title, sourceUrl, publishedAt }) => [
			...(used.has(articleId) ? [] : [`source ${articleId} carries no sentence`]),
			...(publishedAt === undefined ? [`source ${articleId} has no date`] : []),
			...(title.trim() === "" || title === sourceUrl ? [`source ${articleId} has no title`] : []),
			...(defined.get(articleId)?.includes(sourceUrl) === false
				? [`the footnote of ${articleId} has another address`]
				: []),
		]),
	];
}

function faultsOfEdges(graph: Graph, concept: Concept): readonly string[] {
	const byId = new Map(graph.concepts.map((one) => [one.id, one]));
	return typedEdgesOf(concept).flatMap(({ type, target }) => {
		const to = byId.get(target);
		if (!to || sentenceOfLink(concept, to) !== undefined) return [];
		return [`no sentence says of ${to.path} that it is meant by ${type}`];
	});
}

export function measure({ concepts }: Graph): GraphFigures {
	const words = concepts.map(({ body }) => wordsOf(body)).sort((a, b) => a - b);
	const typed = concepts.flatMap(typedEdgesOf);
	const count = Math.max(concepts.length, 1);
	return {
		concepts: concepts.length,
		typedEdges: typed.length / count,
		words: [words[0] ?? 0, medianOf(words), words.at(-1) ?? 0],
		tables: concepts.filter(({ body }) => /^\|/m.test(body)).length / count,
		dated: typed.filter(({ type, validFrom }) => DATED.has(type) && validFrom !== undefined).length,
		grade: medianOf(concepts.map(({ body }) => gradeOf(body)).sort((a, b) => a - b)),
		sentences: concepts.reduce((sum, { body }) => sum + plainSentences(body).length, 0),
		sources: new Set(concepts.flatMap(({ evidence }) => evidence.map((one) => one.sourceUrl))).size,
	};
}

const medianOf = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? 0;

function wordsOf(body: string): number {
	const prose = body.replace(DEFINITION, "").replace(FOOTNOTE, "");
	return toPlainText(prose).match(/[\p{L}\p{N}][\p{L}\p{N}.,'’%-]*/gu)?.length ?? 0;
}

function plainSentences(body: string): readonly string[] {
	return proseOf(body)
		.flatMap((block) => block.split(LIST_ITEM))
		.flatMap(toNotedSentences)
		.map(withoutNotes);
}

function gradeOf(body: string): number {
	const sentences = plainSentences(body);
	const words = sentences.flatMap((one) => one.match(/\p{L}+/gu) ?? []);
	return fleschKincaid({
		sentence: Math.max(sentences.length, 1),
		word: Math.max(words.length, 1),
		syllable: words.reduce((sum, word) => sum + syllable(word), 0),
	});
}

/** Words in a row that two concepts share by chance next to never. */
const SHARED_WORDS = 14;

/** Sentences, or long parts of them, that stand in more than one graph: a buyer of both pays for them twice. */
export function findRepeats(graphs: readonly Graph[]): readonly Fault[] {
	const first = new Map<string, { readonly graph: string; readonly file: string }>();
	return graphs.flatMap(({ record: { id: graph }, concepts }) =>
		concepts.flatMap((concept) => {
			const file = `${graph}/${concept.path}`;
			const said = plainSentences(concept.body).flatMap(runsOf);
			const repeated = said.find((run) => (first.get(run)?.graph ?? graph) !== graph);
			for (const run of said) if (!first.has(run)) first.set(run, { graph, file });
			if (repeated === undefined) return [];
			return [{ file, fault: `also in ${first.get(repeated)?.file}: "${repeated}"` }];
		}),
	);
}

function runsOf(sentence: string): readonly string[] {
	const words = sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	return words.slice(SHARED_WORDS - 1).map((_, at) => words.slice(at, at + SHARED_WORDS).join(" "));
}

/** Titles that concepts of two graphs share; a subject that two graphs look at needs a title that says from where. */
export function findSharedTitles(graphs: readonly Graph[]): readonly Fault[] {
	const first = new Map<string, string>();
	return graphs.flatMap(({ record, concepts }) =>
		concepts.flatMap(({ path, title }) => {
			const file = `${record.id}/${path}`;
			const other = first.get(title.toLowerCase());
			if (other === undefined) first.set(title.toLowerCase(), file);
			return other === undefined ? [] : [{ file, fault: `its title is that of ${other}` }];
		}),
	);
}

export interface CatalogQuestion {
	readonly question: string;
	/** Paths of the concepts that answer, best first. */
	readonly concepts: readonly string[];
	/** What a right answer contains, each as the first concept says it. */
	readonly answer: readonly string[];
}

/** Reads `question`, `concepts`, `answer` of a table with tabs; several values stand between ` | `. */
export function readQuestions(tsv: string): readonly CatalogQuestion[] {
	const [header, ...lines] = tsv.trim().split("\n");
	if (header?.trim() !== "question\tconcepts\tanswer") {
		throw new Error("The header must be: question, concepts, answer, with tabs between.");
	}
	return lines.map((line) => {
		const [question = "", concepts = "", answer = ""] = line.split("\t");
		const toList = (cell: string) => cell.split("|").flatMap((one) => one.trim() || []);
		return { question: question.trim(), concepts: toList(concepts), answer: toList(answer) };
	});
}

export function faultsOfQuestions(
	graph: Graph,
	questions: readonly CatalogQuestion[],
): readonly Fault[] {
	const file = `questions of ${graph.record.id}`;
	const byPath = new Map(graph.concepts.map((concept) => [concept.path, concept]));
	const examples = new Set(graph.record.exampleQueries);
	const faults = questions.flatMap(({ question, concepts, answer }) => {
		const paths = concepts.map((path) => path.replace(/^\//, ""));
		const [best] = paths.map((path) => byPath.get(path));
		const said = best ? normal(`${best.title}\n${best.summary}\n${best.body}`) : "";
		return [
			...paths.filter((path) => !byPath.has(path)).map((path) => `${path} is no concept`),
			...(answer.length === 0 ? [`no answer: ${question}`] : []),
			...answer
				.filter((text) => !said.includes(normal(text)))
				.map((text) => `${paths[0]} does not say "${text}"`),
			...(examples.has(question) ? [] : [`not an example of graph.md: ${question}`]),
		];
	});
	const count = questions.length === 10 ? [] : [`${questions.length} questions instead of ten`];
	return [...count, ...faults].map((fault) => ({ file, fault }));
}

const normal = (text: string) =>
	toPlainText(text.replace(FOOTNOTE, "")).replace(/\s+/g, " ").toLowerCase();
