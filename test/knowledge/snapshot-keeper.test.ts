import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { startSnapshotKeeper } from "../../src/knowledge/snapshots/graph-snapshots.js";
import { keepTides, later } from "./kept-tides.js";

t.test("the keeper keeps what has settled and forgets what is no longer on sale", async (t) => {
	const { cache, folder, graph, open } = await keepTides(t);
	const stray = join(cache, `${"0".repeat(64)}.graph`);
	const notOurs = join(cache, "notes.txt");
	writeFileSync(stray, "old");
	writeFileSync(notOurs, "mine");
	const snapshots = open();
	const catalog = createGraphCatalog([graph]);
	const errors: unknown[] = [];
	const logger = { info: () => undefined, error: (...all: unknown[]) => void errors.push(all) };
	let look: () => void = () => undefined;
	const clock = {
		...later(),
		every: (_: number, task: () => void) => {
			look = task;
			return () => undefined;
		},
	};
	const gone = { ...graph, folder: join(folder, "gone"), record: { ...graph.record, id: "gone" } };
	catalog.put(gone);
	let stop = startSnapshotKeeper({ snapshots, catalog, clock, logger });
	look();
	await stop();
	t.notOk(snapshots.isKept(graph), "it might change again in a moment");
	stop = startSnapshotKeeper({ snapshots, catalog, clock, logger });
	while (!snapshots.isKept(graph)) {
		look();
		await new Promise((done) => setTimeout(done, 5));
	}
	await stop();
	t.ok(snapshots.isKept(graph));
	t.match(errors, [[/could not be kept/, { graph: "gone" }]], "the others are kept all the same");
	t.notOk(existsSync(stray));
	t.ok(existsSync(notOurs));
});

t.test(
	"a graph that was taken from sale is forgotten though nothing else is to be kept",
	async (t) => {
		const { cache, folder, file, graph, open } = await keepTides(t);
		const other = join(cache, `${"0".repeat(64)}.graph`);
		writeFileSync(other, "withdrawn while no server ran");
		const snapshots = open();
		const catalog = createGraphCatalog([await snapshots.read(folder)]);
		t.ok(snapshots.isKept(graph));
		let look: () => void = () => undefined;
		const clock = {
			...later(),
			every: (_: number, task: () => void) => {
				look = task;
				return () => undefined;
			},
		};
		const logger = { info: () => undefined, error: () => t.fail("nothing fails") };
		const stop = startSnapshotKeeper({ snapshots, catalog, clock, logger });
		look();
		await stop();
		t.notOk(existsSync(other), "at the first look of a start");
		t.ok(existsSync(file));
		const restarted = startSnapshotKeeper({
			snapshots,
			catalog: createGraphCatalog([]),
			clock,
			logger,
		});
		look();
		await restarted();
		t.notOk(existsSync(file));
		t.notOk(snapshots.isKept(graph), "were it on sale again, it would be kept again");
	},
);
