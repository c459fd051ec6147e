import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { BUNDLE_LIMITS } from "../../src/knowledge/bundle/bundle-limits.js";
import { startApp } from "../support/start-app.js";

/** Makes a limit small enough to be reached within a test. */
function limit(t: Test, name: "files" | "totalBytes", value: number): void {
	t.intercept(BUNDLE_LIMITS, name, { value, configurable: true });
}

async function start(t: Test) {
	const root = t.testdir({ notes: { "a.md": "# A\n\nAlpha.", "b.md": "# B\n\nBeta." } });
	const source = join(root, "notes");
	const folder = join(root, "data");
	const shop = await startApp(t, { folder, settings: { model: "none", catalog: "none" } });
	const { operator } = shop.app;
	const put = (path: string, chars: number) =>
		operator.putConcept({
			graph_id: "gg",
			path,
			markdown: `---\ntype: X\n---\n${"x".repeat(chars)}`,
		});
	const bundle = join(folder, "graphs", "gg");
	return { source, operator, put, bundle, catalog: shop.app.catalog };
}

const TOO_LARGE = { code: "INVALID_ARGUMENT", message: /would have \d+ files and \d+ bytes/ };

t.test("what has too many files to be loaded again is not written", async (t) => {
	const { source, operator, put, bundle, catalog } = await start(t);
	limit(t, "files", 4);
	await t.rejects(operator.importGraph({ source, as: "gg" }), TOO_LARGE, "two notes and a frame");
	t.notOk(catalog.find("gg"));
	t.throws(() => readdirSync(bundle));

	limit(t, "files", 5);
	await operator.importGraph({ source, as: "gg" });
	const before = catalog.get("gg");
	await t.rejects(put("c.md", 10), TOO_LARGE);
	t.match(await put("a.md", 10), { change: "changed" }, "one in another's place is none more");
	writeFileSync(join(source, "c.md"), "# C\n\nGamma.");
	await t.rejects(operator.importGraph({ source, as: "gg", update: true }), TOO_LARGE);
	t.same(readdirSync(bundle).sort(), ["a.md", "b.md", "graph.md", "index.md", "log.md"]);
	t.equal((await readGraph(bundle)).concepts.length, before.concepts.length);
});

t.test("what has too many bytes to be loaded again is not written", async (t) => {
	const { source, operator, put, bundle, catalog } = await start(t);
	await operator.importGraph({ source, as: "gg" });
	limit(t, "totalBytes", 5_000);
	await put("c.md", 3_000);
	t.match(await put("c.md", 3_001), { change: "changed" }, "the old file no longer counts");
	const before = catalog.get("gg");
	await t.rejects(put("d.md", 3_000), TOO_LARGE);
	writeFileSync(join(source, "d.md"), "x".repeat(6_000));
	await t.rejects(operator.importGraph({ source, as: "gg", update: true }), TOO_LARGE);
	t.equal(catalog.get("gg"), before);
	t.same((await readGraph(bundle)).contentHash, before.contentHash);
});
