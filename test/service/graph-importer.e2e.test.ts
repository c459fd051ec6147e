import { join } from "node:path";
import t from "tap";
import { startApp } from "../support/start-app.js";

t.test("an import whose vectors are still made is on sale and holds up no change", async (t) => {
	const root = t.testdir({ notes: { "moon.md": "# The moon\n\nIt pulls." } });
	const shop = await startApp(t, {
		folder: join(root, "data"),
		settings: { model: "none", catalog: "none" },
	});
	const { catalog, operator, search } = shop.app;
	const { sync } = search;
	let release = () => {};
	const made = new Promise<void>((resolve) => {
		release = resolve;
	});
	let hold = () => {};
	const held = new Promise<void>((resolve) => {
		hold = resolve;
	});
	search.sync = async (graphs, options) => {
		await sync(graphs, options);
		if (options?.vectors === "background") return;
		hold();
		await made;
	};
	let isDone = false;
	const imported = operator.importGraph({ source: join(root, "notes"), as: "tides" });
	const noted = imported.finally(() => {
		isDone = true;
	});
	await held;
	t.equal(catalog.get("tides").concepts.length, 1);
	const put = await operator.putConcept({
		graph_id: "tides",
		path: "sun.md",
		markdown: "---\ntype: Concept\n---\nIt pulls less.",
	});
	t.match(put, { change: "added", nodes: 2 });
	t.notOk(isDone, "the import waits for its vectors");
	release();
	t.match(await noted, { nodes: 1, changed: { added: 1 } });
});
