import { once } from "node:events";
import { join } from "node:path";
import t, { type Test } from "tap";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { runTollgraph, type ServerProcess, startServerProcess } from "../support/server-process.js";
import { KNOWN_QUERY } from "../support/start-app.js";

const LIGHT = ["--model", "none", "--judge", "none", "--facilitator", "off"];
const PROCESSES = 4;
/** More of both by PROCESS_CALLS=10000 PROCESS_ROUNDS=20. */
const CALLS = Number(process.env["PROCESS_CALLS"] ?? 400);
const ROUNDS = Number(process.env["PROCESS_ROUNDS"] ?? 1);
const PRICE_CENTS = 50;
const AT_ONCE = 64;

interface Reply {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly body: any;
}

async function send(
	{ ready }: ServerProcess,
	path: string,
	init: RequestInit = {},
): Promise<Reply> {
	const response = await fetch(`${ready.base_url}${path}`, init);
	return { status: response.status, body: await response.json() };
}

function post(token: string, body: object, headers: Readonly<Record<string, string>> = {}) {
	return {
		method: "POST",
		headers: { "X-Pay-SPT": token, "Content-Type": "application/json", ...headers },
		body: JSON.stringify(body),
	};
}

const search = (server: ServerProcess, token: string, key?: string) =>
	send(
		server,
		"/v1/graphs/agent-payments/search",
		post(
			token,
			{ query: KNOWN_QUERY, limit: 1 },
			key === undefined ? {} : { "Idempotency-Key": key },
		),
	);

async function end({ child }: ServerProcess, signal: NodeJS.Signals): Promise<void> {
	const exited = once(child, "exit");
	child.kill(signal);
	await exited;
}

async function until<T>(t: Test, ask: () => Promise<T>, isWanted: (found: T) => boolean) {
	let found = await ask();
	for (let left = 400; left > 0 && !isWanted(found); left--) {
		await new Promise((resolve) => setTimeout(resolve, 100));
		found = await ask();
	}
	t.ok(isWanted(found), "in time");
	return found;
}

/** Does one thing after the other, so many at a time. */
async function inTurns<T>(
	count: number,
	work: (index: number) => Promise<T>,
): Promise<readonly T[]> {
	const done: T[] = [];
	let next = 0;
	const one = async () => {
		for (let index = next++; index < count; index = next++) done[index] = await work(index);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, one));
	return done;
}

t.test("several processes sell from one database", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const folder = t.testdir();
	let made = 0;
	const shared = ["--keys", join(folder, "keys"), "--store-url", cluster.url, ...LIGHT];
	const start = () => startServerProcess(["--data", join(folder, `data-${made++}`), ...shared]);
	const servers = [await start()];
	while (servers.length < PROCESSES) servers.push(await start());
	const serverAt = (index: number) => servers[index % servers.length] as ServerProcess;
	const run = (...args: readonly string[]) =>
		runTollgraph([...args, "--json", "--data", join(folder, "data-command"), ...shared]);
	const issue = async (usd: string): Promise<string> => {
		const issued = await run("spt", "issue", "--usd", usd);
		t.equal(issued.code, 0, issued.stderr);
		return JSON.parse(issued.stdout).token;
	};
	const heldMicros = async () =>
		Number(
			(
				(await cluster.sql(
					"SELECT coalesce(sum(amount), 0)::text AS held FROM tollgraph.balances WHERE account LIKE 'held:%'",
				)) as readonly { held: string }[]
			)[0]?.held,
		);

	await t.test("a token pays everywhere, never below zero, and only for what it has", async (t) => {
		for (let round = 0; round < ROUNDS; round++) {
			const affordable = Math.floor(CALLS / 50);
			const token = await issue(((affordable * PRICE_CENTS) / 100).toFixed(2));
			const replies = await inTurns(CALLS, (index) => search(serverAt(index), token));
			const count = (status: number) => replies.filter((reply) => reply.status === status).length;
			t.same([count(200), count(402)], [affordable, CALLS - affordable]);
			t.equal(await heldMicros(), 0);
		}
		const verified = await run("ledger", "verify");
		t.match(JSON.parse(verified.stdout), { status: "ok" });
	});

	await t.test("a retry key is paid for once, whichever process it comes to", async (t) => {
		const token = await issue("5.00");
		const replies = await inTurns(40, (index) => search(serverAt(index), token, "one key"));
		const paid = replies.filter(({ status }) => status === 200);
		t.ok(paid.length > 0);
		t.ok(replies.every(({ status }) => status === 200 || status === 409));
		const receipts = new Set(paid.map(({ body }) => body.meta.cost.receipt_id));
		t.equal(receipts.size, 1);
		const again = await search(serverAt(1), token, "one key");
		t.equal(again.body.meta.cost.balance_after_usd, "4.50");
	});

	await t.test("a job is followed and cancelled by another process than works on it", async (t) => {
		const token = await issue("30.00");
		const [first, second] = [serverAt(0), serverAt(1)];
		const launch = await send(
			first,
			"/v1/research/deep-dive",
			post(token, { query: "How do agents pay for calls over HTTP?" }),
		);
		t.equal(launch.status, 202, JSON.stringify(launch.body));
		const id = launch.body.data.job_id;
		const headers = { "X-Pay-SPT": token };
		const events = await fetch(`${second.ready.base_url}/v1/research/deep-dive/${id}/events`, {
			headers,
		});
		const text = await events.text();
		t.match(text, /event: research\.created/);
		t.match(text, /event: research\.completed/);
		const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
		t.same(
			ids,
			[...new Set(ids)].sort((one, other) => one - other),
			"in order, and each once",
		);
		const status = await send(second, `/v1/research/deep-dive/status/${id}`, { headers });
		t.match(status.body.data, { status: "completed" });
		const other = await send(
			first,
			"/v1/research/deep-dive",
			post(token, { query: "Which standards say how agents pay?" }),
		);
		const otherId = other.body.data.job_id;
		await send(second, `/v1/research/deep-dive/${otherId}/cancel`, { method: "POST", headers });
		const cancelled = await until(
			t,
			() => send(second, `/v1/research/deep-dive/status/${otherId}`, { headers }),
			(reply) => !["queued", "running", "cancelling"].includes(reply.body.data.status),
		);
		t.match(cancelled.body.data.status, /^(?:cancelled|completed)$/);
		t.equal(cancelled.body.data.cost.held, false);
	});

	await t.test("what a killed process held goes back, and its jobs go on elsewhere", async (t) => {
		const token = await issue("60.00");
		const victim = servers.pop() as ServerProcess;
		const survivor = serverAt(0);
		const launched = await Promise.all(
			["escrow", "streaming payments", "refunds"].map((about) =>
				send(
					victim,
					"/v1/research/deep-dive",
					post(token, { query: `What do standards say about ${about} for agents?` }),
				),
			),
		);
		const calls = inTurns(200, () => search(victim, token).catch(() => undefined));
		await end(victim, "SIGKILL");
		await calls;
		const headers = { "X-Pay-SPT": token };
		for (const { body, status } of launched) {
			t.equal(status, 202);
			const path = `/v1/research/deep-dive/status/${body.data.job_id}`;
			const ended = await until(
				t,
				() => send(survivor, path, { headers }),
				(reply) => reply.body.data.status === "completed",
			);
			t.equal(ended.body.data.cost.held, false);
		}
		await until(t, heldMicros, (held) => held === 0);
		const [row] = (await cluster.sql(
			"SELECT count(*)::int AS captured FROM tollgraph.ledger WHERE body LIKE '%\"kind\":\"capture\"%' AND body LIKE '%rev:research_deep_dive%'",
		)) as readonly { captured: number }[];
		t.ok((row?.captured ?? 0) <= 4, "each is charged once at most");
		const verified = await run("ledger", "verify");
		t.match(JSON.parse(verified.stdout), { status: "ok" });
	});

	await t.test("a secret that one process rotates is the secret of all", async (t) => {
		const rotated = await run("secrets", "rotate", "pepper");
		t.equal(rotated.code, 0, rotated.stderr);
		const token = await issue("1.00");
		for (const server of servers) {
			await until(
				t,
				() => search(server, token, "after the rotation"),
				({ status }) => status === 200,
			);
		}
	});

	await t.test(
		"doctor names the version of the schema, and how many others there are",
		async (t) => {
			const looked = await run("doctor");
			const line = JSON.parse(looked.stdout).checks.find(
				({ name }: { name: string }) => name === "store",
			);
			t.match(line, {
				ok: true,
				message: /^database sound: \d+ transactions, schema of version \d+, 3 other processes$/,
			});
		},
	);

	await t.test("another profile has no place in these books", async (t) => {
		const other = await runTollgraph([
			...["serve", "--profile", "production", "--data", join(folder, "other"), ...shared],
		]);
		t.not(other.code, 0);
		t.match(other.stderr, /of the profile "demo", not of "production"/);
	});

	for (const server of servers) await end(server, "SIGTERM");
	const [left] = (await cluster.sql(
		"SELECT count(*)::int AS n FROM tollgraph.processes",
	)) as readonly {
		n: number;
	}[];
	t.equal(left?.n, 0, "who ends in order leaves no row");
});
