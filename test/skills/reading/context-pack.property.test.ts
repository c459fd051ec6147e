import fc from "fast-check";
import t from "tap";
import {
	estimateTokens,
	packContext,
	readCitedPassages,
} from "../../../skills/graphs/reading/context-pack.js";
import { runAtOnce } from "../../../src/knowledge/model/work-in-turns.js";
import { conceptOf, HOSTILE } from "./random-graph.js";

const source = (articleId: string) => ({
	articleId,
	title: `On ${articleId}`,
	sourceUrl: `https://example.org/${articleId}`,
	publishedAt: "2020-01-02",
	datePrecision: "day" as const,
});

t.test("a paragraph carries the sources its footnotes name, and no others", async (t) => {
	const concept = conceptOf("a", {
		summary: "In short.",
		body: "First claim.[^s1] More.[^s2]\n\nUncited remark.\n\n# Head\n\nSecond.[^s2][^gone]\n\n[^s1]: On s1",
		evidence: [source("s1"), source("s2")],
	});
	const told = runAtOnce(readCitedPassages(concept)).map(({ text, evidence }) => [
		text,
		evidence.map(({ articleId }) => articleId),
	]);
	t.same(told, [
		["In short.", ["s1", "s2"]],
		["First claim. More.", ["s1", "s2"]],
		["Uncited remark.", []],
		["Second.", ["s2"]],
	]);
});

t.test("without footnotes every paragraph carries every source", async (t) => {
	const concept = conceptOf("a", { summary: "", body: "One.\n\nTwo.", evidence: [source("s1")] });
	t.same(
		runAtOnce(readCitedPassages(concept)).map(({ evidence }) => evidence.length),
		[1, 1],
	);
});

t.test("a pack stays within its budget, and every mark leads to a source", async (t) => {
	const anyPassage = fc.record({
		text: fc.oneof(fc.constantFrom(...HOSTILE), fc.lorem({ maxCount: 30 })),
		concept: fc.constantFrom(...["a", "b", "=x", "漢"].map((title) => conceptOf(title, { title }))),
		evidence: fc.subarray(["s1", "s2", "s3", "s4", "s5"].map(source)),
	});
	fc.assert(
		fc.property(fc.array(anyPassage), fc.integer({ min: 1, max: 400 }), (passages, budget) => {
			const pack = runAtOnce(packContext(passages, budget));
			t.ok(pack.tokens <= budget, `${pack.tokens} of ${budget}`);
			t.equal(pack.tokens, estimateTokens(pack.text));
			const [body = "", list = ""] = pack.text.split("## Sources");
			const numbers = pack.sources.map(({ number }) => number);
			t.same(
				numbers,
				numbers.map((_, index) => index + 1),
			);
			for (const number of numbers) {
				t.ok(body.includes(`[${number}]`));
				t.match(list, new RegExp(`^\\[${number}\\] On s`, "m"));
			}
		}),
		{ numRuns: 150 },
	);
});

t.test(
	"tokens are counted the same everywhere, and a text joined of parts has no more than these",
	async (t) => {
		t.equal(estimateTokens(""), 0);
		t.equal(estimateTokens("payment"), 2);
		t.equal(estimateTokens("A token, please."), 7);
		t.equal(estimateTokens("2026"), 2);
		t.equal(estimateTokens("漢字"), 2);
		t.equal(estimateTokens("größe"), 3);
		const text = fc.string({ unit: "grapheme", maxLength: 40 });
		fc.assert(
			fc.property(text, text, (a, b) => {
				const apart = estimateTokens(a) + estimateTokens(b);
				t.ok(estimateTokens(`${a}\n\n${b}`) <= apart + 1);
			}),
		);
	},
);
