/**
 * `npm run torture -- --processes 3 --kill9 100 [--database 50] [--freeze 5] [--clients 64]`: several real servers on one PostgreSQL, which is
 * started for it, under agents that send each call again with its key until it is decided. Servers are killed, the database crashes, and
 * servers are frozen until they are taken for ended, one after the other, as it comes.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startPostgres } from "../support/postgres-cluster.js";
import { runTollgraph, type ServerProcess, startServerProcess } from "../support/server-process.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { times } from "../support/times.js";
import { createDice } from "./dice.js";

const { values } = parseArgs({
	options: {
		processes: { type: "string", default: "3" },
		kill9: { type: "string", default: "100" },
		database: { type: "string", default: "0" },
		freeze: { type: "string", default: "0" },
		clients: { type: "string", default: "64" },
		seed: { type: "string", default: "1" },
		json: { type: "boolean", default: false },
	},
});
const [processes, clients] = [Number(values.processes), Number(values.clients)];
const TOKENS = 8;
/** At the same time, when all is over. */
const ASKING = 16;
const JOB_SHARE = 0.01;
const JOB_QUERY = "How do agents pay for calls over HTTP?";
/** Longer than a lease: the others have taken it for ended when it goes on. */
const FROZEN_MS = 15_000;
const SETTLED_MS = 120_000;
const OPEN = new Set(["queued", "running", "cancelling"]);

const dice = createDice(Number(values.seed));
const cluster = await startPostgres(["max_connections=200", "max_locks_per_transaction=256"]);
const folder = mkdtempSync(join(tmpdir(), "tollgraph-torture-"));
const shared = [
	...["--keys", join(folder, "keys"), "--store-url", cluster.url],
	...["--model", "none", "--judge", "none", "--facilitator", "off"],
];
/** By place; undefined while one is down. */
const servers: (ServerProcess | undefined)[] = [];
const counts = new Map<string, number>();
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
const failures: string[] = [];
const fail = (what: string) => failures.push(what);

/** Starts one, again while the database is away. */
async function start(place: number): Promise<void> {
	for (let left = 60; left > 0; left--) {
		const server = await startServerProcess([
			"--data",
			join(folder, `data-${place}`),
			...shared,
		]).catch(() => undefined);
		if (server) {
			servers[place] = server;
			return;
		}
		await sleep(500);
	}
	throw new Error("A server could not be started in half a minute.");
}

const run = (...args: readonly string[]) =>
	runTollgraph([...args, "--json", "--data", join(folder, "data-command"), ...shared]);

interface Reply {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: whatever fields are judged.
	readonly body: any;
}

async function send(path: string, init: RequestInit): Promise<Reply | undefined> {
	const up = servers.filter((server) => server !== undefined);
	if (up.length === 0) return undefined;
	try {
		const url = `${dice.pick(up).ready.base_url}${path}`;
		const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
		return { status: response.status, body: await response.json() };
	} catch {
		return undefined;
	}
}

interface Order {
	readonly token: string;
	readonly key: string;
	readonly isJob: boolean;
	/** Of a call its receipt, of a job its id. */
	answer?: string;
}

function requestOf({ token, key, isJob }: Order): readonly [path: string, init: RequestInit] {
	const body = isJob ? { query: JOB_QUERY } : { query: KNOWN_QUERY, limit: 1 };
	const path = isJob ? "/v1/research/deep-dive" : "/v1/graphs/agent-payments/search";
	const headers = {
		...{ "X-Pay-SPT": token, "Content-Type": "application/json", "Idempotency-Key": key },
	};
	return [path, { method: "POST", headers, body: JSON.stringify(body) }];
}

/** True for what the same call, sent again, may be answered otherwise than with. */
const isOpen = ({ status }: Reply) => status === 409 || status === 429 || status >= 500;

/** Sends it to any server until one decides. */
async function decide(order: Order): Promise<string> {
	for (;;) {
		const reply = await send(...requestOf(order));
		count(reply ? `${reply.status} ${reply.body?.error?.code ?? ""}`.trim() : "no answer");
		if (reply?.status === 200) return reply.body.meta.cost.receipt_id;
		if (reply?.status === 202) return reply.body.data.job_id;
		if (reply && !isOpen(reply))
			throw new Error(`${order.key}: ${reply.status} ${JSON.stringify(reply.body)}`);
		await sleep(dice.between(50, 300));
	}
}

const orders: Order[] = [];
let isOver = false;

async function shop(index: number, tokens: readonly string[]): Promise<void> {
	for (let number = 0; !isOver; number++) {
		const isJob = dice.chance(JOB_SHARE);
		const order: Order = {
			token: tokens[index % TOKENS] as string,
			key: `${index}.${number}`,
			isJob,
		};
		orders.push(order);
		order.answer = await decide(order);
	}
}

async function killOne(): Promise<void> {
	const place = dice.between(0, processes - 1);
	const server = servers[place];
	if (!server) return;
	servers[place] = undefined;
	server.child.kill("SIGKILL");
	await once(server.child, "exit");
	await start(place);
}

async function freezeOne(): Promise<void> {
	const server = servers[dice.between(0, processes - 1)];
	if (!server) return;
	server.child.kill("SIGSTOP");
	await sleep(FROZEN_MS);
	server.child.kill("SIGCONT");
}

/** All that is to be done to them, in an order of chance. */
async function torment(): Promise<void> {
	const left = {
		kill9: Number(values.kill9),
		database: Number(values.database),
		freeze: Number(values.freeze),
	};
	const acts = { kill9: killOne, database: () => cluster.crash(), freeze: freezeOne };
	const names = Object.keys(left) as (keyof typeof left)[];
	for (let done = 1; names.some((name) => left[name] > 0); done++) {
		const open = names.flatMap((name) => new Array<typeof name>(left[name]).fill(name));
		const name = dice.pick(open);
		left[name] -= 1;
		await sleep(dice.between(200, 1_500));
		await acts[name]();
		if (done % 10 === 0) process.stderr.write(`${done} acts, ${orders.length} orders\n`);
	}
}

async function heldMicros(): Promise<number> {
	const [row] = (await cluster.sql(
		"SELECT coalesce(sum(amount), 0)::text AS held FROM tollgraph.balances WHERE account LIKE 'held:%'",
	)) as readonly { held: string }[];
	return Number(row?.held);
}

async function untilJobEnds({ token, answer }: Order): Promise<string> {
	const endMs = performance.now() + SETTLED_MS;
	const path = `/v1/research/deep-dive/status/${answer}`;
	let status = "unknown";
	while (performance.now() < endMs && (status === "unknown" || OPEN.has(status))) {
		await sleep(100);
		const reply = await send(path, { headers: { "X-Pay-SPT": token } });
		if (reply?.status === 200) status = reply.body.data.status;
	}
	return status;
}

async function untilJobsEnd(): Promise<Readonly<Record<string, number>>> {
	const ends: Record<string, number> = {};
	for (const order of orders.filter(({ isJob }) => isJob)) {
		const status = await untilJobEnds(order);
		ends[status] = (ends[status] ?? 0) + 1;
		if (status !== "completed") fail(`The job ${order.answer} is ${status}.`);
	}
	return ends;
}

/** What was acknowledged is there, each key was paid for once, and nothing else was. */
async function judge(): Promise<object> {
	let next = 0;
	const askAgain = async () => {
		for (let order = orders[next++]; order; order = orders[next++]) {
			const again = await decide(order);
			if (again !== order.answer) fail(`${order.key} was ${order.answer} and is ${again}.`);
		}
	};
	await Promise.all(times(ASKING, askAgain));
	const jobs = await untilJobsEnd();
	const endMs = performance.now() + SETTLED_MS;
	while ((await heldMicros()) !== 0 && performance.now() < endMs) await sleep(500);
	if ((await heldMicros()) !== 0) fail("Holds are open though nothing runs.");
	const verified = await run("ledger", "verify");
	if (verified.code !== 0) fail(`The ledger does not verify: ${verified.stdout}${verified.stderr}`);
	const rows = (await cluster.sql(
		'SELECT substring(body FROM \'"operationId":"([^"]+)"\') AS operation, count(*)::integer AS receipts FROM tollgraph.records WHERE tbl = \'receipts\' GROUP BY 1',
	)) as readonly { operation: string; receipts: number }[];
	const receipts = Object.fromEntries(rows.map(({ operation, receipts }) => [operation, receipts]));
	const wanted = orders.filter(({ isJob }) => !isJob).length;
	if (receipts["graphs.search"] !== wanted)
		fail(`${receipts["graphs.search"]} receipts of ${wanted} calls.`);
	const paidJobs = Object.entries(receipts).reduce(
		(sum, [operation, number]) => sum + (operation === "graphs.search" ? 0 : number),
		0,
	);
	if (paidJobs > orders.length - wanted)
		fail(`${paidJobs} receipts of ${orders.length - wanted} jobs.`);
	return { receipts, jobs };
}

const startedMs = performance.now();
await start(0);
await Promise.all(times(processes - 1, (index) => start(index + 1)));
const tokens: string[] = [];
for (let left = TOKENS; left > 0; left--)
	tokens.push(JSON.parse((await run("spt", "issue", "--usd", "9000")).stdout).token);
const shoppers = times(clients, (index) => shop(index, tokens));
await torment();
isOver = true;
await Promise.all(shoppers);
const found = await judge();
for (const server of servers) {
	if (!server) continue;
	server.child.kill("SIGTERM");
	await once(server.child, "exit");
}
await cluster.stop();
rmSync(folder, { recursive: true, force: true });
const report = {
	...{ processes, clients, kills: Number(values.kill9), crashes: Number(values.database) },
	...{ frozen: Number(values.freeze), orders: orders.length, ...found },
	replies: Object.fromEntries([...counts].sort()),
	seconds: Math.round((performance.now() - startedMs) / 1_000),
	failures,
};
process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
process.exit(failures.length === 0 ? 0 : 1);
