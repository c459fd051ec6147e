import t, { type Test } from "tap";
import { startApp } from "../support/start-app.js";
import { type Answers, goodChallenge, priced, startForeign } from "./lying-server.js";
import { PRICE, probe, runProbe } from "./run-probe.js";

/** What is found wrong with one route `GET /thing` of 0.25 USD that answers like this. */
async function problemsOf(t: Test, answers: Answers): Promise<readonly string[]> {
	const { origin } = await startForeign(t, () => ({
		"GET /openapi.json": priced({ "/thing": { get: PRICE } }),
		...answers,
	}));
	const { routes, ok } = await probe(origin);
	t.equal(routes.length, 1);
	t.equal(ok, routes[0]?.status === "ok");
	return routes[0]?.problems ?? [];
}

t.test("every price our own server advertises is answered by a valid challenge", async (t) => {
	const { baseUrl } = await startApp(t, { settings: { model: "none" } });
	const report = await probe(baseUrl);
	t.same(report.problems, []);
	t.same(
		report.routes.filter(({ status }) => status === "problem"),
		[],
	);
	t.same(
		report.routes.filter(({ status }) => status === "skipped").map(({ route }) => route),
		["POST /v1/spt/top-up"],
		"whose job it tells of, and whose balance it adds to, must be known first",
	);
	t.equal(report.ok, true);
	t.same(report.documents, ["/.well-known/x402", "/openapi.json", "/.well-known/agent-card.json"]);
	const search = report.routes.find(({ route }) => route === "POST /v1/graphs/{graph_id}/search");
	t.match(search, { price_usd: "0.50", sources: ["/.well-known/x402", "/openapi.json"] });
	t.ok(report.routes.some(({ route }) => route === "A2A search_graph"));

	const behindProxy = await startApp(t, {
		settings: { model: "none", catalog: "none", publicUrl: "https://api.example.org" },
	});
	const skipped = await probe(behindProxy.baseUrl);
	t.equal(skipped.ok, false);
	t.match(skipped.problems, [/None of the advertised routes could be asked/]);
	t.match(skipped.routes[0]?.problems, [/advertised at another host/]);
});

t.test("a server that keeps its word is ok, whichever document states its prices", async (t) => {
	const { origin, asked } = await startForeign(t, () => ({
		"GET /.well-known/x402": { body: { version: 1, resources: ["/a", { resource: "/b" }] } },
		"GET /openapi.json": priced({
			"/c/{id}": {
				post: {
					"x-payment-info": {
						price: { mode: "fixed", currency: "USD", amount: "0.25" },
						protocols: [{ x402: {} }],
					},
					parameters: [{ name: "id", in: "path", example: "7" }],
					requestBody: {
						content: {
							"application/json": {
								schema: { properties: { q: { type: "string" } }, required: ["q"] },
							},
						},
					},
				},
			},
			"/free": { get: { "x-svc-price-usd": 0 } },
			"/d/{id}": { get: PRICE },
		}),
		"POST /a": goodChallenge("/a"),
		"GET /b": goodChallenge("/b"),
		"POST /c/7": goodChallenge("/c/7"),
	}));
	const report = await probe(origin);
	t.same(
		report.routes.map(({ route, status, ways }) => [route, status, ways.join()]),
		[
			["* /a", "ok", "x402 v2"],
			["* /b", "ok", "x402 v2"],
			["POST /c/{id}", "ok", "x402 v2"],
			["GET /d/{id}", "skipped", ""],
		],
	);
	t.equal(report.ok, true);
	t.match(report.routes[3]?.problems, [/no example of the path parameter "id"/]);
	t.notOk(
		asked.some((line) => line.endsWith("/free")),
		"what is free is left alone",
	);
	const few = await probe(origin, { routesMax: 1 });
	t.match(few, { unasked: 3, routes: [{ route: "* /a" }] });
});

t.test("a price that is not asked for is found out", async (t) => {
	t.match(await problemsOf(t, { "GET /thing": { body: { secret: 42 } } }), [
		"It is answered 200 without payment.",
	]);
	t.match(await problemsOf(t, {}), [/is answered 404, not 402/]);
	const bare = { status: 402, headers: { "Cache-Control": "no-store" }, body: {} };
	t.match(await problemsOf(t, { "GET /thing": bare }), ["The 402 names no way to pay."]);
});

t.test("another price than the advertised one is found out", async (t) => {
	const dearer = goodChallenge("/thing", { amount: "900000" });
	t.match(await problemsOf(t, { "GET /thing": dearer }), [
		/asks for 900000 atomic units; the advertised 0.25 USD are 250000/,
	]);
	const listing = {
		body: { items: [{ url: "/thing", method: "GET", price_usd: "0.20", example_input: {} }] },
	};
	const answers = { "GET /thing": goodChallenge("/thing"), "GET /.well-known/x402": listing };
	const problems = await problemsOf(t, answers);
	t.match(problems[0], /disagree about the price: 0.20 USD in .*x402, 0.25 USD in .*openapi/);
});

t.test("a challenge that no client can pay is found out", async (t) => {
	const cases: [changes: object, problem: RegExp][] = [
		[{ network: "base" }, /"accepts.0.network": is not in CAIP-2 form/],
		[{ amount: "0.25" }, /"accepts.0.amount": is no whole number/],
		[{ payTo: "0x12" }, /payTo "0x12" is no address on eip155:8453/],
		[{ asset: `0x${"0".repeat(40)}` }, /asset "0x0+" is no address/],
		[{ maxTimeoutSeconds: 0 }, /"accepts.0.maxTimeoutSeconds"/],
	];
	for (const [changes, problem] of cases) {
		const [first] = await problemsOf(t, { "GET /thing": goodChallenge("/thing", changes) });
		t.match(first, problem);
	}
	const garbled = {
		status: 402,
		headers: { "Cache-Control": "no-store", "PAYMENT-REQUIRED": "%%%" },
		body: { x402Version: 1, accepts: [{ scheme: "exact", network: "base-moon" }] },
	};
	const problems = await problemsOf(t, { "GET /thing": garbled });
	t.match(problems[0], "PAYMENT-REQUIRED is not base64-encoded JSON.");
	t.match(problems[1], /^The body's x402 challenge is not valid/);
});

t.test("a challenge for another route, and one that caches may keep, are found out", async (t) => {
	const foreign = goodChallenge("/other");
	t.match(await problemsOf(t, { "GET /thing": foreign }), [
		"The challenge is for /other, not for /thing.",
	]);
	const { "Cache-Control": _left, ...headers } = goodChallenge("/thing").headers ?? {};
	const kept = { ...goodChallenge("/thing"), headers };
	t.match(await problemsOf(t, { "GET /thing": kept }), [/lacks "Cache-Control: no-store"/]);
});

t.test("work that other methods get for nothing is found out", async (t) => {
	const problems = await problemsOf(t, {
		"GET /thing": goodChallenge("/thing"),
		"HEAD /thing": { status: 200 },
		"OPTIONS /thing": { status: 200, body: { secret: 42 } },
	});
	t.match(problems, [/^HEAD is answered 200/, /^OPTIONS is answered 200 with a document/]);
});

t.test("the probe asks the one host it was given, and says when no one answers", async (t) => {
	const other = await startForeign(t, () => ({}));
	const { origin } = await startForeign(t, () => ({
		"GET /.well-known/x402": { body: { resources: [`${other.origin}/elsewhere`] } },
	}));
	const report = await probe(origin);
	t.match(report.routes, [{ status: "skipped", problems: [/another host/] }]);
	t.same(other.asked, []);
	const empty = await startForeign(t, () => ({}));
	t.match(await probe(empty.origin), { ok: false, problems: [/No advertised price was found/] });
	await t.rejects(probe("http://127.0.0.1:9"), { code: "UNAVAILABLE" });
});

t.test("the command reports to a script by its exit code", async (t) => {
	const { origin } = await startForeign(t, () => ({
		"GET /openapi.json": priced({ "/thing": { get: PRICE }, "/lie": { get: PRICE } }),
		"GET /thing": goodChallenge("/thing"),
	}));
	const asJson = await runProbe(origin, "--json");
	t.equal(asJson.code, 3);
	const report = JSON.parse(asJson.stdout);
	t.match(report, { ok: false, routes: [{ status: "ok" }, { status: "problem" }] });
	const good = await runProbe(`${origin}/docs`, "--max", "1");
	t.equal(good.code, 0);
	t.match(good.stdout, /1 of 1 advertised prices are answered by a valid challenge/);
	t.match(good.stderr, /asked 1 of 1/);
	await t.rejects(runProbe("http://api.example.org"), { message: /cannot be probed/ });
	await t.rejects(runProbe(origin, "--timeout", "soon"), { message: /--timeout must be a number/ });
});
