import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createQueryVectors } from "../../src/search/dense/dense-side.js";
import { createCountingEmbedder } from "./sample-graph.js";

function startVectors() {
	const asked: string[] = [];
	const counting = createCountingEmbedder();
	const embedder: typeof counting = {
		...counting,
		embed(texts, lane) {
			asked.push(...texts);
			return counting.embed(texts, lane);
		},
	};
	return { asked, counting, vectors: createQueryVectors(systemClock, embedder) };
}

t.test("a query asked again, in whatever spacing, is not embedded again", async (t) => {
	const { asked, vectors } = startVectors();
	const first = await vectors("signed transfer");
	t.equal(await vectors("  signed \n transfer "), first);
	t.not(await vectors("signed transfers"), first);
	t.same(asked, ["signed transfer", "signed transfers"]);
});

t.test("a failure is not remembered", async (t) => {
	const { counting, vectors } = startVectors();
	counting.fail(true);
	t.equal(await vectors("moss"), undefined);
	counting.fail(false);
	t.ok(await vectors("moss"));
});

t.test("a query that grows when it is normalized is cut again", async (t) => {
	const { asked, vectors } = startVectors();
	await vectors("\ufdfa".repeat(LIMITS.queryChars));
	t.equal(asked[0]?.length, LIMITS.queryChars);
});
