import t from "tap";
import { createRemoteFacilitator } from "../../../payments/evm/remote-facilitator.js";
import type {
	SettlementTerms,
	TransferAuthorization,
} from "../../../payments/onchain/facilitator.js";
import { LIMITS } from "../../../src/contract/limits.js";
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
function saying(body: unknown, status = 200, token: string | undefined = "secret") {
	const asked: OutboundRequest[] = [];
	const facilitator = createRemoteFacilitator({
		url: "https://facilitator.example/x402",
		...(token !== "" && { token }),
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
	const { body: _, ...request } = asked[0] ?? {};
	t.strictSame(request, {
		method: "POST",
		url: "https://facilitator.example/x402/verify",
		headers: { "Content-Type": "application/json", Authorization: "Bearer secret" },
		timeoutMs: LIMITS.verifyTimeoutMs,
	});
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

/** What x402 and @x402/evm call a refusal, by what it means here. */
const WORDS = {
	insufficient_funds: [
		"The wallet does not hold the amount.",
		...["insufficient_funds", "invalid_exact_evm_insufficient_balance"],
		"invalid_exact_evm_payload_insufficient_balance",
	],
	invalid_signature: [
		"The signature is not the wallet's for this transfer.",
		...["invalid_exact_evm_signature", "invalid_exact_evm_payload_signature"],
		...["invalid_exact_evm_payload_signature_address", "eip6492_factory_not_allowed"],
		"invalid_exact_evm_failed_to_parse_signature",
	],
	expired: [
		"The authorization is over, or too close to its end to be settled.",
		...["invalid_exact_evm_payload_authorization_valid_before", "payment_expired"],
	],
	not_yet_valid: [
		"The authorization is not valid yet.",
		"invalid_exact_evm_payload_authorization_valid_after",
	],
	nonce_used: [
		"The authorization was used or canceled before; sign a new one with another nonce.",
		"invalid_exact_evm_nonce_already_used",
		"invalid_exact_evm_payload_authorization_nonce",
	],
	network_mismatch: [
		"The payment is for another network.",
		...["invalid_exact_evm_network_mismatch", "invalid_network"],
	],
	invalid_amount: [
		"The authorization is for another amount.",
		"invalid_exact_evm_authorization_value",
		"invalid_exact_evm_payload_authorization_value",
		"invalid_exact_evm_payload_authorization_value_mismatch",
	],
	wrong_recipient: [
		"The authorization pays somebody else.",
		"invalid_exact_evm_recipient_mismatch",
		"invalid_exact_evm_payload_recipient_mismatch",
	],
	settlement_failed: [
		"The chain did not carry out the transfer.",
		"invalid_exact_evm_transaction_failed",
		"invalid_exact_evm_transaction_simulation_failed",
		"invalid_exact_evm_transfer_event_mismatch",
	],
	invalid_payload: ["The payment cannot be read.", "invalid_payload", "unsupported_payload_type"],
};

t.test("each word of a facilitator is one reason, in a sentence of ours", async (t) => {
	for (const [reason, [message, ...words]] of Object.entries(WORDS)) {
		for (const word of words) {
			const refusal = { kind: "refused", reason, message };
			t.strictSame(await verify({ isValid: false, invalidReason: word }), refusal, word);
			t.strictSame(await settle({ success: false, errorReason: word }), refusal, word);
		}
	}
	for (const word of ["toString", "__proto__", ""]) {
		const [message] = WORDS.invalid_payload;
		const unread = { kind: "refused", reason: "invalid_payload", message };
		t.strictSame(await verify({ isValid: false, invalidReason: word }), unread);
		t.match(await settle({ success: false, errorReason: word }), { kind: "unknown" });
	}
});

t.test("a settlement is asked for where it belongs, and without a token by no one", async (t) => {
	const { asked, facilitator } = saying({ success: true, transaction: hash }, 200, "");
	t.equal(facilitator.kind, "remote");
	const said = await facilitator.settle(terms, payment, ignore);
	t.strictSame(said, {
		...{ kind: "settled", transactionHash: hash },
		...{ network: terms.network, payer: payment.from },
	});
	const { body: _, ...request } = asked[0] ?? {};
	t.strictSame(request, {
		method: "POST",
		url: "https://facilitator.example/x402/settle",
		headers: { "Content-Type": "application/json" },
		timeoutMs: LIMITS.settleTimeoutMs,
	});
});

t.test("an authorization that begins as it ends is offered for a second", async (t) => {
	const { asked, facilitator } = saying({ isValid: true });
	await facilitator.verify(terms, { ...payment, validBefore: payment.validAfter });
	t.match(JSON.parse(asked[0]?.body ?? ""), { paymentRequirements: { maxTimeoutSeconds: 1 } });
});

t.test("nonsense about a verification is no verdict", async (t) => {
	const upstream = (status: number) => ({
		code: "UPSTREAM",
		message: `The facilitator could not verify the payment (status ${status}); send it again shortly.`,
	});
	await t.rejects(verify("<html>"), upstream(200));
	await t.rejects(verify({ isValid: "yes" }), upstream(200));
	await t.rejects(verify({ isValid: true }, 500), upstream(500));
	await t.rejects(verify({}, 503), upstream(503));
	await t.rejects(verify({ isValid: true, payer: terms.payTo }), {
		code: "UPSTREAM",
		message: "The facilitator verified somebody else's payment.",
	});
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
	const unknown = (message: string) => ({ kind: "unknown", message });
	const unsaid = "The facilitator did not say whether the payment was settled.";
	const pending = { success: false, errorReason: "settlement_pending" };
	t.strictSame(await settle({ ...pending, transaction: hash }), {
		...unknown(unsaid),
		transactionHash: hash,
	});
	t.strictSame(await settle({ success: false, errorReason: "unexpected_error" }), unknown(unsaid));
	t.strictSame(await settle({ success: false }), unknown(unsaid));
	const unnamed = unknown("The facilitator says it settled, and names no transaction.");
	t.strictSame(await settle({ success: true }), unnamed);
	t.strictSame(await settle({ success: true, errorReason: "invalid_network" }), unnamed);
	for (const transaction of ["0x12", `${hash}0`, `<b>${hash}`]) {
		t.strictSame(await settle({ success: true, transaction }), unnamed, "it is no hash");
		t.strictSame(await settle({ ...pending, transaction }), unknown(unsaid));
	}
	const noVerdict = (status: number) =>
		unknown(`The facilitator answered with status ${status} and no verdict.`);
	t.strictSame(await settle("<html>"), noVerdict(200));
	t.strictSame(await settle({}, 502), noVerdict(502));
	t.strictSame(
		await settle(new ServiceError("UNAVAILABLE", "No answer.")),
		unknown("The facilitator gave no answer in time."),
	);
});

t.test("what never reached the facilitator is no settlement", async (t) => {
	for (const status of [400, 401, 403, 404, 405, 413, 415, 422, 429])
		t.strictSame(await settle({ error: "its word alone" }, status), {
			kind: "not_taken",
			message: `The facilitator refused to look at it (status ${status}).`,
		});
	const notSent = { kind: "not_sent", message: "The facilitator cannot be reached." };
	const failing = (code: unknown) => {
		const cause = new TypeError("fetch failed", {
			cause: Object.assign(new Error("connect"), { code }),
		});
		return settle(new ServiceError("UNAVAILABLE", "No answer.", { cause }));
	};
	for (const code of ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])
		t.strictSame(await failing(code), notSent, code);
	t.strictSame(await settle(new ServiceError("INVALID_ARGUMENT", "A forbidden host.")), notSent);
	const silent = { kind: "unknown", message: "The facilitator gave no answer in time." };
	for (const code of ["ECONNRESET", "UND_ERR_HEADERS_TIMEOUT", 7, undefined])
		t.strictSame(await failing(code), silent, String(code));
});
