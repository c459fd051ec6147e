import t from "tap";
import { searchReplySchema } from "../../src/contract/contract.js";
import { startApp, type TestApp } from "../support/start-app.js";
import { errorOf, post } from "./raw-request.js";
import { startRest } from "./start-rest.js";

const conceptFile = (title: string, more: string) =>
	`---\ntype: ${title.includes("rule") ? "Rule" : "Event"}\ntitle: ${title}\ndescription: How the harbour pilot guides ships.\n${more}---\nThe harbour pilot guides a ship through the channel: ${title}.\n`;

const source = (day: string) =>
	`sources:\n  - { resource: "https://example.org/${day}", title: Log, last_modified: "${day}" }\n`;

const HARBOUR = {
	"graph.md":
		"---\ntype: domain\nid: harbour\ntitle: Harbour\nversion: 1.0.0\nupdated: '2020-01-01'\n---\nShips.\n",
	"index.md":
		'---\nokf_version: "0.2"\n---\n# Harbour\n\n* [Night rule](night.md)\n* [Collision](collision.md)\n* [Grounding](grounding.md)\n',
	"night.md": conceptFile("Night rule", `tags: [Night, safety]\n${source("2015-05-05")}`),
	"collision.md": conceptFile("Collision", `tags: [safety]\n${source("2020-06-01")}`),
	"grounding.md": conceptFile("Grounding", ""),
};

interface Row {
	readonly name: string;
	readonly score: number;
	readonly explanation?: object;
}

/** A shop with one graph, and a way to search it for its three concepts. */
async function startHarbour(t: Parameters<typeof startApp>[0]) {
	const root = t.testdir({ graphs: { harbour: HARBOUR } });
	const app = await startApp(t, {
		folder: `${root}/data`,
		settings: { catalog: `${root}/graphs`, model: "none" },
	});
	const { token, id } = await app.issueSpt("20");
	const search = (more: object, path = "graphs/harbour/search") => ask(app, { path, token, more });
	const balance = () => app.app.store.read((reader) => reader.balance(`cust:${id}`));
	return { search, balance };
}

function ask(app: TestApp, { path, token, more }: { path: string; token: string; more: object }) {
	return app.send(`/v1/${path}`, {
		method: "POST",
		headers: { "Content-Type": "application/json", "X-Pay-SPT": token },
		body: JSON.stringify({ query: "how does the pilot guide ships through the channel", ...more }),
	});
}

t.test("only rows that meet every filter are returned", async (t) => {
	const { search } = await startHarbour(t);
	const names = async (filters?: object, path?: string) => {
		const { status, body } = await search({ filters }, path);
		t.equal(status, 200, JSON.stringify(body));
		return body.rows.map(({ name }: Row) => name).sort();
	};
	const all = ["Collision", "Grounding", "Night rule"];
	t.same(await names(), all);
	t.same(await names({}), all);
	t.same(await names({ type: ["rule"] }), ["Night rule"]);
	t.same(await names({ type: ["rule", "event"] }), all);
	t.same(await names({ tags: ["night", "nothing"] }), ["Night rule"]);
	t.same(await names({ published_after: "2020-06-01" }), ["Collision"], "the day itself counts");
	t.same(await names({ published_before: "2020-05-31" }), ["Night rule"]);
	t.same(await names({ published_after: "2015-05-05", published_before: "2020-06-01" }), [
		"Collision",
		"Night rule",
	]);
	t.same(await names({ trust_tier: "unverified" }), all);
	t.same(await names({ tags: ["safety"], type: ["Event"] }), ["Collision"]);
	t.same(await names({ kind: ["domain", "expert"], tags: ["night"] }, "search/domain"), [
		"Night rule",
	]);
});

t.test("where no row passes there is no answer, and nothing is charged", async (t) => {
	const { search, balance } = await startHarbour(t);
	const before = await balance();
	const cases: [filters: object, path?: string][] = [
		[{ tags: ["nothing"] }],
		[{ published_after: "2020-06-02" }],
		[{ trust_tier: "human-reviewed" }],
		[{ kind: ["expert"] }, "search/domain"],
	];
	for (const [filters, path] of cases) {
		const { status, body } = await search({ filters }, path);
		t.equal(status, 200, JSON.stringify(filters));
		t.match(body, {
			dataStatus: "NO_MATCH",
			rows: { length: 0 },
			meta: { decision: "ABSTAIN", cost: { charged: false } },
		});
	}
	t.equal(await balance(), before);
});

t.test("an explanation changes neither ranking nor price", async (t) => {
	const { search, balance } = await startHarbour(t);
	const plain = await search({});
	const priceMicros = 20_000_000n - (await balance());
	const explained = await search({ explain: true });
	searchReplySchema.parse(explained.body);
	const rows: Row[] = explained.body.rows;
	t.ok(rows.every(({ explanation }) => explanation));
	t.same(
		rows.map(({ explanation: _, ...row }) => row),
		plain.body.rows,
	);
	t.equal(20_000_000n - (await balance()), 2n * priceMicros);
	t.match(rows[0]?.explanation, { bm25: Number, cosine: null, dense_share: null, terms: Array });
	t.match(plain.body.meta, { mode: "keyword", mode_reason: /\.$/ });
});

t.test("a filter that does not fit is refused with its name", async (t) => {
	const { baseUrl, calls } = await startRest(t);
	const many = Array.from({ length: 21 }, (_, index) => `tag ${index}`);
	const day = "must be a day of the calendar, written YYYY-MM-DD";
	const cases: [filters: unknown, path: string, message: string | RegExp][] = [
		[{ color: "red" }, "filters.color", "is not a known field"],
		[{ kind: ["domain"] }, "filters.kind", "is not a known field"],
		[{ tags: "http" }, "filters.tags", "must be an array"],
		[{ tags: [] }, "filters.tags", "must not be an empty list"],
		[{ tags: many }, "filters.tags", "must list at most 20 values"],
		[{ tags: [7] }, "filters.tags.0", "must be a string"],
		[{ tags: ["a", " "] }, "filters.tags.1", "must not be empty"],
		[{ type: ["x".repeat(101)] }, "filters.type.0", "must have at most 100 characters"],
		[{ published_after: "2023-02-29" }, "filters.published_after", day],
		[{ published_after: "2023-2-9" }, "filters.published_after", day],
		[{ published_before: "2023-01-01T00:00:00Z" }, "filters.published_before", day],
		[{ published_before: 2023 }, "filters.published_before", day],
		[
			{ published_after: "2023-01-02", published_before: "2023-01-01" },
			"filters.published_before",
			'must not be earlier than "filters.published_after"',
		],
		[{ trust_tier: "high" }, "filters.trust_tier", /^must be one of human-reviewed, /],
		[{ trust_tier: ["unverified"] }, "filters.trust_tier", /^must be one of /],
		[["domain"], "filters", "must be an object"],
		[null, "filters", "must be an object"],
		[JSON.parse('{"__proto__":{}}'), "filters.__proto__", "is not a known field"],
	];
	for (const [filters, path, message] of cases) {
		const body = JSON.stringify({ query: "x", filters });
		const reply = await post(`${baseUrl}/v1/graphs/web-payments/search`, body);
		const error = await errorOf(reply);
		t.equal(reply.status, 400, body);
		t.match(error.details, [{ path, message }], body);
		t.match(error.message, path);
	}
	const kind = await post(`${baseUrl}/v1/search/domain`, { query: "x", filters: { kind: ["x"] } });
	t.match((await errorOf(kind)).details, [
		{ path: "filters.kind.0", message: /^must be one of expert, / },
	]);
	const explain = await post(`${baseUrl}/v1/search/expert`, { query: "x", explain: "yes" });
	t.match((await errorOf(explain)).details, [{ path: "explain", message: "must be a boolean" }]);
	t.same(calls, [], "nothing was sold");
});
