import t from "tap";
import { goodChallenge, priced, startForeign } from "./lying-server.js";
import { PRICE, probe, runProbe } from "./run-probe.js";

t.test(
	"a document that cannot be read is a problem of its own; the others are asked",
	async (t) => {
		const { origin } = await startForeign(t, () => ({
			"GET /.well-known/x402": { status: 302, headers: { Location: "/elsewhere" } },
			"GET /openapi.json": priced({ "/thing": { get: PRICE }, "/moved": { get: PRICE } }),
			"GET /thing": goodChallenge("/thing"),
			"GET /moved": { status: 307, headers: { Location: "/" } },
			"GET /.well-known/agent-card.json": { body: nested("capabilities", 3_000) },
		}));
		const report = await probe(origin);
		t.match(report, { ok: false, documents: ["/openapi.json", "/.well-known/agent-card.json"] });
		t.match(report.problems, [/^\/.well-known\/x402 is not read: It is answered by a redirect/]);
		t.match(report.routes, [
			{ route: "GET /thing", status: "ok" },
			{ problems: ["It is answered by a redirect, which is not followed."] },
		]);
	},
);

t.test(
	"addresses that are templates, or are none, and odd amounts do not end the probe",
	async (t) => {
		const at = async (url: string, variables?: object) => {
			const { origin } = await startForeign(t, () => ({
				"GET /.well-known/x402": { body: { resources: ["/a%ff", { resource: "/b%ff" }] } },
				"GET /openapi.json": {
					body: { servers: [{ url, variables }], paths: { "/thing": { get: PRICE } } },
				},
				"GET /v2/thing": goodChallenge("/v2/thing"),
				"POST /a%ff": goodChallenge("/a%ff"),
				"POST /b%ff": {
					status: 402,
					headers: { "Cache-Control": "no-store" },
					body: { x402Version: 1, accepts: [V1_WITH_ODD_AMOUNT] },
				},
			}));
			const report = await probe(origin);
			t.same(
				report.routes.slice(0, 2).map(({ route, status }) => [route, status]),
				[
					["* /a%ff", "ok"],
					["* /b%ff", "ok"],
				],
			);
			return report.routes[2];
		};
		const known = await at("/{version}", { version: { default: "v2" } });
		t.match(known, { route: "GET /v2/thing", status: "ok" });
		const unknown = await at("https://{region}:{port}/v1");
		t.match(unknown, { status: "skipped", problems: [/its address, with that of the server/] });
	},
);

const V1_WITH_ODD_AMOUNT = {
	scheme: "exact",
	network: "base",
	asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
	payTo: `0x${"ab".repeat(20)}`,
	maxTimeoutSeconds: 60,
	maxAmountRequired: "250000",
	amount: "0.25 or so",
	resource: "/b",
	description: "",
};

t.test("a schema that names itself makes no endless example", async (t) => {
	const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
	const self = { $ref: "#/components/schemas/Node" };
	const { origin, asked } = await startForeign(t, () => ({
		"GET /openapi.json": {
			body: {
				components: {
					schemas: {
						Node: { required: names, properties: Object.fromEntries(names.map((n) => [n, self])) },
					},
				},
				paths: {
					"/thing": {
						post: { ...PRICE, requestBody: { content: { "application/json": { schema: self } } } },
					},
				},
			},
		},
		"POST /thing": goodChallenge("/thing"),
	}));
	t.match(await probe(origin), { ok: true });
	t.ok(asked.includes("POST /thing"));
});

function nested(key: string, depth: number): object {
	return depth === 0 ? {} : { [key]: nested(key, depth - 1) };
}

t.test("another server's text commands no terminal", async (t) => {
	const { origin } = await startForeign(t, () => ({
		"GET /openapi.json": priced({
			"/thing\u001b[2J\n\u202egniht\u009b31m": { get: PRICE },
		}),
	}));
	const { stdout } = await runProbe(origin);
	t.match(stdout, /^PROBLEM {2}GET \/thing gniht/);
	t.notMatch(stdout, /(?!\n)\p{Cc}|\u202e/u);
	const { stdout: json } = await runProbe(origin, "--json");
	t.notMatch(json, /\p{Cc}|\u202e/u);
	t.equal(JSON.parse(json).routes[0].route, "GET /thing\u001b[2J\n\u202egniht\u009b31m");
});
