import t from "tap";
import { createBalanceMethod } from "../../../payments/balance-method.js";
import type { Quote } from "../../../payments/challenge.js";
import {
	challengeIdOf,
	createChallengeIssuer,
	encodeJson,
	type PaymentChallenge,
} from "../../../payments/mpp/payment-challenge.js";
import { withPrepaidCharge } from "../../../payments/mpp/prepaid-charge.js";
import type { AdmissionRequest } from "../../../payments/payment-method.js";
import { systemRandom } from "../../../src/kernel/ids.js";
import { keysFor } from "../../../src/kernel/secrets.js";
import { START_MS } from "../../store/open-test-store.js";
import { openTokens, USD } from "../spt/open-tokens.js";

const QUOTE: Quote = {
	...{ operationId: "graphs.search", amountMicros: 400_000n, billingType: "per_call" },
	...{ resourceUrl: "http://shop.example:8402/v1/graphs/a/search", description: "Search" },
	fingerprint: "f",
};
const REQUEST = { amount: "400000", currency: "usd", decimals: 6 };
const TERMS = { method: "tollgraph", request: REQUEST, quote: QUOTE };
const AGAIN = {
	...{ type: "spt", header: "X-Pay-SPT" },
	instructions:
		"Answer the new challenge with a Shared Payment Token, or send the token itself in the X-Pay-SPT header.",
};

/** The method over tokens, with one of a dollar, paid by answering challenges. */
async function openShop(baseUrl?: () => string) {
	const tokens = await openTokens();
	const { store, clock, method: balance, spts, pepper } = tokens;
	const deps = { pepper, clock, random: systemRandom, ...(baseUrl && { baseUrl }) };
	const issuer = createChallengeIssuer(deps);
	const notes = { refundLost: async () => undefined, noteUnwritten: () => undefined };
	const plain = createBalanceMethod({ store, clock, balance, ...notes });
	const method = withPrepaidCharge(plain, issuer);
	const { id, token } = await spts.issue({ amountMicros: USD });
	const admit = (challenge?: unknown, changes: Partial<AdmissionRequest> = {}) =>
		method.admit({
			proof: { scheme: "spt", token, ...(challenge !== undefined && { challenge }) } as never,
			...{ payer: { owner: id, rail: "spt" }, quote: QUOTE, fingerprint: "f", graphIds: [] },
			...{ capture: "onResult", idempotencyKey: undefined, ...changes },
		});
	return { ...tokens, issuer, method, admit, id };
}

const receiptOf = (headers: Readonly<Record<string, string>> | undefined) =>
	JSON.parse(Buffer.from(headers?.["Payment-Receipt"] ?? "", "base64url").toString());

t.test("a challenge names its request, ends in whole seconds and is never the same", async (t) => {
	const { issuer, clock, pepper } = await openShop();
	clock.set(START_MS + 1_999);
	const challenge = issuer.issue(TERMS);
	const { id, opaque = "", ...fields } = challenge;
	t.same(fields, {
		...{ realm: "shop.example", method: "tollgraph", intent: "charge" },
		...{ request: encodeJson(REQUEST), description: "Search", expires: "2026-03-01T12:05:01Z" },
	});
	const bound = JSON.parse(Buffer.from(opaque, "base64url").toString());
	t.match(bound.nonce, /^[\w-]{16}$/);
	t.same({ ...bound, nonce: "" }, { resource: "/v1/graphs/a/search", fingerprint: "f", nonce: "" });
	const [key] = keysFor(pepper, "mpp challenge");
	t.equal(id, challengeIdOf({ ...fields, opaque }, key.toString("base64url")));
	t.not(issuer.issue(TERMS).id, id);
	const { fingerprint: _, ...unbound } = QUOTE;
	const free = issuer.issue({ ...TERMS, quote: unbound }).opaque ?? "";
	t.notOk("fingerprint" in JSON.parse(Buffer.from(free, "base64url").toString()));
});

t.test(
	"the realm is the server's name, for tools without an address the configured one",
	async (t) => {
		const realmOf = async (resourceUrl: string, baseUrl?: string) => {
			const { issuer } = await openShop(baseUrl === undefined ? undefined : () => baseUrl);
			return issuer.issue({ ...TERMS, quote: { ...QUOTE, resourceUrl } }).realm;
		};
		const base = "https://base.example:99/x";
		t.equal(await realmOf("https://shop.example/a", base), "shop.example");
		t.equal(await realmOf("/a", base), "localhost");
		t.equal(await realmOf("mcp://tool/search", base), "base.example");
		t.equal(await realmOf("mcp://tool/search"), "tool", "without one there is no better name");
	},
);

t.test("a challenge is known again until it ends, for its own terms alone", async (t) => {
	const { issuer, clock } = await openShop();
	const own = issuer.issue(TERMS);
	const refusal = (echo: unknown, terms = TERMS) => {
		try {
			issuer.recognize(echo, terms);
			return undefined;
		} catch (error) {
			const { reason, message } = error as { reason: string; message: string };
			return [reason, message];
		}
	};
	const notOurs = [
		"invalid_payload",
		"The payment challenge was not issued by this service, or was changed; answer the new one.",
	];
	const another = [
		"invalid_payload",
		"The payment challenge was issued for another request or another price; answer the new one.",
	];
	t.same(issuer.recognize(own, TERMS), own);
	t.equal(refusal({ ...own, description: "changed" }), undefined, "the description is no part");
	const { expires: _, ...endless } = own;
	const { opaque: __, ...open } = own;
	for (const echo of [
		...[undefined, {}, endless, open, { ...own, id: own.id.slice(1) }],
		...[
			{ ...own, realm: "x" },
			{ ...own, intent: "session" },
			{ ...own, digest: "d" },
		],
	])
		t.same(refusal(echo), notOurs);
	for (const terms of [
		{ ...TERMS, method: "evm" },
		{ ...TERMS, request: { ...REQUEST, amount: "1" } },
		{ ...TERMS, quote: { ...QUOTE, fingerprint: "g" } },
		{ ...TERMS, quote: { ...QUOTE, resourceUrl: "http://shop.example/other" } },
	])
		t.same(refusal(own, terms), another);
	clock.set(Date.parse(own.expires ?? "") - 1);
	t.equal(refusal(own), undefined);
	clock.set(Date.parse(own.expires ?? ""));
	t.same(refusal(own), [
		"expired",
		"The payment challenge expired at 2026-03-01T12:05:00Z; it is 2026-03-01T12:05:00.000Z here; answer the new one.",
	]);
});

t.test("offers carry a challenge beside what the method says itself", async (t) => {
	const { method, issuer } = await openShop();
	const [offer, ...others] = method.offers(QUOTE);
	t.same(others, []);
	t.match(offer?.continuation, { type: "spt", amount_usd: "0.40" });
	t.match(offer?.headers["WWW-Authenticate"], /^Payment id="[\w-]+", realm="shop.example"/);
	t.match(offer?.mpp, { method: "tollgraph", intent: "charge", request: REQUEST });
	const { request: _, ...echo } = offer?.mpp ?? {};
	t.ok(issuer.recognize({ ...echo, request: encodeJson(REQUEST) }, TERMS));
});

t.test("an answered challenge pays once, with a receipt in its own words", async (t) => {
	const { issuer, admit, balance, id } = await openShop();
	const challenge = issuer.issue(TERMS);
	const held = await admit(challenge);
	if (held.kind !== "held") throw new Error("A first call is held.");
	const { receipt, headers } = await held.capture();
	const wire = {
		...{ method: "tollgraph", reference: receipt.id, challengeId: challenge.id },
		...{ status: "success", timestamp: "2026-03-01T12:00:00.000Z" },
	};
	t.same(receiptOf(headers), wire);
	const again = await admit(challenge);
	t.equal(again.kind, "replayed");
	t.same(receiptOf("headers" in again ? again.headers : undefined), wire);
	t.equal(await balance(`cust:${id}`), 600_000n);
	const keyed = await admit(issuer.issue(TERMS), { idempotencyKey: "own" });
	t.equal(keyed.kind, "held");
	if (keyed.kind === "held") await keyed.capture({ amountMicros: 100_000n, units: [0] });
	t.match(await admit(issuer.issue(TERMS), { idempotencyKey: "own" }), { kind: "replayed" });
	t.equal(await balance(`cust:${id}`), 500_000n, "a part of it");
});

t.test("a token without a challenge is taken as it is, and has no such receipt", async (t) => {
	const { admit } = await openShop();
	const held = await admit();
	if (held.kind !== "held") throw new Error("It is held.");
	t.notOk(Object.hasOwn(await held.capture(), "headers"));
});

t.test("a launched job has its receipt with its end", async (t) => {
	const { admit, issuer } = await openShop();
	const job = { id: "job_1", reserve: () => undefined, open: async () => undefined };
	const launched = await admit(issuer.issue(TERMS), { job });
	t.match(launched, { kind: "launched", jobId: "job_1", isNew: true });
	t.notOk(Object.hasOwn(launched, "headers"));
});

t.test("a refusal brings a new challenge, and says that nothing was charged", async (t) => {
	const { admit, issuer, balance, id } = await openShop();
	const own: PaymentChallenge = issuer.issue(TERMS);
	const refused = await admit({ ...own, realm: "x" }).then(
		() => undefined,
		(error) => error,
	);
	t.equal(refused.code, "PAYMENT_REJECTED");
	t.equal(
		refused.message,
		"The payment challenge was not issued by this service, or was changed; answer the new one. Nothing was charged.",
	);
	t.same(refused.challenge.quote, QUOTE);
	t.same(refused.challenge.continuations, [AGAIN]);
	t.match(refused.challenge.offers, [
		{ continuation: AGAIN, accepts: [], mpp: { request: REQUEST } },
	]);
	t.match(refused.challenge.offers[0].headers, { "WWW-Authenticate": /^Payment id=/ });
	const dear = { ...QUOTE, amountMicros: 2n * USD };
	const request = { ...REQUEST, amount: "2000000" };
	const poor = await admit(issuer.issue({ ...TERMS, request, quote: dear }), { quote: dear }).then(
		() => undefined,
		(error) => error,
	);
	t.equal(poor.code, "INSUFFICIENT_BALANCE");
	t.equal(
		poor.message,
		"The token has 1.00 USD left; this call costs 2.00 USD. Nothing was charged.",
	);
	t.match(poor.challenge.offers, [{ continuation: AGAIN, mpp: { request } }]);
	t.match(poor.challenge.continuations, [{ type: "spt_purchase" }, { type: "spt" }]);
	t.ok(poor.cause);
	await t.rejects(admit(own, { fingerprint: "f", quote: { ...QUOTE, fingerprint: "g" } }), {
		code: "PAYMENT_REJECTED",
		message: /another request/,
	});
	t.equal(await balance(`cust:${id}`), USD);
});
