import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { startApp } from "../support/start-app.js";
import { goodChallenge, startForeign } from "./lying-server.js";
import { runInProcess } from "./run-probe.js";

interface Registry {
	readonly name: string;
	readonly how: string;
	readonly missing: readonly string[];
}

async function announce(origin: string) {
	const { code, stdout } = await runInProcess("announce", origin, "--json");
	const { registries } = JSON.parse(stdout) as { readonly registries: readonly Registry[] };
	return { code, missing: new Map(registries.map(({ name, missing }) => [name, missing])) };
}

const LOCAL = "Registries reach https addresses on the internet alone.";
const NAMES = ["x402 Bazaar", "x402scan", "MCP registry", "A2A catalogs"];

t.test("of our own server nothing is missing but a public address", async (t) => {
	const chain = createSimChain({ now: systemClock.now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const { baseUrl } = await startApp(t, { onchain, settings: { model: "none" } });
	const { code, missing } = await announce(baseUrl);
	t.equal(code, 3);
	t.same(
		[...missing],
		NAMES.map((name) => [name, [LOCAL]]),
	);
	const { stdout } = await runInProcess("announce", baseUrl);
	t.match(stdout, /^MCP registry: not ready$/m);
	t.match(stdout, `  ${LOCAL}`);
});

t.test("what a server lacks is said by address", async (t) => {
	const { origin } = await startForeign(t, (origin) => ({
		"GET /.well-known/x402": {
			body: {
				items: [
					{ url: `${origin}/plain`, method: "POST" },
					{ url: `${origin}/bad`, method: "GET" },
					{ url: `${origin}/broken`, method: "GET" },
					{ url: "https://elsewhere.example/thing", method: "GET" },
					null,
				],
			},
		},
		"POST /plain": goodChallenge("/plain"),
		"GET /bad": { status: 400, body: {} },
		"GET /broken": { status: 402, headers: { "PAYMENT-REQUIRED": "%%" }, body: {} },
		"GET /server.json": { body: { name: "no-namespace", remotes: [] } },
		"GET /.well-known/agent-card.json": { body: [] },
	}));
	const { missing } = await announce(origin);
	const resources = [
		LOCAL,
		"/plain has no extensions.bazaar.",
		"/bad answers 400, not 402.",
		"/broken has no PAYMENT-REQUIRED that can be read.",
	];
	t.same(missing.get("x402scan"), resources);
	t.same(missing.get("x402 Bazaar"), resources);
	t.equal(missing.get("MCP registry")?.length, 5);
	t.same(missing.get("A2A catalogs"), [LOCAL, "The agent card names no skill."]);
	const nothing = await startForeign(t, () => ({}));
	const { missing: all } = await announce(nothing.origin);
	t.match(all.get("MCP registry"), [LOCAL, "/server.json is not served."]);
	t.match(all.get("A2A catalogs"), [LOCAL, "/.well-known/agent-card.json is not served."]);
	await t.rejects(runInProcess("announce", "http://example.org"), { code: "INVALID_ARGUMENT" });
	await t.rejects(runInProcess("announce", "not an address"), { code: "INVALID_ARGUMENT" });
});
