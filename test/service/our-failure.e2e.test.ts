import { once } from "node:events";
import t, { type Test } from "tap";
import { ServiceError } from "../../src/kernel/errors.js";
import { type McpShop, startMcp } from "../mcp/start-mcp.js";

const shop = await startMcp(t);
const headers = { "Content-Type": "application/json", Accept: "application/json" };
const TRANSPORTS = {
	rest: (signal?: AbortSignal) =>
		fetch(`${shop.baseUrl}/v1/search/route`, {
			method: "POST",
			headers,
			body: JSON.stringify({ query: "x" }),
			...(signal && { signal }),
		}),
	mcp: (signal?: AbortSignal) =>
		fetch(`${shop.baseUrl}/mcp`, {
			method: "POST",
			headers: {
				...headers,
				Accept: "application/json, text/event-stream",
				"X-API-Key": shop.key,
			},
			body: JSON.stringify({
				...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
				params: { name: "route_query", arguments: { query: "x" } },
			}),
			...(signal && { signal }),
		}),
};
for (const [name, ask] of Object.entries(TRANSPORTS)) {
	t.test(`${name}: what is our failure is logged once, meant or not`, async (t) => {
		const failures = [
			new Error("out of order"),
			new ServiceError("INTERNAL", "What is written once was written twice."),
		];
		for (const failure of failures) {
			breakRouting(t, () => Promise.reject(failure));
			const before = shop.logged.length;
			t.match(await (await ask()).text(), /INTERNAL/);
			const lines = shop.logged.slice(before);
			t.equal(lines.length, 1, failure.message);
			t.ok(lines[0]?.includes(failure.message));
		}
	});

	t.test(`${name}: what breaks because its caller has left is not`, async (t) => {
		const caller = new AbortController();
		const broken = new EventTarget();
		breakRouting(t, (signal) => {
			caller.abort();
			return new Promise((_, reject) => {
				signal.addEventListener("abort", () => {
					reject(new Error("out of order"));
					broken.dispatchEvent(new Event("broken"));
				});
			});
		});
		const before = shop.logged.length;
		const isBroken = once(broken, "broken");
		await t.rejects(ask(caller.signal));
		await isBroken;
		// One more request goes all the way, and with it whatever the first one still had to say.
		await shop.send("/v1/graphs");
		t.same(shop.logged.slice(before), []);
	});

	t.test(`${name}: what a caller did wrong is not`, async (t) => {
		breakRouting(t, () => Promise.reject(new ServiceError("INVALID_ARGUMENT", "No.")));
		const before = shop.logged.length;
		t.match(await (await ask()).text(), /INVALID_ARGUMENT/);
		t.same(shop.logged.slice(before), []);
	});
}

/** For this test, in the engine that every transport asks at the end. */
function breakRouting(t: Test, route: (signal: AbortSignal) => Promise<never>): void {
	const engine = shop.app.search as { route: McpShop["app"]["search"]["route"] };
	const whole = engine.route;
	engine.route = ({ signal }) => route(signal ?? new AbortController().signal);
	t.teardown(() => {
		engine.route = whole;
	});
}
