import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { startApp } from "../support/start-app.js";

const QUIET = { model: "none", catalog: "none" } as const;
const NOTE = (title: string, text: string) => `---\ntitle: ${title}\n---\n${text}\n`;
const NOTES = {
	"moon.md": NOTE("The moon", "It pulls. See [[bore]]."),
	"sun.md": NOTE("The sun", "It pulls less."),
	"wind.md": NOTE("Wind", "It piles water up."),
	"photo.bin": "no text",
};

t.test("an update follows the source and reports what changed", async (t) => {
	const root = t.testdir({ notes: NOTES });
	const source = join(root, "notes");
	const folder = join(root, "data");
	const shop = await startApp(t, { folder, settings: QUIET });
	const { importGraph } = shop.app.operator;
	const as = "tides";
	const first = await importGraph({ source, as });
	t.match(first, { nodes: 3, changed: { added: 3, changed: 0, removed: 0, unchanged: 0 } });
	const before = shop.app.catalog.get(as);
	const written = statSync(join(folder, "graphs", as, "sun.md")).ino;

	const still = await importGraph({ source, as, update: true });
	t.match(still.changed, { added: 0, changed: 0, removed: 0, unchanged: 3 });
	t.equal(shop.app.catalog.get(as), before, "nothing was made anew");
	t.same(still.skipped, first.skipped);

	writeFileSync(join(source, "bore.md"), NOTE("Bore", "A wave runs upstream."));
	writeFileSync(join(source, "wind.md"), NOTE("Wind", "It piles water up at the coast."));
	rmSync(join(source, "sun.md"));
	const report = await importGraph({ source, as, update: true, removals_max: 1 });
	t.match(report, { nodes: 3, edges: 1, read_ms: Number, visible_ms: Number });
	t.same(report.changed, { added: 1, changed: 2, removed: 1, unchanged: 0 }, "the moon links now");
	t.same(report.skipped, first.skipped);

	const { body } = await shop.search({
		graph: as,
		body: { query: "upstream" },
		token: (await shop.issueSpt("5")).token,
	});
	t.match(body.rows, [{ name: "Bore" }]);

	// A concept put by hand is not in the source: the next update takes it away.
	await shop.app.operator.putConcept({
		graph_id: as,
		path: "sun.md",
		markdown: "---\ntype: Concept\n---\nBack.",
	});
	const without = await importGraph({ source, as, update: true, removals_max: 1 });
	t.match(without.changed, { removed: 1, unchanged: 3 });
	t.not(statSync(join(folder, "graphs", as, "moon.md")).ino, written);

	const kept = shop.app.catalog.get(as);
	await shop.close();
	const anew = await startApp(t, { folder, settings: QUIET });
	const found = anew.app.catalog.get(as);
	t.same([found.contentHash, found.concepts], [kept.contentHash, kept.concepts]);
	const again = await anew.app.operator.importGraph({ source, as, update: true });
	t.match(again.changed, { unchanged: 3, changed: 0 }, "also without what was remembered");
	t.equal(anew.app.catalog.get(as), found);
});

t.test("an update follows what lies beside documents", async (t) => {
	const root = t.testdir({ notes: { "moon.md": "It pulls." } });
	const source = join(root, "notes");
	const shop = await startApp(t, { folder: join(root, "data"), settings: QUIET });
	const update = async () => {
		await shop.app.operator.importGraph({ source, as: "tides", update: true });
		return shop.app.catalog.get("tides").concepts.map(({ title, tags }) => [title, ...tags]);
	};
	t.same(await update(), [["Moon"]]);
	const label = join(source, "_category_.json");
	writeFileSync(label, '{ "label": "Sky" }');
	t.same(await update(), [["Moon", "Sky"]]);
	writeFileSync(label, '{ "label": "Heavens" }');
	t.same(await update(), [["Moon", "Heavens"]]);
	rmSync(label);
	t.same(await update(), [["Moon"]]);
	writeFileSync(join(source, "SUMMARY.md"), "* [The moon](moon.md)\n");
	t.same(await update(), [["The moon"]]);
	rmSync(join(source, "SUMMARY.md"));
	t.same(await update(), [["Moon"]]);
});

t.test(
	"a file whose size and times are what they were is read again only on request",
	async (t) => {
		const root = t.testdir({ notes: NOTES });
		const source = join(root, "notes");
		const shop = await startApp(t, { folder: join(root, "data"), settings: QUIET });
		await shop.app.operator.importGraph({ source, as: "tides" });
		const file = join(source, "sun.md");
		writeFileSync(file, NOTE("The sun", "It pulls MORE."));
		utimesSync(file, 1, 1);
		const update = (full: boolean) =>
			shop.app.operator.importGraph({ source, as: "tides", update: true, full });
		t.match((await update(false)).changed, { changed: 1 }, "what was touched just now is read");
		t.match((await update(true)).changed, { changed: 0 });
	},
);

t.test("an update that leaves nothing changes nothing", async (t) => {
	const root = t.testdir({ notes: NOTES });
	const source = join(root, "notes");
	const shop = await startApp(t, { folder: join(root, "data"), settings: QUIET });
	await shop.app.operator.importGraph({ source, as: "tides" });
	const before = shop.app.catalog.get("tides");
	for (const name of ["moon.md", "sun.md", "wind.md"]) rmSync(join(source, name));
	await t.rejects(shop.app.operator.importGraph({ source, as: "tides", update: true }), {
		code: "INVALID_ARGUMENT",
		message: /can become a concept/,
	});
	t.equal(shop.app.catalog.get("tides"), before);
	t.ok(statSync(join(root, "data", "graphs", "tides", "moon.md")).isFile());
});

t.test(
	"what the disk refuses amid an update is on sale, and finished before the next change",
	async (t) => {
		const root = t.testdir({ notes: { ...NOTES, "tide.md": { "low.md": NOTE("Low", "Ebb.") } } });
		const source = join(root, "notes");
		const shop = await startApp(t, { folder: join(root, "data"), settings: QUIET });
		const { importGraph, putConcept } = shop.app.operator;
		const as = "tides";
		await importGraph({ source, as });
		const bundle = join(root, "data", "graphs", as);
		const obstacle = join(bundle, "tide.md", "not-ours.txt");
		writeFileSync(obstacle, "x");
		rmSync(join(source, "tide.md"), { recursive: true });
		writeFileSync(join(source, "tide.md"), NOTE("Tide", "It rises and falls."));

		const { changed } = await importGraph({ source, as, update: true, removals_max: 1 });
		t.match(changed, { added: 1, removed: 1 });
		const sold = shop.app.catalog.get(as);
		t.ok(sold.concepts.some(({ title }) => title === "Tide"));
		const put = () =>
			putConcept({ graph_id: as, path: "bore.md", markdown: "---\ntype: X\n---\nA wave." });
		await t.rejects(put(), { code: "UNAVAILABLE", message: /\.tides-/ });
		t.equal(shop.app.catalog.get(as), sold);

		rmSync(obstacle);
		t.match(await put(), { change: "added", nodes: 5 });
		const { contentHash } = shop.app.catalog.get(as);
		t.equal((await readGraph(bundle)).contentHash, contentHash, "the disk holds what is on sale");
	},
);
