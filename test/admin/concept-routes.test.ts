import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { startApp, type TestApp } from "../support/start-app.js";

const QUIET = { model: "none", catalog: "none" } as const;
const NOTES = {
	"graph.md": "---\ntype: domain\nid: tides\ntitle: Tides\nupdated: 2020-01-01\n---\n",
	"moon.md": "---\ntype: Concept\ntitle: The moon\n---\nIt pulls. See [bores](/rivers/bore.md).\n",
	"sun.md": "---\ntype: Concept\ntitle: The sun\n---\nIt pulls less.\n",
};
const BORE = (text: string) => `---\ntype: Concept\ntitle: Tidal bore\n---\n${text}\n`;

function operatorOf(shop: TestApp) {
	const headers = {
		Authorization: `Bearer ${shop.app.adminToken}`,
		"Content-Type": "application/json",
	};
	return {
		put: (path: string, markdown: string, graph = "tides") =>
			shop.send(`/v1/admin/graphs/${graph}/concepts`, {
				method: "PUT",
				headers,
				body: JSON.stringify({ path, markdown }),
			}),
		remove: (id: string, graph = "tides") =>
			shop.send(`/v1/admin/graphs/${graph}/concepts/${encodeURIComponent(id)}`, {
				method: "DELETE",
				headers,
			}),
	};
}

async function namesFound(shop: TestApp, query: string): Promise<readonly string[]> {
	const { token } = await shop.issueSpt("5");
	const { status, body } = await shop.search({ graph: "tides", body: { query }, token });
	if (status !== 200) throw new Error(`search answered ${status}`);
	return body.rows.map(({ name }: { name: string }) => name);
}

t.test("one concept is added, changed and removed, and a restart finds the same", async (t) => {
	const root = t.testdir({ notes: NOTES });
	const folder = join(root, "data");
	const shop = await startApp(t, { folder, settings: QUIET });
	await shop.app.operator.importGraph({ source: join(root, "notes"), as: "tides" });
	const { put, remove } = operatorOf(shop);

	const added = await put("rivers/bore.md", BORE("A wave runs upstream like a mascaret."));
	t.match(added, { status: 200, body: { change: "added", concept_id: "rivers.bore", nodes: 3 } });
	t.ok(added.body.visible_ms >= 0);
	t.equal((await namesFound(shop, "mascaret"))[0], "Tidal bore");
	const [moon] = shop.app.catalog.get("tides").concepts;
	t.match(moon?.edges, [{ target: "rivers.bore" }], "a link that had led nowhere leads there");

	const again = await put("rivers/bore.md", BORE("A wave runs upstream like a mascaret."));
	t.match(again.body, { change: "unchanged", nodes: 3 });
	t.match((await put("rivers/bore.md", BORE("A pororoca thunders."))).body, { change: "changed" });
	t.equal((await namesFound(shop, "pororoca"))[0], "Tidal bore");
	t.same(await namesFound(shop, "mascaret"), [], "the old text is found no more");

	t.match((await put("sun.md", "---\ntype: Concept\n---\nSee [it](gone.md).")).body, {
		warnings: [/gone\.md/],
	});
	t.match((await remove("rivers.bore")).body, { change: "removed", nodes: 2 });
	t.same(await namesFound(shop, "pororoca"), []);
	t.notOk(existsSync(join(folder, "graphs", "tides", "rivers")));

	const { contentHash, record, concepts } = shop.app.catalog.get("tides");
	await shop.close();
	const restarted = await startApp(t, { folder, settings: QUIET });
	const found = restarted.app.catalog.get("tides");
	t.same([found.contentHash, found.record, found.concepts], [contentHash, record, concepts]);
});

t.test("what cannot be a concept is refused, says why and changes nothing", async (t) => {
	const root = t.testdir({ notes: { ...NOTES, "notes.md": { "index.md": "# Listing" } } });
	const shop = await startApp(t, { folder: join(root, "data"), settings: { model: "none" } });
	await shop.app.operator.importGraph({ source: join(root, "notes"), as: "tides" });
	const { put, remove } = operatorOf(shop);
	const before = shop.app.catalog.get("tides");
	mkdirSync(join(root, "data", "graphs", "tides", "sky.md"));
	const good = BORE("Text.");
	for (const [answer, status, message] of [
		[put("../evil.md", good), 400, /leaves the bundle/],
		[put("/evil.md", good), 400, /leaves the bundle/],
		[put("a\\b.md", good), 400, /leaves the bundle/],
		[put("notes.txt", good), 400, /"\.md"/],
		[put("graph.md", good), 400, /record, listing or log/],
		[put("rivers/index.md", good), 400, /record, listing or log/],
		[put(".hidden/a.md", good), 400, /begin with a dot/],
		[put(`${"a/".repeat(17)}a.md`, good), 400, /folders deep/],
		[put(`${"a".repeat(250)}.md`, good), 400, /bytes/],
		[put("moon.md/phase.md", good), 400, /a file and a folder/],
		[put("notes.md", good), 400, /a file and a folder/],
		[put("sky.md", good), 400, /is that of a folder/],
		[put("a.md", ""), 400, /empty/],
		[put("a.md", "no\0text"), 400, /not text/],
		[put("a.md", "Just text."), 400, /no type/],
		[put("a.md", "---\ntype: X\ntitle: [\n---\n"), 400, /line 4/],
		[put("a.md", BORE("x".repeat(1024 * 1024))), 400, /bytes/],
		[put("a.md", good, "nobody"), 404, /No graph/],
		[put("a.md", good, "agent-payments"), 400, /was not imported/],
		[remove("nobody"), 404, /no concept/],
		[remove("nobody", "agent-payments"), 400, /was not imported/],
	] as const) {
		const { status: found, body } = await answer;
		t.equal(found, status, body.error?.message);
		t.match(body.error?.message, message);
	}
	t.equal(shop.app.catalog.get("tides"), before);
	const folder = join(root, "data", "graphs", "tides");
	t.notOk(existsSync(join(folder, "a.md")));

	t.equal((await remove("moon")).status, 200);
	t.match((await remove("sun")).body.error.message, /last concept/);
	t.match(readFileSync(join(folder, "sun.md"), "utf8"), /pulls less/);
	const noOne = await shop.send("/v1/admin/graphs/tides/concepts/sun", { method: "DELETE" });
	t.equal(noOne.status, 401);
});
