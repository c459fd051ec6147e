/** The same paid search over every transport at once: statuses, latencies, the event loop, memory and descriptors. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
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

type Send = (queries: readonly string[]) => Promise<Batch>;

interface Batch {
	readonly latenciesMs: readonly number[];
	readonly statuses: Readonly<Record<string, number>>;
}

interface TransportFigures {
	readonly requests: number;
	readonly p50_ms: number;
	readonly p99_ms: number;
	/** Of HTTP, or of gRPC with its name before the number. */
	readonly statuses: Readonly<Record<string, number>>;
}

interface MixedReport {
	readonly seconds: number;
	readonly transports: Readonly<Record<string, TransportFigures>>;
	/** Once warm, and at the end. */
	readonly rss_mib: readonly [number, number];
	readonly descriptors: readonly [number, number];
	readonly loop_p99_ms: number;
	readonly bars: readonly Bar[];
}

export async function benchMixed(folder: string, seconds: number): Promise<MixedReport> {
	mkdirSync(folder, { recursive: true });
	const server = fork(new URL("./mcp-server.js", import.meta.url), [folder], {
		execArgv: [...process.execArgv, "--expose-gc"],
	});
	try {
		const [{ ready }] = (await once(server, "message")) as [{ ready: McpServerReady }];
		const transports = createTransports(ready);
		const queries = generateQueries(BATCH);
		for (const send of Object.values(transports)) await send(queries);
		const warm = await stateOf(server);
		const until = performance.now() + seconds * 1_000;
		const entries = await Promise.all(
			Object.entries(transports).map(
				async ([name, send]) => [name, await sendUntil(until, send, queries)] as const,
			),
		);
		// Connections that are no longer used are still there for a moment.
		await sleep(1_000);
		const end = await stateOf(server);
		const figures = Object.fromEntries(entries);
		return {
			seconds,
			transports: figures,
			rss_mib: [round(warm.rss / 2 ** 20), round(end.rss / 2 ** 20)],
			descriptors: [warm.descriptors, end.descriptors],
			loop_p99_ms: round(end.loopP99Ms),
			bars: [
				...Object.entries(figures).map(([name, { requests, statuses }]) =>
					below(
						`${name}, requests not answered`,
						requests - (statuses["200"] ?? statuses["grpc 0"] ?? 0),
						1,
					),
				),
				atMost("event loop p99 ms", round(end.loopP99Ms), LOOP_P99_MS_MAX),
			],
		};
	} finally {
		server.kill("SIGKILL");
	}
}

async function stateOf(server: ChildProcess): Promise<McpServerState> {
	server.send("state");
	return ((await once(server, "message")) as [McpServerState])[0];
}

async function sendUntil(
	untilMs: number,
	send: Send,
	queries: readonly string[],
): Promise<TransportFigures> {
	const latencies: number[] = [];
	const statuses: Record<string, number> = {};
	while (performance.now() < untilMs) {
		const batch = await send(queries);
		latencies.push(...batch.latenciesMs);
		for (const [status, count] of Object.entries(batch.statuses)) {
			statuses[status] = (statuses[status] ?? 0) + count;
		}
	}
	latencies.sort((a, b) => a - b);
	const at = (share: number) =>
		round(latencies[Math.floor(latencies.length * share)] ?? Number.NaN);
	return { requests: latencies.length, p50_ms: at(0.5), p99_ms: at(0.99), statuses };
}

let messages = 0;

const toMessage = (query: string) => {
	messages += 1;
	const data = { skill: "search_graph", input: { graph_id: GRAPH_ID, query } };
	return { messageId: `bench-${messages}`, data };
};

function createTransports({ baseUrl, grpcUrl, key }: McpServerReady): Record<string, Send> {
	const over =
		(path: string, toCall: (query: string) => { headers?: object; body: string }): Send =>
		(queries) => {
			const calls = queries.map(toCall);
			const headers = { ...calls[0]?.headers, "X-API-Key": key, "A2A-Version": "1.0" };
			const bodies = calls.map(({ body }) => body);
			return sendLoad({ url: `${baseUrl}${path}`, headers, bodies, connections: CALLERS });
		};
	const toParams = (query: string) => {
		const { messageId, data } = toMessage(query);
		return { message: { messageId, role: "ROLE_USER", parts: [{ data }] } };
	};
	return {
		rest: over(`/v1/graphs/${GRAPH_ID}/search`, (query) => ({ body: JSON.stringify({ query }) })),
		a2a_json_rpc: over("/a2a/jsonrpc", (query) => ({
			body: JSON.stringify({
				...{ jsonrpc: "2.0", id: 1, method: "SendMessage" },
				params: toParams(query),
			}),
		})),
		a2a_rest: over("/a2a/rest/message:send", (query) => ({
			body: JSON.stringify(toParams(query)),
		})),
		a2a_grpc: createGrpcSend(grpcUrl, key),
		mcp: over("/mcp", (query) =>
			toRawCall("2026-07-28", "tools/call", {
				name: "search_graph",
				arguments: { graph_id: GRAPH_ID, query },
			}),
		),
	};
}

/** Every query once over one connection of gRPC. */
function createGrpcSend(grpcUrl: string, key: string): Send {
	const client = new Client(grpcUrl, credentials.createInsecure());
	const { path, requestSerialize, responseDeserialize } = A2AService.sendMessage;
	const metadata = new Metadata();
	metadata.set("x-api-key", key);
	const call = (query: string): Promise<number> => {
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
				(error) => resolve(error?.code ?? 0),
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
				const status = `grpc ${await call(queries[index] ?? "")}`;
				latenciesMs.push(performance.now() - startedMs);
				statuses[status] = (statuses[status] ?? 0) + 1;
			}
		};
		await Promise.all(Array.from({ length: CALLERS }, worker));
		return { latenciesMs, statuses };
	};
}
