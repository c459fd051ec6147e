import { WRITER_LIMITS } from "../../../src/contract/contract.js";
import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
} from "../../../src/evidence/evidence.js";
import { type Clock, ServiceError, unavailable, visibleText } from "../../../src/kernel/kernel.js";
import { createJsonReader, createLineReader, type ReadSentence } from "./draft-reading.js";
import {
	createWriterEndpoint,
	type EndpointDeps,
	type RequestTime,
	type WriterEndpoint,
	type WriterUsage,
} from "./writer-endpoint.js";
import { type RequestForm, toDraftRequest } from "./writer-request.js";
import type { DraftSentence, Writer, WritingTask } from "./writing-task.js";

export interface LlmWriterDeps extends EndpointDeps {
	/** For a draft, a second attempt included. */
	readonly timeoutMs: number;
}

/** A writer, and what its server tells of itself. */
export interface LlmWriter extends Writer {
	draft(task: WritingTask): AsyncGenerator<DraftSentence, void, undefined>;
	/** How it is asked, and the models its server lists. Throws UNAVAILABLE where nothing answers, UPSTREAM for what cannot be used. */
	look(
		signal: AbortSignal,
	): Promise<{ readonly form: RequestForm; readonly models: readonly string[] | undefined }>;
}

const ATTEMPTS = 2;

/**
 * Drafts by a language model, sentence by sentence as it writes. It gets ids of its own for the evidence, and whatever comes
 * back that is not in the form asked for is a rejection: what it calls, links to or claims reaches no one. A draft that cannot be read
 * or is empty, and a server that is busy or late, are tried once more.
 */
export function createLlmWriter(deps: LlmWriterDeps): LlmWriter {
	const { clock, timeoutMs, preset } = deps;
	const known: { form?: RequestForm; contextTokens?: number } = {};
	const endpoint = createWriterEndpoint({
		...deps,
		onUsage(usage) {
			// What it cut off this time it is not sent the next time.
			if (usage.isCut) known.contextTokens = contextAfter(usage);
			deps.onUsage?.(usage);
		},
	});
	/** A server that refuses what it took before is another one. */
	const forgetting = (error: unknown) => {
		if (error instanceof ServiceError && !error.retryable) {
			delete known.form;
			delete known.contextTokens;
		}
		return error;
	};
	const formFor = async (time: RequestTime): Promise<RequestForm> => {
		known.form ??= await endpoint.findOut(time);
		const { contextTokens } = known.form;
		return {
			...known.form,
			contextTokens: Math.min(contextTokens, known.contextTokens ?? contextTokens),
		};
	};
	return {
		get name() {
			return `llm:${deps.model ?? known.form?.model ?? preset}`;
		},
		async look(signal) {
			const time = { signal, timeoutMs };
			return { form: await formFor(time), models: await endpoint.listModels(time) };
		},
		draft(task) {
			const limitMs = Math.min(timeoutMs, task.limitMs ?? timeoutMs);
			return draftInTime({ endpoint, clock, formFor, forgetting }, task, limitMs);
		},
	};
}

/** Attempts until one has brought a sentence: what is shown is not written again. */
async function* draftInTime(
	parts: Omit<Attempts, "progress"> & { readonly forgetting: (error: unknown) => unknown },
	task: WritingTask,
	timeoutMs: number,
): AsyncGenerator<DraftSentence, void, undefined> {
	const { clock, forgetting } = parts;
	const endsAtMs = clock.monotonicMs() + timeoutMs;
	const progress = { isAnswered: false, isBegun: false };
	for (let attempt = 1; ; attempt += 1) {
		const leftMs = Math.floor(endsAtMs - clock.monotonicMs());
		try {
			const time = { leftMs, firstMs: firstMsOf(leftMs, attempt) };
			return yield* attemptDraft({ ...parts, progress }, task, time);
		} catch (error) {
			task.signal.throwIfAborted();
			const isOver = progress.isBegun || attempt >= ATTEMPTS;
			const pauseMs = pauseBefore(error, isOver ? 0 : endsAtMs - clock.monotonicMs());
			if (pauseMs === undefined) throw forgetting(error);
			await pause(clock, pauseMs, task.signal);
		}
	}
}

interface Attempts {
	readonly endpoint: WriterEndpoint;
	readonly clock: Clock;
	readonly formFor: (time: RequestTime) => Promise<RequestForm>;
	/** Whether anything was written, and whether a sentence was whole. */
	readonly progress: { isAnswered: boolean; isBegun: boolean };
}

/** One attempt, which ends where it has brought no sentence after `firstMs`. */
async function* attemptDraft(
	{ endpoint, clock, formFor, progress }: Attempts,
	task: WritingTask,
	{ leftMs, firstMs }: { readonly leftMs: number; readonly firstMs: number },
): AsyncGenerator<DraftSentence, void, undefined> {
	const deadline = startDeadline(clock, task.signal, firstMs);
	const endsAtMs = clock.monotonicMs() + leftMs;
	try {
		const { signal } = deadline;
		const form = await formFor({ signal, timeoutMs: leftMs });
		// Finding out how to ask may have taken a part of it.
		const time = { signal, timeoutMs: Math.max(1, Math.floor(endsAtMs - clock.monotonicMs())) };
		// What could not be read in one form is asked for in the plainest.
		const asked = progress.isAnswered ? { ...form, output: "lines" as const } : form;
		for await (const sentence of draftOnce({ endpoint, form: asked, time, progress }, task)) {
			deadline.lift();
			progress.isBegun = true;
			yield sentence;
		}
		if (!progress.isBegun)
			throw new ServiceError("UPSTREAM", "an empty draft", { retryable: true });
	} finally {
		deadline.lift();
	}
}

/** A first attempt leaves time for a second one, where there is enough for both. */
function firstMsOf(leftMs: number, attempt: number): number {
	const firstMs = Math.floor(leftMs * WRITER_LIMITS.firstShare);
	return attempt < ATTEMPTS && leftMs - firstMs >= WRITER_LIMITS.retryLeastMs ? firstMs : leftMs;
}

interface Drafting {
	readonly endpoint: WriterEndpoint;
	readonly form: RequestForm;
	readonly time: RequestTime;
	readonly progress: { isAnswered: boolean };
}

async function* draftOnce(
	{ endpoint, form, time, progress }: Drafting,
	task: WritingTask,
): AsyncGenerator<DraftSentence, void, undefined> {
	const { body, prompt, passages } = toDraftRequest(form, task);
	const reader = form.output === "lines" ? createLineReader() : createJsonReader();
	const toDraft = (read: readonly ReadSentence[]) =>
		read.map((one) => toDraftSentence(one, passages));
	for await (const text of endpoint.chat({ body, prompt, model: form.model }, time)) {
		progress.isAnswered = true;
		yield* toDraft(reader.push(text));
	}
	yield* toDraft(reader.end());
}

/** Sentences that one sentence of a draft can rest on, as many as the gate reads. */
const RESTS_ON_MOST = 6;

/** Passages stand for their sentences; of many, those that share most words with what is written. */
function toDraftSentence(
	{ text: written, ids, part }: ReadSentence,
	passages: ReadonlyMap<string, readonly CitedSentence[]>,
): DraftSentence {
	const text = visibleText(written).replace(/\s+/g, " ").trim();
	const names = [...new Set(ids.map((id) => id.trim()))];
	// Ids that were not offered stay as they are, and the citation gate knows none of them.
	const unknown = names.filter((id) => !passages.has(id)).map((id) => `unknown ${id}`);
	const named = names.flatMap((id) => passages.get(id) ?? []);
	const evidenceIds = nearest(text, named).map(({ evidenceId }) => evidenceId);
	return { text, evidenceIds: [...evidenceIds, ...unknown], ...(part !== undefined && { part }) };
}

function nearest(text: string, sentences: readonly CitedSentence[]): readonly CitedSentence[] {
	if (sentences.length <= RESTS_ON_MOST) return sentences;
	const words = contentWords(text);
	const shared = new Map(sentences.map((one) => [one, coverageOf(words, contentTerms(one.text))]));
	const chosen = [...sentences]
		.sort((a, b) => (shared.get(b) ?? 0) - (shared.get(a) ?? 0))
		.slice(0, RESTS_ON_MOST);
	return sentences.filter((one) => chosen.includes(one));
}

/** How long to wait before another attempt; undefined where it would end the same, or there is no time left for it. */
function pauseBefore(error: unknown, restMs: number): number | undefined {
	if (!(error instanceof ServiceError) || !error.retryable) return undefined;
	const { retryPauseMs, retryPauseMostMs, retryLeastMs } = WRITER_LIMITS;
	const askedMs = (error.retryAfterSeconds ?? 0) * 1_000;
	const pauseMs = Math.max(retryPauseMs, askedMs);
	return pauseMs > retryPauseMostMs || restMs - pauseMs < retryLeastMs ? undefined : pauseMs;
}

const contextAfter = ({ tokensIn, tokensOut }: WriterUsage) =>
	Math.max(WRITER_LIMITS.contextTokensLeast, tokensIn + tokensOut);

/** Ends what has brought nothing in time, and what its caller has left. */
function startDeadline(clock: Clock, left: AbortSignal, ms: number) {
	const controller = new AbortController();
	const onLeft = () => controller.abort(left.reason);
	left.addEventListener("abort", onLeft, { once: true });
	if (left.aborted) onLeft();
	const cancel = clock.after(ms, () => controller.abort(unavailable("no answer in time")));
	return { signal: controller.signal, lift: cancel };
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const cancel = clock.after(ms, resolve);
		signal.addEventListener(
			"abort",
			() => {
				cancel();
				reject(signal.reason);
			},
			{ once: true },
		);
	});
}
