import t from "tap";
import { modeOf, toStatus } from "../../src/search/index-status.js";
import type { IndexStatus } from "../../src/search/search.js";

const WHOLE: IndexStatus = {
	model: { id: "m", sha256: "", dimensions: 2 },
	concepts: 10,
	pendingVectors: 0,
	mode: "hybrid",
};
const SIZES = { segments: 1, tombstones: 0, waiting: 0 };
const WITHOUT_VECTORS = { scopes: [0], dense: undefined };

t.test("an answer by words alone says what it lacks, and why", async (t) => {
	const why = (status: Partial<IndexStatus>, refusal?: string) =>
		modeOf(
			WITHOUT_VECTORS,
			() => ({ ...WHOLE, ...status }),
			() => ({ ...SIZES, refusal }),
		).reason;
	t.match(why({ model: undefined }), /has no embedding model/);
	t.match(why({ pendingVectors: 4 }), /6 of 10 concepts have theirs/);
	t.match(why({}, "The memory is full."), /find room in this server's memory/);
	t.match(why({}), /gave no vector in time/);
	t.same(
		modeOf(
			{ scopes: [0], dense: {} },
			() => WHOLE,
			() => SIZES,
		),
		{ mode: "hybrid" },
	);
});

t.test("the operator reads every cause of keyword answers", async (t) => {
	const concepts = { concepts: 10, problem: "A file is damaged." };
	const status = toStatus({ reason: "No model." }, { ...SIZES, refusal: "Full." }, concepts);
	t.match(status, { mode: "keyword", model: undefined, reason: "No model. A file is damaged." });
});
