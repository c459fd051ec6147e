import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeProcessTable, type ProcessName } from "../../store/journal/journal.js";
import {
	type Egress,
	ERROR_CODES,
	type ErrorCode,
	ServiceError,
	unavailable,
} from "../kernel/kernel.js";
import {
	COMMAND_NAMES,
	COMMANDS,
	type CommandName,
	givenTo,
	type OnProgress,
	type Operator,
	readAddress,
} from "../operator/operator.js";

/** `<data>/server.json`, 0600: how commands reach the server that holds the data folder. */
export interface ServerFile extends ProcessName {
	readonly admin_url: string;
	readonly token: string;
}

const fileOf = (dataFolder: string) => join(dataFolder, "server.json");

export function writeServerFile(
	dataFolder: string,
	address: Pick<ServerFile, "admin_url" | "token">,
): void {
	const content: ServerFile = { ...nodeProcessTable.self(), ...address };
	// A fresh file, because the mode of one that is there would stay as it is.
	const temporary = `${fileOf(dataFolder)}.${process.pid}`;
	rmSync(temporary, { force: true });
	writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: "wx" });
	renameSync(temporary, fileOf(dataFolder));
}

/** Unless a successor has put its own there meanwhile. */
export function removeServerFile(dataFolder: string): void {
	const { pid, started } = nodeProcessTable.self();
	const found = readServerFile(dataFolder);
	if (found?.pid === pid && found.started === started) rmSync(fileOf(dataFolder));
}

/** The running server's file; undefined when there is none or its process is gone, its number reused included. */
export function findServer(dataFolder: string): ServerFile | undefined {
	const content = readServerFile(dataFolder);
	return content && nodeProcessTable.stateOf(content) === "running" ? content : undefined;
}

function readServerFile(dataFolder: string): ServerFile | undefined {
	try {
		return JSON.parse(readFileSync(fileOf(dataFolder), "utf8")) as ServerFile;
	} catch {
		// Absent or damaged: no server to talk to, and the store's lock decides.
		return undefined;
	}
}

const QUICK_TIMEOUT_MS = 30_000;
const LONG_TIMEOUT_MS = 3_600_000;

type Wire = Record<string, unknown>;

/** The operator of a running server, over its admin API; throws what the server threw. */
export function createOperatorClient(egress: Egress, server: ServerFile): Operator {
	const send = async (name: CommandName, input: Wire, signal?: AbortSignal): Promise<Response> => {
		const { at, kind, isSlow = kind !== "quick" } = COMMANDS[name];
		const { method, root, path, rest } = toRequest(at, input);
		const isQuery = method === "GET";
		const response = await egress.request({
			method,
			url: `${server.admin_url.replace(/\/v1\/admin$/, root)}${path}${isQuery ? queryOf(rest) : ""}`,
			headers: { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" },
			timeoutMs: isSlow ? LONG_TIMEOUT_MS : QUICK_TIMEOUT_MS,
			signal,
			...(!isQuery && { body: JSON.stringify(rest) }),
		});
		if (!response.ok) throw toError((await response.json()) as Wire);
		return response;
	};
	const lines = async function* (name: CommandName): AsyncGenerator<string> {
		yield* contentOf(await send(name, {}));
	};
	const ask = async (name: CommandName, ...given: readonly unknown[]): Promise<unknown> => {
		const { input, onProgress, signal } = givenTo(given);
		try {
			const response = await send(name, input as Wire, signal);
			if (COMMANDS[name].kind !== "long") return await response.json();
			return await resultOf(response, onProgress);
		} catch (error) {
			if (signal?.aborted) throw left(error);
			throw error;
		}
	};
	const entries = COMMAND_NAMES.map((name) => [
		name,
		COMMANDS[name].kind === "lines" ? () => lines(name) : ask.bind(undefined, name),
	]);
	return Object.fromEntries(entries) as Operator;
}

/** Fields that the address names go into it; the others are the query or the body. */
function toRequest(address: string, input: Wire) {
	const { method, root, path: pattern } = readAddress(address);
	const rest = { ...input };
	const path = pattern.replace(/\{(\w+)\}/g, (_, field: string) => {
		const value = encodeURIComponent(String(rest[field] ?? ""));
		delete rest[field];
		return value;
	});
	return { method: method as "GET" | "POST" | "PUT" | "PATCH" | "DELETE", root, path, rest };
}

function queryOf(fields: Wire): string {
	const given = Object.entries(fields).filter(([, value]) => value !== undefined);
	if (given.length === 0) return "";
	const texts = given.map(([name, value]) => [name, String(value)] as [string, string]);
	return `?${new URLSearchParams(texts)}`;
}

/** The `{result}` of a stream of NDJSON lines, reporting each `{progress}` on the way. */
async function resultOf<T>(response: Response, onProgress?: OnProgress): Promise<T> {
	try {
		for await (const text of linesOf(response)) {
			const line = JSON.parse(text) as Wire;
			if (line["error"]) throw toError(line);
			if (line["result"]) return line["result"] as T;
			onProgress?.(line["progress"] as { done: number; total: number });
		}
	} catch (cause) {
		if (cause instanceof ServiceError) throw cause;
		throw cutOff(cause);
	}
	throw cutOff();
}

/** The server undoes what no one waits for any more, unless its answer was on the way. */
function left(cause: unknown): ServiceError {
	return unavailable(
		"The work was stopped. Unless it was done by then, what was on sale is on sale: tollgraph graphs list says what is.",
		{ cause },
	);
}

/** The server may be gone, or only out of reach. */
function cutOff(cause?: unknown): ServiceError {
	return unavailable(
		"The answer of the server broke off before the work was done. If the server is still running it may be finishing the work: look at its log and at what it was to make before you run this again.",
		{ cause },
	);
}

const LAST_LINE = /^\{"(result|error)":/;

/** Lines up to the last one, which says whether they were all. Throws what went wrong, or that something is missing. */
async function* contentOf(response: Response): AsyncGenerator<string> {
	let count = 0;
	const problem = "The server stopped before the work was done; what has arrived is not all.";
	try {
		for await (const line of linesOf(response)) {
			if (!LAST_LINE.test(line)) {
				count += 1;
				yield line;
				continue;
			}
			const last = JSON.parse(line) as Wire;
			if (last["error"]) throw toError(last);
			if ((last["result"] as { lines?: number }).lines === count) return;
			break;
		}
	} catch (cause) {
		if (cause instanceof ServiceError) throw cause;
		throw unavailable(problem, { cause });
	}
	throw unavailable(problem);
}

async function* linesOf(response: Response): AsyncGenerator<string> {
	let rest = "";
	const decoder = new TextDecoder();
	for await (const chunk of response.body ?? []) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) if (line !== "") yield line;
	}
}

function toError(answer: Wire): ServiceError {
	const { code, message, details } = (answer["error"] ?? {}) as Partial<ServiceError>;
	const known = ERROR_CODES.find((candidate): candidate is ErrorCode => candidate === code);
	return new ServiceError(known ?? "INTERNAL", message ?? "The server answered with an error.", {
		...(details && { details }),
	});
}
