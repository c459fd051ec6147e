import {
	ANSWER_LIMITS,
	type CitedTextWire,
	isAnswered,
	type SkillEvent,
} from "../../src/contract/contract.js";
import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	type GatheredEvidence,
	gatherEvidence,
	isSpokenOf,
	type RankedSentence,
} from "../../src/evidence/evidence.js";
import type { Concept, Graph } from "../../src/knowledge/knowledge.js";
import type { GraphRouter, ReadingSearch } from "../../src/search/search.js";
import { createCitationList, type WrittenSentence } from "./citation-gate.js";
import { type ProseServices, type Writer, writeProse } from "./written-prose.js";

export interface QuestionTask {
	/** Stands alone: anyone who answers knows nothing else. */
	readonly question: string;
	/** Among which the graphs that would answer are chosen. */
	readonly graphs: readonly Graph[];
	/** What a follow-up put into the question before it: evidence that says nothing of it would answer that one again. */
	readonly added?: string | undefined;
	/** Evidence that was shown before and is not wanted again, as far as there is other. */
	readonly told?: ReadonlySet<string>;
	readonly signal: AbortSignal;
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
 * Answers a question over the graphs that would answer it, reporting each step as an event: plan, search, evidence (what is
 * worth paying for), the answer sentence by sentence, then the whole. Without evidence nothing but plan and search is reported.
 */
export async function* answerQuestion(
	{ search, writer }: { readonly search: ReadingSearch & GraphRouter; readonly writer: Writer },
	task: QuestionTask,
): AsyncGenerator<SkillEvent, QuestionAnswer, undefined> {
	const { question, graphs, signal } = task;
	const { graphsMax: limit, conceptsMax, evidenceMax } = ANSWER_LIMITS;
	// What was shown before and what is too weak is taken out of these.
	const sentencesMax = 4 * evidenceMax;
	// Both at once: the question is embedded with itself, and no one waits for two searches in a row.
	const [routed, all] = await Promise.all([
		search.route({ graphs, query: question, limit, signal }),
		gatherEvidence(search, { graphs, question, conceptsMax, sentencesMax, signal }),
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
	const found = keepOnly(all, new Set(routed.graphs.map(({ graph }) => graph)));
	const offered = toEvidence(found.sentences, task.told);
	const { decision, concepts } = found;
	const counted = { concepts: concepts.length, sentences: offered.length };
	yield { event: "research.search", data: { decision, ...counted, missing: found.missing } };
	const isAbout = isSpokenOf(task.added ?? "", offered);
	if (!isAnswered(decision) || offered.length === 0 || !isAbout) {
		return { decision: "ABSTAIN", missing, mode, ...NOTHING };
	}
	return yield* tellAnswer({ writer, judge: search.judge }, task, { found, offered });
}

/** Evidence first, then the answer that is written from it. */
async function* tellAnswer(
	services: ProseServices,
	{ question, signal, onEvidence }: QuestionTask,
	{ found, offered }: { found: GatheredEvidence; offered: readonly CitedSentence[] },
): AsyncGenerator<SkillEvent, QuestionAnswer, undefined> {
	await onEvidence?.({ sentences: offered, missing: found.missing });
	yield progress(50, "evidence");
	const list = createCitationList();
	for (const sentence of offered) list.numberOf(sentence);
	for (const citation of list.toWire()) {
		yield { event: "research.evidence", data: citation, isEvidence: true };
	}
	yield progress(75, "write");
	const { sentencesMax } = ANSWER_LIMITS;
	const task = { purpose: PURPOSE, question, offered, sentencesMax, signal };
	const prose = await writeProse(task, services);
	const cited = prose.sentences.map((sentence) => list.cite(sentence));
	for (const [index, sentence] of cited.entries()) {
		yield { event: "research.output.delta", data: { index, ...sentence } };
	}
	const numbers = new Set(cited.flatMap(({ citation_ids: ids }) => ids));
	const { decision, missing, mode, concepts } = found;
	const { writer: writtenBy, warnings } = prose;
	yield progress(100, "write");
	yield {
		event: "research.output.done",
		data: {
			answer: toAnswerWire(cited),
			citations: list.toWire().filter(({ n }) => numbers.has(n)),
			not_covered: missing,
			writer: writtenBy,
			warnings,
		},
	};
	const graphIds = [...new Set(offered.map(({ graph }) => graph.record.id))];
	const told = { decision, missing, mode, concepts, writer: writtenBy, warnings };
	return { ...told, graphIds, sentences: prose.sentences };
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

/** Sentences one after the other, each with the numbers of what carries it. */
export function toAnswerWire(sentences: readonly CitedTextWire[]) {
	const text = sentences
		.map(({ text, citation_ids: ids }) => `${text} ${ids.map((n) => `[${n}]`).join("")}`)
		.join(" ");
	return { text, sentences: [...sentences] };
}

/** What graphs that would not answer alone have to say is left out, but for that of the best row: it was decided by what it says. */
function keepOnly(found: GatheredEvidence, routed: ReadonlySet<Graph>): GatheredEvidence {
	const [best] = found.concepts;
	const graphs = new Set([...routed, ...(best ? [best.graph] : [])]);
	return {
		...found,
		decision: routed.size === 0 ? "ABSTAIN" : found.decision,
		concepts: found.concepts.filter(({ graph }) => graphs.has(graph)),
		sentences: found.sentences.filter(({ graph }) => graphs.has(graph)),
	};
}

/** What bears on the question nearly as much as the best sentence; all of it again where nothing else is left. */
function toEvidence(
	ranked: readonly RankedSentence[],
	told: ReadonlySet<string> = new Set(),
): readonly CitedSentence[] {
	const fresh = ranked.filter(({ evidenceId }) => !told.has(evidenceId));
	const wanted = fresh.length > 0 ? fresh : ranked;
	const least = ANSWER_LIMITS.evidenceShare * (wanted[0]?.score ?? 0);
	return wanted.filter(({ score }) => score >= least).slice(0, ANSWER_LIMITS.evidenceMax);
}

function progress(percent: number, pass: (typeof PASSES)[number]): SkillEvent {
	return { event: "research.progress", data: { percent, pass, passes: PASSES.length } };
}

/** Concepts that are ranked, or whose best sentence bears on the question, below these shares of the best ones stay out. */
const RANK_SHARE = 0.5;
const COVERAGE_SHARE = 0.7;

/** The sentences of concepts that are near enough to the best of what was found to be shown beside it. */
export function relevantOf(
	question: string,
	{ concepts, sentences }: Pick<GatheredEvidence, "concepts" | "sentences">,
): readonly RankedSentence[] {
	const asked = contentWords(question);
	const [first] = concepts;
	const near = concepts.filter(({ score }) => score >= RANK_SHARE * (first?.score ?? 0));
	const covered = new Map(near.map(({ concept }) => [concept, 0]));
	for (const { text, concept } of sentences) {
		const known = covered.get(concept);
		if (known === undefined) continue;
		const terms = contentTerms([text, concept.title, ...concept.aliases].join("\n"));
		covered.set(concept, Math.max(known, coverageOf(asked, terms)));
	}
	const least = COVERAGE_SHARE * Math.max(0, ...covered.values());
	return sentences.filter(({ concept }) => (covered.get(concept) ?? -1) >= least);
}

/** Quotations concept by concept, that of the best one first, each concept's in its own order. */
export function inReadingOrder(
	sentences: readonly WrittenSentence[],
	offered: readonly RankedSentence[],
): readonly WrittenSentence[] {
	const concepts = [...new Set(offered.map(({ concept }) => concept))];
	const placeOf = ({ evidence: [first] }: WrittenSentence) =>
		first ? [concepts.indexOf(first.concept), first.place] : [0, 0];
	return [...sentences].sort((a, b) => {
		const [[rank = 0, place = 0], [otherRank = 0, otherPlace = 0]] = [placeOf(a), placeOf(b)];
		return rank - otherRank || place - otherPlace;
	});
}
