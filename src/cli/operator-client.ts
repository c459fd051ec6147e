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
import type { LedgerOperator, OnProgress, Operator } from "../operator/operator.js";

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
type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The operator of a running server, over its admin API; throws what the server threw. */
export function createOperatorClient(egress: Egress, server: ServerFile): Operator {
	const send = async (
		method: Method,
		path: string,
		body: unknown,
		timeoutMs: number,
		signal?: AbortSignal,
	) => {
		const response = await egress.request({
			method,
			url: `${server.admin_url}${path}`,
			headers: { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" },
			timeoutMs,
			signal,
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		if (!response.ok) throw toError((await response.json()) as Wire);
		return response;
	};

	const quick = async <T>(
		method: Method,
		path: string,
		body?: unknown,
		timeoutMs = QUICK_TIMEOUT_MS,
	): Promise<T> => (await (await send(method, path, body, timeoutMs)).json()) as T;

	const long = async <T>(
		path: string,
		body: unknown,
		onProgress?: OnProgress,
		signal?: AbortSignal,
	): Promise<T> => resultOf<T>(await send("POST", path, body, LONG_TIMEOUT_MS, signal), onProgress);

	const stream = async function* (path: string): AsyncGenerator<string> {
		yield* contentOf(await send("GET", path, undefined, LONG_TIMEOUT_MS));
	};

	return {
		issueSpt: (request) => quick("POST", "/spts", request),
		listSpts: () => quick("GET", "/spts"),
		revokeSpt: (request) => quick("POST", "/spts/revoke", request),
		createKey: (request) => quick("POST", "/keys", request),
		listKeys: (request) => quick("GET", `/keys?${queryOf(request)}`),
		rotateKey: (request) => quick("POST", "/keys/rotate", request),
		revokeKey: (request) => quick("POST", "/keys/revoke", request),
		createToken: (request) => quick("POST", "/connection-tokens", request),
		listTokens: (request) => quick("GET", `/connection-tokens?${queryOf(request)}`),
		revokeToken: (request) => quick("POST", "/connection-tokens/revoke", request),
		listAccounts: () => quick("GET", "/accounts"),
		setAccount: (request) => quick("POST", "/accounts/set", request),
		creditAccount: (request) => quick("POST", "/accounts/credit", request),
		priceGraph: (request) => quick("POST", "/graphs/prices", request, LONG_TIMEOUT_MS),
		purge: () => quick("POST", "/retention/purge", {}, LONG_TIMEOUT_MS),
		reindex: (onProgress) => long("/reindex", {}, onProgress),
		backUp: (request, onProgress) => long("/backups", request, onProgress),
		reportWriter: () => quick("GET", "/writer"),
		tryWriter: (request, onProgress) => long("/writer/trials", request, onProgress),
		...createGraphClient({ quick, long }),
		...createLedgerClient({ quick, long, stream }),
	};
}

interface AdminRequests {
	quick<T>(method: Method, path: string, body?: unknown, timeoutMs?: number): Promise<T>;
	long<T>(path: string, body: unknown, onProgress?: OnProgress, signal?: AbortSignal): Promise<T>;
	stream(path: string): AsyncGenerator<string>;
}

/** What is done with graphs; most of it waits for an import that runs. */
function createGraphClient({ quick, long }: Pick<AdminRequests, "quick" | "long">) {
	return {
		listGraphs: () => quick("GET", "/graphs"),
		importGraph: (request, onProgress, signal) => long("/imports", request, onProgress, signal),
		listVersions: (request) => quick("POST", "/graphs/versions", request),
		rollBack: (request) => quick("POST", "/graphs/rollback", request, LONG_TIMEOUT_MS),
		removeGraph: (request) => quick("POST", "/graphs/remove", request, LONG_TIMEOUT_MS),
		renameGraph: (request) => quick("POST", "/graphs/rename", request, LONG_TIMEOUT_MS),
		setGraph: (request) => quick("POST", "/graphs/set", request, LONG_TIMEOUT_MS),
		checkGraph: (request) => quick("POST", "/graphs/check", request, LONG_TIMEOUT_MS),
		putConcept: ({ graph_id, ...file }) =>
			quick("PUT", conceptsOf(graph_id), file, LONG_TIMEOUT_MS),
		removeConcept: ({ graph_id, concept_id: id }) => {
			const path = `${conceptsOf(graph_id)}/${encodeURIComponent(id)}`;
			return quick("DELETE", path, undefined, LONG_TIMEOUT_MS);
		},
	} satisfies Partial<Operator>;
}

/** What is asked of the books. */
function createLedgerClient({
	quick,
	long,
	stream,
}: AdminRequests): LedgerOperator & Pick<Operator, "reportGaps"> {
	return {
		verifyLedger: () => quick("GET", "/ledger/verification", undefined, LONG_TIMEOUT_MS),
		reportLedger: (request) =>
			quick("GET", `/ledger/report?${queryOf(request)}`, undefined, LONG_TIMEOUT_MS),
		exportLedger: () => stream("/ledger/export"),
		refundReceipt: (request) => quick("POST", "/ledger/refunds", request),
		refundToken: (request) => quick("POST", "/ledger/refunds/tokens", request),
		listRefunds: () => quick("GET", "/ledger/refunds"),
		listPayouts: () => quick("GET", "/ledger/payouts"),
		payOwner: (request) => quick("POST", "/ledger/payouts", request, LONG_TIMEOUT_MS),
		listRefundRequests: () => quick("GET", "/ledger/refunds/requests"),
		decideRefund: (request) => quick("POST", "/ledger/refunds/decisions", request),
		payRefund: (request) => quick("POST", "/ledger/refunds/payments", request, LONG_TIMEOUT_MS),
		reportGaps: (request) => quick("GET", `/gaps?${queryOf(request)}`, undefined, LONG_TIMEOUT_MS),
		reconcileLedger: (request, onProgress) => long("/ledger/reconciliation", request, onProgress),
	};
}

function conceptsOf(graphId: string): string {
	return `/graphs/${encodeURIComponent(graphId)}/concepts`;
}

function queryOf(request: object): string {
	const given = Object.entries(request).filter(([, value]) => value !== undefined);
	return new URLSearchParams(given).toString();
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
