import t from "tap";
import { type Credential, parseCredential, parsePayment } from "../../src/contract/credential.js";

const parse = (headers: Record<string, string | string[]>): Credential | undefined =>
	parseCredential(new Map(Object.entries(headers).map(([name, value]) => [name, [value].flat()])));

t.test("each way of sending a credential is understood", async (t) => {
	t.equal(parse({}), undefined);
	t.same(parse({ authorization: "Bearer spt_test_x" }), { scheme: "spt", token: "spt_test_x" });
	t.same(parse({ "x-pay-spt": "spt_test_x" }), { scheme: "spt", token: "spt_test_x" });
	t.same(parse({ "x-api-key": "sk_live_x" }), { scheme: "api_key", key: "sk_live_x" });
	t.same(parse({ authorization: "bearer sk_live_x" }), { scheme: "api_key", key: "sk_live_x" });
});

t.test("the same secret in two headers is one identity, two secrets are refused", async (t) => {
	t.same(parse({ authorization: "Bearer spt_a", "x-pay-spt": "spt_a" }), {
		scheme: "spt",
		token: "spt_a",
	});
	t.throws(() => parse({ authorization: "Bearer spt_a", "x-pay-spt": "spt_b" }), {
		code: "INVALID_ARGUMENT",
	});
	t.throws(() => parse({ "x-api-key": "sk_live_a", "x-pay-spt": "spt_b" }), {
		code: "INVALID_ARGUMENT",
	});
});

t.test("a header sent twice is refused, not chosen from", async (t) => {
	t.throws(() => parse({ "x-pay-spt": ["spt_a", "spt_a"] }), { code: "INVALID_ARGUMENT" });
});

t.test("an unknown scheme is unauthenticated, not anonymous", async (t) => {
	for (const value of [
		"Basic dXNlcjpwYXNz",
		"Bearer",
		"Bearer a b",
		"Bearer eyJhbGciOi",
		"spt_x",
	]) {
		t.throws(() => parse({ authorization: value }), { code: "UNAUTHENTICATED" });
	}
});

t.test("an error never repeats the secret", async (t) => {
	try {
		parse({ authorization: "Bearer topsecret" });
		t.fail("must throw");
	} catch (error) {
		t.notMatch(String(error), /topsecret/);
	}
});

const paymentScheme = (value: unknown) =>
	`Payment ${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

t.test("the Payment scheme carries a token of ours, or a payment that names no one", async (t) => {
	const prepaid = { challenge: { method: "tollgraph", id: "a" }, payload: { token: "spt_test_x" } };
	const evm = { challenge: { method: "evm" }, payload: { type: "authorization" } };
	const pay = (value: string) => parsePayment(new Map([["authorization", [value]]]));

	t.same(parse({ authorization: paymentScheme(prepaid) }), {
		scheme: "spt",
		token: "spt_test_x",
		challenge: prepaid.challenge,
	});
	t.equal(pay(paymentScheme(prepaid)), undefined);
	t.equal(parse({ authorization: paymentScheme(evm) }), undefined);
	t.same(pay(paymentScheme(evm)), { scheme: "mpp", payload: evm });
	t.same(pay(paymentScheme(evm).replace("Payment", "payment")), { scheme: "mpp", payload: evm });
	for (const value of [
		"Payment",
		"Payment !",
		"Payment e30",
		paymentScheme([]),
		"Payment e30 e30",
	]) {
		t.throws(() => parse({ authorization: value }), { code: "INVALID_ARGUMENT" }, value);
		t.throws(() => pay(value), { code: "INVALID_ARGUMENT" }, value);
	}
});
