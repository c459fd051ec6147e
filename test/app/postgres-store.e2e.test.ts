import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { runTollgraph, type ServerProcess, startServerProcess } from "../support/server-process.js";
import { KNOWN_QUERY } from "../support/start-app.js";

const LIGHT = ["--model", "none", "--judge", "none", "--facilitator", "off"];

interface Answer {
	readonly status: number;
	readonly body: {
		readonly rows?: readonly unknown[];
		readonly error?: { readonly code: string };
		readonly meta?: { readonly cost: { readonly balance_after_usd: string } };
	};
}

async function search({ ready }: ServerProcess, spt: string, key?: string): Promise<Answer> {
	const response = await fetch(`${ready.base_url}/v1/graphs/agent-payments/search`, {
		method: "POST",
		headers: {
			"X-Pay-SPT": spt,
			"Content-Type": "application/json",
			...(key !== undefined && { "Idempotency-Key": key }),
		},
		body: JSON.stringify({ query: KNOWN_QUERY, limit: 1 }),
	});
	return { status: response.status, body: (await response.json()) as Answer["body"] };
}

async function healthOf({ ready }: ServerProcess) {
	const response = await fetch(`${ready.base_url}/v1/health`);
	const { data } = (await response.json()) as {
		data: { status: string; store: { kind: string; status: string } };
	};
	return data;
}

async function end({ child }: ServerProcess, signal: NodeJS.Signals): Promise<void> {
	const exited = once(child, "exit");
	child.kill(signal);
	await exited;
}

/** Asks until the answer is as wanted; fails with the last one. */
async function until<T>(t: Test, ask: () => Promise<T>, isWanted: (found: T) => boolean) {
	let found = await ask();
	for (let left = 300; left > 0 && !isWanted(found); left--) {
		await new Promise((resolve) => setTimeout(resolve, 100));
		found = await ask();
	}
	t.ok(isWanted(found), "in time");
	return found;
}

t.test("a server whose books are in PostgreSQL", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const folder = t.testdir();
	const data = join(folder, "data");
	const flags = ["--data", data, ...LIGHT];
	const stored = (schema: string) => ["--store-url", cluster.url, "--store-schema", schema];
	const start = (schema = "tollgraph", at = data) =>
		startServerProcess(["--data", at, ...LIGHT, ...stored(schema)]);

	let server = await start();
	const { demo_spt: spt } = server.ready;
	const first = await search(server, spt, "one");
	t.equal(first.status, 200);
	const balance = first.body.meta?.cost.balance_after_usd;
	t.match(await healthOf(server), { store: { kind: "postgres", status: "ok" } });

	await t.test(
		"a second process needs the keys of the first, and a folder of its own",
		async (t) => {
			await t.rejects(start("tollgraph", join(folder, "other")), {
				message: /keys\/pepper" is missing.*share one folder of keys: name it with --keys/,
			});
			await t.rejects(start("elsewhere"), { message: /The store is in use by process/ });
		},
	);

	await t.test(
		"after kill -9 what was paid is there, and a repeat is not paid again",
		async (t) => {
			await end(server, "SIGKILL");
			server = await until(
				t,
				() => start().catch(() => undefined as unknown as ServerProcess),
				(found) => found !== undefined,
			);
			const again = await search(server, spt, "one");
			t.equal(again.status, 200);
			t.equal(again.body.meta?.cost.balance_after_usd, balance);
			const verified = await runTollgraph(["ledger", "verify", "--json", "--data", data]);
			t.match(JSON.parse(verified.stdout), { status: "ok" });
		},
	);

	await t.test("while the database is gone nothing is sold; then it is again", async (t) => {
		await cluster.crash({
			async meanwhile() {
				await until(
					t,
					() => search(server, spt),
					({ status, body }) => status === 503 && body.error?.code === "UNAVAILABLE",
				);
				await until(
					t,
					() => healthOf(server),
					({ status, store }) => status === "unavailable" && store.status === "stopped",
				);
			},
		});
		const paid = await until(
			t,
			() => search(server, spt),
			({ status }) => status === 200,
		);
		t.equal(paid.body.rows?.length, 1);
		t.match(await healthOf(server), { store: { status: "ok" } });
	});

	await t.test("a folder and a database that do not belong together are refused", async (t) => {
		await end(server, "SIGTERM");
		await t.rejects(start("elsewhere"), { message: /belongs to the books of another database/ });
		await t.rejects(start("tollgraph", join(folder, "fresh")), {
			message: /keys\/pepper" is missing/,
		});
		await t.rejects(startServerProcess(flags), {
			message: /The books of the folder .* are in a database\. Start with the store_url/,
		});
		const own = join(folder, "own");
		const journal = await startServerProcess(["--data", own, ...LIGHT]);
		await end(journal, "SIGTERM");
		await t.rejects(start("elsewhere", own), { message: /has books of its own in its journal/ });
	});

	await t.test("it is not backed up as a folder, and its address is never printed", async (t) => {
		mkdirSync(join(folder, "backups"));
		const to = join(folder, "backups", "one");
		const backup = await runTollgraph(["backup", to, ...flags, ...stored("tollgraph")]);
		t.not(backup.code, 0);
		t.match(backup.stderr, /A database is backed up by its own means/);
		t.notOk(existsSync(join(to, "manifest.json")));
		const wrong = await runTollgraph(["serve", ...flags, "--store-url", "mysql://u:secret@h/d"]);
		t.match(wrong.stderr, /store_url is no address of a PostgreSQL database/);
		t.notMatch(wrong.stderr, /secret/);
		const away = "postgres://tollgraph:secret@127.0.0.1:1/postgres";
		const unreachable = await runTollgraph(["serve", ...flags, "--store-url", away]);
		t.match(unreachable.stderr, /ECONNREFUSED/);
		t.notMatch(unreachable.stderr, /secret|\n\s+at /);
	});
});
