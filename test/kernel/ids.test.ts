import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import {
	createIds,
	parseGraphId,
	siblingId,
	systemRandom,
	timeOfId,
} from "../../src/kernel/ids.js";

const at = (ms: number) =>
	createIds({ clock: { ...systemClock, now: () => ms }, random: systemRandom });

t.test("an id states when it was made and sorts by it", async (t) => {
	const early = at(1_700_000_000_000).next("hold");
	const late = at(1_700_000_000_001).next("hold");
	t.equal(timeOfId(early), 1_700_000_000_000);
	t.ok(early < late);
	t.match(early, /^hold_[0-9a-z]{26}$/);
});

t.test("a receipt's id is its hold's under another prefix", async (t) => {
	const hold = at(1_700_000_000_000).next("hold");
	t.equal(siblingId(siblingId(hold, "rcpt"), "hold"), hold);
});

t.test("ten thousand ids of one instant differ", async (t) => {
	const ids = at(1_700_000_000_000);
	t.equal(new Set(Array.from({ length: 10_000 }, () => ids.next("req"))).size, 10_000);
});

t.test("text that is no id has no time", async (t) => {
	t.equal(timeOfId("rcpt_short"), undefined);
	t.equal(timeOfId("../../../etc/passwd"), undefined);
});

t.test("a graph id is checked before it can become a path", async (t) => {
	t.equal(parseGraphId("agent-payments"), "agent-payments");
	for (const bad of ["", "a", "A-b", "../x", "a/b", "-a", "a".repeat(64)]) {
		t.throws(() => parseGraphId(bad), { code: "INVALID_ARGUMENT" });
	}
});
