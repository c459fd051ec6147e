/** What honest callers notice of guessed tokens and of idle connections: their latencies before and during. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { round } from "./figures.js";
import type { HostileServerReady } from "./hostile-server.js";
import { type LoadResult, sendLoad } from "./load.js";
import { atMost, type Bar } from "./search/bars.js";

const ROUNDS = 3;
const SLOWDOWN_MAX = 2;
const REQUESTS = 1_000;
const HONEST_CALLERS = 4;
const SECONDS = 6;
const IDLE_CONNECTIONS = 10_000;

export interface HostilePlan {
	readonly kind: "guesses" | "idle";
	readonly port: number;
	/** Address the calls come from. */
	readonly from: string;
	/** Guesses sent at once on each connection, or idle connections. */
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
	readonly bars: readonly Bar[];
}

export async function benchHostile(folder: string): Promise<HostileReport> {
	mkdirSync(folder, { recursive: true });
	const server = start("./hostile-server.js", [folder]);
	try {
		const [ready] = (await once(server, "message")) as [HostileServerReady];
		const tokens = [...ready.tokens];
		const honest = () => callHonestly(ready.port, tokens.pop() ?? "");
		await honest();
		const run = async (kind: HostilePlan["kind"], count: number, from: string) => {
			const rounds: HostileRound[] = [];
			for (let index = 0; index < ROUNDS; index++) {
				const before = await honest();
				const caller = start("./hostile-caller.js", []);
				const result = once(caller, "message") as Promise<[HostileResult]>;
				caller.send({ kind, port: ready.port, from, count, seconds: SECONDS });
				// Idle connections hurt when they are there, guesses while they come.
				if (kind === "idle") await result;
				const during = await honest();
				const [hostile] = await result;
				caller.kill("SIGKILL");
				rounds.push({ before, during, hostile });
			}
			return rounds;
		};
		const rounds = {
			guesses: await run("guesses", 1, "127.0.0.2"),
			pipelined_guesses: await run("guesses", 16, "127.0.0.3"),
			idle_connections: await run("idle", IDLE_CONNECTIONS, "127.0.0.4"),
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

async function callHonestly(port: number, token: string): Promise<HonestFigures> {
	const { latenciesMs, statuses } = await sendLoad({
		url: `http://127.0.0.1:${port}/v1/graphs/agent-payments/search`,
		headers: { "X-Pay-SPT": token },
		bodies: Array.from({ length: REQUESTS }, (_, index) =>
			JSON.stringify({ query: `Which HTTP status code asks for payment ${index}?`, limit: 3 }),
		),
		connections: HONEST_CALLERS,
	});
	const quantileMs = (share: number) =>
		round(latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0);
	return { p50_ms: quantileMs(0.5), p99_ms: quantileMs(0.99), statuses };
}
