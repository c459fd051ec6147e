/** What the Model Context Protocol costs above the same search by REST, in process CPU time, and what its calls leave on the heap. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { ask, nextMessage } from "./child.js";
import { median, round } from "./figures.js";
import { generateQueries } from "./generated-graph.js";
import { type LoadResult, sendLoad } from "./load.js";
import { type Era, INITIALIZE, type RawCall, toRawCall } from "./mcp-messages.js";
import type { McpServerReady } from "./mcp-server.js";
import { leaveFirstCore, pinToFirstCore } from "./one-core.js";
import { atMost, type Bar } from "./search/bars.js";

const GRAPH_ID = "generated";
const ROUNDS = 9;
const REQUESTS_PER_ROUND = 400;
const WARM_UP = 3_000;
const CONNECTIONS = 16;
const CPU_ABOVE_REST_MS_MAX = 1;
const STATELESS_CALLS = 100_000;
const HEAP_EVERY = 10_000;
/** One mebibyte over fifty thousand calls: less than the heap of an idle process wavers. */
const KEPT_BYTES_PER_CALL_MAX = 20;

const KINDS = ["rest", "search_2025", "search_2026", "list_2025", "list_2026"] as const;
type Kind = (typeof KINDS)[number];

interface KindFigures {
	readonly cpu_ms_per_request: number;
	/** Median over rounds, each measured beside the same searches by REST. */
	readonly cpu_ms_above_rest: number;
	readonly p50_ms: number;
	readonly p99_ms: number;
	readonly statuses: LoadResult["statuses"];
}

interface McpReport {
	readonly is_pinned_to_one_core: boolean;
	readonly requests_per_kind: number;
	readonly kinds: Readonly<Record<Kind, KindFigures>>;
	/** After every 10,000 stateless calls and a collection. */
	readonly heap_mib: readonly number[];
	readonly kept_bytes_per_call: number;
	readonly bars: readonly Bar[];
}

interface Round {
	readonly cpuMs: number;
	readonly load: LoadResult;
}

export async function benchMcp(folder: string): Promise<McpReport> {
	mkdirSync(folder, { recursive: true });
	const server = fork(new URL("./mcp-server.js", import.meta.url), [folder], {
		execArgv: [...process.execArgv, "--expose-gc"],
	});
	try {
		const { ready } = await nextMessage<{ ready: McpServerReady }>(server);
		const isPinned = pinToFirstCore(server.pid) && leaveFirstCore();
		const caller = createCaller(server, ready);
		await caller.assertSameRows();
		const kinds = await compare(caller);
		const heap = await watchHeap(caller);
		const half = heap.length / 2;
		const [early, late] = [median(heap.slice(0, half)), median(heap.slice(half))];
		const kept = (late - early) / (STATELESS_CALLS / 2);
		return {
			is_pinned_to_one_core: isPinned,
			requests_per_kind: ROUNDS * REQUESTS_PER_ROUND,
			kinds,
			heap_mib: heap.map((bytes) => round(bytes / 2 ** 20, 2)),
			kept_bytes_per_call: round(kept, 1),
			bars: [
				...KINDS.slice(1).map((kind) =>
					atMost(
						`${kind}: CPU ms above REST`,
						kinds[kind].cpu_ms_above_rest,
						CPU_ABOVE_REST_MS_MAX,
					),
				),
				atMost("heap bytes kept per stateless call", round(kept, 1), KEPT_BYTES_PER_CALL_MAX),
			],
		};
	} finally {
		server.kill("SIGKILL");
	}
}

type Caller = ReturnType<typeof createCaller>;

function createCaller(server: ChildProcess, { baseUrl, key }: McpServerReady) {
	const restUrl = `${baseUrl}/v1/graphs/${GRAPH_ID}/search`;
	const cpuMs = async () => {
		const { cpu } = await ask<{ cpu: NodeJS.CpuUsage }>(server, "cpu");
		return (cpu.user + cpu.system) / 1000;
	};
	const send = async (url: string, calls: readonly RawCall[]): Promise<Round> => {
		const headers = { ...calls[0]?.headers, "X-API-Key": key };
		const bodies = calls.map(({ body }) => body);
		const before = await cpuMs();
		const load = await sendLoad({ url, headers, bodies, connections: CONNECTIONS });
		return { cpuMs: ((await cpuMs()) - before) / calls.length, load };
	};
	const run = (kind: Kind, queries: readonly string[]) =>
		send(
			kind === "rest" ? restUrl : `${baseUrl}/mcp`,
			queries.map((query) => callOf(kind, query)),
		);
	return {
		run,
		sendMcp: (calls: readonly RawCall[]) => send(`${baseUrl}/mcp`, calls),
		heap: async () => (await ask<{ heap: number }>(server, "heap")).heap,
		/** What is compared must be the same work. */
		async assertSameRows() {
			const [query = ""] = generateQueries(1);
			const rows: string[] = [];
			for (const kind of ["rest", "search_2025", "search_2026"] as const) {
				const { headers, body } = callOf(kind, query);
				const response = await fetch(kind === "rest" ? restUrl : `${baseUrl}/mcp`, {
					method: "POST",
					headers: { ...headers, "Content-Type": "application/json", "X-API-Key": key },
					body,
				});
				const found = rowsOf(await response.text());
				if (!response.ok || !found) throw new Error(`${kind} answers ${response.status}.`);
				rows.push(JSON.stringify(found));
			}
			if (new Set(rows).size !== 1) throw new Error("The transports answer differently.");
		},
	};
}

/** Of a reply by REST, as JSON, or as the one event of a stream. */
function rowsOf(text: string): unknown[] | undefined {
	const json = text.startsWith("event:") ? text.slice(text.indexOf("data: ") + 6) : text;
	const answer = JSON.parse(json) as {
		readonly rows?: unknown[];
		readonly result?: { readonly structuredContent?: { readonly rows?: unknown[] } };
	};
	return answer.rows ?? answer.result?.structuredContent?.rows;
}

function callOf(kind: Kind, query: string): RawCall {
	const search = { query, limit: 10 };
	if (kind === "rest") return { headers: {}, body: JSON.stringify(search) };
	const era: Era = kind.endsWith("2026") ? "2026-07-28" : "2025-11-25";
	if (kind.startsWith("list")) return toRawCall(era, "tools/list");
	return toRawCall(era, "tools/call", {
		name: "search_graph",
		arguments: { graph_id: GRAPH_ID, ...search },
	});
}

/** Alternates the kinds round by round, so that a drifting machine touches all alike. */
async function compare({ run }: Caller): Promise<Record<Kind, KindFigures>> {
	const queries = generateQueries(WARM_UP + ROUNDS * REQUESTS_PER_ROUND);
	const warmUp = queries.splice(0, WARM_UP);
	for (const kind of KINDS) await run(kind, warmUp.splice(0, WARM_UP / KINDS.length));
	const rounds = Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Record<
		Kind,
		Round[]
	>;
	for (let index = 0; index < ROUNDS; index++) {
		const asked = queries.splice(0, REQUESTS_PER_ROUND);
		const order = index % 2 === 0 ? KINDS : [...KINDS].reverse();
		for (const kind of order) rounds[kind].push(await run(kind, asked));
	}
	const figures = KINDS.map((kind) => [kind, figuresOf(rounds[kind], rounds.rest)]);
	return Object.fromEntries(figures) as Record<Kind, KindFigures>;
}

function figuresOf(rounds: readonly Round[], rest: readonly Round[]): KindFigures {
	const latenciesMs = rounds.flatMap(({ load }) => load.latenciesMs).sort((a, b) => a - b);
	const quantileMs = (share: number) =>
		round(latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0);
	const statuses: Record<string, number> = {};
	for (const { load } of rounds) {
		for (const [status, count] of Object.entries(load.statuses)) {
			statuses[status] = (statuses[status] ?? 0) + count;
		}
	}
	const above = rounds.map(({ cpuMs }, index) => cpuMs - (rest[index]?.cpuMs ?? 0));
	return {
		cpu_ms_per_request: round(median(rounds.map(({ cpuMs }) => cpuMs))),
		cpu_ms_above_rest: round(median(above)),
		p50_ms: quantileMs(0.5),
		p99_ms: quantileMs(0.99),
		statuses,
	};
}

/** Free calls alone: what is sold stays on the books, which is no leak. */
async function watchHeap({ sendMcp, heap }: Caller): Promise<number[]> {
	const listGraphs = { name: "list_graphs", arguments: {} };
	const mix: readonly (readonly [RawCall, number])[] = [
		[INITIALIZE, 0.1],
		[toRawCall("2025-11-25", "tools/call", listGraphs), 0.4],
		[toRawCall("2026-07-28", "tools/call", listGraphs), 0.4],
		[toRawCall("2026-07-28", "prompts/list"), 0.08],
		[toRawCall("2025-11-25", "tools/list"), 0.02],
	];
	const heaps: number[] = [];
	for (let sent = 0; sent < STATELESS_CALLS; sent += HEAP_EVERY) {
		for (const [call, share] of mix) {
			const { load } = await sendMcp(Array.from({ length: HEAP_EVERY * share }, () => call));
			const refused = Object.keys(load.statuses).filter((status) => status !== "200");
			if (refused.length > 0) throw new Error(`Stateless calls were answered ${refused}.`);
		}
		heaps.push(await heap());
	}
	return heaps;
}
