import t from "tap";
import type { Quote } from "../../../payments/challenge.js";
import { REFUSALS } from "../../../payments/onchain/facilitator.js";
import { PaymentRefused } from "../../../payments/onchain/payment-claim.js";
import { createX402Envelope, type X402Payload } from "../../../payments/x402/x402.js";
import { SIM_TERMS } from "../../support/sim-chain.js";

const envelope = createX402Envelope(SIM_TERMS);
const elsewhere = createX402Envelope({ ...SIM_TERMS, network: "eip155:31337" });
const URL_OF_IT = "https://shop.example/v1/graphs/a/search";
const QUOTE: Quote = {
	...{ operationId: "graphs.search", amountMicros: 500_000n, billingType: "per_call" },
	...{ resourceUrl: URL_OF_IT, description: "Search one graph" },
};
const FROM = `0x${"Ab".repeat(20)}`;
const SIGNED = {
	signature: `0x${"Cd".repeat(65)}`,
	authorization: {
		...{ from: FROM, to: `0x${"A".repeat(40)}`, value: "500000", validAfter: "1" },
		...{ validBefore: 2, nonce: `0x${"Ef".repeat(32)}` },
	},
};
const ACCEPTED = {
	...{ scheme: "exact", network: SIM_TERMS.network, amount: "500000" },
	...{ asset: `0x${SIM_TERMS.asset.slice(2).toUpperCase()}`, payTo: `0x${"A".repeat(40)}` },
};
const v2 = (changes: object = {}) => ({
	...({ scheme: "x402", version: 2 } as const),
	payload: { x402Version: 2, accepted: ACCEPTED, payload: SIGNED, ...changes },
});
const v1 = (changes: object = {}) => ({
	...({ scheme: "x402", version: 1 } as const),
	payload: {
		x402Version: 1,
		scheme: "exact",
		network: "base-sepolia",
		payload: SIGNED,
		...changes,
	},
});
const decode = (text = "") => JSON.parse(Buffer.from(text, "base64").toString());

t.test("one offer holds the challenge of both versions", async (t) => {
	const { assetName: name, assetVersion: version, asset, payTo, network } = SIM_TERMS;
	const offer = envelope.offer(QUOTE);
	const common = {
		scheme: "exact",
		asset,
		payTo,
		maxTimeoutSeconds: 300,
		extra: { name, version },
	};
	const { instructions, ...continuation } = offer?.continuation ?? { instructions: "" };
	t.same(continuation, {
		...{ type: "x402", header: "PAYMENT-SIGNATURE", alternative_header: "X-PAYMENT" },
		...{ amount_usd: "0.50", network, asset, pay_to: payTo },
	});
	t.match(instructions, /^Sign an EIP-3009 transfer .* PAYMENT-SIGNATURE or X-PAYMENT\.$/);
	const { url, description, mimeType } = {
		...{ url: URL_OF_IT, description: "Search one graph", mimeType: "application/json" },
	};
	t.same(offer?.accepts, [
		{
			...{ ...common, network: "base-sepolia", maxAmountRequired: "500000" },
			...{ resource: url, description, mimeType },
		},
	]);
	t.same(offer?.x402, {
		...{ x402Version: 2, error: "Payment required", resource: { url, description, mimeType } },
		accepts: [{ ...common, network, amount: "500000" }],
	});
	t.same(Object.keys(offer?.headers ?? {}), ["PAYMENT-REQUIRED"]);
	t.same(decode(offer?.headers["PAYMENT-REQUIRED"]), offer?.x402);
	t.same(elsewhere.offer(QUOTE)?.accepts, [], "clients of version 1 know no such network");
});

const SETTLED = {
	...({ kind: "settled", amountMicros: 500_000n, at: 1 } as const),
	settlement: { network: "n", transaction: "0x1", payer: "0x2", payment_id: "pay_1" },
};

t.test("a receipt has the form of the version that was paid in", async (t) => {
	const of = (payment: ReturnType<typeof v1 | typeof v2>, from = envelope) =>
		from.receiptHeaders(payment, SETTLED);
	const said = { success: true, transaction: "0x1", payer: "0x2" };
	t.same(Object.keys(of(v2())), ["PAYMENT-RESPONSE"]);
	t.same(decode(of(v2())["PAYMENT-RESPONSE"]), {
		...{ ...said, network: "eip155:84532", amount: "500000" },
	});
	t.same(Object.keys(of(v1())), ["X-PAYMENT-RESPONSE"]);
	t.same(decode(of(v1())["X-PAYMENT-RESPONSE"]), { ...said, network: "base-sepolia" });
	const unnamed = decode(of(v1(), elsewhere)["X-PAYMENT-RESPONSE"]);
	t.same(unnamed, { ...said, network: "eip155:31337" });
	const mpp = { scheme: "mpp", payload: {} } as never;
	t.same(decode(envelope.receiptHeaders(mpp, SETTLED)["PAYMENT-RESPONSE"]).amount, "500000");
	t.same([envelope.accepts(v2()), envelope.accepts(mpp)], [true, false]);
	t.throws(() => envelope.read(mpp), {
		reason: "invalid_payload",
		message: "Not an x402 payload.",
	});
});

const WORDS = {
	insufficient_funds: "insufficient_funds",
	invalid_signature: "invalid_exact_evm_payload_signature",
	expired: "invalid_exact_evm_payload_authorization_valid_before",
	not_yet_valid: "invalid_exact_evm_payload_authorization_valid_after",
	nonce_used: "invalid_transaction_state",
	network_mismatch: "invalid_network",
	invalid_amount: "invalid_exact_evm_payload_authorization_value",
	wrong_recipient: "invalid_exact_evm_payload_recipient_mismatch",
	settlement_failed: "unexpected_settle_error",
	invalid_payload: "invalid_payload",
};

t.test("a failure is said in the words of the protocol", async (t) => {
	for (const reason of REFUSALS) {
		const report = { kind: "failed", reason, payer: undefined } as const;
		const { "PAYMENT-RESPONSE": header } = envelope.receiptHeaders(v2(), report);
		t.same(decode(header), {
			...{ success: false, errorReason: WORDS[reason], transaction: "" },
			network: "eip155:84532",
		});
	}
	const full = { kind: "failed", reason: "expired", payer: "0x2", transactionHash: "0x1" } as const;
	t.match(decode(envelope.receiptHeaders(v2(), full)["PAYMENT-RESPONSE"]), {
		...{ transaction: "0x1", payer: "0x2" },
	});
});

t.test("a payload is read into small letters and whole numbers, in both versions", async (t) => {
	const authorization = {
		...{ from: FROM.toLowerCase(), to: SIM_TERMS.payTo, value: 500_000n, validAfter: 1 },
		...{ validBefore: 2, nonce: `0x${"ef".repeat(32)}`, signature: `0x${"cd".repeat(65)}` },
	};
	const accepted = { ...ACCEPTED, asset: SIM_TERMS.asset, payTo: SIM_TERMS.payTo };
	const { network, asset } = accepted;
	t.strictSame(envelope.read(v2({ resource: { url: "/x" } })), {
		...{ rail: "x402", authorization, network, asset, accepted, resourceUrl: "/x" },
	});
	t.equal((envelope.read(v2({ resource: null })) as X402Payload).resourceUrl, undefined);
	t.strictSame(envelope.read(v1()), { rail: "x402", authorization, network });
	t.match(envelope.read(v1({ network: "moonbeam" })), { network: "moonbeam" });
});

const { authorization: AUTHORIZATION, signature } = SIGNED;
const authorized = (changes: object) => ({
	payload: { signature, authorization: { ...AUTHORIZATION, ...changes } },
});
const signedWith = (text: string) => ({ payload: { ...SIGNED, signature: text } });
const accepting = (changes: object) => ({ accepted: { ...ACCEPTED, ...changes } });
const hexOf = (length: number) => `0x${"a".repeat(length)}`;

const UNREADABLE: readonly [string, object, string][] = [
	["a short address", authorized({ from: hexOf(39) }), "authorization.from: must be an address"],
	["a long address", authorized({ to: hexOf(41) }), "authorization.to: must be an address"],
	["no address", authorized({ to: `x${hexOf(40)}` }), "authorization.to: must be an address"],
	["a fraction", authorized({ value: "1.5" }), "authorization.value: must be a whole number"],
	[
		"an amount of 31 digits",
		authorized({ value: "1".repeat(31) }),
		"authorization.value: must be a",
	],
	["a sum in words", authorized({ value: "x1" }), "authorization.value: must be a whole number of"],
	["a time before time", authorized({ validAfter: -1 }), "authorization.validAfter"],
	["half a second", authorized({ validBefore: 1.5 }), "authorization.validBefore"],
	["a time of 16 digits", authorized({ validBefore: "1".repeat(16) }), "authorization.validBefore"],
	["a time in words", authorized({ validAfter: "x1" }), "authorization.validAfter"],
	["a short nonce", authorized({ nonce: hexOf(63) }), "authorization.nonce: must be 32 bytes in"],
	["a long nonce", authorized({ nonce: hexOf(65) }), "authorization.nonce: must be 32 bytes in"],
	["half a byte", signedWith(hexOf(3)), "signature: must be a signature in hexadecimal"],
	["no signature", signedWith("0x"), "signature: must be a signature in hexadecimal"],
	["something before it", signedWith("y0xab"), "signature: must be a signature in hexadecimal"],
	["a signature of 6,002 letters", signedWith(hexOf(6_000)), "signature: is too long"],
];

for (const [what, changes, complaint] of UNREADABLE) {
	t.test(`${what} is no payment, and the place is named`, async (t) => {
		for (const payment of [v1(changes), v2(changes)]) {
			t.throws(() => envelope.read(payment), {
				...{ name: "PaymentRefused", reason: "invalid_payload" },
				message: `The payment payload cannot be read: payload.${complaint}`,
			});
		}
	});
}

const UNREAD = {
	reason: "invalid_payload",
	message: /^The payment payload cannot be read: .+: .+\.$/,
};

t.test("what belongs to one version alone is checked there", async (t) => {
	for (const changes of [
		...[accepting({ amount: "1x" }), accepting({ amount: "1".repeat(31) })],
		...[accepting({ scheme: "upto" }), accepting({ network: "n".repeat(65) })],
		...[accepting({ asset: "0x1" }), accepting({ payTo: "0x1" }), { x402Version: 1 }],
		...[{ resource: { url: "u".repeat(4_097) } }, { resource: {} }, { payload: undefined }],
	])
		t.throws(() => envelope.read(v2(changes)), UNREAD);
	for (const changes of [{ x402Version: 2 }, { scheme: "upto" }, { network: "n".repeat(65) }])
		t.throws(() => envelope.read(v1(changes)), UNREAD);
	const atBounds = { ...accepting({ network: "n".repeat(64), amount: "1".repeat(30) }) };
	t.ok(envelope.read(v2({ ...atBounds, ...signedWith(hexOf(5_998)) })), "at the very bounds");
	t.throws(() => envelope.read({ scheme: "x402", version: 2, payload: "none" }), {
		message: /^The payment payload cannot be read: the payload: .+\.$/,
	});
});

t.test("what the payload repeats of the challenge must be of this one", async (t) => {
	const match = (changes: object, quote = QUOTE) => envelope.match(v2(changes), quote);
	t.doesNotThrow(() => match({}));
	t.doesNotThrow(() => envelope.match(v1(), QUOTE));
	const url = (text: string) => ({ resource: { url: text } });
	for (const own of [
		URL_OF_IT,
		"http://10.0.0.1:8402/v1/graphs/a/search?x=1",
		"search",
		"/v1/graphs/a/search",
	])
		t.doesNotThrow(() => match(url(own)), own);
	for (const [changes, reason, message] of [
		[
			accepting({ network: "eip155:1" }),
			"network_mismatch",
			/"eip155:1"; this service takes eip155:84532\.$/,
		],
		[accepting({ amount: "499999" }), "invalid_amount", /is 499999; this call costs 500000 atomic/],
		[accepting({ payTo: FROM }), "wrong_recipient", /^The accepted recipient is not 0xaaaa/],
		[url("https://shop.example/v1/graphs/b/search"), "invalid_payload", /names another resource/],
		[url("http://["), "invalid_payload", /names another resource/],
	] as const) {
		t.throws(() => match(changes), { reason, message });
		t.throws(() => match(changes), PaymentRefused);
	}
});
