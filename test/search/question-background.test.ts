import t from "tap";
import type { DenseRequest } from "../../src/search/dense/dense-side.js";
import type { SearchScope } from "../../src/search/index/index-state.js";
import { FOREIGN_QUESTIONS } from "../../src/search/ranking/foreign-questions.js";
import {
	createQuestionBackgrounds,
	toBackground,
} from "../../src/search/ranking/question-background.js";

/** One graph's scope with so many vectors. */
function scopeOf(id: string, rows: number, sha256 = "model"): SearchScope {
	const vectors = { scales: new Float32Array(rows), embedder: { sha256 } };
	return { segment: { graphId: id, vectors }, vectors: {}, base: 0 } as unknown as SearchScope;
}

/** A dense side whose closest text is at these cosines, one question after the other. */
function createDenseSide(cosines: readonly number[]) {
	let asked = 0;
	const search = async (_: DenseRequest) => {
		const cosine = cosines[asked++ % cosines.length] as number;
		return { vector: new Float32Array(), slots: [0], cosines: Float32Array.of(cosine) };
	};
	return { search, asked: () => asked };
}

t.test("the closest questions are left out: a graph holds something on a few of any", async (t) => {
	const usual = Array.from({ length: 90 }, (_, at) => (at % 2 === 0 ? 0.2 : 0.4));
	const { mean, spread } = toBackground([...usual, ...new Array(10).fill(0.9)]);
	t.match({ mean: mean.toFixed(3), spread: spread.toFixed(3) }, { mean: "0.300", spread: "0.100" });
	t.ok(toBackground(new Array(20).fill(0.3)).spread > 0);
});

t.test(
	"a graph is measured once, and again when it has changed much or has other vectors",
	async (t) => {
		const denseSide = createDenseSide([0.1, 0.2, 0.3]);
		const backgrounds = createQuestionBackgrounds(denseSide);
		const first = await backgrounds.of(() => [scopeOf("nature", 100)]);
		t.ok(first && first.mean > 0.1 && first.mean < 0.3);
		t.equal(denseSide.asked(), FOREIGN_QUESTIONS.length);
		t.equal(await backgrounds.of(() => [scopeOf("nature", 105)]), first);
		t.equal(denseSide.asked(), FOREIGN_QUESTIONS.length);
		await backgrounds.of(() => [scopeOf("nature", 120)]);
		t.equal(denseSide.asked(), 2 * FOREIGN_QUESTIONS.length);
		await backgrounds.of(() => [scopeOf("nature", 120, "another")]);
		t.equal(denseSide.asked(), 3 * FOREIGN_QUESTIONS.length);
		backgrounds.keepOnly(new Map());
		await backgrounds.of(() => [scopeOf("nature", 120, "another")]);
		t.equal(denseSide.asked(), 4 * FOREIGN_QUESTIONS.length);
	},
);

t.test("without vectors there is no background; one that failed is tried again", async (t) => {
	t.equal(await createQuestionBackgrounds(undefined).of(() => [scopeOf("nature", 3)]), undefined);
	let isUp = false;
	const { search } = createDenseSide([0.1, 0.4]);
	const backgrounds = createQuestionBackgrounds({
		search: (asked) => (isUp ? search(asked) : Promise.resolve(undefined)),
	});
	t.equal(await backgrounds.of(() => [scopeOf("nature", 3)]), undefined);
	t.equal(await backgrounds.of(() => [scopeOf("nature", 0)]), undefined);
	isUp = true;
	t.ok(await backgrounds.of(() => [scopeOf("nature", 3)]));
});

t.test(
	"graphs are measured one after the other; one whose search fails keeps none from the next",
	async (t) => {
		let [running, most] = [0, 0];
		const search = async (asked: DenseRequest) => {
			running++;
			most = Math.max(most, running);
			await new Promise(setImmediate);
			running--;
			if (asked.scopes[0]?.base === 1) throw new Error("Its memory is gone.");
			return { vector: new Float32Array(), slots: [0], cosines: Float32Array.of(0.3) };
		};
		const backgrounds = createQuestionBackgrounds({ search });
		const failing = { ...scopeOf("failing", 5), base: 1 };
		const [bad, good, other] = await Promise.all([
			backgrounds.of(() => [failing]),
			backgrounds.of(() => [scopeOf("good", 5)]),
			backgrounds.of(() => [scopeOf("other", 5)]),
		]);
		t.equal(bad, undefined);
		t.ok(good && other);
		t.ok(most <= FOREIGN_QUESTIONS.length, `${most}`);
		t.equal(await backgrounds.of(() => [failing]), undefined, "it is tried again");
		t.ok(await backgrounds.of(() => [scopeOf("next", 5)]));
	},
);
