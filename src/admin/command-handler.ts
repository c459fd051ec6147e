import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, RequestHandler, Response } from "express";
import { z } from "zod";
import { LIMITS, parseInput } from "../contract/contract.js";
import { readJsonBody } from "../http/http.js";
import { type Clock, type Logger, ServiceError } from "../kernel/kernel.js";

/** Leaves in `request.body` what every other transport would take as JSON, and throws INVALID_ARGUMENT for the rest. */
export function readCommand(bytesMax: number = LIMITS.bodyBytes): RequestHandler {
	return async (request, _response, next) => {
		request.body = await readJsonBody(request, LIMITS.bodyDepth, bytesMax);
		next();
	};
}

type Handler = (request: Request, response: Response) => Promise<void>;

/** Answers with one JSON object; `read` picks the input from the request. */
function answering(read: (request: Request) => unknown) {
	return <Input>(schema: z.ZodType<Input>, work: (input: Input) => Promise<unknown>): Handler =>
		async (request, response) => {
			response.json(await work(parseInput(schema, read(request))));
		};
}

/** From the body of the request. */
export const quick = answering(({ body }) => body ?? {});

/** From the body of the request and the parts of its address. */
export const quickAt = answering(({ body, params }) => {
	const given: unknown = body ?? {};
	return typeof given === "object" ? { ...given, ...params } : given;
});

/** From the query of the address. */
export const look = answering(({ query }) => ({ ...query }));

type OnProgress = (progress: { done: number; total: number }) => void;

/** Clients give up after minutes of silence; work that waits for other work has no progress for as long as it takes. */
const KEEP_ALIVE_MS = 15_000;

export interface LongDeps {
	readonly logger: Logger;
	readonly clock: Pick<Clock, "every">;
}

/** NDJSON: `{progress}` lines, and empty ones meanwhile, then `{result}` or `{error}`. */
export function long<Input>(
	schema: z.ZodType<Input>,
	{ logger, clock }: LongDeps,
	work: (input: Input, onProgress: OnProgress) => Promise<unknown>,
): Handler {
	return async (request, response) => {
		const input = parseInput(schema, request.body ?? {});
		response.setHeader("Content-Type", "application/x-ndjson");
		// The client waits for headers first; the work may take minutes before it makes progress.
		response.flushHeaders();
		const line = (value: unknown) => response.write(`${JSON.stringify(value)}\n`);
		const fallSilent = clock.every(KEEP_ALIVE_MS, () => response.write("\n"));
		await work(input, (progress) => line({ progress })).then(
			(result) => line({ result }),
			(error: unknown) => line({ error: toPublicError(error, logger) }),
		);
		fallSilent();
		response.end();
	};
}

/**
 * The lines as they come, as fast as the caller takes them, then `{result}` with how many they were, or `{error}`: an
 * answer without its last line was cut short.
 */
export function lines(logger: Logger, work: () => AsyncIterable<string>): Handler {
	return async (_request, response) => {
		response.setHeader("Content-Type", "application/x-ndjson");
		response.flushHeaders();
		// A client that disconnects early is no failure.
		await pipeline(Readable.from(withLastLine(work(), logger)), response).catch(() => undefined);
	};
}

async function* withLastLine(source: AsyncIterable<string>, logger: Logger) {
	let count = 0;
	try {
		for await (const line of source) {
			count += 1;
			yield `${line}\n`;
		}
		yield `${JSON.stringify({ result: { lines: count } })}\n`;
	} catch (error) {
		yield `${JSON.stringify({ error: toPublicError(error, logger) })}\n`;
	}
}

function toPublicError(error: unknown, logger: Logger): { code: string; message: string } {
	if (error instanceof ServiceError) return { code: error.code, message: error.message };
	logger.error("operator command failed", { error: String(error) });
	return { code: "INTERNAL", message: "The work failed; the server's log says why." };
}

export const named = z.strictObject({ id: z.string().min(1) });
export const nothing = z.strictObject({});
