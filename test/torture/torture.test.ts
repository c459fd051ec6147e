import t from "tap";
import { runCampaign } from "./campaign.js";
import { FLAWS } from "./flaws.js";
import { liveWorld } from "./world.js";

const monotonicMs = () => performance.now();

t.test(
	"a world lives through its crashes and keeps every promise, the same for the same seed",
	async (t) => {
		const [first, again] = [await liveWorld({ seed: 3 }), await liveWorld({ seed: 3 })];
		t.equal(first.failure, undefined);
		t.equal(first.traceHash, again.traceHash);
		const other = await liveWorld({ seed: 3, until: 5 });
		t.equal(other.steps, 5, "a prefix of it can be looked at");
		t.not(other.traceHash, first.traceHash);
	},
);

for (const [name, { seed, spoil, complaint }] of Object.entries(FLAWS)) {
	t.test(`the simulation finds that ${name}`, async (t) => {
		const { failure } = await runCampaign({ seed, worlds: 6, spoil, monotonicMs });
		t.match(failure?.message, complaint);
		const replayed = await liveWorld({ seed: failure?.seed ?? 0, until: failure?.until, spoil });
		t.equal(replayed.failure, failure?.message, "and its replay finds the same");
	});
}
