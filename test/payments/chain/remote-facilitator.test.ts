import t from "tap";
import { createRemoteFacilitator } from "../../../payments/evm/remote-facilitator.js";
import type {
	SettlementTerms,
	TransferAuthorization,
} from "../../../payments/onchain/facilitator.js";
import { ServiceError } from "../../../src/kernel/errors.js";
import type { OutboundRequest } from "../../../src/kernel/outbound.js";

const terms: SettlementTerms = {
	network: "eip155:84532",
	asset: `0x${"a".repeat(40)}`,
	assetName: "USDC",
	assetVersion: "2",
	payTo: `0x${"b".repeat(40)}`,
};
const payment: TransferAuthorization = {
	from: `0x${"c".repeat(40)}`,
	to: terms.payTo,
	value: 500_000n,
	validAfter: 1_000,
	validBefore: 1_300,
	nonce: `0x${"d".repeat(64)}`,
	signature: `0x${"e".repeat(130)}`,
};
const hash = `0x${"f".repeat(64)}`;
const ignore = { onBroadcast: async () => undefined };

/** A facilitator that says this, and what it was asked. */
function saying(body: unknown, status = 200) {
	const asked: OutboundRequest[] = [];
	const facilitator = createRemoteFacilitator({
		url: "https://facilitator.example/x402",
		token: "secret",
		egress: {
			async request(request) {
				asked.push(request);
				if (body instanceof Error) throw body;
				const text = typeof body === "string" ? body : JSON.stringify(body);
				return new Response(text, { status });
			},
		},
	});
	return { asked, facilitator };
}

const verify = (body: unknown, status?: number) =>
	saying(body, status).facilitator.verify(terms, payment);
const settle = (body: unknown, status?: number) =>
	saying(body, status).facilitator.settle(terms, payment, ignore);

t.test("payments are asked about in the wire form of version 2", async (t) => {
	const { asked, facilitator } = saying({
		isValid: true,
		payer: payment.from.toUpperCase().replace("0X", "0x"),
	});
	t.same(await facilitator.verify(terms, payment), { kind: "valid" });
	t.match(asked, [
		{
			method: "POST",
			url: "https://facilitator.example/x402/verify",
			headers: { Authorization: "Bearer secret" },
		},
	]);
	const requirements = {
		scheme: "exact",
		network: "eip155:84532",
		asset: terms.asset,
		amount: "500000",
		payTo: terms.payTo,
		maxTimeoutSeconds: 300,
		extra: { name: "USDC", version: "2" },
	};
	t.same(JSON.parse(asked[0]?.body ?? ""), {
		x402Version: 2,
		paymentPayload: {
			x402Version: 2,
			accepted: requirements,
			payload: {
				signature: payment.signature,
				authorization: {
					from: payment.from,
					to: payment.to,
					value: "500000",
					validAfter: "1000",
					validBefore: "1300",
					nonce: payment.nonce,
				},
			},
		},
		paymentRequirements: requirements,
	});
});

t.test("a refusal has one of our words, whatever its status", async (t) => {
	const broke = { isValid: false, invalidReason: "insufficient_funds" };
	t.match(await verify(broke), { kind: "refused", reason: "insufficient_funds" });
	t.match(await verify(broke, 402), { kind: "refused", reason: "insufficient_funds" });
	t.match(await verify({ isValid: false, invalidReason: "bad_moon" }), {
		kind: "refused",
		reason: "invalid_payload",
	});
	t.match(await settle({ success: false, errorReason: "invalid_exact_evm_nonce_already_used" }), {
		kind: "refused",
		reason: "nonce_used",
	});
});

t.test("nonsense about a verification is no verdict", async (t) => {
	const upstream = { code: "UPSTREAM" };
	await t.rejects(verify("<html>"), upstream);
	await t.rejects(verify({ isValid: "yes" }), upstream);
	await t.rejects(verify({ isValid: true }, 500), upstream);
	await t.rejects(verify({ isValid: true, payer: terms.payTo }), upstream);
	await t.rejects(verify({}, 503), upstream);
});

t.test("a settlement is reported as it was stated, to be checked by the settler", async (t) => {
	const said = { success: true, transaction: hash, network: "eip155:1", payer: terms.asset };
	t.same(await settle({ ...said, amount: "7" }), {
		kind: "settled",
		transactionHash: hash,
		network: "eip155:1",
		payer: terms.asset,
		amount: "7",
	});
});

t.test("whatever may hide a settlement is unknown", async (t) => {
	const unknown = { kind: "unknown" };
	t.match(await settle({ success: false, errorReason: "settlement_pending", transaction: hash }), {
		kind: "unknown",
		transactionHash: hash,
	});
	t.match(await settle({ success: false, errorReason: "unexpected_error" }), unknown);
	t.match(await settle({ success: true }), unknown, "no transaction is named");
	for (const transaction of ["0x12", `${hash}0`, `<b>${hash}`]) {
		const said = { success: true, transaction };
		t.same((await settle(said)).kind, "unknown", "what is no hash is no transaction");
		const pending = await settle({ ...said, success: false, errorReason: "settlement_pending" });
		t.notMatch(pending, { transactionHash: /./ });
	}
	t.match(await settle("<html>"), unknown);
	t.match(await settle({}, 502), unknown);
	t.match(await settle(new ServiceError("UNAVAILABLE", "Nobody answers.")), unknown);
});

t.test("what never reached the facilitator is no settlement", async (t) => {
	const notSent = { kind: "not_sent" };
	const notTaken = { kind: "not_taken" };
	t.match(await settle({ error: "unauthorized" }, 401), notTaken, "its word alone");
	t.match(await settle({ error: "slower" }, 429), notTaken);
	const cause = new TypeError("fetch failed", {
		cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
	});
	t.match(await settle(new ServiceError("UNAVAILABLE", "Nobody answers.", { cause })), notSent);
});
