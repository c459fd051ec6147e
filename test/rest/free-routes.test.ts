import { EventEmitter, once } from "node:events";
import t, { type Test } from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import type { DataOperation as DataRoute } from "../../src/contract/operation.js";
import { FREE_OPERATION_IDS } from "../../src/contract/operations.js";
import { emptySearch } from "../service/empty-search.js";
import { heldClock } from "../support/held-clock.js";
import { ROUTES } from "../support/routes.js";
import { freeRequest, STATUS_OF } from "./free-requests.js";
import { errorOf, rawRequest } from "./raw-request.js";
import { startRest } from "./start-rest.js";

t.test("every free operation answers in the shape its route declares", async (t) => {
	const { baseUrl, unexpected } = await startRest(t);
	for (const id of FREE_OPERATION_IDS) {
		const route = ROUTES[id];
		const reply = await fetch(freeRequest(baseUrl, id));
		t.equal(reply.status, STATUS_OF[id] ?? 200, id);
		if (!reply.ok) continue;
		if (route.kind === "document") {
			t.equal(reply.headers.get("content-type"), route.mediaType);
			t.ok((await reply.arrayBuffer()).byteLength > 0);
		}
		if (route.kind === "data") await judgeData(t, route, reply);
	}
	t.same(unexpected, []);
});

async function judgeData(t: Test, { data, isList }: DataRoute, reply: Response): Promise<void> {
	const answer = (await reply.json()) as { ok: boolean; data: unknown; meta: object };
	t.equal(answer.ok, true);
	data.parse(answer.data);
	const request_id = reply.headers.get("x-request-id");
	t.same(answer.meta, isList ? { request_id, next_cursor: null } : { request_id });
}

t.test("a copy that is still good is not sent again", async (t) => {
	const { baseUrl } = await startRest(t);
	for (const path of [
		"/v1/graphs/catalog",
		"/v1/graphs/web-payments/readme",
		"/openapi.json",
		"/",
	]) {
		const first = await fetch(`${baseUrl}${path}`);
		const etag = first.headers.get("etag") ?? "";
		t.match(etag, /^W\/"[0-9a-f]+"$/, path);
		t.equal(first.headers.get("cache-control"), "public, max-age=60");
		await first.arrayBuffer();
		const headers = { "If-None-Match": `"other", ${etag}` };
		const again = await fetch(`${baseUrl}${path}`, { headers });
		t.equal(again.status, 304);
		t.equal(await again.text(), "");
		t.equal(again.headers.get("etag"), etag);
		const stale = await fetch(`${baseUrl}${path}`, { headers: { "If-None-Match": 'W/"0"' } });
		t.equal(stale.status, 200);
		await stale.arrayBuffer();
	}
});

t.test("what changes from moment to moment, or is secret, is not kept", async (t) => {
	const { baseUrl } = await startRest(t);
	const health = await fetch(`${baseUrl}/v1/health`);
	t.equal(health.headers.get("cache-control"), "no-store");
	t.equal(health.headers.get("etag"), null);
	const headers = { Authorization: "Bearer spt_good" };
	const token = await fetch(`${baseUrl}/v1/spt/validate`, { headers });
	t.equal(token.headers.get("cache-control"), "private, no-store");
});

t.test("HEAD on a free path answers as GET would, without a body", async (t) => {
	const { baseUrl } = await startRest(t);
	const get = await fetch(`${baseUrl}/v1/graphs/catalog`);
	const head = await rawRequest(baseUrl, { method: "HEAD", path: "/v1/graphs/catalog" });
	t.equal(head.status, 200);
	t.equal(head.text, "");
	t.equal(head.headers.etag, get.headers.get("etag"));
	t.equal(Number(head.headers["content-length"]), (await get.arrayBuffer()).byteLength);
});

t.test("other methods of a free path are refused by name", async (t) => {
	const { baseUrl } = await startRest(t);
	for (const method of ["POST", "DELETE", "TRACE"]) {
		const reply = await rawRequest(baseUrl, { method, path: "/v1/graphs/catalog" });
		t.equal(reply.status, 405);
		t.equal(reply.headers.allow, "GET, HEAD");
	}
});

t.test("a token is checked from a header, and only from there", async (t) => {
	const { baseUrl } = await startRest(t);
	const ask = (headers: Record<string, string>, query = "") =>
		fetch(`${baseUrl}/v1/spt/validate${query}`, { headers });
	const active = async (reply: Response) =>
		((await reply.json()) as { data: { active: boolean } }).data.active;

	t.equal(await active(await ask({ Authorization: "Bearer spt_good" })), true);
	t.equal(await active(await ask({ "X-Pay-SPT": "spt_unknown" })), false);
	t.equal((await ask({})).status, 400);
	t.equal((await ask({}, "?token=spt_good")).status, 400);
	t.equal((await ask({ "X-API-Key": "sk_live_x" })).status, 400);
	t.equal((await ask({ Authorization: "Bearer something" })).status, 400);
});

t.test("unknown names are not found, and the reply says what is known", async (t) => {
	const { baseUrl } = await startRest(t);
	const paths = [
		"/v1/graphs/nothing",
		"/v1/graphs/nothing/readme",
		"/v1/graph-slice?graph_id=nothing",
		"/v1/graphs/catalog/readme",
		"/v1/graphs/__proto__",
		"/v1/no-such-operation",
		"/v2/graphs/catalog",
		"/V1/health",
		"/v1/health/",
	];
	for (const path of paths) {
		const reply = await fetch(`${baseUrl}${path}`);
		t.equal(reply.status, 404, path);
		const error = await errorOf(reply);
		t.equal(error.code, "NOT_FOUND");
		t.equal(error.request_id, reply.headers.get("x-request-id"));
	}
});

t.test("a graph is found by its slug as well as by its id", async (t) => {
	const { baseUrl } = await startRest(t);
	const idOf = async (name: string) =>
		(
			(await (await fetch(`${baseUrl}/v1/graphs/${name}`)).json()) as {
				data: { id: string };
			}
		).data.id;
	t.equal(await idOf("web-payments"), "web-payments");
	t.equal(await idOf("payments-on-the-web"), "web-payments");
});

t.test("a query that does not fit is refused with the place of the mistake", async (t) => {
	const { baseUrl } = await startRest(t);
	const cases: [path: string, detail: { path: string; message: string }][] = [
		["/v1/graph-slice", { path: "graph_id", message: "is required" }],
		["/v1/experts/search", { path: "q", message: "is required" }],
		["/v1/experts/search?q=", { path: "q", message: "must not be empty" }],
		["/v1/experts/search?q=x&limit=0", { path: "limit", message: "must be at least 1" }],
		["/v1/experts/search?q=x&limit=51", { path: "limit", message: "must be at most 50" }],
		...["two", "1e1", "0x10", "", "%205", "+5", "0010", "5.0"].map(
			(limit): (typeof cases)[number] => [
				`/v1/experts/search?q=x&limit=${limit}`,
				{ path: "limit", message: "must be a whole number" },
			],
		),
		["/v1/experts/search?q=x&q=y", { path: "q", message: "was sent more than once" }],
		["/v1/graphs/catalog?page=2", { path: "page", message: "is not a known field" }],
		["/v1/health?__proto__=1", { path: "__proto__", message: "is not a known field" }],
	];
	for (const [path, detail] of cases) {
		const reply = await fetch(`${baseUrl}${path}`);
		t.equal(reply.status, 400, path);
		t.same((await errorOf(reply)).details, [detail], path);
	}
});

t.test("the bundle is offered for saving", async (t) => {
	const { baseUrl } = await startRest(t);
	const reply = await fetch(`${baseUrl}/v1/catalog.okf`);
	t.equal(reply.headers.get("content-disposition"), 'attachment; filename="catalog.okf.zip"');
	t.same([...new Uint8Array(await reply.arrayBuffer()).slice(0, 2)], [0x50, 0x4b]);
});

t.test("the root points to where a visitor goes from here", async (t) => {
	const { baseUrl } = await startRest(t);
	const { links } = (await (await fetch(`${baseUrl}/`)).json()) as {
		links: Record<string, string>;
	};
	t.match(links, {
		openapi: `${baseUrl}/openapi.json`,
		agent_card: `${baseUrl}/.well-known/agent-card.json`,
		catalog: `${baseUrl}/v1/graphs/catalog`,
	});
});

t.test("one address may check so many tokens a minute, then has to wait", async (t) => {
	const clock = heldClock();
	const { baseUrl } = await startRest(t, { clock });
	clock.hold();
	const check = () =>
		fetch(`${baseUrl}/v1/spt/validate`, { headers: { "X-Pay-SPT": "spt_guess" } });
	const answers = await Promise.all(
		Array.from({ length: 2 * LIMITS.sptChecksPerMinute }, async () => (await check()).status),
	);
	const answered = answers.filter((status) => status === 200).length;
	t.equal(answered, LIMITS.sptChecksPerMinute);
	const refused = await check();
	t.equal(refused.status, 429);
	t.match(refused.headers.get("retry-after"), /^1$/);
	t.match(await errorOf(refused), { code: "RATE_LIMITED", retryable: true });
	t.equal((await fetch(`${baseUrl}/v1/health`)).status, 200, "everything else goes on");
});

t.test("a free search ends when its caller leaves", async (t) => {
	const events = new EventEmitter();
	const { baseUrl } = await startRest(t, {
		search: {
			...emptySearch,
			find: ({ signal }) =>
				new Promise((_, reject) => {
					signal.addEventListener("abort", () => {
						events.emit("aborted");
						reject(signal.reason);
					});
					events.emit("asked");
				}),
		},
	});
	const aborted = once(events, "aborted");
	const caller = new AbortController();
	events.once("asked", () => caller.abort());
	await t.rejects(fetch(`${baseUrl}/v1/experts/search?q=x`, { signal: caller.signal }));
	await aborted;
});
