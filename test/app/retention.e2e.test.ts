import t from "tap";
import { filesWith } from "../support/files-below.js";
import { manualClock } from "../support/manual-clock.js";
import { startApp, type TestApp } from "../support/start-app.js";

const CANARY = "xylophagous-coleoptera";
/** Answered whatever unknown word is added. */
const ASKED =
	"Which HTTP status code, 402 Payment Required, asks a client to pay in x402 before the resource is served?";
const SETTINGS = { model: "none" } as const;

const askPaid = async (shop: TestApp, token: string, words: string) =>
	shop.search({ token, body: { query: `${ASKED} ${words}` } });

for (const [asked, lastDay, gone] of [
	["2026-11-22T23:30:00Z", "2027-11-22T23:59:59Z", "2027-11-23T00:00:01Z"],
	["2028-02-29T12:00:00Z", "2029-02-28T12:00:00Z", "2029-03-01T00:00:01Z"],
] as const) {
	t.test(`a query of ${asked} is in no file from ${gone} on, and its bill stands`, async (t) => {
		const clock = manualClock(asked);
		const first = await startApp(t, { settings: SETTINGS, clock });
		const { token } = await first.issueSpt("25");
		const sold = await askPaid(first, token, CANARY);
		t.equal(sold.body.meta.cost.charged, true);
		const before = await first.app.operator.reportLedger({ by: "day" });
		await first.close();

		clock.set(lastDay);
		const { folder } = first;
		const shop = await startApp(t, { settings: SETTINGS, clock, folder });
		await shop.app.operator.acceptClock();
		const early = await shop.app.operator.purge();
		t.equal(early.query_days_removed, 0);
		t.match(filesWith(shop.folder, CANARY), [/queries/], "12 months are not over");

		clock.set(gone);
		const late = await shop.app.operator.purge();
		t.equal(late.query_days_removed, 1);
		t.same(
			await shop.app.operator.reportLedger({ by: "day" }),
			before,
			"what was charged is still known",
		);
		await shop.close();
		t.same(filesWith(shop.folder, CANARY), []);
	});
}

t.test("a purge keeps the days that are not a year old", async (t) => {
	const clock = manualClock("2026-01-10T10:00:00Z");
	const shop = await startApp(t, { settings: SETTINGS, clock });
	const { token } = await shop.issueSpt("25");
	const { folder } = shop;
	for (const [day, word] of [
		["2026-01-10T10:00:00Z", "first"],
		["2026-07-01T10:00:00Z", "second"],
		["2027-01-11T00:00:00Z", "third"],
	] as const) {
		clock.set(day);
		await askPaid(shop, token, `${CANARY}-${word}`);
	}
	await shop.close();
	clock.set("2026-06-01T00:00:00Z");
	const later = await startApp(t, { settings: SETTINGS, clock, folder });
	clock.set("2027-01-11T00:00:00Z");
	await later.app.operator.acceptClock();
	t.match(await later.app.operator.purge(), {
		queries_kept_from: "2026-01-11",
		query_days_removed: 1,
	});
	await later.close();
	t.same(filesWith(shop.folder, `${CANARY}-first`), []);
	t.equal(filesWith(shop.folder, `${CANARY}-second`).length, 1);
	t.equal(filesWith(shop.folder, `${CANARY}-third`).length, 1);
});
