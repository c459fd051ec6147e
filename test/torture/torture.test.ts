import t from "tap";
import { runCampaign } from "./campaign.js";
import { FLAWS } from "./flaws.js";
import { liveWorld } from "./world.js";

const monotonicMs = () => performance.now();

t.test("a world keeps every promise through its crashes, the same for the same seed", async (t) => {
	const world = { seed: 3, until: 60 };
	const [first, again] = [await liveWorld(world), await liveWorld(world)];
	t.equal(first.failure, undefined);
	t.ok([...first.endings.values()].reduce((sum, count) => sum + count, 0) > 5);
	t.equal(first.traceHash, again.traceHash);
	const shorter = await liveWorld({ ...world, until: 5 });
	t.equal(shorter.steps, 5, "a prefix of it can be looked at");
	t.not(shorter.traceHash, first.traceHash);
});

for (const [name, { seed, spoil, complaint }] of Object.entries(FLAWS)) {
	t.test(`the simulation finds out when ${name}`, async (t) => {
		const { failure } = await runCampaign({ seed, worlds: 3, spoil, monotonicMs });
		t.match(failure?.message, complaint);
		const replayed = await liveWorld({ seed: failure?.seed ?? 0, until: failure?.until, spoil });
		t.equal(replayed.failure, failure?.message, "and its replay finds the same");
	});
}
