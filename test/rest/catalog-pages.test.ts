import t from "tap";
import { createSyntheticCatalog } from "../../bench/synthetic/synthetic-catalog.js";
import { startApp } from "../support/start-app.js";

t.test(
	"a large catalog is read whole or page by page, and what is known is not sent again",
	async (t) => {
		const { app, send } = await startApp(t, { settings: { model: "none", catalog: "none" } });
		const graphs = createSyntheticCatalog({ seed: 2, graphs: 40, concepts: 200, experts: 40 });
		for (const graph of graphs) app.catalog.put(graph);
		const whole = await send("/v1/graphs/catalog");
		t.equal(whole.body.data.items.length, 40);
		t.equal(whole.body.meta.next_cursor, null);
		t.equal(
			Number(whole.headers.get("content-length")),
			Buffer.byteLength(JSON.stringify(whole.body)),
		);

		const paged: unknown[] = [];
		for (let query = "?limit=15"; ; ) {
			const { status, headers, body } = await send(`/v1/graphs/catalog${query}`);
			t.equal(status, 200);
			t.notOk("next_cursor" in body.data, "a list's cursor is told in the meta");
			const known = { headers: { "If-None-Match": headers.get("etag") ?? "" } };
			t.equal((await send(`/v1/graphs/catalog${query}`, known)).status, 304);
			paged.push(...body.data.items);
			if (body.meta.next_cursor === null) break;
			query = `?limit=15&cursor=${body.meta.next_cursor}`;
		}
		t.same(paged, whole.body.data.items);

		for (const query of ["limit=0", "limit=501", "limit=x", "cursor=", "cursor=bm9uZQ", "page=2"]) {
			const { status, body } = await send(`/v1/graphs/catalog?${query}`);
			t.equal(status, 400, query);
			t.equal(body.error.code, "INVALID_ARGUMENT", query);
		}
	},
);
