import { z } from "zod";
import {
	WRITER_LIMITS,
	WRITER_PRESETS,
	type WriterOutput,
	type WriterPresetName,
} from "../../../src/contract/contract.js";
import {
	type Clock,
	type Egress,
	readJson,
	readRetryAfterMs,
	ServiceError,
	unavailable,
} from "../../../src/kernel/kernel.js";
import { type ReplyPiece, readReply } from "./reply-stream.js";
import { type RequestForm, toProbeRequest } from "./writer-request.js";

export interface EndpointDeps {
	/** Reaches the configured host and no other, hands bodies on as they come, and reads at most WRITER_LIMITS.replyBytes of one. */
	readonly egress: Egress;
	readonly clock: Clock;
	readonly preset: WriterPresetName;
	/** Base address of its interface, without a trailing slash. */
	readonly url: string;
	/** Asked for where absent. */
	readonly model?: string | undefined;
	/** How drafts are kept to a form; tried out where absent. */
	readonly output?: WriterOutput | undefined;
	/** Asked for where absent. */
	readonly contextTokens?: number | undefined;
	readonly apiKey?: string | undefined;
	/** Given what each request took. */
	readonly onUsage?: ((usage: WriterUsage) => void) | undefined;
}

/** What one request to a model took. */
export interface WriterUsage {
	readonly model: string;
	readonly tokensIn: number;
	readonly tokensOut: number;
	/** True where the server does not count: then by characters. */
	readonly isEstimated: boolean;
	/** True where the server read less than it was sent. */
	readonly isCut: boolean;
	readonly ms: number;
}

export interface Sent {
	readonly body: string;
	/** What a model reads of it. */
	readonly prompt: string;
	readonly model: string;
}

/** How long a request may take, and what ends it early. */
export interface RequestTime {
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
}

export type WriterEndpoint = ReturnType<typeof createWriterEndpoint>;

/** A server of language models: one request at a time, with what it tells of itself. */
export function createWriterEndpoint(deps: EndpointDeps) {
	const { preset, url, clock, onUsage } = deps;
	const { contextTokens: usualContext, contextTokensMost } = WRITER_LIMITS;
	const isOllama = preset === "ollama";
	const chatUrl = isOllama ? `${rootOf(url)}/api/chat` : `${url}/chat/completions`;

	/** The reply piece by piece, counted once it is over by either side. */
	async function* chat(
		{ body, prompt, model }: Sent,
		time: RequestTime,
	): AsyncGenerator<string, void, undefined> {
		const startedMs = clock.monotonicMs();
		let [text, counted]: [string, ReplyPiece["usage"]] = ["", undefined];
		let isAnswered = false;
		try {
			const response = await exchange(deps, { method: "POST", url: chatUrl, body }, time);
			isAnswered = true;
			for await (const piece of readReply(response)) {
				counted = piece.usage ?? counted;
				text += piece.text;
				if (piece.text !== "") yield piece.text;
			}
		} catch (error) {
			throw toRefusal(error);
		} finally {
			const ms = Math.round(clock.monotonicMs() - startedMs);
			if (isAnswered) onUsage?.({ model, ms, ...toCounts(counted, { prompt, text }) });
		}
	}

	/** Undefined where it answers something else. */
	const read: Read = async ({ url: at, body }, schema, time) => {
		try {
			const method = body === undefined ? "GET" : "POST";
			const response = await exchange(deps, { method, url: at, body }, time);
			return schema.safeParse(readJson(await response.text())).data;
		} catch (error) {
			time.signal.throwIfAborted();
			if (error instanceof ServiceError && error.code === "UNAVAILABLE") throw toRefusal(error);
			return undefined;
		}
	};

	/** Throws UNAVAILABLE where nothing answers, UPSTREAM where there is no model to ask for. */
	async function findOut(time: RequestTime): Promise<RequestForm> {
		const isAsked = deps.model === undefined || (preset === "vllm" && !deps.contextTokens);
		const listed = isAsked ? await listModels(read, deps, time) : NOTHING_LISTED;
		const model = deps.model ?? onlyModel(listed.models);
		const told = deps.contextTokens ?? listed.contextTokens.get(model);
		const size = told ?? (await askContext(read, deps, { model, time }));
		const contextTokens = Math.min(size ?? usualContext, contextTokensMost);
		const output = deps.output ?? WRITER_PRESETS[preset].output;
		const form = { preset, model, output, contextTokens };
		const isKept = deps.output !== undefined || (await keepsForm(chat, form, time));
		return isKept ? form : { ...form, output: "lines" };
	}
	return {
		chat,
		findOut,
		/** Undefined where it has no list. */
		listModels: async (time: RequestTime) => (await listModels(read, deps, time)).models,
	};
}

type Read = <T>(
	asked: { readonly url: string; readonly body?: string },
	schema: z.ZodType<T>,
	time: RequestTime,
) => Promise<T | undefined>;

const tokens = z.int().min(1).max(100_000_000);
const modelsSchema = z.object({
	data: z.array(z.object({ id: z.string(), max_model_len: tokens.nullish() })),
});
const ollamaModelsSchema = z.object({ models: z.array(z.object({ name: z.string() })) });
const propsSchema = z.object({ default_generation_settings: z.object({ n_ctx: tokens }) });
const showSchema = z.object({ model_info: z.record(z.string(), z.unknown()) });

const NOTHING_LISTED = { models: undefined, contextTokens: new Map<string, number>() };

/** `/v1` is where interfaces like OpenAI's begin; what servers have of their own stands beside it. */
const rootOf = (url: string) => url.replace(/\/v1$/, "");

async function listModels(read: Read, { preset, url }: EndpointDeps, time: RequestTime) {
	if (preset === "ollama") {
		const found = await read({ url: `${rootOf(url)}/api/tags` }, ollamaModelsSchema, time);
		return { ...NOTHING_LISTED, models: found?.models.map(({ name }) => name) };
	}
	const found = await read({ url: `${url}/models` }, modelsSchema, time);
	const sizes = found?.data.flatMap(({ id, max_model_len: size }) =>
		size ? [[id, size] as const] : [],
	);
	return { models: found?.data.map(({ id }) => id), contextTokens: new Map(sizes) };
}

/** A server that serves one model alone is asked for that one. */
function onlyModel(models: readonly string[] = []): string {
	const [only, ...others] = models;
	if (only !== undefined && others.length === 0) return only;
	const served = models.length === 0 ? "lists none" : `serves ${models.length}`;
	// Callers are shown this: which ones there are is the operator's.
	throw new ServiceError(
		"UPSTREAM",
		`no model is named by writer_model, and the server ${served}`,
		{ retryable: false },
	);
}

async function askContext(
	read: Read,
	{ preset, url }: EndpointDeps,
	{ model, time }: { readonly model: string; readonly time: RequestTime },
): Promise<number | undefined> {
	if (preset === "llama.cpp") {
		const props = await read({ url: `${rootOf(url)}/props` }, propsSchema, time);
		return props?.default_generation_settings.n_ctx;
	}
	if (preset !== "ollama") return undefined;
	const body = JSON.stringify({ model });
	const shown = await read({ url: `${rootOf(url)}/api/show`, body }, showSchema, time);
	const size = Object.entries(shown?.model_info ?? {}).find(([key]) =>
		key.endsWith(".context_length"),
	);
	return tokens.safeParse(size?.[1]).data;
}

/** Whether a reply has the form that is asked for, though its words ask for another. */
async function keepsForm(chat: Chat, form: RequestForm, time: RequestTime): Promise<boolean> {
	const ask = async (asked: RequestForm) => {
		let text = "";
		const request = toProbeRequest(asked);
		for await (const piece of chat({ ...request, model: form.model }, time)) {
			text += piece;
			if (text.trim().length >= BEGINNING_CHARS) break;
		}
		return text;
	};
	try {
		return FORMED.test(await ask(form));
	} catch (error) {
		if (!(error instanceof ServiceError) || error.retryable) throw error;
		// A server that does not know a form refuses it; one that refuses whatever it is asked says why.
		await ask({ ...form, output: "lines" });
		return false;
	}
}

type Chat = (sent: Sent, time: RequestTime) => AsyncIterable<string>;

/** As far as it takes to see how a draft begins. */
const BEGINNING_CHARS = 30;
const FORMED = /^\s*\{\s*"sentences"\s*:/;

async function exchange(
	{ egress, clock, apiKey }: EndpointDeps,
	{ method, url, body }: { method: "GET" | "POST"; url: string; body?: string | undefined },
	{ timeoutMs, signal }: RequestTime,
): Promise<Response> {
	signal.throwIfAborted();
	const response = await egress.request({
		method,
		url,
		headers: {
			Accept: "text/event-stream, application/x-ndjson, application/json",
			...(body !== undefined && { "Content-Type": "application/json" }),
			...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
		},
		...(body !== undefined && { body }),
		timeoutMs,
		signal,
	});
	if (response.ok) return response;
	await response.body?.cancel().catch(() => undefined);
	const waitMs = readRetryAfterMs(response, { now: clock.now(), maxMs: MOST_WAIT_MS });
	throw new ServiceError("UPSTREAM", `status ${response.status}`, {
		retryable: response.status === 429 || response.status >= 500,
		...(waitMs !== undefined && { retryAfterSeconds: waitMs / 1_000 }),
	});
}

const MOST_WAIT_MS = 600_000;

/** It reaches callers, and names none of the operator's hosts. */
function toRefusal(cause: unknown): unknown {
	if (cause instanceof ServiceError && cause.code !== "UNAVAILABLE" && !LONG.test(cause.message)) {
		return cause;
	}
	const isLate = cause instanceof ServiceError && cause.code === "UNAVAILABLE";
	if (isLate) return unavailable("no answer in time", { cause });
	return new ServiceError("UPSTREAM", "no answer that could be read", { cause, retryable: false });
}

/** What egress says of a reply over its limit, which names the host. */
const LONG = /^The reply of /;

/** No tokenizer takes a word for less than one token, but for the rarest of texts. */
const TOKENS_PER_WORD_LEAST = 0.75;
const CHARS_PER_TOKEN = 4;

/** A server that counts fewer tokens than it was sent words has cut them off. */
function toCounts(
	usage: ReplyPiece["usage"],
	{ prompt, text }: { readonly prompt: string; readonly text: string },
): Pick<WriterUsage, "tokensIn" | "tokensOut" | "isEstimated" | "isCut"> {
	// Some servers send counts of nothing.
	if (!usage || usage.promptTokens === 0) {
		const count = (one: string) => Math.ceil(one.length / CHARS_PER_TOKEN);
		return { tokensIn: count(prompt), tokensOut: count(text), isEstimated: true, isCut: false };
	}
	const words = prompt.split(/\s+/).length;
	return {
		tokensIn: usage.promptTokens,
		tokensOut: usage.completionTokens,
		isEstimated: false,
		isCut: usage.promptTokens < words * TOKENS_PER_WORD_LEAST,
	};
}
