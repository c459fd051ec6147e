import t from "tap";
import { OAUTH_LIMITS } from "../../src/accounts/oauth-limits.js";
import { toAuthorizationQuery } from "../../src/oauth/oauth-documents.js";
import { createPassingRecords } from "../../src/oauth/record-adapter.js";
import { manualClock } from "../support/manual-clock.js";

t.test("users on their way are forgotten when they take too long, or too many come", async (t) => {
	let monotonicMs = 0;
	const clock = { ...manualClock("2026-03-10T12:00:00Z"), monotonicMs: () => monotonicMs };
	const records = createPassingRecords(clock);
	records.put("first", { jti: "first", uid: "u-first" });
	t.equal(records.findByUid("u-first")?.jti, "first");
	records.put("first", { jti: "first", uid: "u-second" });
	t.notOk(records.findByUid("u-first"), "what it was called before is no name of it");
	monotonicMs += OAUTH_LIMITS.interactionSeconds * 1_000;
	t.notOk(records.find("first"));
	t.notOk(records.findByUid("u-second"));

	for (let index = 0; index <= OAUTH_LIMITS.interactionsMax; index++) {
		records.put(`step-${index}`, { jti: `step-${index}` });
	}
	t.notOk(records.find("step-0"), "the oldest step makes room");
	t.ok(records.find("step-1"));
	records.remove("step-1");
	t.notOk(records.find("step-1"));
});

t.test("the address with most steps loses first, and signed-in users last", async (t) => {
	const records = createPassingRecords(manualClock("2026-03-10T12:00:00Z"));
	const login = { result: { login: { accountId: "acc_x" } } };
	const begin = (id: string, address: string, payload = {}) =>
		records.put(id, { jti: id, ...payload }, address);
	begin("honest", "192.0.2.7");
	begin("signed-in", "2001:db8:0:1::/64", login);
	for (let index = 0; index < OAUTH_LIMITS.interactionsMax * 2; index++) {
		begin(`step-${index}`, `2001:db8:0:${(index % 40).toString(16)}::/64`);
	}
	t.ok(records.find("honest"), "one network of many subnets loses its own");
	t.ok(records.find("signed-in"), "and of these the ones without a sign-in");
	t.notOk(records.find("step-0"));
	t.ok(records.find(`step-${OAUTH_LIMITS.interactionsMax * 2 - 1}`));

	for (let index = 0; index < OAUTH_LIMITS.interactionsMax; index++) {
		begin(`spread-${index}`, `2001:db8:${(index % 100).toString(16)}:1::/64`);
	}
	t.ok(records.find("honest"), "who spreads over many networks has to share as well");
	records.put("honest", { jti: "honest", ...login });
	t.ok(records.find("honest")?.result, "what is put again outside of a request stays where it was");
});

t.test("steps that were not finished take nothing from those that are open", async (t) => {
	let monotonicMs = 0;
	const clock = { ...manualClock("2026-03-10T12:00:00Z"), monotonicMs: () => monotonicMs };
	const records = createPassingRecords(clock);
	const begin = (id: string, address: string) => records.put(id, { jti: id }, address);
	for (let index = 0; index < OAUTH_LIMITS.interactionsMax; index++) {
		begin(`left-${index}`, `198.51.${index >> 8}.${index & 255}`);
	}
	monotonicMs += OAUTH_LIMITS.interactionSeconds * 1_000;
	begin("first", "192.0.2.7");
	begin("second", "192.0.2.7");
	begin("third", "203.0.113.9");
	t.same(
		["first", "second", "third"].filter((id) => !records.find(id)),
		[],
	);
	t.notOk(records.find("left-0"));
});

t.test("of a request for access only what means something gets through", async (t) => {
	const sent =
		"client_id=a&state=x%20y&scope=openid+everything&nonce=1&ui_locales=de&prompt=consent";
	t.equal(toAuthorizationQuery(sent), "client_id=a&state=x+y&scope=call");
	t.equal(toAuthorizationQuery("prompt=none&client_id=a"), "client_id=a&scope=call&prompt=none");
	t.equal(
		toAuthorizationQuery("state=1&state=2&response_mode=query"),
		"state=1&state=2&scope=call",
		"what was sent twice is seen twice",
	);
	for (const mode of ["fragment", "form_post", "jwt"]) {
		t.throws(() => toAuthorizationQuery(`response_mode=${mode}`), { code: "INVALID_ARGUMENT" });
	}
	const long = `state=${"x".repeat(OAUTH_LIMITS.authorizationQueryChars)}`;
	t.throws(() => toAuthorizationQuery(long), { code: "INVALID_ARGUMENT" });
});
