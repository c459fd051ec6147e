import t from "tap";
import { OAUTH_LIMITS } from "../../src/core/oauth-limits.js";
import { toAuthorizationQuery } from "../../src/oauth/authorization-query.js";
import { createPassingRecords } from "../../src/oauth/passing-records.js";
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
	t.notOk(records.find("step-0"), "whoever began longest ago makes room");
	t.ok(records.find("step-1"));
	records.remove("step-1");
	t.notOk(records.find("step-1"));
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
