/** What honest callers notice of guessed tokens and of idle connections: their latencies before and during. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { ask, nextMessage } from "./child.js";
import { round } from "./figures.js";
import type { HostileServerReady } from "./hostile-server.js";
import { type LoadPlan, type LoadResult, sendLoad } from "./load.js";
import { atMost, type Bar } from "./search/bars.js";

const ROUNDS = 3;
const SLOWDOWN_MAX = 2;
const REQUESTS = 1_000;
const HONEST_CALLERS = 4;
const SECONDS = 6;
const IDLE_CONNECTIONS = 10_000;
/** As many as guess no more than is let in, and are all judged. */
const ADDRESSES = 250;

export interface HostilePlan {
	readonly kind: "guesses" | "idle" | "connection_tokens";
	readonly port: number;
	/** Address the calls come from; the first of them. */
	readonly from: string;
	/** Guesses sent at once on each connection, idle connections, or addresses that guess connection tokens. */
	readonly count: number;
	readonly seconds: number;
}

export interface HostileResult {
	readonly sent: number;
	readonly statuses: Readonly<Record<string, number>>;
}

interface HonestFigures {
	readonly p50_ms: number;
	readonly p99_ms: number;
	readonly statuses: LoadResult["statuses"];
}

interface HostileRound {
	readonly before: HonestFigures;
	readonly during: HonestFigures;
	readonly hostile: HostileResult;
}

export interface HostileReport {
	/** One guess at a time on each of 16 connections. */
	readonly guesses: readonly HostileRound[];
	/** Sixteen guesses at a time, sent on without waiting. */
	readonly pipelined_guesses: readonly HostileRound[];
	/** Silent connections, half headers and half bodies in equal parts. */
	readonly idle_connections: readonly HostileRound[];
	/** A thousand wrong connection tokens a second from one address, beside honest callers of the same protocol. */
	readonly connection_tokens: readonly HostileRound[];
	/** The same from addresses that are each let in. */
	readonly spread_connection_tokens: readonly HostileRound[];
	readonly bars: readonly Bar[];
}

export async function benchHostile(folder: string): Promise<HostileReport> {
	mkdirSync(folder, { recursive: true });
	const server = start("./hostile-server.js", [folder]);
	try {
		const ready = await nextMessage<HostileServerReady>(server);
		const tokens = [...ready.tokens];
		const searcher = () => callHonestly(searchOf(ready.port, tokens.pop() ?? ""));
		const toolCaller = () => callHonestly(toolCallOf(ready));
		await searcher();
		await toolCaller();
		const run = async (
			{ kind, count, from }: Pick<HostilePlan, "kind" | "count" | "from">,
			honest = searcher,
		) => {
			const rounds: HostileRound[] = [];
			for (let index = 0; index < ROUNDS; index++) {
				const before = await honest();
				const caller = start("./hostile-caller.js", []);
				const plan = { kind, port: ready.port, from, count, seconds: SECONDS };
				const result = ask<HostileResult>(caller, plan);
				// Idle connections hurt when they are there, guesses while they come.
				if (kind === "idle") await result;
				const [during, hostile] = await Promise.all([honest(), result]);
				caller.kill("SIGKILL");
				rounds.push({ before, during, hostile });
			}
			return rounds;
		};
		const guessing = { kind: "connection_tokens" } as const;
		const rounds = {
			guesses: await run({ kind: "guesses", count: 1, from: "127.0.0.2" }),
			pipelined_guesses: await run({ kind: "guesses", count: 16, from: "127.0.0.3" }),
			idle_connections: await run({ kind: "idle", count: IDLE_CONNECTIONS, from: "127.0.0.4" }),
			connection_tokens: await run({ ...guessing, count: 1, from: "127.0.0.5" }, toolCaller),
			spread_connection_tokens: await run(
				{ ...guessing, count: ADDRESSES, from: "127.0.1.1" },
				toolCaller,
			),
		};
		return { ...rounds, bars: Object.entries(rounds).flatMap(toBars) };
	} finally {
		server.kill("SIGKILL");
	}
}

/** Honest callers are all served, and in the middle round their slow calls take no more than twice as long. */
function toBars([kind, rounds]: [string, readonly HostileRound[]]): Bar[] {
	const slowdowns = rounds.map(({ before, during }) => during.p99_ms / before.p99_ms);
	const middle = slowdowns.sort((a, b) => a - b)[Math.floor(slowdowns.length / 2)] ?? 0;
	const statuses = rounds.flatMap(({ before, during }) => [before.statuses, during.statuses]);
	const refused = statuses.flatMap((counts) =>
		Object.entries(counts).map(([status, count]) => (status === "200" ? 0 : count)),
	);
	return [
		atMost(`${kind}: p99 of honest callers during, over before`, round(middle), SLOWDOWN_MAX),
		atMost(
			`${kind}: honest calls not served`,
			refused.reduce((sum, count) => sum + count, 0),
			0,
		),
	];
}

function start(module: string, args: readonly string[]): ChildProcess {
	return fork(new URL(module, import.meta.url), args, { execArgv: process.execArgv });
}

type HonestCall = Pick<LoadPlan, "url" | "headers"> & {
	readonly toBody: (query: string) => object;
};

const GRAPH = "agent-payments";

function searchOf(port: number, token: string): HonestCall {
	return {
		url: `http://127.0.0.1:${port}/v1/graphs/${GRAPH}/search`,
		headers: { "X-Pay-SPT": token },
		toBody: (query) => ({ query, limit: 3 }),
	};
}

function toolCallOf({ port, connection }: HostileServerReady): HonestCall {
	return {
		url: `http://127.0.0.1:${port}/c/${connection}`,
		headers: { Accept: "application/json, text/event-stream" },
		toBody: (query) => ({
			jsonrpc: "2.0",
			id: 1,
			method: "tools/call",
			params: { name: "search_graph", arguments: { graph_id: GRAPH, query, limit: 3 } },
		}),
	};
}

async function callHonestly({ url, headers, toBody }: HonestCall): Promise<HonestFigures> {
	const { latenciesMs, statuses } = await sendLoad({
		url,
		headers,
		bodies: Array.from({ length: REQUESTS }, (_, index) =>
			JSON.stringify(toBody(`Which HTTP status code asks for payment ${index}?`)),
		),
		connections: HONEST_CALLERS,
	});
	const quantileMs = (share: number) =>
		round(latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0);
	return { p50_ms: quantileMs(0.5), p99_ms: quantileMs(0.99), statuses };
}
