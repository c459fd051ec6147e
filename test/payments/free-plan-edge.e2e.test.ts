import t from "tap";
import { manualClock } from "../support/manual-clock.js";
import { startApp } from "../support/start-app.js";
import { times } from "../support/times.js";

const BODY = { query: "Which HTTP status code asks for payment?", limit: 1 };
const settings = { model: "none" } as const;

t.test("of seventy calls at once on a fresh key exactly fifty pass", async (t) => {
	const clock = manualClock("2026-11-22T10:00:00Z");
	const shop = await startApp(t, { clock, settings });
	const { key } = await shop.app.operator.createKey({});
	const call = () => shop.search({ headers: { "X-API-Key": key }, body: BODY });
	const answers = await Promise.all(times(70, call));
	t.equal(answers.filter(({ status }) => status === 200).length, 50);
	t.equal(answers.filter(({ status }) => status === 429).length, 20);
});

t.test(
	"of twenty calls at once at the month's edge exactly the last ten free ones pass",
	async (t) => {
		const clock = manualClock("2026-11-22T10:00:00Z");
		const shop = await startApp(t, { clock, settings });
		const { key } = await shop.app.operator.createKey({ has_payment_method: true });
		const call = () => shop.search({ headers: { "X-API-Key": key }, body: BODY });
		for (const answer of await Promise.all(times(90, call))) t.equal(answer.status, 200);
		const answers = await Promise.all(times(20, call));
		t.equal(answers.filter(({ status }) => status === 200).length, 10);
	},
);

for (const [what, hasCard, before, calls] of [
	["51st call of a day", false, "2026-11-22T17:23:45Z", 50],
	["101st call of a month", true, "2026-11-22T17:23:45Z", 100],
	["101st call of a month of 28 days", true, "2027-02-28T23:59:58Z", 100],
] as const) {
	t.test(`the ${what} is refused for exactly as long as it says`, async (t) => {
		const clock = manualClock(before);
		const shop = await startApp(t, { clock, settings });
		const { key } = await shop.app.operator.createKey({ has_payment_method: hasCard });
		const call = () => shop.search({ headers: { "X-API-Key": key }, body: BODY });
		await Promise.all(times(calls, call));
		const refused = await call();
		t.same([refused.status, refused.body.error.code], [429, "QUOTA_EXCEEDED"]);
		const seconds = Number(refused.headers.get("retry-after"));
		t.ok(Number.isSafeInteger(seconds) && seconds > 0);
		clock.advance((seconds - 1) * 1_000);
		t.equal((await call()).status, 429, "a second too early");
		clock.advance(1_000);
		t.equal((await call()).status, 200, "at the second it named");
	});
}

t.test("a wallet's token is not held by the free quota, and polling is not counted", async (t) => {
	const shop = await startApp(t, { settings });
	const { token } = await shop.issueSpt("50");
	const answers = await Promise.all(times(60, () => shop.search({ token, body: BODY })));
	t.ok(answers.every(({ status }) => status === 200));
	const { key } = await shop.app.operator.createKey({});
	const headers = { "X-API-Key": key };
	for (let poll = 0; poll < 60; poll++) {
		t.equal((await shop.send("/v1/account/quota", { headers })).status, 200);
	}
	t.equal((await shop.search({ headers, body: BODY })).status, 200);
});
