import t from "tap";
import { type PartSize, planMerge } from "../../src/search/index/index-merger.js";

const whole = (...sizes: number[]): PartSize[] =>
	sizes.map((size) => ({ concepts: { length: size }, live: size }));

t.test("few segments without much waste are left as they are", async (t) => {
	t.equal(planMerge([]), undefined);
	t.equal(planMerge(whole(1, 2, 3, 100, 8_000)), undefined);
	t.equal(planMerge([{ concepts: { length: 100 }, live: 76 }]), undefined);
});

t.test("a segment of which more than a quarter is dead is rebuilt", async (t) => {
	t.same(planMerge([...whole(50), { concepts: { length: 100 }, live: 74 }]), [1]);
});

t.test(
	"too many segments: the small ones go together, in their order, and the large ones stay",
	async (t) => {
		const plan = planMerge(whole(30_000, 256, 256, 256, 256, 256, 256, 256, 256));
		t.same(plan, [1, 2, 3, 4, 5, 6, 7, 8]);
	},
);

t.test("no merge makes a segment larger than the limit", async (t) => {
	const sizes = Array<number>(13).fill(8_192);
	t.same(planMerge(whole(...sizes)), [0, 1]);
	t.equal(planMerge(whole(...Array<number>(61).fill(16_384))), undefined);
});

t.test(
	"single small segments make for a number of copies that grows with the logarithm",
	async (t) => {
		let segments: PartSize[] = whole(30_000);
		let copied = 0;
		for (let change = 0; change < 120; change++) {
			segments = [...segments, ...whole(256)];
			for (let plan = planMerge(segments); plan; plan = planMerge(segments)) {
				const chosen = new Set(plan);
				const live = plan.reduce((sum, at) => sum + (segments[at]?.live ?? 0), 0);
				copied += live;
				segments = [...segments.filter((_, at) => !chosen.has(at)), ...whole(live)];
			}
			t.ok(segments.length <= 8);
		}
		t.ok(copied < 120 * 256 * 8, `each document was copied ${copied / (120 * 256)} times`);
	},
);
