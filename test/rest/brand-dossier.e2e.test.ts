import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp } from "../support/start-app.js";

const { now } = systemClock;
const chain = createSimChain({ now });
const facilitator = createSimFacilitator({ chain, clock: systemClock });
const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
const shop = await startApp(t, { onchain, settings: { model: "none", accounts: "open" } });
const wallet = createSimWallet(chain, { name: "agent", now, balance: 100_000_000n });
const { token } = await shop.issueSpt("100.00");
const { key } = await shop.app.operator.createKey({ usd: "100.00" });

type Headers = Readonly<Record<string, string>>;
const SPT: Headers = { "X-Pay-SPT": token };
const KEY: Headers = { "X-API-Key": key };
const paying = (value: bigint): Headers => ({
	"PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value })),
});
const send = (method: string, path: string, headers: Headers, body?: object) =>
	shop.send(path, {
		method,
		headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
		...(body && { body: JSON.stringify(body) }),
	});
const balance = async () =>
	(await send("GET", "/v1/spt/balance", SPT)).body.data.balance_usd as string;

const BRAND = "/v1/brand-intelligence/Apple";
const TOPIC = { topic: "Gasless transfers with signed authorizations" };
const DOSSIERS = "/v1/intelligence/dossiers";

t.test("a brand costs its flat price once, on a balance and on a chain", async (t) => {
	const unpaid = await send("POST", BRAND, {}, {});
	t.match(unpaid, {
		status: 402,
		body: { price: { amount_usd: "30.00", billing_type: "brand_flat" } },
	});
	const paid = await send("POST", BRAND, SPT, { compare_with: ["Visa"] });
	t.match(paid, {
		status: 200,
		body: {
			data: { brand: { id: "apple" }, share_of_voice: [{ share: Number }, {}] },
			meta: { cost: { amount_usd: "30.00", billing_type: "brand_flat", charged: true } },
		},
	});
	const shares = paid.body.data.share_of_voice.map(({ share }: { share: number }) => share);
	t.equal(shares[0] + shares[1], 1);
	t.equal(await balance(), "70.00");
	t.equal((await send("POST", BRAND, paying(30_000_000n), {})).status, 200);
	t.equal(chain.transactions.length, 1);
});

t.test("what no graph knows, and what nothing is said of, costs nothing on any rail", async (t) => {
	const before = [await balance(), chain.transactions.length];
	const unknown = "/v1/brand-intelligence/Aple";
	for (const headers of [SPT, KEY, paying(30_000_000n), {}]) {
		const reply = await send("POST", unknown, headers, {});
		t.match(reply, { status: 404, body: { error: { message: /near it .*Apple/ } } });
	}
	for (const said of ["A history of fruit: Apple", "Apple. A history of the fruit"]) {
		const path = `/v1/brand-intelligence/${encodeURIComponent(said)}`;
		t.equal((await send("POST", path, SPT, {})).status, 404, "no share, no domain");
	}
	for (const headers of [SPT, KEY, paying(500_000n), {}]) {
		t.equal((await send("GET", "/v1/brands/nobody-at-all/signals", headers)).status, 404);
		const body = { brands: ["Apple", "nobody at all"] };
		t.equal((await send("POST", "/v1/brands/compare", headers, body)).status, 404);
	}
	for (const headers of [SPT, KEY, paying(500_000n)]) {
		const path = `${DOSSIERS}/dos_01kg9yz3v0f6x2m8q4t7w1ab2c/refresh`;
		t.equal((await send("POST", path, headers)).status, 404);
		const graphs = { ...TOPIC, graphs: ["nowhere"] };
		t.equal((await send("POST", "/v1/intelligence/dossier", headers, graphs)).status, 404);
	}
	for (const headers of [SPT, KEY]) {
		const window = { from: "1990-01-01", to: "1990-12-31" };
		const silent = await send("POST", BRAND, headers, { window });
		t.match(silent, { status: 404, body: { error: { message: /0 mentions in 0 graphs/ } } });
		const little = await send("POST", "/v1/brand-intelligence/exxon-mobil", headers, {});
		t.match(little, { status: 404, body: { error: { message: /sold from 10 mentions by 3/ } } });
		const none = await send("POST", "/v1/intelligence/dossier", headers, { topic: "zorblax" });
		t.match(none, { status: 200, body: { meta: { cost: { charged: false } } } });
	}
	t.equal((await send("POST", BRAND, SPT, { window: "soon" })).status, 400);
	t.equal(
		(await send("GET", "/v1/brands/Apple/timeline?window=2y&from=2025-01-01", SPT)).status,
		400,
	);
	t.same([await balance(), chain.transactions.length], before);
});

t.test("readings of a brand are paid by the call", async (t) => {
	for (const path of ["signals", "timeline?bucket=year", "sources"]) {
		const reply = await send("GET", `/v1/brands/Apple/${path}`, SPT);
		t.match(reply, { status: 200, body: { meta: { cost: { amount_usd: "0.50" } } } }, path);
		t.ok(reply.body.data.items.length > 0);
		t.ok(reply.body.data.citations.length > 0);
	}
	const compared = await send("POST", "/v1/brands/compare", SPT, { brands: ["Apple", "MCP"] });
	t.equal(compared.status, 404, "a protocol is neither an organization nor a product");
});

t.test(
	"a dossier is read, exported, refreshed and deleted by the caller who paid for it",
	async (t) => {
		const made = await send("POST", "/v1/intelligence/dossier", SPT, TOPIC);
		t.equal(made.status, 200);
		const { dossier_id: id, kept_until: keptUntil } = made.body.data;
		t.ok(Date.parse(keptUntil) > now());
		const path = `${DOSSIERS}/${id}`;
		t.match((await send("GET", path, SPT)).body.data, { dossier_id: id, version: 1 });
		t.match((await send("GET", DOSSIERS, SPT)).body.data.items, [{ dossier_id: id, ...TOPIC }]);

		for (const [format, mediaType] of [
			["md", "text/markdown"],
			["json", "application/json"],
			["html", "text/html"],
		]) {
			const file = await send("GET", `${path}/export?format=${format}`, SPT);
			t.equal(file.status, 200);
			t.match(file.headers.get("content-type"), mediaType);
			t.match(file.headers.get("content-disposition"), `${id}.${format}`);
			t.match(file.headers.get("cache-control"), /private, no-store/);
			t.match(JSON.stringify(file.body), /EIP-3009|EIP\\\\-3009/);
		}
		t.equal((await send("GET", `${path}/export?format=pdf`, SPT)).status, 400);

		const newer = await send("POST", `${path}/refresh`, SPT);
		t.match(newer.body.data, { version: 2, previous_id: id, diff: { added: [], removed: [] } });
		const { summary, findings } = made.body.data;
		t.equal(newer.body.data.diff.unchanged, summary.length + findings.length);
		t.match((await send("GET", `${DOSSIERS}/${newer.body.data.dossier_id}`, SPT)).status, 200);

		for (const headers of [KEY, {}]) {
			for (const [method, at] of [
				["GET", path],
				["GET", `${path}/export`],
				["DELETE", path],
			] as const) {
				t.equal((await send(method, at, headers)).status, 404, `${method} by a stranger`);
			}
		}
		t.equal((await send("POST", `${path}/refresh`, KEY)).status, 404);
		t.equal((await send("GET", DOSSIERS, {})).status, 401);
		t.same((await send("GET", DOSSIERS, KEY)).body.data.items, []);
		t.equal((await send("DELETE", path, SPT)).status, 200);
		t.equal((await send("GET", path, SPT)).status, 404);
		t.equal((await send("POST", `${path}/refresh`, SPT)).status, 404);
	},
);

t.test("what a wallet paid for is opened by its id; a retry finds the same dossier", async (t) => {
	const headers = { ...paying(500_000n), "Idempotency-Key": "once" };
	const [made, again] = [
		await send("POST", "/v1/intelligence/dossier", headers, TOPIC),
		await send("POST", "/v1/intelligence/dossier", headers, TOPIC),
	];
	const { dossier_id: id } = made.body.data;
	t.equal(again.body.data.dossier_id, id);
	t.equal(again.body.meta.cost.replayed, true);
	t.equal((await send("GET", `${DOSSIERS}/${id}`, {})).body.data.dossier_id, id);
	const newer = await send("POST", `${DOSSIERS}/${id}/refresh`, paying(500_000n));
	t.match(newer, { status: 200, body: { data: { version: 2, previous_id: id } } });
	t.equal((await send("DELETE", `${DOSSIERS}/${id}`, {})).status, 200);
	t.equal((await send("GET", `${DOSSIERS}/${id}`, {})).status, 404);
});

t.test("what its owner deleted is not kept again by a retry, which says so", async (t) => {
	const headers = { ...SPT, "Idempotency-Key": "deleted-once" };
	const made = await send("POST", "/v1/intelligence/dossier", headers, TOPIC);
	const { dossier_id: id, kept_until: keptUntil } = made.body.data;
	const again = await send("POST", "/v1/intelligence/dossier", headers, TOPIC);
	t.match(again.body.data, { dossier_id: id, kept_until: keptUntil });
	t.equal((await send("DELETE", `${DOSSIERS}/${id}`, SPT)).status, 200);
	const retried = await send("POST", "/v1/intelligence/dossier", headers, TOPIC);
	t.match(retried.body, {
		data: { dossier_id: id, kept_until: null },
		meta: { cost: { replayed: true } },
	});
	t.equal((await send("GET", `${DOSSIERS}/${id}`, SPT)).status, 404);
});
