import t from "tap";
import { dayAfter, latestSlot, localDay, nextSlot } from "../../skills/briefings/schedule-slots.js";

const daily = (timezone: string, hour: number) => ({
	frequency: "daily",
	timezone,
	hour,
	weekday: "monday",
});
const slotsFrom = (timing: ReturnType<typeof daily>, from: string, count: number) => {
	const slots = [];
	let after = Date.parse(from);
	for (let index = 0; index < count; index++) {
		const slot = nextSlot(timing, after);
		after = slot.at;
		slots.push([slot.day, new Date(slot.at).toISOString()]);
	}
	return slots;
};

t.test("an hour that a change of clocks leaves out is made up for at once", async (t) => {
	t.same(slotsFrom(daily("Europe/Berlin", 2), "2026-03-28T12:00:00Z", 2), [
		["2026-03-29", "2026-03-29T01:00:00.000Z"],
		["2026-03-30", "2026-03-30T00:00:00.000Z"],
	]);
	t.same(slotsFrom(daily("Australia/Lord_Howe", 2), "2026-10-03T12:00:00Z", 2), [
		["2026-10-04", "2026-10-03T15:30:00.000Z"],
		["2026-10-05", "2026-10-04T15:00:00.000Z"],
	]);
	t.same(slotsFrom(daily("America/Sao_Paulo", 0), "2018-11-03T12:00:00Z", 1), [
		["2018-11-04", "2018-11-04T03:00:00.000Z"],
	]);
});

t.test("the last hour of a day that has none is made up for at its end", async (t) => {
	t.same(slotsFrom(daily("America/Nuuk", 23), "2025-03-29T12:00:00Z", 2), [
		["2025-03-29", "2025-03-30T01:00:00.000Z"],
		["2025-03-30", "2025-03-31T00:00:00.000Z"],
	]);
	const weekly = { ...daily("America/Scoresbysund", 23), frequency: "weekly", weekday: "saturday" };
	t.same(
		slotsFrom(weekly, "2025-03-20T12:00:00Z", 3).map(([day]) => day),
		["2025-03-22", "2025-03-29", "2025-04-05"],
	);
	const now = Date.parse("2025-03-30T01:00:00Z");
	t.equal(latestSlot(daily("America/Nuuk", 23), { since: 0, now })?.day, "2025-03-29");
	t.equal(latestSlot(daily("America/Nuuk", 23), { since: 0, now: now - 1 })?.day, "2025-03-28");
});

t.test("an hour that comes twice is one slot", async (t) => {
	t.same(slotsFrom(daily("America/New_York", 1), "2026-10-31T12:00:00Z", 2), [
		["2026-11-01", "2026-11-01T05:00:00.000Z"],
		["2026-11-02", "2026-11-02T06:00:00.000Z"],
	]);
	t.same(slotsFrom(daily("Europe/Berlin", 2), "2026-10-24T12:00:00Z", 2), [
		["2026-10-25", "2026-10-25T00:00:00.000Z"],
		["2026-10-26", "2026-10-26T01:00:00.000Z"],
	]);
});

t.test("a day that a zone leaves out has no slot", async (t) => {
	t.same(
		slotsFrom(daily("Pacific/Apia", 8), "2011-12-28T19:00:00Z", 2).map(([day]) => day),
		["2011-12-29", "2011-12-31"],
	);
});

t.test(
	"of slots that were missed the latest is reported, and none from before the start",
	async (t) => {
		const timing = daily("UTC", 8);
		const at = (text: string) => Date.parse(text);
		const now = at("2026-03-10T09:00:00Z");
		t.equal(latestSlot(timing, { since: 0, now })?.day, "2026-03-10");
		t.equal(latestSlot(timing, { since: at("2026-03-10T08:30:00Z"), now }), undefined);
		const weekly = { ...timing, frequency: "weekly", weekday: "wednesday" };
		t.equal(latestSlot(weekly, { since: 0, now })?.day, "2026-03-04");
		t.equal(nextSlot(weekly, now).day, "2026-03-11");
		t.equal(dayAfter("2026-02-27", 6), "2026-03-05");
		t.equal(localDay("Pacific/Kiritimati", at("2026-03-10T11:00:00Z")), "2026-03-11");
	},
);
