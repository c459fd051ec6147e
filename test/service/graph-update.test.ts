import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import type { Changeable } from "../../src/knowledge/bundle/bundle-change.js";
import { stampFiles, writeBundle } from "../../src/knowledge/bundle/bundle-folder.js";
import { importFolder } from "../../src/knowledge/import/import-folder.js";
import type { ImportMemory } from "../../src/knowledge/import/source-reading.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { createGraphHistory } from "../../src/knowledge/versions/graph-history.js";
import { createGraphUpdate } from "../../src/operator/imports/graph-importer.js";
import type { ImportRequest } from "../../src/operator/imports/import-command.js";
import { createGraphRepository } from "../../src/operator/publication/graph-repository.js";
import { createSearchEngine } from "../../src/search/search-engine.js";

/** An hour ahead of the disk, so that no file counts as touched just now. */
const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };

async function createUpdate(t: Test, root: string) {
	const search = await createSearchEngine({ folder: join(root, "index"), clock, model: "none" });
	t.teardown(() => search.close());
	const folder = join(root, "graphs");
	const catalog = createGraphCatalog([]);
	const logger = { info: () => undefined, error: () => undefined };
	const history = createGraphHistory({ folder: join(root, "graph-history"), clock, keep: 10 });
	const repository = createGraphRepository({ catalog, search, folder, history, logger });
	const update = createGraphUpdate({ catalog, repository, history, search, clock });
	return { update, repository, folder };
}

/**
 * A graph of one note that was changed since, and a memory that takes the changed file for the one it has read: what no
 * file system would do shows whether a file is read.
 */
async function importThenDeceive(
	root: string,
	as: string,
	{ update, repository, folder }: Awaited<ReturnType<typeof createUpdate>>,
) {
	const source = join(root, `${as}-notes`);
	const request: ImportRequest = { source, as, update: true };
	const read = await importFolder({ source, as, nowMs: clock.now() });
	await writeBundle(read.files, join(folder, as));
	await repository.publish({ ...read.graph, folder: join(folder, as) });
	writeFileSync(join(source, "moon.md"), "# The moon\n\nIt pulls more.");
	const stamps = await stampFiles(source, clock.now());
	const known = read.memory as ImportMemory;
	const rows = new Map(
		[...known.rows].map(([path, row]) => [path, { ...row, stamp: stamps.get(path) }]),
	);
	update.remember(request, { ...known, rows });
	return {
		async changedBy(more: Partial<ImportRequest> = {}) {
			const graph = repository.getOwn(as) as Changeable;
			const { report, complete } = await update.bringInLine(
				graph,
				{ ...request, ...more },
				{ onProgress: undefined, signal: undefined },
			);
			await complete;
			return report.changed.changed;
		},
	};
}

const notes = () => ({ "moon.md": "# The moon\n\nIt pulls." });

t.test("a file of the same stamp is not read again, unless all files are asked for", async (t) => {
	const root = t.testdir({ "a1-notes": notes() });
	const graph = await importThenDeceive(root, "a1", await createUpdate(t, root));
	t.equal(await graph.changedBy(), 0);
	t.equal(await graph.changedBy({ full: true }), 1);
	t.equal(await graph.changedBy(), 0);
});

t.test("a source read with other options is read again", async (t) => {
	const root = t.testdir({ "a1-notes": notes() });
	const graph = await importThenDeceive(root, "a1", await createUpdate(t, root));
	t.equal(await graph.changedBy({ date_key: "created" }), 1);
});

t.test("the sources of the last two imports are remembered", async (t) => {
	const root = t.testdir({ "a1-notes": notes(), "a2-notes": notes(), "a3-notes": notes() });
	const parts = await createUpdate(t, root);
	const a1 = await importThenDeceive(root, "a1", parts);
	const a2 = await importThenDeceive(root, "a2", parts);
	t.equal(await a1.changedBy(), 0, "which makes it the last");
	const a3 = await importThenDeceive(root, "a3", parts);
	t.equal(await a2.changedBy(), 1);
	t.equal(await a3.changedBy(), 0);
});

t.test("a file that was touched just now is read again, whatever its stamp", async (t) => {
	const root = t.testdir({ notes: notes() });
	const folder = join(root, "notes");
	const file = join(folder, "moon.md");
	const { ctimeMs } = statSync(file);
	t.equal((await stampFiles(folder, ctimeMs)).get("moon.md"), undefined);
	const stamp = (await stampFiles(folder, ctimeMs + 1)).get("moon.md");
	t.type(stamp, "string");
	writeFileSync(file, "Longer than it was before, whatever the clock says.");
	t.not((await stampFiles(folder, Number.POSITIVE_INFINITY)).get("moon.md"), stamp);
});
