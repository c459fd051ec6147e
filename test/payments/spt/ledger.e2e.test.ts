import t from "tap";
import { startSptShop } from "./start-spt-shop.js";

t.test("a holder reads every entry of the token, and of no other", async (t) => {
	const shop = await startSptShop(t);
	const wallet = shop.walletOf("reader");
	const { token, id } = await shop.buy(wallet);
	const other = await shop.buy(wallet);
	await shop.search({ token: other.token });
	await shop.search({ token });
	await shop.search({ token, body: { query: "zorblax quuxification of the frobnicator" } });
	const path = "/v1/spt/ledger";
	const read = (query: string) => shop.ask({ method: "GET", path: `${path}${query}`, token });
	const { body, headers } = await read("");
	t.equal(headers.get("Cache-Control"), "private, no-store");
	t.equal(body.meta.next_cursor, null);
	const kinds = body.data.items.map((item: { kind: string }) => item.kind);
	t.same(kinds, ["release", "authorise", "capture", "authorise", "transfer"]);
	t.match(body.data.items, [
		{ balance_change_usd: "0.50", held_change_usd: "-0.50", memo: "no_answer" },
		{ balance_change_usd: "-0.50", held_change_usd: "0.50" },
		{ balance_change_usd: "0.00", held_change_usd: "-0.50" },
		{ balance_change_usd: "-0.50", held_change_usd: "0.50" },
		{ balance_change_usd: "5.00", held_change_usd: "0.00", ref: id },
	]);
	t.notOk(JSON.stringify(body).includes(other.id));

	const first = await read("?limit=2");
	t.equal(first.body.data.items.length, 2);
	const second = await read(`?limit=9&cursor=${first.body.meta.next_cursor}`);
	t.same([...first.body.data.items, ...second.body.data.items], body.data.items);
	for (const query of ["?limit=0", "?limit=201", "?limit=x", "?cursor=%00", "?cursor=zz", "?x=1"]) {
		t.equal((await read(query)).status, 400, query);
	}
	t.equal((await shop.ask({ method: "GET", path })).status, 401);
});
