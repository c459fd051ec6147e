/** What a paid search costs beside the same search for nothing and beside a bare route, in process CPU time. */

import { type ChildProcess, fork } from "node:child_process";
import { ask, nextMessage } from "./child.js";
import { median, round } from "./figures.js";
import { generateQueries } from "./generated-graph.js";
import { type LoadResult, sendLoad } from "./load.js";
import { leaveFirstCore, pinToFirstCore } from "./one-core.js";
import type { ServerReady } from "./route-server.js";

const CONCEPTS = 10_000;
const ROUNDS = 15;
const REQUESTS_PER_ROUND = 1_000;
const CONNECTIONS = 16;
/** Enough for the compiler to settle: earlier figures measure it, not us. */
const WARM_UP = 4_000;

interface RouteFigures {
	readonly cpu_ms_per_request: number;
	readonly p50_ms: number;
	readonly p99_ms: number;
	readonly requests: number;
	readonly statuses: LoadResult["statuses"];
}

export interface RouteReport {
	readonly concepts: number;
	readonly connections: number;
	readonly is_pinned_to_one_core: boolean;
	readonly bare: RouteFigures;
	readonly unpaid: RouteFigures;
	readonly paid: RouteFigures;
	/** Median over rounds of (paid CPU / unpaid CPU − 1), each pair measured one after the other. */
	readonly paid_over_unpaid_percent: number;
	readonly paid_over_unpaid_percent_rounds: readonly number[];
	/** Of all answers together: the slowest hundredth of one round is ten answers, too few to compare. */
	readonly paid_over_unpaid_p99_ms: number;
}

interface Round {
	readonly cpuMs: number;
	readonly load: LoadResult;
}

/** Alternates the routes round by round, so that a drifting machine touches all alike. */
export async function benchRoutes(folder: string): Promise<RouteReport> {
	const server = fork(new URL("./route-server.js", import.meta.url), [folder, String(CONCEPTS)], {
		execArgv: process.execArgv,
	});
	try {
		const { ready } = await nextMessage<{ ready: ServerReady }>(server);
		// The server's threads share core 0, the load comes from the others.
		const isPinned = pinToFirstCore(server.pid) && leaveFirstCore();
		return await compare(server, ready, isPinned);
	} finally {
		server.kill("SIGKILL");
	}
}

async function compare(
	server: ChildProcess,
	ready: ServerReady,
	isPinned: boolean,
): Promise<RouteReport> {
	const queries = generateQueries(WARM_UP + 2 * ROUNDS * REQUESTS_PER_ROUND);
	let used = 0;
	const bodies = (count: number) => {
		used += count;
		return queries.slice(used - count, used).map((query) => JSON.stringify({ query, limit: 10 }));
	};
	const run = async (url: string, count: number): Promise<Round> => {
		const headers = url === ready.paidUrl ? { "X-Pay-SPT": ready.token } : {};
		const plan = { url, headers, bodies: bodies(count), connections: CONNECTIONS };
		const before = await cpuMsOf(server);
		const load = await sendLoad(plan);
		return { cpuMs: ((await cpuMsOf(server)) - before) / count, load };
	};

	await run(ready.freeUrl, WARM_UP / 2);
	await run(ready.paidUrl, WARM_UP / 2);
	const rounds: { bare: Round[]; unpaid: Round[]; paid: Round[] } = {
		bare: [],
		unpaid: [],
		paid: [],
	};
	for (let index = 0; index < ROUNDS; index++) {
		const unpaidFirst = index % 2 === 0;
		if (unpaidFirst) rounds.unpaid.push(await run(ready.freeUrl, REQUESTS_PER_ROUND));
		rounds.paid.push(await run(ready.paidUrl, REQUESTS_PER_ROUND));
		if (!unpaidFirst) rounds.unpaid.push(await run(ready.freeUrl, REQUESTS_PER_ROUND));
		used -= REQUESTS_PER_ROUND; // the bare route does not care what it is asked
		rounds.bare.push(await run(ready.bareUrl, REQUESTS_PER_ROUND));
	}
	const ratios = rounds.paid.map((paid, index) =>
		round((paid.cpuMs / (rounds.unpaid[index]?.cpuMs ?? 1) - 1) * 100, 1),
	);
	const unpaid = figuresOf(rounds.unpaid);
	const paid = figuresOf(rounds.paid);
	return {
		concepts: CONCEPTS,
		connections: CONNECTIONS,
		is_pinned_to_one_core: isPinned,
		bare: figuresOf(rounds.bare),
		unpaid,
		paid,
		paid_over_unpaid_percent: median(ratios),
		paid_over_unpaid_percent_rounds: ratios,
		paid_over_unpaid_p99_ms: round(paid.p99_ms - unpaid.p99_ms),
	};
}

function figuresOf(rounds: readonly Round[]): RouteFigures {
	const statuses: Record<string, number> = {};
	for (const { load } of rounds) {
		for (const [status, count] of Object.entries(load.statuses)) {
			statuses[status] = (statuses[status] ?? 0) + count;
		}
	}
	const latenciesMs = rounds.flatMap(({ load }) => load.latenciesMs).sort((a, b) => a - b);
	const quantileMs = (share: number) =>
		round(latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0);
	return {
		cpu_ms_per_request: round(median(rounds.map(({ cpuMs }) => cpuMs))),
		p50_ms: quantileMs(0.5),
		p99_ms: quantileMs(0.99),
		requests: rounds.reduce((sum, { load }) => sum + load.requests, 0),
		statuses,
	};
}

async function cpuMsOf(server: ChildProcess): Promise<number> {
	const { cpu } = await ask<{ cpu: NodeJS.CpuUsage }>(server, "cpu");
	return (cpu.user + cpu.system) / 1000;
}
