import t from "tap";
import {
	CONTINUATION_TYPES,
	createChallenge,
	type Offer,
	PriceNotAgreed,
	type Quote,
	refusePayment,
	toHttpChallenge,
} from "../../payments/challenge.js";
import { assertAmount } from "../../payments/spt/spt-issuer.js";
import { tooLittle } from "../../payments/spt/spt-refusals.js";
import { LIMITS } from "../../src/contract/limits.js";
import { tokenRow } from "../store/open-test-store.js";

const QUOTE: Quote = {
	...{ operationId: "graphs.search", amountMicros: 500_000n, billingType: "per_call" },
	...{ resourceUrl: "", description: "" },
};
const offer = (name: string, headers: Offer["headers"]): Offer => ({
	continuation: { type: "spt", instructions: name },
	accepts: [{ scheme: name }],
	headers,
});
const OFFERS = [
	offer("one", { "PAYMENT-REQUIRED": "x", "WWW-Authenticate": 'Payment id="1"' }),
	offer("two", { "WWW-Authenticate": 'Payment id="2"' }),
	offer("three", {}),
];

t.test("a challenge names the price and every way to pay it, in headers and body", async (t) => {
	const challenge = createChallenge(QUOTE, OFFERS);
	t.match(challenge, {
		code: "PAYMENT_REQUIRED",
		message: /costs 0\.50 USD.*send the same request again/,
	});
	t.same(toHttpChallenge(challenge), {
		headers: {
			"Cache-Control": "no-store",
			"PAYMENT-REQUIRED": "x",
			"WWW-Authenticate": 'Payment id="1", Payment id="2", Bearer realm="tollgraph"',
		},
		body: {
			x402Version: 1,
			accepts: [{ scheme: "one" }, { scheme: "two" }, { scheme: "three" }],
			price: { amount_usd: "0.50", billing_type: "per_call" },
			continuations: OFFERS.map(({ continuation }) => continuation),
		},
	});
});

t.test("who sent a credential is never shown the challenge of another rail", async (t) => {
	const continuations = [{ type: "wait" as const, instructions: "Wait." }];
	const refused = refusePayment("SPENDING_LIMIT", "Too dear.", continuations);
	t.same(toHttpChallenge(refused), {
		headers: { "Cache-Control": "no-store", "WWW-Authenticate": 'Bearer realm="tollgraph"' },
		body: { x402Version: 1, accepts: [], continuations },
	});
	const quota = refusePayment("QUOTA_EXCEEDED", "Used up.", continuations);
	t.same(toHttpChallenge(quota), { headers: {}, body: { continuations } });
});

t.test(
	"a balance that does not reach is told with the way to raise it, where there is one",
	async (t) => {
		const amounts = {
			balanceMicros: 100_000n,
			amountMicros: 9_000_000n,
			purpose: "this call costs",
		};
		const refusalOf = (changes: object, isForSale: boolean) =>
			tooLittle({ token: tokenRow("tok_a", changes), isForSale, ...amounts });
		const alone = refusalOf({}, false);
		t.match(alone, {
			code: "INSUFFICIENT_BALANCE",
			message: /has 0\.10 USD left; this call costs 9\.00 USD/,
		});
		t.match(alone.challenge.continuations, [
			{ type: "spt", balance_usd: "0.10", amount_usd: "9.00", instructions: /Ask the operator/ },
		]);
		t.equal(alone.challenge.continuations.length, 1);
		t.match(refusalOf({}, true).challenge.continuations, [
			{
				type: "spt_purchase",
				method: "POST",
				path: "/v1/spt/top-up",
				body: { amount_usd: "8.90" },
			},
			{ type: "spt", instructions: /raise this one's balance/ },
		]);
		t.match(refusalOf({ parentId: "tok_p" }, true).challenge.continuations, [
			{ type: "spt", parent_id: "tok_p", instructions: /only its parent can be topped up/ },
			{ type: "spt" },
		]);
	},
);

t.test("a balance is above zero and at most what a token may hold", async (t) => {
	for (const amount of [1n, LIMITS.sptMaxMicros]) t.doesNotThrow(() => assertAmount(amount));
	for (const amount of [0n, -1n, LIMITS.sptMaxMicros + 1n])
		t.throws(() => assertAmount(amount), {
			code: "INVALID_ARGUMENT",
			message: /above zero and at most/,
		});
});

t.test(
	"a price that its payer wants to be asked about names the limit and the ways on",
	async (t) => {
		const refused = new PriceNotAgreed("The key asks above 0.10 USD", 500_000n);
		t.match(refused, {
			...{ name: "PriceNotAgreed", code: "SPENDING_LIMIT", limit: "The key asks above 0.10 USD" },
			message: "The key asks above 0.10 USD; this call costs 0.50 USD. Nothing was run or charged.",
		});
		const { quote, offers, continuations } = refused.challenge;
		t.strictSame([quote, offers, continuations.length], [undefined, [], 1]);
		t.match(continuations, [
			{
				type: "confirm_price",
				amount_usd: "0.50",
				instructions: /^Call the tool over MCP .*cheaper/,
			},
		]);
	},
);

t.test(
	"refusals are named as what they are, with the kinds of ways on that there are",
	async (t) => {
		t.match(createChallenge(QUOTE, OFFERS), {
			...{ name: "PaymentRequired", challenge: { quote: QUOTE, offers: OFFERS } },
			message: /^This call costs 0\.50 USD\. Pay in one of the ways listed in "continuations"/,
		});
		const refused = refusePayment("QUOTA_EXCEEDED", "Used up.", [], { retryAfterSeconds: 7 });
		t.match(refused, { message: "Used up.", retryAfterSeconds: 7 });
		t.strictSame(refused.challenge, { quote: undefined, offers: [], continuations: [] });
		t.strictSame(CONTINUATION_TYPES, [
			...["x402", "mpp", "spt", "spt_purchase", "api_key", "wait"],
			...["cheaper_operation", "confirm_price"],
		]);
	},
);
