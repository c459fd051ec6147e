import type { Test } from "tap";
import { type Outcome, simulateSchedules } from "./schedule-simulation.js";

const YEARS = 10;

// Before the test runner is loaded, whose hooks on promises would take most of the time.
const world = await simulateSchedules({ seed: 20_260_301, years: YEARS });
const { default: t } = await import("tap");

t.test("ten years of crashes, downtime and jumping clocks: every slot runs once", async (t) => {
	const { schedules, facts } = world;
	t.comment(JSON.stringify(facts));
	t.ok(facts.runs > 2 * 330 * YEARS, "most days of two daily schedules ran");
	t.ok(facts.crashes > 100 && facts.jumps > 100 && facts.outages > 100, "much went wrong");
	for (const schedule of schedules) checkSchedule(t, schedule);
	t.equal(world.sumOfEntries, 0n, "no money was made or lost");
	t.equal(world.heldMicros, 0n, "no week's price is left held");
});

function checkSchedule(t: Test, { name, due, allowed, runs, sent, unknown }: Outcome): void {
	const ran = new Set(runs.map(({ slot }) => slot));
	t.equal(ran.size, runs.length, `${name}: a slot has one run`);
	t.same(
		[...due].filter((day) => !ran.has(day)),
		[],
		`${name}: what was due ran`,
	);
	t.same(
		[...ran].filter((day) => !allowed.has(day)),
		[],
		`${name}: nothing ran that was not due`,
	);
	t.same(
		[...sent].filter(([, times]) => times > 1),
		[],
		`${name}: nothing was sent twice`,
	);
	const delivered = runs.filter(({ status }) => status === "delivered");
	t.same(
		delivered.filter(({ slot }) => !sent.has(slot)),
		[],
		`${name}: what is called delivered was sent`,
	);
	const told = new Set(delivered.map(({ slot }) => slot));
	const lost = [...sent.keys()].filter((day) => !told.has(day) && !unknown.has(day));
	t.same(lost, [], `${name}: what was sent is called delivered, or unknown after a crash`);
	checkBilling(t, name, delivered);
}

/** Weeks that were begun are disjoint, and hold every briefing that was delivered; the first was paid with the schedule. */
function checkBilling(t: Test, name: string, delivered: Outcome["runs"]): void {
	const [first, ...rest] = delivered;
	t.equal(first?.receiptId, undefined, `${name}: creation paid the first week`);
	let coveredThrough = first ? plusDays(first.slot, 6) : "";
	const wrong = rest.filter(({ slot, receiptId }) => {
		const isCovered = slot <= coveredThrough;
		if (!isCovered) coveredThrough = plusDays(slot, 6);
		return isCovered === (receiptId !== undefined);
	});
	t.same(wrong, [], `${name}: each further week was paid once, with its first briefing`);
	const receipts = delivered.flatMap(({ receiptId }) => receiptId ?? []);
	t.equal(new Set(receipts).size, receipts.length, `${name}: a receipt is for one week`);
}

function plusDays(day: string, days: number): string {
	return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
