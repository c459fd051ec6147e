import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import t from "tap";
import { generateSales } from "../../bench/generated-sales.js";
import { systemClock as clock } from "../../src/kernel/clock.js";
import { nodeFileSystem as fileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import { openPostgresStore } from "../../store/postgres/postgres.js";
import {
	type PostgresCluster,
	startPostgres,
	WITHOUT_POSTGRES,
} from "../support/postgres-cluster.js";
import {
	type CommandResult,
	PROGRAM,
	runTollgraph,
	startServerProcess,
} from "../support/server-process.js";

const LIGHT = ["--model", "none", "--judge", "none", "--facilitator", "off"];

/** Lets something happen while a command is amid its copy, which waits for a table meanwhile. */
async function runHeld(
	args: readonly string[],
	{ url, sql }: PostgresCluster,
	happen: (child: ReturnType<typeof spawn>) => Promise<void> | void,
): Promise<CommandResult> {
	const holder = new pg.Client({ connectionString: url });
	// The server may go.
	holder.on("error", () => undefined);
	await holder.connect();
	await holder.query("BEGIN; LOCK TABLE half.mentions IN ACCESS EXCLUSIVE MODE");
	const child = spawn(process.execPath, [PROGRAM, ...args], {
		stdio: ["ignore", "pipe", "pipe"],
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
	const waiting =
		"SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%half%mentions%'";
	while ((await sql(waiting)).length === 0) await sleep(20);
	await happen(child);
	await holder.query("ROLLBACK").catch(() => undefined);
	await holder.end().catch(() => undefined);
	const [stdout, stderr, [code]] = await ended;
	return { code, stdout, stderr };
}

t.test("tollgraph migrate", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const root = t.testdir({});
	const data = join(root, "data");
	const stored = (schema: string) => ["--store-url", cluster.url, "--store-schema", schema];
	const migrate = (...more: string[]) => ["migrate", "--data", data, ...stored("half"), ...more];
	const openDatabase = () => openPostgresStore({ url: cluster.url, schema: "half", clock });
	const server = await startServerProcess(["--data", data, ...LIGHT]);
	t.match(await runTollgraph(migrate()), {
		code: 1,
		stderr: /in use by process \d+.*Stop it first/,
	});
	server.child.kill("SIGTERM");
	await once(server.child, "exit");
	const store = await openJournalStore({ folder: join(data, "journal"), clock, fileSystem });
	await generateSales(store, { clock, sales: 700, owners: 30 });
	await store.close();
	// Only its tables.
	await (await openDatabase()).close();

	await t.test("says how it is called, and what it would move", async (t) => {
		const help = await runTollgraph(["migrate", "--help"]);
		t.match(help.stdout, /--to <place>.*--dry-run.*\$ tollgraph migrate .*--to journal/s);
		t.match(await runTollgraph(["migrate", "--data", data]), {
			code: 2,
			stdout: "",
			stderr: /Name the database with --store-url/,
		});
		t.match(await runTollgraph(migrate("--to", "mars")), { code: 2, stderr: /database, journal/ });
		const planned = await runTollgraph(migrate("--dry-run"));
		t.match(planned, { code: 0, stdout: /nothing was changed\n.*ledger transactions; history / });
		t.notMatch(planned.stdout + planned.stderr, new URL(cluster.url).password);
	});

	await t.test(
		"says how to go on when the database goes away, and when it is stopped",
		async (t) => {
			const lost = await runHeld(migrate(), cluster, () => cluster.crash());
			t.match(lost, { code: 1, stderr: /is not done \(.*\)\..*Run the same command again/ });
			const stopped = await runHeld(migrate(), cluster, (child) => void child.kill("SIGINT"));
			t.match(stopped, { code: 130, stderr: /was stopped\..*Run the same command again to go on/ });
		},
	);

	await t.test("is served from one place at most", async (t) => {
		await t.rejects(openDatabase(), { message: /begun and is not done/ });
		const fresh = ["--data", join(root, "fresh"), ...LIGHT, ...stored("half")];
		await t.rejects(startServerProcess(fresh), { message: /begun and is not done/ });
		t.match(await runTollgraph(migrate("--to", "journal")), {
			code: 0,
			stdout: /given up.*serve from the journal/,
		});
		t.match(await runTollgraph(migrate()), { code: 0, stdout: /Moved to the database/ });
		await t.rejects(startServerProcess(["--data", data, ...LIGHT]), {
			message: /are in a database \(.*schema half\).*tollgraph migrate --data/,
		});
		const there = await startServerProcess(["--data", data, ...LIGHT, ...stored("half")]);
		there.child.kill("SIGTERM");
		await once(there.child, "exit");
		const back = await runTollgraph(migrate("--to", "journal", "--json"));
		t.match(JSON.parse(back.stdout), { status: "moved", to: "journal", data, seconds: Number });
		t.match(await runTollgraph(migrate("--to", "journal")), {
			code: 0,
			stdout: /in the journal of .* already; nothing was moved/,
		});
		const verified = await runTollgraph(["ledger", "verify", "--json", "--data", data, ...LIGHT]);
		t.match(JSON.parse(verified.stdout), { status: "ok", failures: [] });
	});
});
