import type { AdviceStance, Decision } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	gatherEvidence,
	type RankedSentence,
} from "../../src/evidence/evidence.js";
import type { Graph } from "../../src/knowledge/knowledge.js";
import type { GraphRouter, HybridSearch } from "../../src/search/search.js";
import {
	chooseSentences,
	inReadingOrder,
	relevantOf,
	type Writer,
	type WrittenSentence,
	writeProse,
} from "../answers/answers.js";
import { confidenceOf, limitsOf } from "./answer-confidence.js";
import { CONSULT_LIMITS } from "./consult-wire.js";
import { corpusFilterOf, type Expert } from "./expert-index.js";
import { stanceOf } from "./stance-words.js";

export interface ConsultationDeps {
	readonly search: HybridSearch & GraphRouter;
	readonly catalog: { list(): readonly Graph[] };
	readonly writer: Writer;
}

export interface ConsultationTask {
	readonly expert: Expert;
	readonly question: string;
	/** What an earlier answer was about, where the question leaves that open. */
	readonly subject?: string | undefined;
	/** `YYYY-MM-DD`. */
	readonly today: string;
	readonly signal: AbortSignal;
}

/** What a twin has to say, from its own corpus alone. */
export interface Consultation {
	readonly decision: Decision;
	readonly mode: "hybrid" | "keyword";
	/** Undefined when the corpus does not answer. */
	readonly answer: TwinAnswer | undefined;
	/** Words of the question that the corpus does not cover. */
	readonly notCovered: readonly string[];
	/** Other graphs that may know, where something is not covered. */
	readonly elsewhere: readonly Graph[];
	readonly writer: string;
	readonly warnings: readonly string[];
}

export interface TwinAnswer {
	readonly sentences: readonly WrittenSentence[];
	readonly keyPoints: readonly WrittenSentence[];
	readonly stance: AdviceStance;
	/** 0..1, see confidenceOf. */
	readonly confidence: number;
	readonly limits: readonly string[];
}

/** Asks a twin. Its search sees its own corpus and no other; what that does not cover is said, not filled in. */
export async function consultTwin(
	deps: ConsultationDeps,
	task: ConsultationTask,
): Promise<Consultation> {
	const { search, writer } = deps;
	const { expert, signal } = task;
	const question = wholeQuestion(task);
	const { conceptsMax, sentencesMax, answerSentences } = CONSULT_LIMITS;
	const found = await gatherEvidence(search, {
		graphs: [expert.graph],
		question,
		conceptsMax,
		sentencesMax,
		filter: corpusFilterOf(expert),
		signal,
	});
	const { decision, missing, mode } = found;
	const offered = relevantOf(question, found);
	const elsewhere = missing.length > 0 || offered.length === 0 ? await knowers(deps, task) : [];
	const told = { mode, notCovered: missing, elsewhere };
	if (decision === "ABSTAIN" || offered.length === 0) {
		return { ...told, decision: "ABSTAIN", answer: undefined, writer: writer.name, warnings: [] };
	}
	const purpose = "Answer the question as these notes of one desk do.";
	const prose = await writeProse(
		{ purpose, question, offered, sentencesMax: answerSentences, signal },
		writer,
	);
	const { warnings } = prose;
	const sentences =
		prose.writer === "extractive" ? inReadingOrder(prose.sentences, offered) : prose.sentences;
	if (sentences.length === 0) {
		return { ...told, decision: "ABSTAIN", answer: undefined, writer: prose.writer, warnings };
	}
	const answer = toAnswer({ ...task, question }, { decision, offered, sentences });
	return { ...told, decision, answer, writer: prose.writer, warnings };
}

function wholeQuestion({ question, subject }: ConsultationTask): string {
	return subject === undefined ? question : `${question} ${subject}`;
}

interface Found {
	readonly decision: Decision;
	readonly offered: readonly RankedSentence[];
	readonly sentences: readonly WrittenSentence[];
}

function toAnswer(
	{ question, today }: ConsultationTask,
	{ decision, offered, sentences }: Found,
): TwinAnswer {
	const keyPoints = keyPointsOf(question, offered, sentences);
	const cited = [...sentences, ...keyPoints].flatMap(({ evidence }) => evidence);
	const texts = [...sentences, ...keyPoints].map(({ text, evidence }) => ({
		text,
		title: evidence[0]?.concept.title ?? "",
	}));
	return {
		sentences,
		keyPoints,
		stance: stanceOf(question, texts),
		confidence: confidenceOf({ question, decision, cited, today }),
		limits: limitsOf({ decision, cited, today }),
	};
}

/** What else is worth knowing, word for word: sentences that the answer does not rest on already. */
function keyPointsOf(
	question: string,
	offered: readonly CitedSentence[],
	sentences: readonly WrittenSentence[],
): readonly WrittenSentence[] {
	const told = new Set(sentences.flatMap(({ evidence }) => evidence.map((one) => one.evidenceId)));
	const rest = offered.filter(({ evidenceId }) => !told.has(evidenceId));
	const { keyPoints } = CONSULT_LIMITS;
	const chosen = chooseSentences({ question, offered: rest, sentencesMax: keyPoints });
	return chosen.map((sentence) => ({ text: sentence.text, evidence: [sentence] }));
}

/** Names only: which other graphs would answer the question. */
async function knowers(
	{ search, catalog }: ConsultationDeps,
	{ expert, question, signal }: ConsultationTask,
): Promise<readonly Graph[]> {
	const graphs = catalog.list().filter((graph) => graph !== expert.graph);
	if (graphs.length === 0) return [];
	const limit = CONSULT_LIMITS.elsewhere;
	const { graphs: promised } = await search.route({ graphs, query: question, limit, signal });
	return promised.map(({ graph }) => graph);
}
