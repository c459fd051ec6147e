import t from "tap";
import { OAUTH_LIMITS } from "../../src/accounts/oauth-limits.js";
import { createStepMemory } from "../../src/accounts/oauth-steps.js";
import { toAuthorizationQuery } from "../../src/oauth/oauth-documents.js";
import { createPassingRecords } from "../../src/oauth/passing-records.js";
import { manualClock } from "../support/manual-clock.js";

const FAR = OAUTH_LIMITS.interactionSeconds * 1_000;

function openRecords(processCount = () => 1) {
	const clock = manualClock("2026-03-10T12:00:00Z");
	return { clock, ...createPassingRecords({ clock, processCount, steps: createStepMemory() }) };
}

t.test("users on their way are forgotten when they take too long, or too many come", async (t) => {
	const { clock, ...records } = openRecords();
	await records.put("first", { jti: "first" });
	t.equal((await records.find("first"))?.jti, "first");
	clock.advance(FAR);
	t.notOk(await records.find("first"));
	t.notOk(await records.change("first", (payload) => payload), "nor brought back");
	t.notOk(await records.remove("first"));

	for (let index = 0; index <= OAUTH_LIMITS.interactionsMax; index++) {
		await records.put(`step-${index}`, { jti: `step-${index}` });
	}
	t.notOk(await records.find("step-0"), "the oldest step makes room");
	t.ok(await records.find("step-1"));
	t.ok(await records.remove("step-1"));
	t.notOk(await records.remove("step-1"), "ended once");
	t.notOk(await records.change("step-1", () => ({ jti: "again" })));
	t.notOk(await records.find("step-1"));
});

t.test("where several processes share the books each has its share of the bound", async (t) => {
	let processes = 1;
	const records = openRecords(() => processes);
	const { interactionsMax: most } = OAUTH_LIMITS;
	for (let index = 0; index < most; index++) await records.put(`step-${index}`, {});
	processes = 2;
	for (let index = most; index < most + 100; index++) await records.put(`step-${index}`, {});
	t.notOk(await records.find(`step-${most / 2}`));
	t.ok(await records.find(`step-${most / 2 + 100}`));
});

t.test("the address with most steps loses first, and signed-in users last", async (t) => {
	const records = openRecords();
	const login = { result: { login: { accountId: "acc_x" } } };
	const begin = (id: string, address: string, payload = {}) =>
		records.put(id, { jti: id, ...payload }, address);
	await begin("honest", "192.0.2.7");
	await begin("signed-in", "2001:db8:0:1::/64", login);
	for (let index = 0; index < OAUTH_LIMITS.interactionsMax * 2; index++) {
		await begin(`step-${index}`, `2001:db8:0:${(index % 40).toString(16)}::/64`);
	}
	t.ok(await records.find("honest"), "one network of many subnets loses its own");
	t.ok(await records.find("signed-in"), "and of these the ones without a sign-in");
	t.notOk(await records.find("step-0"));
	t.ok(await records.find(`step-${OAUTH_LIMITS.interactionsMax * 2 - 1}`));

	for (let index = 0; index < OAUTH_LIMITS.interactionsMax; index++) {
		await begin(`spread-${index}`, `2001:db8:${(index % 100).toString(16)}:1::/64`);
	}
	t.ok(await records.find("honest"), "who spreads over many networks has to share as well");
	await records.put("honest", { jti: "honest", ...login });
	const honest = await records.find("honest");
	t.ok(honest?.result, "what is put again outside of a request stays where it was");
});

t.test("steps that were not finished take nothing from those that are open", async (t) => {
	const { clock, ...records } = openRecords();
	const begin = (id: string, address: string) => records.put(id, { jti: id }, address);
	for (let index = 0; index < OAUTH_LIMITS.interactionsMax; index++) {
		await begin(`left-${index}`, `198.51.${index >> 8}.${index & 255}`);
	}
	clock.advance(FAR);
	for (const id of ["first", "second"]) await begin(id, "192.0.2.7");
	await begin("third", "203.0.113.9");
	for (const id of ["first", "second", "third"]) t.ok(await records.find(id));
	t.notOk(await records.find("left-0"));
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
