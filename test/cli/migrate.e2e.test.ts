import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import { generateSales } from "../../bench/generated-sales.js";
import { systemClock as clock } from "../../src/kernel/clock.js";
import { digestBooks, findDifferences } from "../../store/books-digest.js";
import type { BooksSource } from "../../store/books-parts.js";
import { nodeFileSystem as fileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import { openPostgresStore } from "../../store/postgres/postgres.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import {
	type CommandResult,
	PROGRAM,
	runTollgraph,
	startServerProcess,
} from "../support/server-process.js";

const KILLS = 20;
const LIGHT = ["--model", "none", "--judge", "none", "--facilitator", "off"];
/** A killed process is one that the server of the database may not have noticed yet. */
const NOT_NOTICED = /Another process sells from this database/;

/** Runs the command until it ends or is sent a signal, some time after its start. */
async function runFor(
	args: readonly string[],
	{ ms, signal }: { readonly ms: number; readonly signal: NodeJS.Signals },
): Promise<CommandResult> {
	const child = spawn(process.execPath, [PROGRAM, ...args], {
		stdio: ["ignore", "pipe", "pipe"],
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	const timer = setTimeout(() => child.kill(signal), ms);
	const [stdout, stderr, [code]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, "exit"),
	]);
	clearTimeout(timer);
	return { code, stdout, stderr };
}

/** Runs it again while the one before it is not noticed to be gone. */
async function runNoticed(run: () => Promise<CommandResult>): Promise<CommandResult> {
	for (;;) {
		const done = await run();
		if (!NOT_NOTICED.test(done.stderr)) return done;
		await sleep(50);
	}
}

const LOGGED = ["audit", "counters", "trusted_times"];

/** Hashes of all books of a folder's journal but for what moves and starts write themselves. */
async function hashesOf(data: string) {
	const store = await openJournalStore({ folder: join(data, "journal"), clock, fileSystem });
	const source: BooksSource = { ...store.parts, store };
	const digest = await digestBooks(source, { now: 0 });
	for (const name of LOGGED) (digest.parts as Map<string, unknown>).delete(name);
	const { transactions } = await store.verify();
	return { digest, transactions, source, close: () => store.close() };
}

t.test("tollgraph migrate", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const root = t.testdir({});
	const data = join(root, "data");
	const stored = (schema: string) => ["--store-url", cluster.url, "--store-schema", schema];
	const migrate = (schema: string, ...more: string[]) => [
		...["migrate", "--data", data, ...stored(schema), ...more],
	];
	const first = await startServerProcess(["--data", data, ...LIGHT]);
	first.child.kill("SIGTERM");
	await once(first.child, "exit");
	const store = await openJournalStore({ folder: join(data, "journal"), clock, fileSystem });
	await generateSales(store, { clock, sales: 2_000, owners: 30 });
	await store.close();

	await t.test("says what it would move, what it moved, and what to do next", async (t) => {
		const help = await runTollgraph(["migrate", "--help"]);
		t.match(help.stdout, /--to <place>.*--dry-run.*\$ tollgraph migrate .*--to journal/s);
		t.match(await runTollgraph(["migrate", "--data", data]), {
			code: 2,
			stdout: "",
			stderr: /Name the database with --store-url/,
		});
		t.match(await runTollgraph(migrate("one", "--to", "mars")), { code: 2, stderr: /journal/ });
		const planned = await runTollgraph(migrate("one", "--dry-run"));
		t.match(planned, { code: 0, stdout: /nothing was changed\n.*ledger transactions; history / });
		t.notMatch(planned.stdout + planned.stderr, new URL(cluster.url).password);
	});

	await t.test("Ctrl-C ends it in good order, with the way on", async (t) => {
		let stopped: CommandResult | undefined;
		for (let ms = 200; stopped?.code !== 130 && ms < 20_000; ms += 150) {
			stopped = await runNoticed(() => runFor(migrate("ctrl"), { ms, signal: "SIGINT" }));
			if (stopped.code === 0) break;
		}
		t.match(stopped, { code: 130, stderr: /was stopped\..*Run the same command again to go on/ });
	});
	const before = await hashesOf(data);
	await before.close();

	await t.test("killed at any moment it goes on, there and back again", async (t) => {
		const next = createSeededNumbers(74);
		let crossings = 0;
		let begun = 0;
		const kill = async (args: readonly string[]) => {
			const ms = 300 + next() * 1_400;
			return runNoticed(() => runFor(args, { ms, signal: "SIGKILL" }));
		};
		const there = () => crossings % 2 === 0;
		const schemaOf = () => `kill${crossings >> 1}`;
		for (let kills = 0; kills < KILLS; ) {
			const { code, stderr } = await kill(
				migrate(schemaOf(), "--json", "--to", there() ? "database" : "journal"),
			);
			if (code === null) {
				kills += 1;
				begun += await countMarks(cluster.sql, schemaOf());
			} else if (code === 0) crossings += 1;
			else throw new Error(`${code}: ${stderr}`);
		}
		t.comment(
			`${KILLS} kills, ${crossings} crossings, ${begun} times half of the books were there`,
		);
		await end(t, there() ? "database" : "journal");
		if (there()) {
			crossings += 1;
			const served = await runTollgraph([
				...["ledger", "verify", "--json", "--data", data, ...LIGHT, ...stored(schemaOf())],
			]);
			t.match(JSON.parse(served.stdout), { status: "ok", failures: [] });
			await end(t, "journal");
		}
		async function end(t: Test, to: string) {
			const done = await runNoticed(() => runTollgraph(migrate(schemaOf(), "--json", "--to", to)));
			t.match(done, { code: 0 });
			t.match(JSON.parse(done.stdout), { status: "moved", to });
		}
	});

	await t.test("and the books are what they were", async (t) => {
		const after = await hashesOf(data);
		t.same(findDifferences(before.digest, after.digest), []);
		t.equal(after.transactions, before.transactions);
		await after.close();
		const verified = await runTollgraph(["ledger", "verify", "--json", "--data", data, ...LIGHT]);
		t.match(JSON.parse(verified.stdout), { status: "ok", failures: [] });
	});

	await t.test("neither half of a move is served", async (t) => {
		const stop = { signal: "SIGKILL" as const };
		for (let ms = 400; (await countMarks(cluster.sql, "half")) === 0; ms += 100) {
			const { code } = await runNoticed(() => runFor(migrate("half"), { ...stop, ms }));
			if (code === 0) throw new Error("it was done before it was killed");
		}
		await sleep(200);
		await t.rejects(openPostgresStore({ url: cluster.url, schema: "half", clock }), {
			message: /begun and is not done/,
		});
		const fresh = ["--data", join(root, "fresh"), ...LIGHT, ...stored("half")];
		await t.rejects(startServerProcess(fresh), { message: /begun and is not done/ });
		t.match(await runTollgraph(migrate("half", "--to", "journal")), {
			code: 0,
			stdout: /given up.*serve from the journal/,
		});
		t.match(await runTollgraph(migrate("half")), { code: 0, stdout: /Moved to the database/ });
		await t.rejects(startServerProcess(["--data", data, ...LIGHT]), {
			message: /are in a database \(.*schema half\).*tollgraph migrate --data/,
		});
		const server = await startServerProcess(["--data", data, ...LIGHT, ...stored("half")]);
		server.child.kill("SIGTERM");
		await once(server.child, "exit");
	});
});

async function countMarks(
	sql: (text: string) => Promise<readonly unknown[]>,
	schema: string,
): Promise<number> {
	const [there] = await sql(`SELECT to_regclass('${schema}.meta') IS NOT NULL AS is_so`);
	if ((there as { is_so: boolean }).is_so !== true) return 0;
	return (await sql(`SELECT 1 FROM ${schema}.meta WHERE name = 'moving'`)).length;
}
