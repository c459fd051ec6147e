/**
 * A paid search through a balancer: two processes on one database against one on the journal, in turns on the same cores; and two
 * on a journal each, with half of the callers each: what a second process costs by itself.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BalancedServerOrder, BalancedServerReady } from "./balanced-server.js";
import { end, nextMessage } from "./child.js";
import { median, toFourDigits } from "./figures.js";
import { generateQueries } from "./generated-graph.js";
import { sendLoad } from "./load.js";
import { familyMs, findPostmaster, processorMs } from "./processor-time.js";
import { atMost, type Bar } from "./search/bars.js";

const GRAPH_ID = "generated";
const CONCEPTS = 10_000;
/** Each with a token and a connection of its own. */
const CALLERS = 64;
const CALLS_PER_ROUND = 3_200;
const ROUNDS = 5;
const RATIO_MAX = 1.6;

interface Side {
	readonly callers: readonly { readonly url: string; readonly token: string }[];
	/** Of servers and database. */
	readonly cpuMs: () => number;
	readonly serversMs: () => number;
	readonly balancerMs: () => number;
}

interface Round {
	readonly callsPerS: number;
	readonly cpuMs: number;
	readonly serversMs: number;
	readonly balancerMs: number;
	readonly latenciesMs: readonly number[];
	readonly refused: number;
}

export async function benchBalanced(folder: string, storeUrl: string | undefined) {
	if (storeUrl === undefined) throw new Error("The part balanced needs --store-url postgres://…");
	const postmaster = await findPostmaster(storeUrl);
	const children: ChildProcess[] = [];
	try {
		const journal = await startSide(children, { folder: join(folder, "journal"), processes: 1 });
		const database = await startSide(children, {
			...{ folder: join(folder, "database"), processes: 2, storeUrl },
			databaseMs: () => familyMs(postmaster),
		});
		const halves: Side[] = [];
		for (const half of ["first", "second"])
			halves.push(
				await startSide(children, {
					...{ folder: join(folder, half), processes: 1, callers: CALLERS / 2 },
				}),
			);
		return toReport(await alternate({ journal, database, journals: together(halves) }));
	} finally {
		for (const child of children.reverse()) await end(child, "SIGTERM");
	}
}

async function startSide(
	children: ChildProcess[],
	{
		folder,
		processes,
		callers = CALLERS,
		storeUrl,
		databaseMs = () => 0,
	}: {
		readonly folder: string;
		readonly processes: number;
		readonly callers?: number;
		readonly storeUrl?: string;
		readonly databaseMs?: () => number;
	},
): Promise<Side> {
	const started: { readonly child: ChildProcess; readonly ready: BalancedServerReady }[] = [];
	for (let index = 0; index < processes; index++) {
		const order: BalancedServerOrder = {
			...{ folder: join(folder, String(index)), keys: join(folder, "keys"), storeUrl },
			...{ graphId: GRAPH_ID, concepts: CONCEPTS, tokens: index === 0 ? callers : 0 },
		};
		mkdirSync(order.folder, { recursive: true });
		const child = fork(new URL("./balanced-server.js", import.meta.url), [JSON.stringify(order)], {
			execArgv: process.execArgv,
		});
		children.push(child);
		started.push({ child, ready: await nextMessage<BalancedServerReady>(child) });
	}
	const balancer = await startBalancer(
		folder,
		started.map(({ ready }) => ready.port),
	);
	children.push(balancer.child);
	const pids = started.map(({ child }) => child.pid ?? 0);
	const serversMs = () => processorMs(pids);
	const url = `http://127.0.0.1:${balancer.port}/v1/graphs/${GRAPH_ID}/search`;
	return {
		callers: started.flatMap(({ ready }) => ready.tokens.map((token) => ({ url, token }))),
		cpuMs: () => serversMs() + databaseMs(),
		serversMs,
		balancerMs: () => familyMs(balancer.child.pid ?? 0),
	};
}

function together(sides: readonly Side[]): Side {
	const sum = (of: (side: Side) => number) => () =>
		sides.reduce((total, side) => total + of(side), 0);
	return {
		callers: sides.flatMap(({ callers }) => callers),
		cpuMs: sum((side) => side.cpuMs()),
		serversMs: sum((side) => side.serversMs()),
		balancerMs: sum((side) => side.balancerMs()),
	};
}

/** HAProxy, as in examples/deployment but with requests to the server with the fewest connections: all callers here have one address. */
async function startBalancer(folder: string, ports: readonly number[]) {
	const port = await freePort();
	const path = join(folder, "haproxy.cfg");
	writeFileSync(
		path,
		[
			...["defaults", "  mode http", "  timeout connect 5s", "  timeout client 60s"],
			...["  timeout server 60s", "frontend all", `  bind 127.0.0.1:${port}`],
			...["  default_backend processes", "backend processes", "  balance leastconn"],
			...ports.map((at) => `  server p${at} 127.0.0.1:${at}`),
			"",
		].join("\n"),
	);
	const child = spawn("haproxy", ["-f", path, "-db"], { stdio: "ignore" });
	await Promise.race([
		untilOpen(port),
		once(child, "error").then(([error]) => {
			throw new Error("The part balanced needs HAProxy (Debian: apt-get install haproxy).", {
				cause: error,
			});
		}),
	]);
	return { child, port };
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	await once(server, "close");
	if (address === null || typeof address === "string") throw new Error("There is no free port.");
	return address.port;
}

async function untilOpen(port: number): Promise<void> {
	for (let left = 100; left > 0; left--) {
		const socket = connect(port, "127.0.0.1");
		const isOpen = await new Promise<boolean>((resolve) => {
			socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
		});
		socket.destroy();
		if (isOpen) return;
		await sleep(50);
	}
	throw new Error("The balancer does not listen.");
}

async function alternate(sides: Readonly<Record<string, Side>>) {
	const rounds: (Round & { readonly name: string })[] = [];
	for (let round = 0; round <= ROUNDS; round++) {
		const order = Object.entries(sides);
		for (const [name, side] of round % 2 === 0 ? order : order.reverse()) {
			const figures = await runRound(side, round);
			// The first round warms up.
			if (round > 0) rounds.push({ ...figures, name });
		}
	}
	return rounds;
}

async function runRound(
	{ callers, cpuMs, serversMs, balancerMs }: Side,
	round: number,
): Promise<Round> {
	const queries = generateQueries(CALLS_PER_ROUND, round + 2);
	const share = CALLS_PER_ROUND / callers.length;
	const before = [cpuMs(), serversMs(), balancerMs()] as const;
	const startedMs = performance.now();
	const loads = callers.map(({ url, token }, index) =>
		sendLoad({
			...{ url, connections: 1, headers: { "X-Pay-SPT": token } },
			bodies: queries
				.slice(index * share, (index + 1) * share)
				.map((query) => JSON.stringify({ query, limit: 3 })),
		}),
	);
	const results = await Promise.all(loads);
	const seconds = (performance.now() - startedMs) / 1_000;
	const answered = results.reduce((sum, { statuses }) => sum + (statuses["200"] ?? 0), 0);
	return {
		callsPerS: CALLS_PER_ROUND / seconds,
		cpuMs: (cpuMs() - before[0]) / CALLS_PER_ROUND,
		serversMs: (serversMs() - before[1]) / CALLS_PER_ROUND,
		balancerMs: (balancerMs() - before[2]) / CALLS_PER_ROUND,
		latenciesMs: results.flatMap(({ latenciesMs }) => latenciesMs),
		refused: CALLS_PER_ROUND - answered,
	};
}

function toReport(rounds: readonly (Round & { readonly name: string })[]) {
	const of = (name: string) => rounds.filter((round) => round.name === name);
	const figures = (list: readonly Round[]) => {
		const middle = (figure: (round: Round) => number) => toFourDigits(median(list.map(figure)));
		const latencies = list.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
		const at = (share: number) =>
			toFourDigits(latencies[Math.floor(latencies.length * share)] ?? 0);
		return {
			calls_per_s: middle(({ callsPerS }) => callsPerS),
			/** Of a call: servers and database, servers alone, and the balancer, which is in neither. */
			cpu_ms: middle(({ cpuMs }) => cpuMs),
			servers_ms: middle(({ serversMs }) => serversMs),
			balancer_ms: middle(({ balancerMs }) => balancerMs),
			p50_ms: at(0.5),
			p99_ms: at(0.99),
			not_answered: list.reduce((sum, { refused }) => sum + refused, 0),
		};
	};
	const ratioTo = (base: readonly Round[]) =>
		toFourDigits(median(of("database").map(({ cpuMs }, at) => cpuMs / (base[at]?.cpuMs ?? 0))));
	const ratio = ratioTo(of("journal"));
	const bars: readonly Bar[] = [
		atMost("processor time of a paid search on a database, over the journal's", ratio, RATIO_MAX),
	];
	return {
		callers: CALLERS,
		journal: figures(of("journal")),
		database: figures(of("database")),
		/** Two processes with a journal each, which sell apart from each other. */
		two_journals: figures(of("journals")),
		ratio,
		ratio_to_two_journals: ratioTo(of("journals")),
		bars,
	};
}
