import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { importFolder } from "../../src/knowledge/import/import-folder.js";
import type { Concept } from "../../src/knowledge/model/graph.js";
import type { ExplorerData } from "../../src/web/pages/explorer-model.js";
import { makeGraph } from "../service/sample-graphs.js";
import { startApp, type TestApp } from "../support/start-app.js";

const SAMPLE = "/graphs/agent-payments-and-settlement/explore";

t.test("the explorer gives nothing away that is for sale", async (t) => {
	const shop = await startApp(t, { settings: { model: "none" } });
	const source = join(t.testdir({}), "notes");
	writeNotes(source);
	const { graph } = await importFolder({ source, as: "secrets" });
	t.equal(graph.concepts.length, NOTES);
	shop.app.catalog.put(graph);
	await shop.app.ready();
	const { text, data } = await exploreData(shop, graph.record.slug);
	const page = await (await fetch(`${shop.baseUrl}/graphs/${graph.record.slug}/explore`)).text();

	const free = await Promise.all(
		["", "/preview", "/stats", "/schema"]
			.map((part) => `/v1/graphs/secrets${part}`)
			.concat("/v1/graph-slice?graph_id=secrets", "/v1/sources?graph_id=secrets")
			.map(async (path) => leavesOf((await shop.send(path)).body)),
	);
	const known = new Set(free.flat());
	const { concepts, prices, ...others } = data;
	for (const leaf of leavesOf(others)) t.ok(known.has(leaf), `free elsewhere: ${leaf}`);
	t.ok(concepts.length >= 5 && concepts.length <= 7, "the sample and the preview");
	for (const { id, mentions, sources, ...said } of concepts) {
		for (const one of [id, ...mentions]) t.ok(known.has(`secrets:${one}`), one);
		for (const leaf of leavesOf(said)) t.ok(known.has(leaf), String(leaf));
		for (const { title, url } of sources) t.ok(known.has(title) && known.has(url), url);
	}
	t.same(new Set(Object.values(prices)), new Set(["0.50"]));

	assertHidden(t, graph.concepts, {
		shown: new Set(concepts.map(({ id }) => id)),
		served: text + page,
	});
});

/** Neither what a concept is called nor what it says is served of those that are not shown, and no text of any. */
function assertHidden(
	t: Test,
	concepts: readonly Concept[],
	{ shown, served }: { readonly shown: ReadonlySet<string>; readonly served: string },
): void {
	const hidden = concepts.filter(({ id }) => !shown.has(id));
	t.ok(hidden.length >= NOTES - 7);
	const secrets = hidden.flatMap(({ id, title, summary }) => [`"${id}"`, title, summary]);
	for (const secret of [...secrets, ...concepts.map(({ body }) => body.trim().slice(-30))]) {
		t.ok(secret.length > 3);
		t.notOk(served.includes(secret), secret);
	}
}

const NOTES = 40;

/** Notes that are linked in a circle and with the first; each word of theirs is in one place alone. */
function writeNotes(folder: string): void {
	mkdirSync(folder, { recursive: true });
	for (let at = 0; at < NOTES; at++) {
		const links = [(at + 1) % NOTES, 0].map((to) => `[note ${to}](n${to}.md)`).join(" and ");
		writeFileSync(
			join(folder, `n${at}.md`),
			`---\ntype: Note\ntitle: Title-of-${at}-x\ndescription: Summary-of-${at}-x says this.\ntags: [odd${at % 3}]\nsources:\n  - title: Source-of-${at}-x\n    url: https://example.org/${at}-x\n---\n\nIt leads to ${links}. Body-of-the-concept-number-${at}-ends-here.\n`,
		);
	}
}

/** Every text and number in a value. */
function leavesOf(value: unknown): readonly unknown[] {
	if (typeof value !== "object" || value === null) return [value];
	return Object.values(value).flatMap(leavesOf);
}

async function exploreData({ baseUrl }: TestApp, slug: string) {
	const reply = await fetch(`${baseUrl}/graphs/${slug}/explore.json`);
	const text = await reply.text();
	return { reply, text, data: JSON.parse(text) as ExplorerData };
}

t.test("its data is one document that is kept until the graph changes", async (t) => {
	const shop = await startApp(t, {
		settings: {
			model: "none",
			prices: { "graphs.node": { amountMicros: 750_000n, billingType: "per_call" } },
		},
	});
	const { reply, data } = await exploreData(shop, "agent-payments-and-settlement");
	t.equal(data.prices["graphs.node"], "0.75");
	const etag = reply.headers.get("etag") ?? "";
	const again = await fetch(reply.url, { headers: { "If-None-Match": etag } });
	t.equal(again.status, 304);
	shop.app.catalog.put(makeGraph({ id: "agent-payments", slug: "agent-payments-and-settlement" }));
	const changed = await fetch(reply.url, { headers: { "If-None-Match": etag } });
	t.equal(changed.status, 200);
	t.equal(((await changed.json()) as ExplorerData).totals.nodes, 1);
	t.equal((await fetch(`${shop.baseUrl}/graphs/no-such/explore.json`)).status, 404);
	const moved = await fetch(`${shop.baseUrl}/graphs/agent-payments/explore`);
	t.equal(moved.url, `${shop.baseUrl}${SAMPLE}`, "ids lead to the slug");
	t.match(await moved.text(), `<link rel="canonical" href="${shop.baseUrl}${SAMPLE}"`);
	const sitemap = await (await fetch(`${shop.baseUrl}/sitemap.xml`)).text();
	t.match(sitemap, `<loc>${shop.baseUrl}${SAMPLE}</loc>`);
});
