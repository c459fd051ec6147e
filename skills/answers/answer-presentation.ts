import type { CitedSentence } from "../../src/evidence/evidence.js";
import { type Clock, toIsoTime } from "../../src/kernel/kernel.js";
import { type Concept, type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import { createSourceList, toMarks, toTableLines } from "./answer-text.js";
import type { QuestionAnswerOutput } from "./answer-wire.js";
import {
	type AnswerGap,
	type AnswerTask,
	type ComposedAnswer,
	decisionOf,
	passagesOf,
} from "./engine/answer-engine.js";

interface Presented {
	readonly composed: ComposedAnswer;
	readonly startedMs: number;
}

/** An answer as it travels. */
export function presentAnswer(
	clock: Clock,
	{ question, graphs }: Pick<AnswerTask, "question" | "graphs">,
	{ composed, startedMs }: Presented,
): QuestionAnswerOutput {
	const { verdict, reading, outcome, blocks, gaps, table, disputes, tokens } = composed;
	const forms = toFormsWire(composed);
	const isAnswer = verdict !== "not_in_graphs";
	const list = createSourceList();
	const passages = blocks.map(({ passage, part, answers }) => ({
		...list.quote(passage.sentences),
		about: toNamed(passage),
		heading: passage.heading ?? null,
		part,
		likelihood: round(answers),
	}));
	const tableWire = table
		? {
				columns: [...table.columns],
				rows: table.rows.map(({ attribute, cells }) => ({
					attribute,
					cells: cells.map((cell) => (cell ? list.quote(cell) : null)),
				})),
			}
		: null;
	const open = new Set(gaps.map(({ part }) => part));
	const data: QuestionAnswerOutput["data"] = {
		question,
		verdict,
		form: reading.kind,
		text: toText(reading.kind, {
			passages: numberSteps(passages, composed),
			table: tableWire,
			...forms,
		}),
		passages,
		parts: reading.parts.map(({ question: asked }, part) => ({
			question: asked,
			answered: isAnswer && !open.has(part),
		})),
		table: tableWire,
		...forms,
		disputes: disputes.map(({ one, other, reasons }) => ({
			statements: [list.quote([one]), list.quote([other])],
			reason: reasons.join("; "),
		})),
		gaps: gaps.map((gap) =>
			toGapWire(gap, {
				graphs,
				missing: composed.missing,
				isVague: outcome.decision === "CLARIFY",
			}),
		),
		sources: list.toWire(),
		tokens,
	};
	return {
		ok: true,
		data,
		meta: {
			query: question,
			decision: decisionOf(composed),
			mode: outcome.mode,
			graphs_used: [
				...new Set(
					passagesOf(composed).flatMap((said) => said.map(({ graph }) => graph.record.id)),
				),
			],
			as_of: toIsoTime(clock.now()),
			execution_time_ms: Math.round(clock.monotonicMs() - startedMs),
		},
	};
}

/** What an answer says beside its passages, by the form of its question. */
function toFormsWire({ reading, blocks, events, total, yesNo }: ComposedAnswer) {
	const places = new Map(
		blocks.flatMap(({ passage }, place) =>
			passage.sentences.map(({ evidenceId }) => [evidenceId, place] as const),
		),
	);
	const toPlaced = ({ evidenceId }: CitedSentence) => ({
		evidence_id: evidenceId,
		passage: places.get(evidenceId) ?? null,
	});
	const sentences = blocks.flatMap(({ passage }) => passage.sentences);
	return {
		events: events.map(({ date, until, sentence }) => ({
			...toPlaced(sentence),
			...{ date, until: until ?? null },
		})),
		steps: sentences.flatMap((sentence) =>
			reading.kind === "how-to" && sentence.step !== undefined
				? [{ ...toPlaced(sentence), step: sentence.step }]
				: [],
		),
		total: total ? { count: total.total, evidence_id: total.sentence.evidenceId } : null,
		yes_no: yesNo
			? {
					...{ claim: yesNo.claim, verdict: yesNo.verdict },
					supporting: [...yesNo.supporting],
					opposing: [...yesNo.opposing],
				}
			: null,
	};
}

export const NO_PREDICTION = "No prediction: what the graphs know that bears on it.";
const GRAPHS_NAMED = 3;

function toGapWire(
	{ question, nearest }: AnswerGap,
	{
		graphs,
		missing,
		isVague,
	}: {
		readonly graphs: readonly Graph[];
		readonly missing: readonly string[];
		readonly isVague: boolean;
	},
) {
	const titles = graphs.slice(0, GRAPHS_NAMED).map(({ record }) => `"${record.title}"`);
	const where = graphs.length > GRAPHS_NAMED ? `${graphs.length} graphs` : titles.join(", ");
	const unknown =
		missing.length > 0
			? ` Nothing found speaks of ${missing.map((word) => `"${word}"`).join(", ")}.`
			: "";
	const vague = `The question names too little to be answered from ${where}.`;
	return {
		question,
		message: isVague ? vague : `Nothing in ${where} answers this.${unknown}`,
		nearest: nearest.map(toNamed),
	};
}

function toNamed({ graph, concept }: { readonly graph: Graph; readonly concept: Concept }) {
	return { trend_id: toTrendId(graph.record.id, concept.id), title: concept.title };
}

function round(share: number): number {
	return Math.round(share * 1000) / 1000;
}

type AnswerData = QuestionAnswerOutput["data"];

/** What the passages come to, the table, then the passages by concept, each with the numbers of its sources. */
function toText(
	form: AnswerData["form"],
	{ passages, table, yes_no }: Pick<AnswerData, "passages" | "table" | "yes_no">,
): string {
	const isPrediction = form === "forecast" && passages.length > 0;
	const verdict = yes_no && yes_no.verdict !== "open" ? VERDICT_LINES[yes_no.verdict] : undefined;
	return [
		...(isPrediction ? [NO_PREDICTION] : []),
		...(verdict === undefined ? [] : [verdict]),
		...(table ? toTableLines(table.columns, toRows(table)) : []),
		...toParagraphs(passages),
	].join("\n");
}

/** Passages of one concept together, under its title, where the first of them stands. */
function toParagraphs(passages: AnswerData["passages"]): readonly string[] {
	const paragraphs = new Map<string, { readonly title: string; readonly texts: string[] }>();
	for (const { about, text, sources } of passages) {
		const paragraph = paragraphs.get(about.trend_id) ?? { title: about.title, texts: [] };
		paragraphs.set(about.trend_id, paragraph);
		paragraph.texts.push(`${text} ${toMarks(sources)}`);
	}
	return [...paragraphs.values()].map(({ title, texts }) => `${title}: ${texts.join(" ")}`);
}

const VERDICT_LINES = { yes: "Yes, by these passages:", no: "No, by these passages:" } as const;

/** Passages with the numbers that their steps have in the list they stand in. */
function numberSteps(
	passages: AnswerData["passages"],
	{ blocks }: Pick<ComposedAnswer, "blocks">,
): AnswerData["passages"] {
	return passages.map((passage, place) => {
		const sentences = blocks[place]?.passage.sentences ?? [];
		const isList = sentences.some(({ step }) => step !== undefined);
		if (!isList) return passage;
		const numbered = sentences.map(({ step, text }) =>
			step === undefined ? text : `${step}. ${text}`,
		);
		return { ...passage, text: numbered.join(" ") };
	});
}

function toRows({ rows }: NonNullable<AnswerData["table"]>) {
	const toText = (cell: (typeof rows)[number]["cells"][number]) =>
		cell ? `${cell.text} ${toMarks(cell.sources)}` : undefined;
	return rows.map(({ attribute, cells }) => [attribute, ...cells.map(toText)]);
}

/** The answer for agents that read text alone. */
export function toAnswerText({ data }: Pick<QuestionAnswerOutput, "data">): string {
	const { text, gaps, sources } = data;
	if (text === "") return gaps.map(({ message }) => message).join("\n");
	return [
		text,
		...gaps.map(({ question, message }) => `Open: ${question}. ${message}`),
		...sources.map(({ n, title, source_url: url }) => `[${n}] ${title} ${url}`),
	].join("\n");
}
