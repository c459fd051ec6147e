import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { manualClock } from "../support/manual-clock.js";
import { startApp, type TestApp } from "../support/start-app.js";

const SETTINGS = { model: "none" } as const;
const DAY_MS = 86_400_000;
const WRONG_MS = 400 * DAY_MS;

/** One more owned row that is past its time 30 days later. */
async function leaveReport({ app }: TestApp, id: string, expiresAt: number): Promise<void> {
	await app.store.transaction((tx) =>
		tx.put("artefacts", { id, owner: "tok_a", kind: "dossier", createdAt: 1, expiresAt }),
	);
	await app.store.documents.put(id, "what was paid for", expiresAt);
}

const hasReport = ({ app }: TestApp, id: string) =>
	app.store.read(async (reader) => (await reader.get("artefacts", id)) !== undefined);

const housekeepingOf = async ({ send }: TestApp) =>
	(await send("/v1/health")).body.data.housekeeping.status;

/** What housekeeping does at a start is done once its check of the clock was reported or written. */
async function settled(shop: TestApp): Promise<void> {
	for (let turn = 0; turn < 5; turn++) {
		await shop.app.store.transaction(async () => undefined);
		await pause(5);
	}
}

t.test(
	"a start with a clock that is wrong by a year deletes nothing until it is accepted",
	async (t) => {
		const clock = manualClock("2026-03-10T12:00:00Z");
		const messages: unknown[] = [];
		const logger = {
			info: (message: string, fields?: object) => void messages.push([message, fields]),
			error: (message: string, fields?: object) => void messages.push([message, fields]),
		};
		const first = await startApp(t, { settings: SETTINGS, clock });
		await settled(first);
		await leaveReport(first, "art_1", clock.now() + 30 * DAY_MS);
		const { folder } = first;
		await first.close();

		clock.misset(WRONG_MS);
		const wrong = await startApp(t, { settings: SETTINGS, clock, folder, logger });
		await settled(wrong);
		t.equal(await hasReport(wrong, "art_1"), true);
		t.equal(await housekeepingOf(wrong), "waiting");
		t.match(messages, [[/more than a day ahead/, { help: /tollgraph clock accept/ }]]);
		await t.rejects(wrong.app.operator.purge(), { code: "CONFLICT", message: /clock accept/ });
		const { token } = await wrong.issueSpt("5.00");
		t.equal((await wrong.search({ token })).status, 200, "calls are sold as before");
		await wrong.close();

		const again = await startApp(t, { settings: SETTINGS, clock, folder });
		await settled(again);
		t.equal(
			await hasReport(again, "art_1"),
			true,
			"what was written meanwhile does not make it right",
		);
		await again.close();

		clock.misset(-WRONG_MS);
		const right = await startApp(t, { settings: SETTINGS, clock, folder });
		t.equal(await housekeepingOf(right), "running", "once it is set right, no one has to say so");
		t.match(await right.app.operator.purge(), { rows_removed: {} });
		await right.close();

		clock.misset(WRONG_MS);
		const later = await startApp(t, { settings: SETTINGS, clock, folder });
		t.match(await later.app.operator.readClock(), { status: "ahead", expected: /^2026-03-10/ });
		t.match(await later.app.operator.acceptClock(), { status: "trusted", now: /^2027-04-14/ });
		t.match(await later.app.operator.purge(), { rows_removed: { artefacts: 1 } });
		t.equal(await housekeepingOf(later), "running");
	},
);

t.test(
	"a clock that jumps while the server runs is not trusted; time that passes is",
	async (t) => {
		const clock = manualClock("2026-03-10T12:00:00Z");
		const shop = await startApp(t, { settings: SETTINGS, clock });
		await settled(shop);
		await leaveReport(shop, "art_1", clock.now() + 30 * DAY_MS);
		clock.misset(23 * 3_600_000);
		t.equal(await housekeepingOf(shop), "running", "less than a day");
		clock.misset(30 * DAY_MS);
		t.equal(await housekeepingOf(shop), "waiting");
		await t.rejects(shop.app.operator.purge(), { code: "CONFLICT" });
		clock.misset(-30 * DAY_MS);
		clock.advance(31 * DAY_MS);
		t.equal(await housekeepingOf(shop), "running");
		t.match(await shop.app.operator.purge(), { rows_removed: { artefacts: 1 } });
	},
);
