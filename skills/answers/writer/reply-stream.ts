import { createParser } from "eventsource-parser";
import { z } from "zod";
import { readJson, ServiceError } from "../../../src/kernel/kernel.js";

/** Tokens of one request, as the server counts them. */
export interface ReplyUsage {
	readonly promptTokens: number;
	readonly completionTokens: number;
}

/** A piece of what a model writes, and the counts where they come with it. */
export interface ReplyPiece {
	readonly text: string;
	readonly usage?: ReplyUsage | undefined;
}

const count = z.int().min(0).max(100_000_000);
/** What both interfaces send, whole or in pieces: that of OpenAI, and Ollama's own. */
const pieceSchema = z.object({
	choices: z
		.array(
			z.object({
				message: z.object({ content: z.string() }).optional(),
				delta: z.object({ content: z.string().nullish() }).optional(),
			}),
		)
		.optional(),
	usage: z.object({ prompt_tokens: count, completion_tokens: count }).nullish(),
	message: z.object({ content: z.string() }).optional(),
	prompt_eval_count: count.optional(),
	eval_count: count.optional(),
	error: z.null().optional(),
});

/** Reads a reply as it comes: Server-Sent Events, lines of JSON, or one JSON document. Throws UPSTREAM for anything else. */
export async function* readReply(response: Response): AsyncGenerator<ReplyPiece> {
	const type = response.headers.get("content-type") ?? "";
	const texts = decode(response);
	if (type.includes("text/event-stream")) yield* readEvents(texts);
	else if (type.includes("ndjson")) yield* readLines(texts);
	else yield toPiece(await joined(texts));
}

async function* decode({ body }: Response): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	for await (const chunk of body ?? []) yield decoder.decode(chunk, { stream: true });
	yield decoder.decode();
}

async function joined(texts: AsyncIterable<string>): Promise<string> {
	let whole = "";
	for await (const text of texts) whole += text;
	return whole;
}

async function* readEvents(texts: AsyncIterable<string>): AsyncGenerator<ReplyPiece> {
	const events: string[] = [];
	const parser = createParser({ onEvent: ({ data }) => void events.push(data) });
	for await (const text of texts) {
		parser.feed(text);
		for (const data of events.splice(0)) if (data !== "[DONE]") yield toPiece(data);
	}
}

async function* readLines(texts: AsyncIterable<string>): AsyncGenerator<ReplyPiece> {
	let rest = "";
	for await (const text of texts) {
		const lines = (rest + text).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) if (line.trim() !== "") yield toPiece(line);
	}
	if (rest.trim() !== "") yield toPiece(rest);
}

function toPiece(json: string): ReplyPiece {
	const read = pieceSchema.safeParse(readJson(json));
	if (!read.success) throw noCompletion();
	const { choices, usage, message, prompt_eval_count: prompt, eval_count: written } = read.data;
	const [choice] = choices ?? [];
	const text = choice?.message?.content ?? choice?.delta?.content ?? message?.content;
	// The last event of a stream may hold nothing but counts.
	if (text === undefined && choices === undefined && !usage) throw noCompletion();
	const counted =
		usage ??
		(prompt === undefined ? undefined : { prompt_tokens: prompt, completion_tokens: written ?? 0 });
	return {
		text: text ?? "",
		...(counted && {
			usage: { promptTokens: counted.prompt_tokens, completionTokens: counted.completion_tokens },
		}),
	};
}

function noCompletion(): ServiceError {
	return new ServiceError("UPSTREAM", "no completion in its answer", { retryable: true });
}
