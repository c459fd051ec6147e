import { ANSWER_LIMITS, type TokenPrice } from "../../src/contract/contract.js";
import { type Clock, formatUsd, invalidArgument, ServiceError } from "../../src/kernel/kernel.js";
import type { Graph } from "../../src/knowledge/knowledge.js";
import type { HybridSearch, JudgedSearch, PairJudge } from "../../src/search/search.js";
import type { WrittenSentence } from "./citation-gate.js";
import { composeAnswer } from "./engine/answer-engine.js";
import { keepsEvidence } from "./evidence-recall.js";
import { passDraft } from "./passed-draft.js";
import { toWritingTask, weighPassages } from "./question-answer.js";
import type { LlmWriter } from "./writer/llm-writer.js";
import type { WriterUsage } from "./writer/writer-endpoint.js";
import { costOfTokens } from "./writer/writer-meter.js";
import type { PassageTask } from "./written-prose.js";

/** What became of the draft for one question. */
export interface TriedQuestion {
	readonly question: string;
	readonly passages: number;
	readonly passed: readonly { readonly text: string; readonly evidence_ids: readonly string[] }[];
	readonly dropped: readonly { readonly text: string; readonly reason: string }[];
	/** Why there is no draft, or no more of it; null where it was written to its end. */
	readonly failure: string | null;
	/** Whether it cites as much as the passages it was written from; else they would be quoted. */
	readonly keeps_evidence: boolean;
	readonly tokens_in: number;
	readonly tokens_out: number;
	/** Null where the operator has set no price. */
	readonly cost_usd: string | null;
	readonly ms: number;
}

export interface WriterTrial {
	readonly model: string;
	/** How drafts are kept to a form; `lines` where the server takes no notice of others. */
	readonly output: string;
	readonly context_tokens: number;
	/** Whether the server counts tokens itself. */
	readonly counts_tokens: boolean;
	/** Whether it read less than it was sent. */
	readonly cut_prompts: boolean;
	readonly questions: readonly TriedQuestion[];
	readonly passed: number;
	readonly dropped: number;
	/** Questions of which the draft would be shown. */
	readonly shown: number;
	readonly tokens_in: number;
	readonly tokens_out: number;
	readonly cost_usd: string | null;
	readonly ms: number;
}

interface TrialServices {
	readonly search: HybridSearch & JudgedSearch;
	readonly clock: Clock;
	readonly graphs: readonly Graph[];
	readonly openWriter: (onUsage: (usage: WriterUsage) => void) => LlmWriter | undefined;
	readonly price: TokenPrice | undefined;
}

interface TrialRequest {
	readonly questions: number;
	readonly signal: AbortSignal;
	readonly onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}

/** Questions that are looked at for each that is answered. */
const LOOKED_AT = 4;

/** Has the configured writer answer questions about what the graphs hold. Throws INVALID_ARGUMENT and UNAVAILABLE, saying what to do. */
export async function tryWriter(
	{ search, clock, graphs, openWriter, price }: TrialServices,
	{ questions: total, signal, onProgress }: TrialRequest,
): Promise<WriterTrial> {
	const used: WriterUsage[] = [];
	const opened = openWriter((usage) => void used.push(usage));
	const { writer, judge } = assertReady({ writer: opened, judge: search.judge, graphs });
	const look = await lookAt(writer, signal);
	const tried: TriedQuestion[] = [];
	for (const question of questionsOf(graphs).slice(0, total * LOOKED_AT)) {
		if (tried.length >= total) break;
		const task = await toTask(search, graphs, { question, signal });
		if (!task) continue;
		const before = used.length;
		const outcome = await tryQuestion({ writer, judge, clock }, task);
		const spent = sumOf(used.slice(before), price);
		tried.push({ question, passages: task.passages.length, ...outcome, ...spent });
		onProgress?.({ done: tried.length, total });
	}
	const count = (of: (one: TriedQuestion) => number) =>
		tried.reduce((sum, one) => sum + of(one), 0);
	return {
		model: look.form.model,
		output: look.form.output,
		context_tokens: look.form.contextTokens,
		counts_tokens: used.some(({ isEstimated }) => !isEstimated),
		cut_prompts: used.some(({ isCut }) => isCut),
		questions: tried,
		passed: count(({ passed }) => passed.length),
		dropped: count(({ dropped }) => dropped.length),
		shown: count(({ keeps_evidence: isKept }) => Number(isKept)),
		...sumOf(used, price),
		ms: count(({ ms }) => ms),
	};
}

interface Ready {
	readonly writer: LlmWriter;
	readonly judge: PairJudge;
}

function assertReady({
	writer,
	judge,
	graphs,
}: { readonly [Part in keyof Ready]: Ready[Part] | undefined } & {
	readonly graphs: readonly Graph[];
}): Ready {
	if (!writer)
		throw invalidArgument(
			"No writer is configured; set writer_preset, or writer_url and writer_model.",
		);
	if (!judge)
		throw invalidArgument(
			'Drafts are read by the judge, and there is none; set judge to "bundled".',
		);
	if (graphs.length === 0)
		throw invalidArgument("There is no graph to ask about; import one first.");
	return { writer, judge };
}

/** What a writer's server tells of itself. Throws UNAVAILABLE, saying what to do. */
export function lookAt(writer: LlmWriter, signal: AbortSignal): ReturnType<LlmWriter["look"]> {
	return writer.look(signal).catch((error: unknown) => {
		throw toAdvice(error);
	});
}

/** What an operator can do about a server that gives nothing. */
function toAdvice(error: unknown): unknown {
	if (!(error instanceof ServiceError)) return error;
	const advice = ADVICE.find(([pattern]) => pattern.test(error.message))?.[1];
	const message = `The writer gives ${error.message}.`;
	return new ServiceError("UNAVAILABLE", advice === undefined ? message : `${message} ${advice}`, {
		cause: error,
	});
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
	[/in time/, "Start its server, look at writer_url, or allow it longer with writer_timeout_ms."],
	[/status 40[13]/, "Put its key into TOLLGRAPH_WRITER_KEY or <data>/keys/writer-key."],
	[
		/status 404/,
		"Look at writer_url (most end in /v1) and writer_model: the server does not know one of them.",
	],
	[/status 429/, "The server is busy, or a quota is used up: try again later."],
	[/no model/, "Name one with writer_model."],
];

async function tryQuestion(
	{ writer, judge, clock }: Ready & { readonly clock: Clock },
	task: PassageTask,
) {
	const startedMs = clock.monotonicMs();
	const passed: WrittenSentence[] = [];
	const draft = passDraft(task, { writer, judge });
	let step = await draft.next();
	for (; !step.done; step = await draft.next()) passed.push(step.value);
	const { dropped, failure } = step.value;
	return {
		passed: passed.map(({ text, evidence }) => ({
			text,
			evidence_ids: evidence.map(({ evidenceId }) => evidenceId),
		})),
		dropped,
		failure: failure ?? null,
		keeps_evidence: passed.length > 0 && keepsEvidence(passed, task.passages, task.weights),
		ms: Math.round(clock.monotonicMs() - startedMs),
	};
}

/** One concept of each graph after the other, so that no graph is asked about alone. */
function questionsOf(graphs: readonly Graph[]): readonly string[] {
	const most = Math.max(0, ...graphs.map(({ concepts }) => concepts.length));
	const rounds = Array.from({ length: most }, (_, at) =>
		graphs.flatMap(({ concepts }) => concepts[at]?.title ?? []),
	);
	return [...new Set(rounds.flat())].map((title) => `What is ${title}?`);
}

/** Undefined where the graphs do not answer. */
async function toTask(
	search: HybridSearch & JudgedSearch,
	graphs: readonly Graph[],
	{ question, signal }: { readonly question: string; readonly signal: AbortSignal },
): Promise<PassageTask | undefined> {
	const { tokens, partConcepts: conceptsMax } = ANSWER_LIMITS;
	const composed = await composeAnswer(search, { question, graphs, tokens, conceptsMax, signal });
	if (composed.verdict === "not_in_graphs") return undefined;
	return toWritingTask({ question, parts: [], passages: weighPassages(composed), signal });
}

function sumOf(used: readonly WriterUsage[], price: TokenPrice | undefined) {
	const tokensIn = used.reduce((sum, one) => sum + one.tokensIn, 0);
	const tokensOut = used.reduce((sum, one) => sum + one.tokensOut, 0);
	const micros = costOfTokens({ tokensIn, tokensOut }, price);
	return {
		tokens_in: tokensIn,
		tokens_out: tokensOut,
		cost_usd: micros === undefined ? null : formatUsd(micros),
	};
}
