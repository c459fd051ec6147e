import { join } from "node:path";
import t from "tap";
import { startApp } from "../support/start-app.js";

t.test("a reindex amid a change does not bring back the graph from before it", async (t) => {
	const root = t.testdir({ notes: { "moon.md": "# The moon\n\nIt pulls." } });
	const shop = await startApp(t, {
		folder: join(root, "data"),
		settings: { model: "none", catalog: "none" },
	});
	const { catalog, operator, search } = shop.app;
	await operator.importGraph({ source: join(root, "notes"), as: "tides" });
	const put = (path: string, text: string) =>
		operator.putConcept({
			graph_id: "tides",
			path,
			markdown: `---\ntype: Concept\n---\n${text}`,
		});
	await put("sun.md", "It pulls less.");

	// The index knows the change by now, the catalog does not yet.
	const { sync } = search;
	let reindexed: ReturnType<typeof operator.reindex> | undefined;
	search.sync = (...request) => {
		search.sync = sync;
		const work = sync(...request);
		reindexed = operator.reindex();
		return work;
	};
	await put("bore.md", "A mascaret runs upstream.");
	t.match(await reindexed, { concepts: 3, mode: "keyword" });
	const { rows } = await search.find({
		graphs: [catalog.get("tides")],
		query: "mascaret",
		limit: 5,
		signal: new AbortController().signal,
	});
	t.equal(rows[0]?.concept.id, "bore");
});
