import t from "tap";
import { createFusion, denseWeightFor } from "../../src/search/ranking/ranking.js";

const fuseAll = (candidates: Parameters<typeof createFusion>[0], identifierShare = 0) =>
	candidates.map(createFusion(candidates, identifierShare));

t.test("each side is scaled by its best score, from zero", async (t) => {
	const fused = fuseAll([
		{ lexical: 10, cosine: 0.2 },
		{ lexical: 5, cosine: 0.5 },
		{ lexical: 0, cosine: -0.5 },
	]);
	const weight = denseWeightFor(0, 0.5);
	t.same(
		fused.map((candidate) => candidate.fused),
		[weight * 0.4 + (1 - weight), weight + (1 - weight) * 0.5, 0],
	);
});

t.test("without cosines the keyword side decides alone", async (t) => {
	const fused = fuseAll([
		{ lexical: 4, cosine: undefined },
		{ lexical: 1, cosine: undefined },
	]);
	t.same(
		fused.map((candidate) => candidate.fused),
		[1, 0.25],
	);
});

t.test("candidates without any score stay at zero", async (t) => {
	t.equal(fuseAll([{ lexical: 0, cosine: 0 }])[0]?.fused, 0);
});

t.test("what neither side found is scored against what they found, never above it", async (t) => {
	const fuse = createFusion([{ lexical: 4, cosine: 0.5 }], 0);
	const { lexicalShare, denseShare } = fuse({ lexical: 1, cosine: 0.6 });
	t.same([lexicalShare, denseShare], [0.25, 1]);
});

t.test("identifiers move weight to the keyword side, closeness to the dense side", async (t) => {
	t.ok(denseWeightFor(1, 0.5) < denseWeightFor(0.5, 0.5));
	t.ok(denseWeightFor(0.5, 0.5) < denseWeightFor(0, 0.5));
	t.ok(denseWeightFor(0, 0.3) < denseWeightFor(0, 0.6));
	t.ok(denseWeightFor(0, 1) < 1);
	t.ok(denseWeightFor(1, 0) >= 0);
});
