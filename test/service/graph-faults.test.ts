import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import t, { type Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { readGraph, recoverBundles } from "../../src/knowledge/bundle/bundle-folder.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { createGraphHistory, recoverHistory } from "../../src/knowledge/versions/graph-history.js";
import { createGraphOwner } from "../../src/operator/graphs/graph-owner.js";
import { createGraphImporter } from "../../src/operator/imports/graph-importer.js";
import { createGraphRepository } from "../../src/operator/publication/graph-repository.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { filesBelow } from "../support/files-below.js";

const as = "tides";
const CHANGES = ["writeFile", "rename", "unlink", "rm", "rmdir", "mkdir", "mkdtemp"] as const;

/** From the `survived`-th change below a folder on the disk refuses every one, as it does to a process that was killed. */
function cutPower(folder: string, survived: number) {
	const original = { ...fs.promises };
	let count = 0;
	const patched = fs.promises as unknown as Record<string, (...args: unknown[]) => unknown>;
	for (const name of CHANGES) {
		const before = original[name] as unknown as (...args: unknown[]) => unknown;
		patched[name] = async (...args) => {
			if (!String(args[0]).startsWith(folder)) return before(...args);
			count += 1;
			if (count > survived) throw new Error("The power is out.");
			return before(...args);
		};
	}
	syncBuiltinESMExports();
	return () => {
		Object.assign(fs.promises, original);
		syncBuiltinESMExports();
		return count > survived;
	};
}

/** As a start does: what was cut off is finished or undone, then what is there is on sale. */
async function open(t: Test, root: string) {
	const folder = join(root, "graphs");
	const clock = systemClock;
	const history = createGraphHistory({ folder: join(root, "graph-history"), clock, keep: 10 });
	const gone = await recoverHistory(history, folder);
	await recoverBundles(folder);
	const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
	const graphs = await Promise.all(names.map((name) => readGraph(join(folder, name))));
	const search = await createSearchEngine({ folder: join(root, "index"), clock, model: "none" });
	t.teardown(() => search.close());
	const logger = { info: () => undefined, error: () => undefined };
	const catalog = createGraphCatalog(graphs, gone);
	const repository = createGraphRepository({ catalog, search, folder, history, logger });
	const importer = createGraphImporter({ catalog, repository, history, search, clock, folder });
	const inTurn = importer.whileNoneRuns;
	const owner = createGraphOwner({ catalog, repository, history, search, clock, folder, inTurn });
	return { catalog, importer, owner, repository, names };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** What is on sale, by id and text. */
const onSale = ({ catalog }: Opened) =>
	JSON.stringify(
		catalog.list().map(({ record, concepts }) => [record.id, concepts.map(({ body }) => body)]),
	);

const STEPS: readonly [name: string, work: (opened: Opened, root: string) => Promise<unknown>][] = [
	[
		"a first import",
		({ importer }, root) => importer.import({ source: join(root, "next"), as: "new" }),
	],
	[
		"an update",
		({ importer }, root) => importer.import({ source: join(root, "next"), as, update: true }),
	],
	["a rollback", ({ owner }) => owner.rollBack({ graph_id: as, to: 1 })],
	["a renaming", ({ owner }) => owner.renameGraph({ graph_id: as, new_id: "seas" })],
	["a removal", ({ owner }) => owner.removeGraph({ graph_id: as })],
];

for (const [name, work] of STEPS) {
	t.test(`${name} that is cut off at any step leaves the old graph or the new one`, async (t) => {
		const root = fs.realpathSync(
			t.testdir({
				notes: { "moon.md": "# Moon\n\nIt pulls.", "sun.md": "# Sun\n\nIt pulls less." },
				next: { "moon.md": "# Moon\n\nIt pulls more.", "sun.md": "# Sun\n\nIt shines." },
				base: {},
			}),
		);
		const base = join(root, "base");
		const first = await open(t, base);
		await first.importer.import({ source: join(root, "notes"), as });
		fs.writeFileSync(join(root, "notes", "sun.md"), "# Sun\n\nIt pulls a little.");
		await first.importer.import({ source: join(root, "notes"), as, update: true });
		const before = onSale(first);
		const whole = join(root, "whole");
		fs.cpSync(base, whole, { recursive: true });
		const done = await open(t, whole);
		await work(done, root);
		const after = onSale(done);
		t.not(after, before);

		let isCut = true;
		let seen = new Set<string>();
		for (let survived = 0; isCut; survived++) {
			const folder = join(root, `cut-${survived}`);
			fs.cpSync(base, folder, { recursive: true });
			const opened = await open(t, folder);
			const restore = cutPower(join(folder, "graph"), survived);
			await work(opened, root).catch(() => undefined);
			isCut = restore();
			const again = await open(t, folder);
			const now = onSale(again);
			if (now !== before && now !== after) t.fail(`after ${survived} changes: ${now}`);
			seen = seen.add(now);
			for (const { record } of again.catalog.list()) {
				await again.owner.listVersions({ graph_id: record.id });
				await again.importer.import({ source: join(root, "notes"), as: record.id, update: true });
			}
			const left = filesBelow(folder).filter((path) => /(^|\/)\.[^/]+-\w{6}\//.test(path));
			t.same(left, [], "nothing is left behind");
		}
		t.same(seen, new Set([before, after]), "it was cut off before and after");
	});
}
