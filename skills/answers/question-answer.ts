import {
	ANSWER_LIMITS,
	type CitedTextWire,
	type SkillEvent,
	WRITER_LIMITS,
} from "../../src/contract/contract.js";
import {
	type CitedSentence,
	type GatheredEvidence,
	isSpokenOf,
} from "../../src/evidence/evidence.js";
import type { Concept, Graph } from "../../src/knowledge/knowledge.js";
import type { GraphRouter, HybridSearch, JudgedSearch } from "../../src/search/search.js";
import { toMarks } from "./answer-text.js";
import { createCitationList, type WrittenSentence } from "./citation-gate.js";
import {
	type ComposedAnswer,
	composeAnswer,
	decisionOf,
	passagesOf,
} from "./engine/answer-engine.js";
import type { PassageWeight } from "./evidence-recall.js";
import type { ProseServices } from "./passed-draft.js";
import type { Writer } from "./writer/writing-task.js";
import { type PassageTask, writeStepwise } from "./written-prose.js";

export interface QuestionTask {
	/** Stands alone: anyone who answers knows nothing else. */
	readonly question: string;
	/** Among which the graphs that would answer are chosen. */
	readonly graphs: readonly Graph[];
	/** What a follow-up put into the question before it: evidence that says nothing of it would answer that one again. */
	readonly added?: string | undefined;
	/** Evidence that was shown before and is not wanted again, as long as there is other. */
	readonly told?: ReadonlySet<string>;
	readonly signal: AbortSignal;
	/** What a draft may take; what a call has, by default. */
	readonly limitMs?: number | undefined;
	/** Given the evidence, and waited for, before any of it is shown. */
	readonly onEvidence?: (offered: OfferedEvidence) => Promise<void>;
}

/** What an answer is written from. */
export interface OfferedEvidence {
	readonly sentences: readonly CitedSentence[];
	/** Words of the question nothing covers. */
	readonly missing: readonly string[];
}

/** What the graphs say to a question. */
export interface QuestionAnswer extends Pick<GatheredEvidence, "decision" | "missing" | "mode"> {
	/** Graphs whose evidence is shown. */
	readonly graphIds: readonly string[];
	/** None when there is no answer. */
	readonly sentences: readonly WrittenSentence[];
	/** Concepts that were found, best first. */
	readonly concepts: readonly { readonly graph: Graph; readonly concept: Concept }[];
	readonly writer: string;
	readonly warnings: readonly string[];
}

const PURPOSE = "Answer the question.";
const PASSES = ["route", "search", "evidence", "write"] as const;

/**
 * Answers a question over all graphs, naming first those that would answer it alone, and reporting each step as an event: plan, search, evidence (what is
 * worth paying for), the answer passage by passage, then the whole. Without evidence nothing but plan and search is reported.
 */
export async function* answerQuestion(
	{
		search,
		writer,
	}: { readonly search: HybridSearch & JudgedSearch & GraphRouter; readonly writer: Writer },
	task: QuestionTask,
): AsyncGenerator<SkillEvent, QuestionAnswer, undefined> {
	const { question, graphs, signal } = task;
	const { graphsMax: limit, partConcepts: conceptsMax, tokens } = ANSWER_LIMITS;
	// Both at once: the question is embedded with itself, and no one waits for two searches in a row.
	const [routed, composed] = await Promise.all([
		search.route({ graphs, query: question, limit, signal }),
		composeAnswer(search, { question, graphs, tokens, conceptsMax, signal }),
	]);
	const { missing, mode } = routed;
	yield {
		event: "research.plan",
		data: {
			question,
			passes: PASSES,
			graphs: routed.graphs.map(({ graph, decision, strength }) => ({
				graph_id: graph.record.id,
				title: graph.record.title,
				decision,
				strength: Math.round(strength * 10_000) / 10_000,
			})),
			missing,
			mode,
		},
	};
	const passages = untold(weighPassages(composed), task.told);
	const offered = passages.flatMap(({ sentences }) => sentences);
	const isAbout = isSpokenOf(task.added ?? "", offered);
	const isAnswer = offered.length > 0 && routed.graphs.length > 0 && isAbout;
	const found: FoundAnswer = {
		decision: isAnswer ? decisionOf(composed) : "ABSTAIN",
		missing: [...new Set([...composed.outcome.missing, ...composed.missing])],
		concepts: composed.outcome.rows,
		mode,
	};
	yield {
		event: "research.search",
		data: {
			decision: found.decision,
			concepts: found.concepts.length,
			sentences: isAnswer ? offered.length : 0,
			missing: found.missing,
		},
	};
	if (!isAnswer) return { ...NOTHING, decision: "ABSTAIN", missing: found.missing, mode };
	const parts = composed.reading.parts.slice(1).map((part) => part.question);
	return yield* tellAnswer({ writer, judge: search.judge }, task, { found, passages, parts });
}

type FoundAnswer = Pick<QuestionAnswer, "decision" | "missing" | "mode" | "concepts">;
export interface QuotedPassage extends PassageWeight {
	readonly sentences: readonly CitedSentence[];
}

/** What an answer quotes, as the engine weighs it; a cell of a table is as good as certain. */
export function weighPassages(composed: ComposedAnswer): readonly QuotedPassage[] {
	const { blocks, reading } = composed;
	return passagesOf(composed).map((sentences, at) => {
		const { part, answers: likelihood } = blocks[at] ?? { part: 0, answers: 1 };
		return { sentences, part, likelihood, weight: reading.parts[part]?.weight ?? 1 };
	});
}

/** What was shown before is left out, as long as there is other. */
function untold(
	passages: readonly QuotedPassage[],
	told: ReadonlySet<string> = new Set(),
): readonly QuotedPassage[] {
	const fresh = passages.filter(({ sentences }) =>
		sentences.some(({ evidenceId }) => !told.has(evidenceId)),
	);
	return fresh.length > 0 ? fresh : passages;
}

/** What a writer is asked for an answer from passages: room for a sentence on each. */
export function toWritingTask({
	passages,
	...asked
}: Pick<QuestionTask, "question" | "signal"> &
	Pick<AnswerMaterial, "passages" | "parts">): PassageTask {
	return {
		...asked,
		purpose: PURPOSE,
		offered: passages.flatMap(({ sentences }) => sentences),
		passages: passages.map(({ sentences }) => sentences),
		weights: passages,
		quotedMax: passages.length,
		sentencesMax: Math.max(ANSWER_LIMITS.sentencesMax, passages.length),
	};
}

interface AnswerMaterial {
	readonly found: FoundAnswer;
	readonly passages: readonly QuotedPassage[];
	/** What the question asks one by one. */
	readonly parts: readonly string[];
}

/**
 * Evidence first, then the answer that is written from it, each sentence as soon as it has passed the gate; without a writer of prose
 * the passages themselves.
 */
async function* tellAnswer(
	services: ProseServices,
	{ question, signal, onEvidence, limitMs = WRITER_LIMITS.callMs }: QuestionTask,
	{ found, passages, parts }: AnswerMaterial,
): AsyncGenerator<SkillEvent, QuestionAnswer, undefined> {
	const offered = passages.flatMap((passage) => passage.sentences);
	await onEvidence?.({ sentences: offered, missing: found.missing });
	yield progress(50, "evidence");
	const list = createCitationList();
	for (const sentence of offered) list.numberOf(sentence);
	for (const citation of list.toWire()) {
		yield { event: "research.evidence", data: citation, isEvidence: true };
	}
	yield progress(75, "write");
	const steps = writeStepwise(
		{ ...toWritingTask({ question, parts, passages, signal }), limitMs },
		services,
	);
	const sentences: WrittenSentence[] = [];
	let step = await steps.next();
	for (; !step.done; step = await steps.next()) {
		const { part } = step.value;
		const data = { index: sentences.length, ...list.cite(step.value) };
		sentences.push(step.value);
		yield { event: "research.output.delta", data: part === undefined ? data : { ...data, part } };
	}
	const { writer, warnings } = step.value;
	const cited = sentences.map((sentence) => list.cite(sentence));
	const numbers = new Set(cited.flatMap(({ citation_ids: ids }) => ids));
	yield progress(100, "write");
	yield {
		event: "research.output.done",
		data: {
			answer: toAnswerWire(cited, sentences),
			citations: list.toWire().filter(({ n }) => numbers.has(n)),
			not_covered: found.missing,
			writer,
			warnings,
		},
	};
	const graphIds = [...new Set(offered.map(({ graph }) => graph.record.id))];
	return { ...found, writer, warnings, graphIds, sentences };
}

const NOTHING = {
	graphIds: [],
	sentences: [],
	concepts: [],
	writer: "none",
	warnings: [],
} as const;

/** What steps come to, for anyone who does not watch them. */
export async function finishSteps<Result>(
	steps: AsyncGenerator<SkillEvent, Result, undefined>,
): Promise<Result> {
	for (;;) {
		const step = await steps.next();
		if (step.done) return step.value;
	}
}

/**
 * Sentences, each with the numbers of what carries it, one after the other; what is quoted of one concept in a paragraph of its own, under
 * the concept's title.
 */
export function toAnswerWire(
	sentences: readonly CitedTextWire[],
	written: readonly WrittenSentence[],
) {
	const paragraphs: { readonly title: string | undefined; readonly texts: string[] }[] = [];
	for (const [place, { text, citation_ids: ids }] of sentences.entries()) {
		const title = titleOfQuotation(written[place]);
		const last = paragraphs.at(-1);
		const marked = `${text} ${toMarks(ids)}`;
		if (last && last.title === title) last.texts.push(marked);
		else paragraphs.push({ title, texts: [marked] });
	}
	const lines = paragraphs.map(
		({ title, texts }) => `${title === undefined ? "" : `${title}: `}${texts.join(" ")}`,
	);
	return { text: lines.join("\n\n"), sentences: [...sentences] };
}

/** Undefined for a sentence in words of its own. */
function titleOfQuotation({ text, evidence }: Partial<WrittenSentence> = {}): string | undefined {
	const isQuoted = evidence?.map((sentence) => sentence.text).join(" ") === text;
	return isQuoted ? evidence?.[0]?.concept.title : undefined;
}

function progress(percent: number, pass: (typeof PASSES)[number]): SkillEvent {
	return { event: "research.progress", data: { percent, pass, passes: PASSES.length } };
}
