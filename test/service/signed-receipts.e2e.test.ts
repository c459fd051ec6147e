import { generateKeyPairSync } from "node:crypto";
import { CompactSign, compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose";
import t from "tap";
import { startApp } from "../support/start-app.js";
import { WALLET_RECEIPT } from "./payment-parts.js";

const app = await startApp(t, { settings: { model: "none" } });

const paidCall = async (token: string) => {
	const { status, body } = await app.search({ token });
	if (status !== 200) throw new Error(JSON.stringify(body));
	return body.meta.cost.receipt_id as string;
};

const verify = (jws: string) =>
	app.send("/v1/receipts/verify", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ jws }),
	});

t.test("a receipt is signed, and anybody with the key set can prove it offline", async (t) => {
	const { token, id: tokenId } = await app.issueSpt("5.00");
	const receiptId = await paidCall(token);
	const read = await app.send(`/v1/receipts/${receiptId}`, { headers: { "X-Pay-SPT": token } });
	t.equal(read.status, 200);
	t.equal(read.headers.get("cache-control"), "private, no-store");
	const { receipt, jws } = read.body.data;
	t.match(receipt, {
		iss: app.baseUrl,
		environment: "test",
		receipt_id: receiptId,
		operation: "graphs.search",
		billing_type: "per_call",
		amount_usd: "0.50",
		rail: "spt",
		payer: tokenId,
		settlement: null,
	});

	const keySet = (await app.send("/.well-known/jwks.json")).body as JSONWebKeySet;
	t.equal(keySet.keys.length, 2);
	t.notOk(
		keySet.keys.some((key) => "d" in key),
		"the private parts stay at home",
	);
	const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(keySet));
	t.match(protectedHeader, { alg: "ES256", typ: "receipt+jwt" });
	t.same(JSON.parse(Buffer.from(payload).toString()), receipt);

	const verdict = await verify(jws);
	t.same(verdict.body.data, { valid: true, receipt, reason: null });
});

t.test("a quote names the request hash that its receipt will prove", async (t) => {
	const { token } = await app.issueSpt("5.00");
	const input = { graph_id: "agent-payments", query: "Which HTTP status code asks for payment?" };
	const quote = await app.send("/v1/quotes", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ skill: "graph_search", input: { ...input, limit: 3 } }),
	});
	const receiptId = await paidCall(token);
	const read = await app.send(`/v1/receipts/${receiptId}`, { headers: { "X-Pay-SPT": token } });
	t.equal(read.body.data.receipt.request_hash, quote.body.data.request_hash);
});

t.test("what was changed, or signed by somebody else, is no receipt", async (t) => {
	const { token } = await app.issueSpt("5.00");
	const receiptId = await paidCall(token);
	const read = await app.send(`/v1/receipts/${receiptId}`, { headers: { "X-Pay-SPT": token } });
	const [head = "", body = "", signature = ""] = read.body.data.jws.split(".");
	const cheaper = Buffer.from(body, "base64url").toString().replace('"0.50"', '"0.05"');
	const payload = Buffer.from(body, "base64url");
	const sign = (key: Parameters<CompactSign["sign"]>[0], header: object) =>
		new CompactSign(payload).setProtectedHeader({ alg: "ES256", ...header }).sign(key);
	const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const none = Buffer.from('{"alg":"none"}').toString("base64url");
	const cases: [jws: string, reason: RegExp][] = [
		[`${head}.${Buffer.from(cheaper).toString("base64url")}.${signature}`, /not by this service's/],
		[await sign(privateKey, { typ: "receipt+jwt" }), /not by this service's/],
		[`${none}.${body}.`, /not/],
		["no receipt", /compact JWS/],
		[`${head}.${body}`, /compact JWS/],
	];
	for (const [jws, reason] of cases) {
		const verdict = await verify(jws);
		t.equal(verdict.status, 200);
		t.match(verdict.body.data, { valid: false, receipt: null, reason });
	}
	t.equal((await verify("x".repeat(20_000))).status, 400);
});

t.test("a receipt is its owner's; a wallet's is read by the id no one can guess", async (t) => {
	const { token } = await app.issueSpt("5.00");
	const { token: stranger } = await app.issueSpt("5.00");
	const receiptId = await paidCall(token);
	await app.app.store.transaction((tx) => tx.put("receipts", WALLET_RECEIPT));
	const read = (id: string, secret?: string) =>
		app.send(`/v1/receipts/${id}`, secret ? { headers: { "X-Pay-SPT": secret } } : {});

	const unknown = "rcpt_00000000000000000000000000";
	const refused = [await read(receiptId), await read(receiptId, stranger), await read(unknown)];
	for (const { status, body } of [...refused, await read("rcpt_'--"), await read("..%2Fx")]) {
		t.equal(status, 404);
		t.match(body.error, { code: "NOT_FOUND", message: /is yours to read/ });
	}
	t.equal((await read(receiptId, `spt_test_${"0".repeat(36)}`)).status, 401);

	const wallet = await read(WALLET_RECEIPT.id);
	t.equal(wallet.status, 200);
	t.match(wallet.body.data.receipt, {
		payer: WALLET_RECEIPT.owner,
		graph_ids: ["web-payments"],
		settlement: { network: "eip155:84532", transaction: /^0x4f/ },
	});
	t.match((await verify(wallet.body.data.jws)).body.data, { valid: true });
});

t.test("the state of a payment is shown to any caller who knows its id", async (t) => {
	const missing = await app.send("/v1/payments/pay_ffffffffffffffffffffffffffffffff");
	t.equal(missing.status, 404);
	const { body } = await app.send("/v1/payments/methods");
	t.same(
		body.data.items.map((item: { rail: string }) => item.rail),
		["spt", "plan"],
	);
});
