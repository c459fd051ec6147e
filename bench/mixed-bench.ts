/** The same paid search over every transport at once: statuses, latencies, the event loop, memory and descriptors. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { ask, end, nextMessage } from "./child.js";
import { round } from "./figures.js";
import { generateQueries } from "./generated-graph.js";
import { sendLoad } from "./load.js";
import { toRawCall } from "./mcp-messages.js";
import type { McpServerReady, McpServerState } from "./mcp-server.js";
import { atMost, type Bar, below } from "./search/bars.js";

const GRAPH_ID = "generated";
/** Callers of each transport. */
const CALLERS = 2;
const BATCH = 50;
const LOOP_P99_MS_MAX = 100;
/** Parts of the time; memory and descriptors are looked at between them. */
const PARTS = 14;
/** What was sold stays on the books; more than its rows would be a leak. */
const KEPT_BYTES_PER_CALL_MAX = 1_024;

type Send = (queries: readonly string[]) => Promise<Batch>;

interface Batch {
	readonly latenciesMs: readonly number[];
	readonly statuses: Readonly<Record<string, number>>;
}

interface Transports {
	readonly sends: Readonly<Record<string, Send>>;
	close(): void;
}

interface TransportFigures {
	readonly requests: number;
	readonly p50_ms: number;
	readonly p99_ms: number;
	/** Of HTTP, or of gRPC with its name before the number; `empty` after it where no rows came. */
	readonly statuses: Readonly<Record<string, number>>;
}

interface MixedReport {
	readonly seconds: number;
	readonly transports: Readonly<Record<string, TransportFigures>>;
	/** Once warm, at the end of each of the parts of the time, and a moment after the last call. */
	readonly heap_mib: readonly number[];
	readonly rss_mib: readonly number[];
	readonly descriptors: readonly number[];
	/** Of the second half of the time: what stays in memory of a call that was paid for. */
	readonly kept_bytes_per_call: number;
	/** The longest of the parts. */
	readonly loop_p99_ms: number;
	readonly bars: readonly Bar[];
}

export async function benchMixed(folder: string, seconds: number): Promise<MixedReport> {
	mkdirSync(folder, { recursive: true });
	const server = fork(new URL("./mcp-server.js", import.meta.url), [folder], {
		execArgv: [...process.execArgv, "--expose-gc"],
	});
	try {
		const { ready } = await nextMessage<{ ready: McpServerReady }>(server);
		const transports = createTransports(ready);
		try {
			return await measure(server, transports, seconds);
		} finally {
			transports.close();
		}
	} finally {
		await end(server, "SIGKILL");
	}
}

async function measure(
	server: ChildProcess,
	{ sends }: Transports,
	seconds: number,
): Promise<MixedReport> {
	const queries = generateQueries(BATCH);
	for (const send of Object.values(sends)) await send(queries);
	const states = [await ask<McpServerState>(server, "state")];
	const calls = [0];
	const sent: Record<string, Batch[]> = Object.fromEntries(
		Object.keys(sends).map((name) => [name, []]),
	);
	for (let part = 1; part <= PARTS; part += 1) {
		const until = performance.now() + (seconds * 1_000) / PARTS;
		const batches = Object.entries(sends).map(async ([name, send]) => {
			while (performance.now() < until) sent[name]?.push(await send(queries));
		});
		await Promise.all(batches);
		states.push(await ask<McpServerState>(server, "state"));
		calls.push(Object.values(sent).flat().length * BATCH);
	}
	// Connections that are no longer used are still there for a moment.
	await sleep(1_000);
	states.push(await ask<McpServerState>(server, "state"));
	return toReport(seconds, { sent, states, calls });
}

function toReport(
	seconds: number,
	{
		sent,
		states,
		calls,
	}: {
		readonly sent: Readonly<Record<string, readonly Batch[]>>;
		readonly states: readonly McpServerState[];
		readonly calls: readonly number[];
	},
): MixedReport {
	const entries = Object.entries(sent).map(
		([name, batches]) => [name, toFigures(batches)] as const,
	);
	const [half, last] = [PARTS / 2, PARTS];
	const heapAt = (at: number) => states[at]?.heap ?? Number.NaN;
	const kept = (heapAt(last) - heapAt(half)) / ((calls[last] ?? 0) - (calls[half] ?? 0));
	const inMiB = (bytes: number) => round(bytes / 2 ** 20, 1);
	const descriptors = states.map((state) => state.descriptors);
	// The collection after the last call has the loop to itself.
	const loopP99Ms = round(Math.max(...states.slice(1, -1).map((state) => state.loopP99Ms)));
	return {
		seconds,
		transports: Object.fromEntries(entries),
		heap_mib: states.map(({ heap }) => inMiB(heap)),
		rss_mib: states.map(({ rss }) => inMiB(rss)),
		descriptors,
		kept_bytes_per_call: round(kept, 0),
		loop_p99_ms: loopP99Ms,
		bars: [
			...entries.map(([name, { requests, statuses }]) =>
				below(
					`${name}, requests not answered`,
					requests - (statuses["200"] ?? statuses["grpc 0"] ?? 0),
					1,
				),
			),
			atMost("heap bytes kept per paid call", round(kept, 0), KEPT_BYTES_PER_CALL_MAX),
			atMost("descriptors more at the end", (descriptors.at(-1) ?? 0) - (descriptors[0] ?? 0), 0),
			atMost("event loop p99 ms", loopP99Ms, LOOP_P99_MS_MAX),
		],
	};
}

function toFigures(batches: readonly Batch[]): TransportFigures {
	const latencies = batches.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
	const statuses: Record<string, number> = {};
	for (const [status, count] of batches.flatMap((batch) => Object.entries(batch.statuses))) {
		statuses[status] = (statuses[status] ?? 0) + count;
	}
	const at = (share: number) =>
		round(latencies[Math.floor(latencies.length * share)] ?? Number.NaN);
	return { requests: latencies.length, p50_ms: at(0.5), p99_ms: at(0.99), statuses };
}

/** Errors of JSON-RPC and of tools come with 200 too: an answer has rows, as JSON, quoted in JSON, or as an event. */
const nameOutcome = (status: number, body: string) =>
	/rows\\?":\s*\[\s*\{/.test(body) ? String(status) : `${status} empty`;

let messages = 0;

const toMessage = (query: string) => {
	messages += 1;
	const data = { skill: "search_graph", input: { graph_id: GRAPH_ID, query } };
	return { messageId: `bench-${messages}`, data };
};

function createTransports({ baseUrl, grpcUrl, key }: McpServerReady): Transports {
	const over =
		(path: string, toCall: (query: string) => { headers?: object; body: string }): Send =>
		(queries) => {
			const calls = queries.map(toCall);
			const headers = { ...calls[0]?.headers, "X-API-Key": key, "A2A-Version": "1.0" };
			const bodies = calls.map(({ body }) => body);
			const url = `${baseUrl}${path}`;
			return sendLoad({ url, headers, bodies, connections: CALLERS, nameOutcome });
		};
	const toParams = (query: string) => {
		const { messageId, data } = toMessage(query);
		return { message: { messageId, role: "ROLE_USER", parts: [{ data }] } };
	};
	const overJsonRpc = (method: string) =>
		over("/a2a/jsonrpc", (query) => ({
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: toParams(query) }),
		}));
	const grpc = new Client(grpcUrl, credentials.createInsecure());
	const sends = {
		rest: over(`/v1/graphs/${GRAPH_ID}/search`, (query) => ({ body: JSON.stringify({ query }) })),
		a2a_json_rpc: overJsonRpc("SendMessage"),
		a2a_stream: overJsonRpc("SendStreamingMessage"),
		a2a_rest: over("/a2a/rest/message:send", (query) => ({
			body: JSON.stringify(toParams(query)),
		})),
		a2a_grpc: createGrpcSend(grpc, key),
		mcp: over("/mcp", (query) =>
			toRawCall("2026-07-28", "tools/call", {
				name: "search_graph",
				arguments: { graph_id: GRAPH_ID, query },
			}),
		),
	};
	return { sends, close: () => grpc.close() };
}

/** Every query once over one connection of gRPC. */
function createGrpcSend(client: Client, key: string): Send {
	const { path, requestSerialize, responseDeserialize } = A2AService.sendMessage;
	const metadata = new Metadata();
	metadata.set("x-api-key", key);
	const call = (query: string): Promise<string> => {
		const { messageId, data: value } = toMessage(query);
		const bare = { metadata: undefined, filename: "", mediaType: "" };
		const parts = [{ content: { $case: "data" as const, value }, ...bare }];
		const ids = { messageId, contextId: "", taskId: "" };
		const lists = { extensions: [], referenceTaskIds: [] };
		const message = { ...ids, ...lists, role: 1, parts, metadata: undefined };
		const request = { tenant: "", message, configuration: undefined, metadata: undefined };
		return new Promise((resolve) => {
			client.makeUnaryRequest(
				...([path, requestSerialize, responseDeserialize, request, metadata] as const),
				(error, answer) =>
					resolve(`grpc ${nameOutcome(error?.code ?? 0, JSON.stringify(answer ?? {}))}`),
			);
		});
	};
	return async (queries) => {
		const latenciesMs: number[] = [];
		const statuses: Record<string, number> = {};
		let next = 0;
		const worker = async () => {
			for (let index = next++; index < queries.length; index = next++) {
				const startedMs = performance.now();
				const status = await call(queries[index] ?? "");
				latenciesMs.push(performance.now() - startedMs);
				statuses[status] = (statuses[status] ?? 0) + 1;
			}
		};
		await Promise.all(Array.from({ length: CALLERS }, worker));
		return { latenciesMs, statuses };
	};
}
