import t from "tap";
import { denseWeightFor, fuseRanks } from "../../src/search/rank-fusion.js";
import { selectTop } from "../../src/search/select-top.js";

t.test("each side is scaled by its best score, from zero", async (t) => {
	const fused = fuseRanks(
		[
			{ slot: 0, lexical: 10, cosine: 0.2 },
			{ slot: 1, lexical: 5, cosine: 0.8 },
			{ slot: 2, lexical: 0, cosine: -0.5 },
		],
		0.6,
	);
	const scores = fused.map(({ score }) => Math.round(score * 1_000) / 1_000);
	t.same(scores, [0.6 * 0.25 + 0.4, 0.6 + 0.4 * 0.5, 0]);
});

t.test("without cosines the keyword side decides alone", async (t) => {
	const fused = fuseRanks(
		[
			{ slot: 0, lexical: 4, cosine: undefined },
			{ slot: 1, lexical: 1, cosine: undefined },
		],
		0.6,
	);
	t.same(
		fused.map(({ score }) => score),
		[1, 0.25],
	);
});

t.test("candidates without any score stay at zero", async (t) => {
	t.equal(fuseRanks([{ slot: 0, lexical: 0, cosine: 0 }], 0.6)[0]?.score, 0);
});

t.test("identifiers move weight to the keyword side", async (t) => {
	t.ok(denseWeightFor(1) < denseWeightFor(0.5));
	t.ok(denseWeightFor(0.5) < denseWeightFor(0));
});

t.test("the best slots come in order over several ranges, ties by slot", async (t) => {
	const scores = Float32Array.of(0.5, 0, 0.9, 0.5, -1, 0.7);
	const first = selectTop(scores, { from: 0, to: 3 }, 3);
	t.same(selectTop(scores, { from: 3, to: 6 }, 3, first), [2, 5, 0]);
});
