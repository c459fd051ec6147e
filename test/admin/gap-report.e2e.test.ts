import t, { type Test } from "tap";
import { openAccount } from "../auth/open-account.js";
import { manualClock } from "../support/manual-clock.js";
import { KNOWN_QUERY, startApp, type TestApp } from "../support/start-app.js";

const SETTINGS = { model: "none" } as const;

async function openBooks(t: Test, at = "2026-03-10T12:00:00Z") {
	const clock = manualClock(at);
	const shop = await startApp(t, { settings: SETTINGS, clock });
	const gaps = async (query = "") => {
		const headers = { Authorization: `Bearer ${shop.app.adminToken}` };
		return shop.send(`/v1/admin/gaps${query}`, { headers });
	};
	return { ...shop, clock, gaps };
}

const ask = (shop: TestApp, token: string, query: string, graph?: string) =>
	shop.search({ token, body: { query, limit: 1 }, ...(graph && { graph }) });

t.test("questions without an answer are grouped, with what was not paid for them", async (t) => {
	const shop = await openBooks(t);
	const [one, other] = [await shop.issueSpt("25"), await shop.issueSpt("25")];
	const question = "Which shingles vaccine suits zoologists?";
	for (const token of [one.token, other.token]) {
		const { body } = await ask(shop, token, question);
		t.equal(body.meta.cost.charged, false);
	}
	await ask(shop, one.token, "which shingles vaccine suits zoologists");
	await ask(shop, one.token, "shingles vaccine for zoologists", "vector-retrieval");
	await ask(shop, one.token, "Who won the yodeling contest of 2018?");
	await ask(shop, one.token, "Who won the yodeling contest of 2022?");
	t.equal((await ask(shop, one.token, KNOWN_QUERY)).body.meta.cost.charged, true);

	const { status, body } = await shop.gaps();
	t.equal(status, 200);
	t.match(body, { grouped_by: "words", questions: 6, groups: 3, unpaid_usd: "3.00" });
	t.match(body.items[0], {
		question,
		wordings: ["shingles vaccine for zoologists"],
		asked_graph_ids: ["agent-payments", "vector-retrieval"],
		operations: ["graphs.search"],
		questions: 4,
		callers: 2,
		unpaid_usd: "2.00",
	});
	t.equal(body.items.length, 3, "another year is another question");
	t.notMatch(JSON.stringify(body), KNOWN_QUERY, "what was answered is no gap");
	t.match((await shop.gaps("?graph=vector-retrieval")).body, { questions: 4, groups: 1 });
	t.match((await shop.gaps("?limit=1")).body, { groups: 3, items: { length: 1 } });
	for (const [query, wanted] of [
		["?graph=moon", 404],
		["?since=2026-02-30", 400],
		["?limit=0", 400],
		["?from=2026-01-01", 400],
	] as const)
		t.equal((await shop.gaps(query)).status, wanted, query);
	t.equal((await shop.send("/v1/admin/gaps")).status, 401);
});

t.test("the nearest graph is named, whichever was asked", async (t) => {
	const shop = await openBooks(t);
	const { token } = await shop.issueSpt("25");
	const { body } = await ask(
		shop,
		token,
		"Which Python decorator bakes sourdough on Neptune?",
		"agent-payments",
	);
	t.equal(body.meta.cost.charged, false);
	const [gap] = (await shop.gaps()).body.items;
	t.match(gap, { asked_graph_ids: ["agent-payments"], graph_id: "python-evolution" });
	t.match((await shop.gaps("?graph=python-evolution")).body.graphs, [
		{ graph_id: "python-evolution", groups: 1, questions: 1, unpaid_usd: "0.50" },
	]);
});

t.test("of several questions in one call those without an answer are told", async (t) => {
	const shop = await openBooks(t);
	const { token } = await shop.issueSpt("25");
	const queries = ["zzzz qqqq xxxx", KNOWN_QUERY, "yyyy wwww vvvv"].map((query) => ({ query }));
	const { body } = await shop.send("/v1/search/batch", {
		method: "POST",
		headers: { "Content-Type": "application/json", "X-Pay-SPT": token },
		body: JSON.stringify({ queries }),
	});
	t.equal(body.meta.cost.amount_usd, "0.50");
	const found = (await shop.gaps()).body;
	t.match(found, { questions: 2, unpaid_usd: "1.00" });
	const questions = found.items.map(({ question }: { question: string }) => question).sort();
	t.same(questions, ["yyyy wwww vvvv", "zzzz qqqq xxxx"]);
});

t.test(
	"gaps are of the days asked for, and are forgotten with the text of the queries",
	async (t) => {
		const shop = await openBooks(t, "2026-03-10T23:00:00Z");
		const { token } = await shop.issueSpt("25");
		await ask(shop, token, "zzzz qqqq xxxx");
		shop.clock.set("2026-03-11T01:00:00Z");
		await ask(shop, token, "yyyy wwww vvvv");
		t.match((await shop.gaps("?since=2026-03-11")).body.items, [{ question: "yyyy wwww vvvv" }]);
		t.match((await shop.gaps("?until=2026-03-10")).body.items, [{ question: "zzzz qqqq xxxx" }]);
		shop.clock.set("2027-03-11T00:00:01Z");
		await shop.app.operator.purge();
		t.match((await shop.gaps()).body, { questions: 1, items: [{ question: "yyyy wwww vvvv" }] });
	},
);

t.test("accounts without retention leave no gap, nor do those that choose it later", async (t) => {
	const shop = await openAccount(t, { usd: "10.00" });
	const { ask: send, accountId, app } = shop;
	const askAs = (key: string, query: string) =>
		shop.search({ headers: { "X-API-Key": key }, body: { query, limit: 1 } });
	const gaps = () => app.operator.reportGaps({ limit: 20 });
	await askAs(shop.key, "zzzz qqqq xxxx");
	t.match(await gaps(), { questions: 1, items: [{ question: "zzzz qqqq xxxx" }] });
	await app.operator.setAccount({ account_id: accountId, zero_retention: true });
	t.equal((await send("PATCH", "/v1/account", { retention: "zero" })).status, 200);
	await askAs(shop.key, "yyyy wwww vvvv");
	t.match(await gaps(), { questions: 0, items: [], unpaid_usd: "0.00" });

	const second = await app.operator.createKey({ label: "" });
	await askAs(second.key, "zzzz qqqq xxxx");
	t.match(await gaps(), { questions: 1 });
	t.equal((await send("DELETE", "/v1/account", undefined, second.key)).status, 200);
	t.match(await gaps(), { questions: 0 }, "an erased account leaves nothing");
});

t.test("a job that ends without an answer is a gap of its price", async (t) => {
	const shop = await openBooks(t);
	const { token } = await shop.issueSpt("25");
	const headers = { "Content-Type": "application/json", "X-Pay-SPT": token };
	const { status, body } = await shop.send("/v1/research/deep-dive", {
		method: "POST",
		headers,
		body: JSON.stringify({ query: "zzzz qqqq xxxx" }),
	});
	t.equal(status, 202);
	// The gap is written beside the end of the job, which waits for nothing that only reports.
	let { items } = (await shop.gaps()).body;
	for (let tries = 0; tries < 4_000 && items.length === 0; tries += 1) {
		await new Promise((resolve) => setTimeout(resolve, 25));
		({ items } = (await shop.gaps()).body);
	}
	const job = await shop.send(`/v1/research/deep-dive/status/${body.data.job_id}`, { headers });
	t.equal(job.body.data.status, "completed");
	t.match(items, [
		{ question: "zzzz qqqq xxxx", operations: ["research.deep_dive"], unpaid_usd: "10.00" },
	]);
});
