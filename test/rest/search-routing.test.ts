import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { emptySearch } from "../service/empty-search.js";
import { filesWith } from "../support/files-below.js";
import { heldClock } from "../support/held-clock.js";
import { startApp } from "../support/start-app.js";
import { errorOf, post } from "./raw-request.js";
import { startRest } from "./start-rest.js";

const WORD = /[\p{L}\p{N}]+/gu;

interface Routed {
	readonly graph_id: string;
	readonly slug: string;
	readonly title: string;
	readonly type: string;
	readonly decision: string;
	readonly strength: number;
	readonly covered: readonly string[];
	readonly missing: readonly string[];
	readonly rows_available: number;
	readonly operation: string;
	readonly resource: { readonly method: string; readonly url: string };
}

async function startRouting(t: Parameters<typeof startApp>[0]) {
	const shop = await startApp(t, { settings: { model: "none" } });
	const route = (body: object) =>
		shop.send("/v1/search/route", {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify(body),
		});
	return { ...shop, route };
}

/** One shop for the questions below: the sample catalog takes a while to index. */
const sample = startRouting(t);

t.test("a query is routed to the graphs that would answer it, strongest first", async (t) => {
	const { route, search, issueSpt } = await sample;
	const query = "How does EIP-3009 transferWithAuthorization let somebody else submit a transfer?";
	const { status, headers, body } = await route({ query });
	t.equal(status, 200);
	t.equal(headers.get("cache-control"), "no-store");
	t.match(body, { ok: true, data: { query, mode: "keyword", mode_reason: /\.$/ } });
	const graphs: Routed[] = body.data.graphs;
	t.ok(graphs.length > 0 && graphs.length <= LIMITS.routedGraphsDefault);
	t.same(
		graphs.map(({ strength }) => strength),
		graphs.map(({ strength }) => strength).sort((a, b) => b - a),
	);
	const [best] = graphs;
	t.match(best, {
		graph_id: "agent-payments",
		type: "domain",
		price_usd: "0.50",
		operation: "graphs.search",
		resource: { method: "POST", url: /\/v1\/graphs\/agent-payments\/search$/ },
	});
	const { token } = await issueSpt("5");
	const sold = await search({ graph: best?.graph_id ?? "", token, body: { query, limit: 50 } });
	t.equal(sold.body.meta.decision, best?.decision, "it sells what was promised");
	t.ok(sold.body.rows.length > 0);
});

t.test("kinds of graph and a limit narrow it", async (t) => {
	const { route } = await sample;
	const query = "security of HTTP servers and tokens";
	const types = async (more: object) =>
		(await route({ query, ...more })).body.data.graphs.map(({ type }: Routed) => type);
	const all: string[] = await types({ limit: LIMITS.routedGraphsMax });
	t.ok(new Set(all).size > 1, all.join());
	const experts: string[] = await types({ limit: LIMITS.routedGraphsMax, type: ["expert"] });
	t.ok(experts.length > 0);
	t.same(new Set(experts), new Set(["expert"]));
	t.equal((await types({ limit: 1 })).length, 1);
	const noOne = await route({ query: "zyxwvut qponmlk" });
	t.match(noOne.body.data, { graphs: [], missing: ["zyxwvut", "qponmlk"] });
});

t.test("a route states the caller's own words and nothing the graphs are sold for", async (t) => {
	const { app, route } = await sample;
	const concepts = app.catalog.list().flatMap((graph) => graph.concepts);
	const queries = app.catalog.list().flatMap(({ record, concepts: [first, second] }) => {
		const typo = first?.title.replace(/(\w{3})(\w)(\w)/, "$1$3$2") ?? "";
		return [record.exampleQueries[0] ?? record.title, typo, second?.summary.slice(0, 200) ?? ""];
	});
	const fields =
		"covered decision graph_id missing operation price_usd resource rows_available slug strength title type";
	for (const query of queries.slice(0, LIMITS.routedQueriesPerMinute)) {
		const { status, body } = await route({ query, limit: LIMITS.routedGraphsMax });
		t.equal(status, 200, query);
		// 911,000 is read as one figure.
		const asked = new Set(
			query
				.toLowerCase()
				.replace(/(?<=\d),(?=\d{3})/g, "")
				.match(WORD),
		);
		const { query: _, graphs, ...rest } = body.data;
		const told: string[] = graphs.flatMap((graph: Routed) => {
			t.equal(Object.keys(graph).sort().join(" "), fields);
			return [...graph.covered, ...graph.missing];
		});
		const words = [...told, ...rest.missing].join(" ").toLowerCase().match(WORD) ?? [];
		t.same(
			words.filter((word) => !asked.has(word)),
			[],
			"every word is the caller's",
		);
		// The catalog's own fields are free for anybody; everything else is searched for content.
		const bare = graphs.map(({ graph_id, slug, title, resource, ...more }: Routed) => more);
		const text = JSON.stringify([bare, rest]).toLowerCase();
		const leaked = concepts.flatMap(({ id, title, summary }) =>
			[id, title, summary].filter(
				(secret) => text.includes(secret.toLowerCase()) && !isAsked(secret, asked),
			),
		);
		t.same(leaked, []);
	}
});

/** A name made of the query's own words was known before. */
function isAsked(name: string, asked: ReadonlySet<string>): boolean {
	return (name.toLowerCase().match(WORD) ?? []).every((word) => asked.has(word));
}

t.test("what does not fit is refused with the place of the mistake", async (t) => {
	const { baseUrl } = await startRest(t);
	const cases: [body: object, path: string, message: string | RegExp][] = [
		[{}, "query", "is required"],
		[{ query: "  " }, "query", "must not be empty"],
		[{ query: "x".repeat(2_001) }, "query", "must have at most 2000 characters"],
		[{ query: "x", limit: 21 }, "limit", "must be at most 20"],
		[{ query: "x", limit: 0 }, "limit", "must be at least 1"],
		[{ query: "x", type: "domain" }, "type", "must be an array"],
		[{ query: "x", type: ["planet"] }, "type.0", /^must be one of expert, /],
		[{ query: "x", type: [] }, "type", "must not be an empty list"],
		[{ query: "x", filters: {} }, "filters", "is not a known field"],
	];
	for (const [body, path, message] of cases) {
		const reply = await post(`${baseUrl}/v1/search/route`, body, { token: null });
		t.equal(reply.status, 400, JSON.stringify(body).slice(0, 80));
		t.match((await errorOf(reply)).details, [{ path, message }]);
	}
	const get = await fetch(`${baseUrl}/v1/search/route`);
	t.same([get.status, get.headers.get("allow")], [405, "POST"]);
});

t.test("one address may ask so often a minute, then has to wait", async (t) => {
	const clock = heldClock();
	const { baseUrl } = await startRest(t, { clock });
	clock.hold();
	const ask = async () => {
		const reply = await post(`${baseUrl}/v1/search/route`, { query: "x" }, { token: null });
		await reply.arrayBuffer();
		return reply;
	};
	const replies = [];
	for (let asked = 0; asked < LIMITS.routedQueriesPerMinute + 20; asked++)
		replies.push(await ask());
	const refused = replies.filter(({ status }) => status === 429);
	t.equal(refused.length, 20);
	t.match(refused[0]?.headers.get("retry-after"), /^1$/);
	t.equal((await fetch(`${baseUrl}/v1/health`)).status, 200, "everything else goes on");
});

t.test("free questions wait for one another, and too many are turned away", async (t) => {
	let release = () => {};
	const held = new Promise<void>((resolve) => {
		release = resolve;
	});
	const { baseUrl } = await startRest(t, {
		search: {
			...emptySearch,
			async route() {
				await held;
				return { graphs: [], missing: [], mode: "keyword" };
			},
		},
	});
	const places = LIMITS.freeSearchesRunning + LIMITS.freeSearchesWaiting;
	let refused = 0;
	const asked = Array.from({ length: places + 8 }, async () => {
		const reply = await post(`${baseUrl}/v1/search/route`, { query: "x" }, { token: null });
		if (reply.status === 429 && ++refused === 8) release();
		return reply.status;
	});
	const statuses = await Promise.all(asked);
	t.equal(statuses.filter((status) => status === 200).length, places);
	t.equal(refused, 8);
});

t.test("a routed query is kept nowhere", async (t) => {
	const { route, folder, close } = await sample;
	const canary = "quetzalcoatlus";
	t.equal((await route({ query: `payment tokens ${canary}` })).status, 200);
	await close();
	t.same(filesWith(folder, canary), []);
});
