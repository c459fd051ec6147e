import t from "tap";
import { startApp } from "../support/start-app.js";

const TREND = "kubernetes-enhancements:trends.job-api";

const app = await startApp(t, { settings: { model: "none" } });
const { token } = await app.issueSpt("25.00");
const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
const get = (path: string) => app.send(path, { headers });
const post = (path: string, body: object) =>
	app.send(path, { method: "POST", headers, body: JSON.stringify(body) });
const balance = async () => (await get("/v1/spt/balance")).body.data.balance_usd;

t.test("from a trend to its sources, to what else cites them, and to their citation", async (t) => {
	const trends = await get("/v1/trends?graph_id=kubernetes-enhancements&limit=3");
	t.equal(trends.body.data.items.length, 3);
	const trend = await get(`/v1/trends/${TREND}`);
	t.match(trend.body.data, { trend_id: TREND, momentum: { score: Number }, is_complete: true });
	const evidence = await get(`/v1/trends/${TREND}/evidence?limit=50`);
	const [{ article_ref: ref }] = evidence.body.data.items;
	t.equal(evidence.body.data.items.length, trend.body.data.evidence_count);
	const article = await get(`/v1/articles/${ref}`);
	t.equal(article.body.data.article_ref, ref);
	const mentions = await get(`/v1/articles/${ref}/mentions`);
	t.ok(mentions.body.data.items.some(({ trend_id }: { trend_id: string }) => trend_id === TREND));
	t.equal(await balance(), "22.50", "five answers");

	const { host } = article.body.data;
	t.equal((await app.send(`/v1/sources/${host}`)).body.data.host, host);
	const cited = await post("/v1/citations/format", { trend_ids: [TREND], article_refs: [ref] });
	t.equal(cited.body.data.items.length, 2);
	t.equal(await balance(), "22.50", "numbers and citations are free");
});

t.test("what does not exist, what is empty and what makes no sense costs nothing", async (t) => {
	const before = await balance();
	for (const [status, { status: got, body }] of [
		[404, await get("/v1/trends/kubernetes-enhancements:trends.job-apy")],
		[404, await get("/v1/trends/nowhere:x/evidence")],
		[404, await get("/v1/trends?graph_id=nowhere")],
		[404, await get(`/v1/articles/art_${"0".repeat(20)}`)],
		[404, await get(`/v1/articles/art_${"0".repeat(20)}/mentions`)],
		[404, await get(`/v1/entities/ent_${"0".repeat(20)}`)],
		[404, await post("/v1/articles/search", { query: "x", graph_id: "nowhere" })],
		[400, await get("/v1/trends?cursor=WyJ4Il0")],
		[400, await get("/v1/trends?as_of=2026-02-30")],
		[400, await get("/v1/trends/no-colon")],
		[400, await get("/v1/articles/art_x")],
		[400, await post("/v1/entities/resolve", { names: [] })],
		[400, await post("/v1/entities/resolve", { names: Array(51).fill("x") })],
		[200, await get("/v1/trends?type=Nothing")],
		[200, await post("/v1/articles/search", { query: "zorblax" })],
		[200, await post("/v1/entities/resolve", { names: ["zorblax quuxification"] })],
	] as const) {
		t.equal(got, status);
		if (status === 200) t.equal(body.meta.cost.charged, false);
	}
	const wrong = await get("/v1/trends/kubernetes-enhancements:trends.job-apy");
	t.equal(wrong.status, 404);
	t.notMatch(wrong.body.error.message, /job-api/, "ids are part of what is sold");
	t.equal(await balance(), before);
});

t.test("brands and sources are listed for anybody, page by page", async (t) => {
	for (const list of ["brands", "sources"]) {
		const names: string[] = [];
		for (let cursor = ""; ; ) {
			const { body } = await app.send(`/v1/${list}?limit=4${cursor && `&cursor=${cursor}`}`);
			names.push(
				...body.data.items.map(
					(item: { brand?: string; host?: string }) => item.brand ?? item.host,
				),
			);
			if (body.meta.next_cursor === null) break;
			cursor = body.meta.next_cursor;
		}
		t.same(names, [...new Set(names)].sort());
		t.ok(names.length > 10);
		const one = await app.send(`/v1/${list}/${names[0]}`);
		t.equal(one.status, 200);
		const etag = one.headers.get("etag") ?? "";
		const again = await app.send(`/v1/${list}/${names[0]}`, { headers: { "If-None-Match": etag } });
		t.equal(again.status, 304);
	}
	const unknown = await app.send("/v1/brands/resolve", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ name: "zorblax quuxification" }),
	});
	t.match(unknown, { status: 200, body: { data: { items: [] } } });
});
