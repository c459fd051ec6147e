import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { startApp } from "../support/start-app.js";
import { times } from "../support/times.js";

const as = "tides";
const note = (index: number, more = "") =>
	`# Note ${index} of the harbour\n\nWater number ${index} rises and falls at the quay.${more}\n`;
const notes = (count: number, more = "") =>
	Object.fromEntries(times(count, (index) => [`note-${index}.md`, note(index, more)]));

async function startShop(t: Test, settings: Readonly<Record<string, unknown>> = {}) {
	const root = t.testdir({
		notes: notes(10),
		wrong: { "other.md": "# Other\n\nNot the harbour." },
	});
	const data = join(root, "data");
	const open = () =>
		startApp(t, { folder: data, settings: { model: "none", catalog: "none", ...settings } });
	const shop = await open();
	const { operator, catalog } = shop.app;
	const source = join(root, "notes");
	await operator.importGraph({ source, as });
	return { root, data, source, open, shop, operator, catalog };
}

const paths = (catalog: Awaited<ReturnType<typeof startShop>>["catalog"]) =>
	catalog.get(as).concepts.map(({ path }) => path);

t.test("an update from a wrong folder is refused, done when it is meant, and undone", async (t) => {
	const { root, operator, catalog } = await startShop(t);
	const before = catalog.get(as);
	const request = { source: join(root, "wrong"), as, update: true };
	await t.rejects(operator.importGraph(request), {
		code: "INVALID_ARGUMENT",
		message:
			/take 10 of 10 concepts .* 5 more\), change 0 and add 1\. Nothing has changed\. .*--yes/,
		details: [{ path: "removals_max", message: "10" }],
	});
	t.equal(catalog.get(as), before, "what was on sale is on sale");
	const plan = await operator.importGraph({ ...request, dry_run: true });
	t.match(plan, {
		dry_run: true,
		changed: { added: 1, removed: 10 },
		examples: { added: ["other.md"] },
	});
	t.equal(catalog.get(as), before);
	const done = await operator.importGraph({ ...request, removals_max: 10 });
	t.match(done, { dry_run: false, version: 2, changed: { removed: 10 } });
	t.same(paths(catalog), ["other.md"]);
	const back = await operator.rollBack({ graph_id: as });
	t.match(back, { version: 3, restored: 1, changed: { added: 10, removed: 1 } });
	t.equal(catalog.get(as).contentHash, before.contentHash, "every file is as it was");
});

t.test("an update that takes away a fifth is done without a question", async (t) => {
	const { source, operator, catalog } = await startShop(t);
	for (const index of [1, 2]) rmSync(join(source, `note-${index}.md`));
	t.match(await operator.importGraph({ source, as, update: true }), { changed: { removed: 2 } });
	t.equal(paths(catalog).length, 8);
});

t.test("a dry run of a new graph tells what it would hold, and puts nothing on sale", async (t) => {
	const { root, data, operator, catalog } = await startShop(t);
	const key = ["AKIA", "ABCDEFGHIJKLMNOP"].join("");
	writeFileSync(join(root, "wrong", "keys.md"), `# Keys\n\nUse ${key} at http://10.0.0.7/wiki.`);
	const report = await operator.importGraph({
		source: join(root, "wrong"),
		as: "other",
		dry_run: true,
		quality: true,
	});
	t.equal(catalog.find("other"), undefined);
	t.notOk(existsSync(join(data, "graphs", "other")));
	t.match(report.quality, { concepts: 2, without_link: { count: 2 }, secrets: { count: 2 } });
	t.notMatch(JSON.stringify(report), key, "no secret is repeated");
	t.match(report.quality?.questions, [{ question: "What is Keys?", concept_id: "keys" }]);
	t.ok(report.quality?.advice.some(({ message }) => message.includes(".tollgraphignore")));
});

t.test("as many versions are kept as is set, and each can be had again", async (t) => {
	const { source, open, shop, operator, data } = await startShop(t, { graphVersions: 3 });
	const hashes: string[] = [shop.app.catalog.get(as).contentHash];
	for (const round of [1, 2, 3]) {
		writeFileSync(join(source, `note-${round}.md`), note(round, ` Round ${round}.`));
		await operator.importGraph({ source, as, update: true });
		hashes.push(shop.app.catalog.get(as).contentHash);
	}
	const { items } = await operator.listVersions({ graph_id: as });
	t.same(
		items.map(({ number, cause }) => [number, cause]),
		[4, 3, 2].map((number) => [number, "update"]),
	);
	await t.rejects(operator.rollBack({ graph_id: as, to: 1 }), { code: "NOT_FOUND" });
	await shop.app.close();
	const again = (await open()).app;
	await again.operator.rollBack({ graph_id: as, to: 2 });
	t.equal(again.catalog.get(as).contentHash, hashes[1]);
	await t.rejects(again.operator.rollBack({ graph_id: as, to: "2001-01-01" }), {
		code: "NOT_FOUND",
	});
	t.same(readdirSync(join(data, "graph-history", as)).sort(), ["3", "4", "5"]);
});

t.test("a graph that was renamed says so under its old id, also after a start", async (t) => {
	const { operator, catalog, shop, open, source } = await startShop(t);
	await operator.importGraph({ source, as: "taken" });
	await t.rejects(operator.renameGraph({ graph_id: as, new_id: "taken" }), {
		code: "INVALID_ARGUMENT",
	});
	const before = paths(catalog);
	t.match(await operator.renameGraph({ graph_id: as, new_id: "seas" }), {
		graph_id: "seas",
		former_id: as,
		nodes: 10,
	});
	const gone = { code: "NOT_FOUND", message: /is called "seas" now/ };
	t.throws(() => catalog.get(as), gone);
	await shop.app.close();
	const again = (await open()).app;
	t.throws(() => again.catalog.get(as), gone);
	t.same(
		again.catalog.get("seas").concepts.map(({ path }) => path),
		before,
	);
	const { items } = await again.operator.listVersions({ graph_id: "seas" });
	t.same(
		items.map(({ cause }) => cause),
		["rename", "import"],
	);
	await again.operator.rollBack({ graph_id: "seas", to: 1 });
	t.equal(again.catalog.get("seas").record.id, "seas", "a rollback keeps the id");
	await again.operator.importGraph({ source, as });
	t.equal(again.catalog.get(as).record.id, as, "the old id is free");
});

t.test("a graph that was removed is said to be gone, and comes back", async (t) => {
	const { operator, catalog, shop, open } = await startShop(t);
	const { contentHash } = catalog.get(as);
	const report = await operator.removeGraph({ graph_id: as });
	t.match(report, { removed: 10, notes: [/Receipts/, /Schedules/, /Chats/, /Tokens/] });
	t.throws(() => catalog.get(as), { code: "NOT_FOUND", message: /was taken off sale on/ });
	await shop.app.close();
	const again = (await open()).app;
	t.throws(() => again.catalog.get(as), { message: /was taken off sale on/ });
	await again.operator.rollBack({ graph_id: as });
	t.equal(again.catalog.get(as).contentHash, contentHash);
	await t.rejects(again.operator.rollBack({ graph_id: "never" }), { code: "NOT_FOUND" });
});

t.test("what an owner sets stays as it is through updates", async (t) => {
	const { source, operator, catalog } = await startShop(t);
	const set = {
		title: "The harbour",
		topics: ["water"],
		contact: "me@example.org",
		license: "MIT",
	};
	t.match(await operator.setGraph({ graph_id: as, ...set }), set);
	writeFileSync(join(source, "note-1.md"), note(1, " More."));
	await operator.importGraph({ source, as, update: true });
	t.match(catalog.get(as).record, set);
	await t.rejects(operator.setGraph({ graph_id: as }), { code: "INVALID_ARGUMENT" });
});

t.test("an import that is stopped leaves on sale what was, at whatever step", async (t) => {
	const { source, operator, catalog, shop } = await startShop(t);
	const before = catalog.get(as).contentHash;
	const { sync } = shop.app.search;
	for (const step of [0, 1, 2]) {
		writeFileSync(join(source, "note-1.md"), note(1, ` Step ${step}.`));
		const stop = new AbortController();
		let calls = 0;
		shop.app.search.sync = async (graphs, options) => {
			calls += 1;
			if (calls === step) stop.abort();
			await sync(graphs, options);
		};
		if (step === 0) stop.abort();
		for (const request of [
			{ source, as, update: true },
			{ source, as: `new-${step}` },
		]) {
			await t.rejects(operator.importGraph(request, undefined, stop.signal), {
				code: "UNAVAILABLE",
				message: /what was on sale is on sale/,
			});
		}
		shop.app.search.sync = sync;
		t.equal(catalog.get(as).contentHash, before, `stopped at step ${step}`);
		t.equal(catalog.find(`new-${step}`), undefined);
	}
});
