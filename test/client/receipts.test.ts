import { generateKeyPairSync } from "node:crypto";
import { CompactSign, type JWK } from "jose";
import t from "tap";
import { createClient } from "../../client/src/index.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { GRAPH, openShop } from "./open-shop.js";

const QUERY = { query: KNOWN_QUERY, limit: 2 };
const TYPE = "receipt+jwt";

const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" });
const strangerKey: JWK = {
	...(stranger.publicKey.export({ format: "jwk" }) as JWK),
	kid: "stranger",
};

function sign(payload: unknown, header: object = {}): Promise<string> {
	return new CompactSign(Buffer.from(JSON.stringify(payload)))
		.setProtectedHeader({ alg: "ES256", kid: "stranger", typ: TYPE, ...header })
		.sign(stranger.privateKey);
}

/** A call that was paid for, and its receipt as the server signs it. */
async function buy(t: Parameters<typeof openShop>[0]) {
	const shop = await openShop(t);
	// The server names itself, not the proxy.
	const options = { receipts: { issuer: shop.app.baseUrl } };
	const client = shop.client(options);
	const { meta } = await client.search(GRAPH, QUERY);
	const id = meta.cost.receipt_id ?? "";
	const { data } = await client.call("receipts.get", { receipt_id: id });
	return { ...shop, client, options, id, jws: data.jws };
}

t.test("a receipt is verified with the keys that the server publishes, read once", async (t) => {
	const { client, id, jws, app, proxy } = await buy(t);
	const receipt = await client.receipts.verify(id);
	t.match(receipt, {
		receipt_id: id,
		amount_usd: "0.50",
		operation: "graphs.search",
		iss: app.baseUrl,
	});
	t.same(await client.receipts.verifySigned(jws), receipt);
	t.equal(proxy.requests.filter(({ path }) => path.endsWith("jwks.json")).length, 1);
	const noOne = createClient(app.baseUrl);
	t.same(await noOne.receipts.verifySigned(jws), receipt, "it needs no credential");
	await t.rejects(noOne.receipts.verify(id), { code: "NOT_FOUND" });
});

t.test("a receipt that was changed, or that another signed, is refused", async (t) => {
	const { client, jws } = await buy(t);
	const [head = "", payload = "", signature = ""] = jws.split(".");
	const told = JSON.parse(Buffer.from(payload, "base64url").toString());
	const cheaper = Buffer.from(JSON.stringify({ ...told, amount_usd: "0.01" })).toString(
		"base64url",
	);
	const { kid } = JSON.parse(Buffer.from(head, "base64url").toString());
	const none = Buffer.from(JSON.stringify({ alg: "none", typ: TYPE, kid })).toString("base64url");
	const forged: Readonly<Record<string, string>> = {
		"another amount": `${head}.${cheaper}.${signature}`,
		"another signature": `${head}.${payload}.${signature.replace(/^./, (char) => (char === "A" ? "B" : "A"))}`,
		"no signature": `${head}.${payload}.`,
		"no algorithm": `${none}.${payload}.`,
		"a stranger with the server's kid": await sign(told, { kid }),
		"a stranger's key": await sign(told),
		"another type": await sign(told, { typ: "JWT" }),
		"five parts": `${jws}.x.y`,
		"no receipt at all": "hello",
		nothing: "",
	};
	for (const [name, text] of Object.entries(forged)) {
		await t.rejects(client.receipts.verifySigned(text), { code: "RECEIPT_INVALID" }, name);
	}
});

t.test(
	"a key that is not known is looked for once, and pinned keys are the only ones",
	async (t) => {
		const { client, jws, app, proxy, options } = await buy(t);
		const told = { iss: app.baseUrl, receipt_id: "rcpt_1" };
		await client.receipts.verifySigned(jws);
		await t.rejects(client.receipts.verifySigned(await sign(told)), {
			code: "RECEIPT_INVALID",
			message: /key "stranger"/,
		});
		t.equal(proxy.requests.filter(({ path }) => path.endsWith("jwks.json")).length, 2);
		const pinned = createClient(proxy.url, {
			receipts: { ...options.receipts, keys: [strangerKey] },
		});
		t.same(await pinned.receipts.verifySigned(await sign(told)), told);
		await t.rejects(pinned.receipts.verifySigned(jws), { code: "RECEIPT_INVALID" });
		t.equal(proxy.requests.filter(({ path }) => path.endsWith("jwks.json")).length, 2);
	},
);

t.test(
	"a receipt of another service or another call is not the one that was asked for",
	async (t) => {
		const { client, jws, id, app, proxy } = await buy(t);
		const other = createClient(app.baseUrl, { receipts: { issuer: "https://example.com" } });
		await t.rejects(other.receipts.verifySigned(jws), { message: /not by https:\/\/example\.com/ });
		const { meta } = await client.search(GRAPH, QUERY);
		const wrong = meta.cost.receipt_id ?? "";
		proxy.decide(({ path }) =>
			path === `/v1/receipts/${wrong}`
				? { kind: "answer", status: 200, body: JSON.stringify({ ok: true, data: { jws } }) }
				: undefined,
		);
		await t.rejects(client.receipts.verify(wrong), {
			code: "RECEIPT_INVALID",
			message: new RegExp(id),
		});
	},
);

t.test("keys that are none verify nothing", async (t) => {
	const { app, jws, proxy } = await buy(t);
	const { kid } = JSON.parse(Buffer.from(jws.split(".")[0] ?? "", "base64url").toString());
	const answers = [
		["{}", "INVALID_REPLY"],
		['{"keys":[7,null]}', "RECEIPT_INVALID"],
		[
			JSON.stringify({ keys: [{ kid, kty: "EC", crv: "P-256", x: "AA", y: "AA" }] }),
			"RECEIPT_INVALID",
		],
		[JSON.stringify({ keys: [{ kid, kty: "oct", k: "c2VjcmV0" }] }), "RECEIPT_INVALID"],
	] as const;
	for (const [body, code] of answers) {
		proxy.decide(() => ({ kind: "answer", status: 200, body }));
		const client = createClient(proxy.url, { receipts: { issuer: app.baseUrl } });
		await t.rejects(client.receipts.verifySigned(jws), { code }, body);
	}
});
