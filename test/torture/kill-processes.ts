/**
 * `npm run torture -- --processes 3 --kill9 100 [--database 50] [--freeze 5] [--full 3] [--schedules 60] [--clients 64]`: several
 * real servers on one PostgreSQL, which is started for it (with `--older <folder>` of an older build first, then upgraded one by one), under agents that send each call again with its key until it is
 * decided, read streams that they leave and resume, and follow jobs. Servers are killed, the database crashes, its disk is full,
 * schedules become due, and servers are frozen until they are taken for ended, one after the other, as it comes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startMailServer } from "../jobs/mail-server.js";
import { startPostgres } from "../support/postgres-cluster.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { times } from "../support/times.js";
import { createDice } from "./dice.js";
import { createSchedules } from "./process-schedules.js";
import { readWholeStream } from "./process-streams.js";
import { createProcessWorld, isOpen } from "./process-world.js";

const { values } = parseArgs({
	options: {
		processes: { type: "string", default: "3" },
		kill9: { type: "string", default: "100" },
		database: { type: "string", default: "0" },
		freeze: { type: "string", default: "0" },
		full: { type: "string", default: "0" },
		schedules: { type: "string", default: "0" },
		older: { type: "string" },
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
const STREAM_SHARE = 0.05;
const JOB_QUERY = "How do agents pay for calls over HTTP?";
const SETTLED_MS = 120_000;
const FULL_MS = 4_000;
const DISK_MEGABYTES = 2_048;
const OPEN = new Set(["queued", "running", "cancelling"]);

const dice = createDice(Number(values.seed));
const ends: (() => unknown)[] = [];
const mail = await startMailServer({ teardown: (end: () => unknown) => void ends.push(end) });
const cluster = await startPostgres(
	["max_connections=200", "max_locks_per_transaction=256", "max_wal_size=256MB"],
	values.full === "0" ? {} : { diskMegabytes: DISK_MEGABYTES },
);
const folder = mkdtempSync(join(tmpdir(), "tollgraph-torture-"));
const world = createProcessWorld({
	...{ cluster, folder, dice, older: values.older },
	settings: [
		...["--keys", join(folder, "keys"), "--store-url", cluster.url],
		...["--model", "none", "--judge", "none", "--facilitator", "off"],
		...["--smtp-url", mail.url, "--mail-from", "briefings@example.net"],
	],
});
const schedules = createSchedules(world, mail);

type Kind = "call" | "job" | "stream";

interface Order {
	readonly token: string;
	readonly key: string;
	readonly kind: Kind;
	/** Of a call or a stream its receipt, of a job its id. */
	answer?: string;
}

function requestOf({ token, key, kind }: Order): readonly [path: string, init: RequestInit] {
	const body = kind === "job" ? { query: JOB_QUERY } : { query: KNOWN_QUERY, limit: 1 };
	const path = kind === "job" ? "/v1/research/deep-dive" : "/v1/graphs/agent-payments/search";
	const headers = {
		...{ "X-Pay-SPT": token, "Content-Type": "application/json", "Idempotency-Key": key },
	};
	return [path, { method: "POST", headers, body: JSON.stringify(body) }];
}

/** Sends it to any server until one decides. */
async function decide(order: Order): Promise<string> {
	if (order.kind === "stream") return readWholeStream(world, dice, order);
	for (;;) {
		const reply = await world.send(...requestOf(order));
		if (reply?.status === 200) return reply.body.meta.cost.receipt_id;
		if (reply?.status === 202) return reply.body.data.job_id;
		if (reply && !isOpen(reply))
			throw new Error(`${order.key}: ${reply.status} ${JSON.stringify(reply.body)}`);
		await sleep(dice.between(50, 300));
	}
}

const orders: Order[] = [];
const ordersOf = (kind: Kind) => orders.filter((order) => order.kind === kind);
let isOver = false;

function kindByChance(): Kind {
	if (dice.chance(JOB_SHARE)) return "job";
	return dice.chance(STREAM_SHARE) ? "stream" : "call";
}

async function shop(index: number, tokens: readonly string[]): Promise<void> {
	for (let number = 0; !isOver; number++) {
		const token = tokens[index % TOKENS] as string;
		const order: Order = { token, key: `${index}.${number}`, kind: kindByChance() };
		orders.push(order);
		order.answer = await decide(order);
	}
}

/** All that is to be done to them, in an order of chance. */
async function torment(): Promise<void> {
	const left = {
		kill9: Number(values.kill9),
		database: Number(values.database),
		freeze: Number(values.freeze),
		full: Number(values.full),
		schedules: Number(values.schedules),
		upgrade: values.older === undefined ? 0 : processes,
	};
	const acts = {
		kill9: () => world.killOne(),
		database: () => cluster.crash(),
		freeze: () => world.freezeOne(),
		full: () => cluster.fillDisk(FULL_MS),
		schedules: () => schedules.makeOneDue(left.schedules),
		upgrade: () => world.upgradeOne(),
	};
	const names = Object.keys(left) as (keyof typeof left)[];
	for (let done = 1; names.some((name) => left[name] > 0); done++) {
		const open = names.flatMap((name) => new Array<typeof name>(left[name]).fill(name));
		const name = dice.pick(open);
		left[name] -= 1;
		await sleep(dice.between(200, 1_500));
		await acts[name]();
		process.stderr.write(`${done} ${name}, ${orders.length} orders\n`);
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
		const reply = await world.send(path, { headers: { "X-Pay-SPT": token } });
		if (reply?.status === 200) status = reply.body.data.status;
	}
	return status;
}

async function untilJobsEnd(): Promise<Readonly<Record<string, number>>> {
	const ends: Record<string, number> = {};
	for (const order of ordersOf("job")) {
		const status = await untilJobEnds(order);
		ends[status] = (ends[status] ?? 0) + 1;
		if (status !== "completed") world.fail(`The job ${order.answer} is ${status}.`);
	}
	return ends;
}

/** What was acknowledged is there, each key was paid for once, and nothing else was. */
async function judge(): Promise<object> {
	let next = 0;
	const askAgain = async () => {
		for (let order = orders[next++]; order; order = orders[next++]) {
			const again = await decide(order);
			if (again !== order.answer) world.fail(`${order.key} was ${order.answer} and is ${again}.`);
		}
	};
	await Promise.all(times(ASKING, askAgain));
	const jobs = await untilJobsEnd();
	const runs = await schedules.judge();
	const endMs = performance.now() + SETTLED_MS;
	while ((await heldMicros()) !== 0 && performance.now() < endMs) await sleep(500);
	if ((await heldMicros()) !== 0) world.fail("Holds are open though nothing runs.");
	const verified = await world.run("ledger", "verify");
	if (verified.code !== 0)
		world.fail(`The ledger does not verify: ${verified.stdout}${verified.stderr}`);
	return { receipts: await judgeReceipts(), jobs, runs };
}

async function judgeReceipts(): Promise<Readonly<Record<string, number>>> {
	const rows = (await cluster.sql(
		'SELECT substring(body FROM \'"operationId":"([^"]+)"\') AS operation, count(*)::integer AS receipts FROM tollgraph.records WHERE tbl = \'receipts\' GROUP BY 1',
	)) as readonly { operation: string; receipts: number }[];
	const receipts = Object.fromEntries(rows.map(({ operation, receipts }) => [operation, receipts]));
	for (const [operation, kind] of [
		["graphs.search", "call"],
		["research.stream", "stream"],
	] as const) {
		const wanted = ordersOf(kind).length;
		if ((receipts[operation] ?? 0) !== wanted)
			world.fail(`${receipts[operation]} receipts of ${wanted} orders of ${operation}.`);
	}
	const jobs = ordersOf("job").length;
	if ((receipts["research.deep_dive"] ?? 0) > jobs)
		world.fail(`${receipts["research.deep_dive"]} receipts of ${jobs} jobs.`);
	return receipts;
}

const startedMs = performance.now();
await world.start(0);
await Promise.all(times(processes - 1, (index) => world.start(index + 1)));
const tokens: string[] = [];
for (let left = TOKENS; left > 0; left--)
	tokens.push(JSON.parse((await world.run("spt", "issue", "--usd", "9000")).stdout).token);
await schedules.prepare(Number(values.schedules), tokens);
const shoppers = times(clients, (index) => shop(index, tokens));
await torment();
isOver = true;
const undecided = setInterval(() => {
	const open = orders.filter(({ answer }) => answer === undefined);
	const named = open.slice(0, 5).map(({ key, kind }) => `${kind} ${key}`);
	process.stderr.write(`waiting for ${open.length}: ${named.join(", ")}\n`);
}, 10_000);
await Promise.all(shoppers);
clearInterval(undecided);
process.stderr.write("judging\n");
const { kill9: kills, database: crashes, freeze: frozen, full, seed, older } = values;
const isUpgradeAlone =
	older !== undefined && [kills, crashes, frozen, full].every((one) => one === "0");
if (isUpgradeAlone)
	for (const [reply, number] of world.counts)
		if (/no answer|\b5\d\d\b/.test(reply)) world.fail(`${number} times "${reply}" in an upgrade.`);
const found = await judge();
await world.end();
await cluster.stop();
for (const end of ends) await end();
rmSync(folder, { recursive: true, force: true });
const report = {
	...{ processes, clients, kills, crashes, frozen, full, seed },
	...{ orders: orders.length, ...found, replies: Object.fromEntries([...world.counts].sort()) },
	seconds: Math.round((performance.now() - startedMs) / 1_000),
	failures: world.failures,
};
process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
process.exit(world.failures.length === 0 ? 0 : 1);
