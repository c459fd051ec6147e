import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import { generateSales } from "../../bench/generated-sales.js";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import { createApp } from "../../src/app/create-app.js";
import { systemClock as clock } from "../../src/kernel/clock.js";
import { digestBooks, findDifferences } from "../../store/books-digest.js";
import { nodeFileSystem as fileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import { openPostgresStore } from "../../store/postgres/postgres.js";
import {
	type PostgresCluster,
	startPostgres,
	WITHOUT_POSTGRES,
} from "../support/postgres-cluster.js";
import { testSettings } from "../support/start-app.js";

const MOVER = fileURLToPath(new URL("./mover-process.js", import.meta.url));
const KILLS = 20;
const SALES = 1_500;
/** What moves write themselves: their lines on the audit log. */
const LOGGED = ["audit", "counters"];

/** Some time after a stage of a move has been told of so often. */
interface Kill {
	readonly stage: string;
	readonly lines: number;
	readonly delayMs: number;
}

function someKill(next: () => number): Kill {
	const stage = ["reading", "copying", "copying", "checking", "checking"][Math.floor(next() * 5)];
	const [lines, delayMs] = [1 + Math.floor(next() * 4), Math.floor(next() ** 2 * 400)];
	return { stage: stage ?? "", lines, delayMs };
}

/** Runs a move until it ends or is killed; returns what it said last, and whether it was killed. */
async function move(
	{ data, url, schema, to }: Record<"data" | "url" | "schema" | "to", string>,
	kill?: Kill,
): Promise<{ readonly last: string; readonly isKilled: boolean }> {
	const args = ["--enable-source-maps", MOVER, data, url, schema, to];
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
	let said = "";
	let isDying = false;
	child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
		said += chunk;
		if (isDying || !kill || said.split(`${kill.stage} `).length <= kill.lines) return;
		isDying = true;
		setTimeout(() => child.kill("SIGKILL"), kill.delayMs);
	});
	await once(child, "close");
	const last = said.trimEnd().split("\n").at(-1) ?? "";
	return { last, isKilled: child.signalCode !== null };
}

async function openJournal(data: string) {
	const store = await openJournalStore({ folder: join(data, "journal"), clock, fileSystem });
	return { store, source: { ...store.parts, store } };
}

/** Hashes of all books in a folder's journal, but for what moves write. */
async function hashesOf(data: string) {
	const { store, source } = await openJournal(data);
	const digest = await digestBooks(source, { now: 0 });
	const { status } = await createInvariantGuard({ store, clock }).check({ full: true });
	await store.close();
	const parts = new Map([...digest.parts].filter(([name]) => !LOGGED.includes(name)));
	return { digest: { ...digest, parts }, status };
}

async function hasMark({ sql }: PostgresCluster, schema: string): Promise<boolean> {
	const [found] = await sql(`SELECT to_regclass('${schema}.meta') IS NOT NULL AS is_there`);
	if (!(found as { is_there: boolean }).is_there) return false;
	return (await sql(`SELECT 1 FROM ${schema}.meta WHERE name = 'moving'`)).length > 0;
}

t.test("a move that is killed", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const data = join(t.testdir({}), "data");
	const logger = { info: () => undefined, error: () => undefined };
	const open = (changes: object = {}) =>
		createApp({ settings: testSettings(data, { model: "none", ...changes }), logger });
	await (await open()).close();
	const { store } = await openJournal(data);
	await generateSales(store, { clock, sales: SALES, owners: 30 });
	await store.close();
	const before = await hashesOf(data);
	t.equal(before.status, "ok");

	await t.test("goes on, there and back again, and ends with the same books", async (t) => {
		const next = createSeededNumbers(74);
		let [crossings, kills, halves] = [0, 0, 0];
		const target = () => ({
			...{ data, url: cluster.url, schema: `kill${crossings >> 1}` },
			to: crossings % 2 === 0 ? "database" : "journal",
		});
		for (; kills < KILLS; kills++) {
			const { last, isKilled } = await move(target(), someKill(next));
			halves += Number(isKilled && (await hasMark(cluster, target().schema)));
			if (isKilled) continue;
			t.match(last, /^ended (moved|already)$/);
			crossings += 1;
		}
		t.comment(`${KILLS} kills, ${crossings} crossings, ${halves} times a mark was left`);
		t.ok(halves > 3, "some came in the midst of it");
		if (crossings % 2 === 0) {
			t.match((await move(target())).last, "ended moved");
			crossings += 1;
		}
		t.match((await move(target())).last, "ended moved");
		const after = await hashesOf(data);
		t.same(findDifferences(before.digest, after.digest), []);
		t.equal(after.status, "ok");
	});

	await t.test("is served from nowhere it is not whole", async (t) => {
		const target = { data, url: cluster.url, schema: "half", to: "database" };
		await move(target, { stage: "copying", lines: 2, delayMs: 0 });
		t.ok(await hasMark(cluster, "half"));
		await t.rejects(openPostgresStore({ url: cluster.url, schema: "half", clock }), {
			message: /begun and is not done/,
		});
		await (await open()).close();
		t.pass("the journal goes on");
		// The folder names the database, and that has not taken the books over yet.
		await move(target);
		await cluster.sql(
			`INSERT INTO half.meta VALUES ('moving', '{"state":"coming","journal":{"sequence":0,"sha256":""}}')`,
		);
		await t.rejects(open(), { message: /are in a database/ });
		await t.rejects(open({ storeUrl: cluster.url, storeSchema: "half" }), {
			message: /begun and is not done/,
		});
	});
});
