import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import { LIMITS, parseInput } from "../contract/contract.js";
import { readHeaders, readJsonBody, readRetryKey } from "../http/http.js";
import { type Clock, invalidArgument, type Logger, ServiceError } from "../kernel/kernel.js";
import {
	COMMAND_NAMES,
	COMMANDS,
	type CommandCall,
	type CommandName,
	type CommandReply,
	type CommandRoot,
	type CommandRow,
	type CommandRunner,
	mayRun,
	readAddress,
} from "../operator/operator.js";

export { bearerOf } from "./admin-access.js";
export { createBrowserSessions } from "./browser-sessions.js";
export { createDashboardRouter, DASHBOARD_PATH, type DashboardPages } from "./dashboard-router.js";

import { type AdminAccess, actorOf, onlyOperators } from "./admin-access.js";
import { createAdminDocument } from "./admin-openapi.js";
import { isArchive, takeArchive, uploadOf } from "./archive-upload.js";

/** The operators' own transport: the table of commands over HTTP. */

/** Mounted at each root of commands. Quick answers are one JSON object; long work streams NDJSON `{progress}` lines, then `{result}` or `{error}`. */
export function createAdminRouter({
	commands,
	access,
	root,
	...deps
}: LongDeps & {
	readonly commands: CommandRunner;
	readonly access: AdminAccess;
	readonly root: CommandRoot;
}): Router {
	const router = Router();
	router.use(onlyOperators(access));
	router.get("/openapi.json", (_request, response) => {
		response.json(createAdminDocument());
	});
	for (const name of COMMAND_NAMES) {
		const row = COMMANDS[name];
		for (const address of [row.at, ...(row.also ?? [])]) {
			const { method, root: own, path } = readAddress(address);
			if (own !== root) continue;
			const at = method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete";
			const work = WORK[row.kind](commands, name, deps);
			router[at](path.replace(/\{(\w+)\}/g, ":$1"), readCommand(row), work);
		}
	}
	return router;
}

/** Leaves in `request.body` what every other transport would take as JSON, and throws INVALID_ARGUMENT for the rest. */
function readCommand({ bodyBytes: bytesMax, archive, role }: CommandRow): RequestHandler {
	const takeUpload = archive && takeArchive(archive);
	return async (request, response, next) => {
		if (takeUpload && isArchive(request)) {
			const isAllowed = mayRun(actorOf(response).role, role);
			return takeUpload(request, response, { isAllowed, next });
		}
		request.body = await readJsonBody(request, LIMITS.bodyDepth, bytesMax);
		next();
	};
}

type Handler = (request: Request, response: Response) => Promise<void>;
type Mount = (commands: CommandRunner, name: CommandName, deps: LongDeps) => Handler;

const WORK: Readonly<Record<CommandRow["kind"], Mount>> = {
	quick: (commands, name) => async (request, response) => {
		const reply = await commands.run(name, toCall(name, request, response));
		setReplyHeaders(response, reply);
		response.json(reply.result);
	},
	long: (commands, name, deps) => async (request, response) => {
		const call = toCall(name, request, response);
		// Refused, or over at once: there is nothing to stream.
		if (call.isRehearsal || !mayRun(call.actor.role, COMMANDS[name].role)) {
			response.json((await commands.run(name, call)).result);
			return;
		}
		await long(z.unknown(), deps, async (_input, onProgress, signal) => {
			const reply = await commands.run(name, { ...call, onProgress, signal });
			return reply.result;
		})(request, response);
	},
	lines:
		(commands, name, { logger }) =>
		async (request, response) => {
			const call = toCall(name, request, response);
			const work = commands.lines(name, call);
			await lines(logger, () => work)(request, response);
		},
};

function setReplyHeaders(response: Response, { etag, isReplayed }: CommandReply): void {
	if (etag !== undefined) response.setHeader("ETag", etag);
	if (isReplayed) response.setHeader("Idempotent-Replayed", "true");
}

/** Who gives the command, and what it says: fields of the address, and of the query where it reads, else of the body. */
function toCall(name: CommandName, request: Request, response: Response): CommandCall {
	const { takes, changes } = COMMANDS[name];
	const actor = actorOf(response);
	const { body, query, params } = request;
	if (!changes && request.method === "GET") {
		return { actor, input: parseInput(takes, { ...query, ...params }) };
	}
	const { isRehearsal, given } = readRehearsal(body ?? {}, takes);
	const idempotencyKey = readRetryKey(readHeaders(request));
	const ifMatch = request.headers["if-match"]?.split(",").map((tag) => tag.trim());
	return {
		actor,
		input: parseInput(takes, within(given, params)),
		isRehearsal,
		idempotencyKey,
		content: uploadOf(response)?.content,
		ifMatch,
	};
}

function within(given: unknown, params: Request["params"]): unknown {
	return typeof given === "object" && !Array.isArray(given) ? { ...given, ...params } : given;
}

/** `dry_run` belongs to every command that changes something, unless a command has such a field itself. */
function readRehearsal(body: unknown, takes: z.ZodType) {
	const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
	const ownsField = takes instanceof z.ZodObject && "dry_run" in takes.shape;
	if (!isObject || ownsField || !("dry_run" in body)) return { isRehearsal: false, given: body };
	const { dry_run: isRehearsal, ...given } = body;
	if (typeof isRehearsal === "boolean") return { isRehearsal, given };
	throw invalidArgument('"dry_run" must be true or false.');
}

type OnProgress = (progress: { done: number; total: number }) => void;

/** Clients give up after minutes of silence; work that waits for other work has no progress for as long as it takes. */
const KEEP_ALIVE_MS = 15_000;

interface LongDeps {
	readonly logger: Logger;
	readonly clock: Pick<Clock, "every">;
}

/** NDJSON: `{progress}` lines, and empty ones meanwhile, then `{result}` or `{error}`. */
export function long<Input>(
	schema: z.ZodType<Input>,
	{ logger, clock }: LongDeps,
	work: (input: Input, onProgress: OnProgress, signal: AbortSignal) => Promise<unknown>,
): Handler {
	return async (request, response) => {
		const input = parseInput(schema, request.body ?? {});
		response.setHeader("Content-Type", "application/x-ndjson");
		// The client waits for headers first; the work may take minutes before it makes progress.
		response.flushHeaders();
		const folder = uploadOf(response)?.folder;
		const line = (value: unknown) => {
			const text = JSON.stringify(value);
			response.write(`${folder ? text.replaceAll(folder, "the upload") : text}\n`);
		};
		const fallSilent = clock.every(KEEP_ALIVE_MS, () => response.write("\n"));
		// A command that ends before its work is done is one that someone stopped.
		const left = new AbortController();
		response.on("close", () => left.abort());
		await work(input, (progress) => line({ progress }), left.signal).then(
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

function toPublicError(error: unknown, logger: Logger) {
	if (error instanceof ServiceError) {
		const { code, message, details } = error;
		return { code, message, ...(details && { details }) };
	}
	logger.error("operator command failed", { error: String(error) });
	return { code: "INTERNAL", message: "The work failed; the server's log says why." };
}
