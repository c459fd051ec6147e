import t from "tap";
import { startMcp } from "./start-mcp.js";
import { startPaidMcp } from "./start-paid-mcp.js";

/** So many wrong credentials of one address are looked at before it has to wait, and one more each second. */
const LOOKED_AT = 60;
const MANY = 100;

t.test("wrong prepaid tokens in a call count as those in headers do", async (t) => {
	const shop = await startPaidMcp(t);
	const { result } = await shop.call({});
	const [, challenge] = result._meta["org.paymentauth/payment-required"].challenges;
	const codeOf = async (token: string) => {
		const meta = { "org.paymentauth/credential": { challenge, payload: { token } } };
		const { status, refusal } = await shop.call({ meta });
		t.equal(status, 200);
		return refusal?.error.code ?? "ANSWERED";
	};
	const [known, unknown] = [await shop.issueSpt("5.00"), await shop.issueSpt("5.00")];
	t.equal(await codeOf(known.token), "ANSWERED");
	shop.clock.hold();
	const codes: string[] = [];
	for (let guess = 0; guess < MANY; guess++) {
		codes.push(await codeOf(`spt_test_${String(guess).padStart(36, "A")}`));
	}
	t.same(new Set(codes.slice(0, LOOKED_AT)), new Set(["UNAUTHENTICATED"]));
	t.same(new Set(codes.slice(LOOKED_AT)), new Set(["RATE_LIMITED"]));
	t.equal(await codeOf(unknown.token), "ANSWERED", "a valid one is let in, known before or not");
	t.equal(await codeOf(known.token), "ANSWERED", "one that was found valid is none of them");
	t.equal((await shop.call({})).refusal.error.code, "PAYMENT_REQUIRED");
});

t.test("credentials that have ended keep no one out who calls from the same address", async (t) => {
	const shop = await startMcp(t);
	const { operator } = shop.app;
	const statusOf = async (key: string) =>
		(await shop.rpc("/mcp", "ping", {}, { "X-API-Key": key })).status;
	const made: { key: string; id: string }[] = [];
	for (let count = 0; count < MANY; count++) {
		made.push(await operator.createKey({ usd: "1.00" }));
	}
	for (const { key } of made) t.equal(await statusOf(key), 200);
	for (const { id } of made) await operator.revokeKey({ id });
	for (const { key } of made) t.equal(await statusOf(key), 401);
	const [first] = made;
	const { key } = await operator.createKey({ account_id: shop.accountId });
	t.equal(await statusOf(key), 200);
	shop.clock.hold();
	const again: number[] = [];
	// A refused connection rests for a second, so the first refusal is enough.
	while (again.at(-1) !== 429 && again.length < MANY) again.push(await statusOf(first?.key ?? ""));
	t.equal(again.at(-1), 429, "who does not hear is a guesser after all");
});
