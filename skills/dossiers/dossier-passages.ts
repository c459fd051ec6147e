import type { CitedSentence } from "../../src/evidence/evidence.js";
import { type AnswerBlock, type ComposedAnswer, groupSources } from "../answers/answers.js";
import { DOSSIER_LIMITS } from "./dossier-wire.js";

/** A passage of a dossier, under the name by which other parts of it refer to it. */
export interface DossierPassage {
	readonly id: string;
	/** Place of the part of the topic that it answers. */
	readonly part: number;
	readonly sentences: QuotedSentences;
}

type QuotedSentences = readonly [CitedSentence, ...CitedSentence[]];

/** Where each passage of an answer stands in a dossier: once. */
export interface ArrangedPassages {
	/** What answers first, best first. */
	readonly summary: readonly DossierPassage[];
	readonly table:
		| {
				readonly columns: readonly string[];
				readonly rows: readonly {
					readonly attribute: string;
					readonly cells: readonly (DossierPassage | undefined)[];
				}[];
		  }
		| undefined;
	/** The rest, part by part. */
	readonly findings: readonly DossierPassage[];
}

/** All of them, in the order in which they are read. */
export function passagesOf({ summary, table, findings }: ArrangedPassages) {
	const cells = table?.rows.flatMap((row) => row.cells.flatMap((cell) => cell ?? [])) ?? [];
	return [...summary, ...cells, ...findings];
}

/** Independent sources of the sentence that has the fewest. */
export function independentOf({ sentences }: DossierPassage): number {
	return Math.min(...sentences.map(({ sources }) => groupSources(sources).length));
}

/** Share of the best passage's likelihood that others beside it in the summary must have. */
const NEAR_BEST = 0.6;

/** Places the passages of an answer, each under an id of its own in the order in which it is read. */
export function arrangePassages(
	composed: Pick<ComposedAnswer, "blocks" | "table" | "disputes" | "reading">,
): ArrangedPassages {
	const { blocks, table, reading } = composed;
	let count = 0;
	const place = (part: number, sentences: QuotedSentences): DossierPassage => {
		count += 1;
		return { id: `f${count}`, part, sentences };
	};
	const chosen = new Set(chooseSummary(composed));
	const summary = [...chosen].map(({ part, passage }) => place(part, passage.sentences));
	const rest = blocks
		.filter((block) => !chosen.has(block))
		.map(({ part, passage }) => ({ part, sentences: passage.sentences }));
	const rows = table?.rows.map(({ attribute, cells }, at) => ({
		attribute,
		cells: cells.map((cell, subject) => {
			if (!cell) return undefined;
			const part = reading.parts.findIndex(
				({ cell: own }) => own?.subject === subject && own.attribute === at,
			);
			const { shown, left } = splitCell(cell);
			rest.push(...left.map((sentences) => ({ part, sentences })));
			return shown && place(part, shown);
		}),
	}));
	const ordered = [...rest].sort((a, b) => a.part - b.part);
	return {
		summary,
		table: table && rows && { columns: table.columns, rows },
		findings: ordered.map(({ part, sentences }) => place(part, sentences)),
	};
}

/** The best passage of each part, then what is nearly as good, as far as there is room; what is disputed stands beside what disputes it. */
function chooseSummary({
	blocks,
	disputes,
}: Pick<ComposedAnswer, "blocks" | "disputes">): readonly AnswerBlock[] {
	const disputed = new Set(
		disputes.flatMap(({ one, other }) => [one.evidenceId, other.evidenceId]),
	);
	const sure = [...blocks]
		.filter(({ passage }) => !passage.sentences.some(({ evidenceId }) => disputed.has(evidenceId)))
		.sort((a, b) => b.answers - a.answers);
	const least = NEAR_BEST * (sure[0]?.answers ?? 0);
	const parts = new Set<number>();
	const firsts = sure.filter(({ part }) => !parts.has(part) && parts.add(part));
	const others = sure.filter((block) => !firsts.includes(block) && block.answers >= least);
	const chosen: AnswerBlock[] = [];
	let left: number = DOSSIER_LIMITS.summaryWords;
	for (const block of [...firsts, ...others]) {
		const words = countWords(block.passage.sentences);
		if (chosen.length > 0 && words > left) continue;
		chosen.push(block);
		left -= words;
	}
	return chosen;
}

/** What of a side stands in the table: as much of what its best node says as a cell has room for. */
function splitCell(cell: readonly CitedSentence[]) {
	const [first, ...others] = toRuns(cell);
	let shown = first;
	const left: QuotedSentences[] = [];
	for (const run of others) {
		const [lead, ...next] = shown ?? [];
		const isOfOne = lead?.concept === run[0].concept && left.length === 0;
		const words = lead ? countWords([lead, ...next, ...run]) : 0;
		if (lead && isOfOne && words <= DOSSIER_LIMITS.cellWords) shown = [lead, ...next, ...run];
		else left.push(run);
	}
	return { shown, left };
}

/** Sentences that follow one another where they come from. */
function toRuns(sentences: readonly CitedSentence[]): readonly QuotedSentences[] {
	const runs: [CitedSentence, ...CitedSentence[]][] = [];
	for (const sentence of sentences) {
		const last = runs.at(-1)?.at(-1);
		const follows =
			last?.concept === sentence.concept &&
			// The summary is whole by itself.
			(last.paragraph === 0) === (sentence.paragraph === 0) &&
			last.place + 1 === sentence.place;
		if (follows) runs.at(-1)?.push(sentence);
		else runs.push([sentence]);
	}
	return runs;
}

function countWords(sentences: readonly CitedSentence[]): number {
	return sentences.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0);
}
