import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { loadSqlite } from "../../bench/better-sqlite3.js";
import { summarize } from "../../bench/commit-rounds.js";
import { toStoreLines } from "../../bench/store-bench.js";
import { createTurnBatch } from "../../bench/turn-batch.js";

t.test(
	"callers of one turn are committed together, and of a batch that fails all hear",
	async (t) => {
		const batches: number[][] = [];
		const join = createTurnBatch<number>((items) => {
			batches.push([...items]);
			if (items.includes(4)) throw new Error("full");
		}, Number.POSITIVE_INFINITY);
		await Promise.all([join(1), join(2), join(3)]);
		const outcomes = await Promise.allSettled([join(4), join(5)]);
		await join(6);
		t.same(batches, [[1, 2, 3], [4, 5], [6]]);
		t.same(
			outcomes.map(({ status }) => status),
			["rejected", "rejected"],
		);
	},
);

t.test("with batches of one each caller goes on before the next one is committed", async (t) => {
	const order: string[] = [];
	const join = createTurnBatch<number>(([item]) => void order.push(`commit ${item}`), 1);
	await Promise.all([1, 2].map((item) => join(item).then(() => order.push(`resume ${item}`))));
	t.same(order, ["commit 1", "resume 1", "commit 2", "resume 2"]);
});

t.test(
	"without better-sqlite3 the reason says how to get it, and the journal has its rows",
	async (t) => {
		const folder = mkdtempSync(join(tmpdir(), "tollgraph-no-sqlite-"));
		t.teardown(() => rmSync(folder, { recursive: true, force: true }));
		const loaded = loadSqlite(folder);
		const sqlite = "missing" in loaded ? loaded.missing : "";
		t.match(sqlite, /npm install --prefix <folder> better-sqlite3@\d+\.\d+\.\d+/);
		const round = { latenciesMs: [2, 1, 3], cpuUs: 20, loopBusy: 0.25, bare: 200, journal: 400 };
		const rounds = [90, 110, 100].map((perSecond) => ({ ...round, perSecond }));
		const figures = summarize(new Map([1, 16, 256].map((callers) => [callers, rounds])));
		t.equal(figures.over_fdatasync[16], 0.5);
		const journal = { ...figures, reopen: { transactions: 1, ms: 1 } };
		const lines = toStoreLines({
			fdatasync_per_s: 200,
			frame_bytes: 700,
			sqlite,
			stores: { journal },
		});
		t.match(lines[2], /^journal +16 +100 +0\.25 +2 +3 +20 +0\.25$/);
		t.match(lines.at(-1), sqlite);
	},
);
