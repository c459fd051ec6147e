import t from "tap";
import { atLeast, below, toBarLine } from "../../bench/search/bars.js";
import { exponentOf } from "../../bench/search/exponent.js";
import {
	createConceptSource,
	generateTextGraph,
	generateTextQueries,
} from "../../bench/search/generated-texts.js";
import { createSentencePairs } from "../../bench/search/sentence-pairs.js";
import { toPassages } from "../../src/search/passages.js";

t.test("a bar says what was asked and whether it was met", async (t) => {
	t.match(toBarLine(atLeast("queries a second", 499, 500)), /^MISSED .*: 499 \(>= 500\)$/);
	t.match(toBarLine(atLeast("queries a second", 500, 500)), /^met /);
	t.equal(below("delay", 20, 20).is_met, false);
	t.equal(below("delay", Number.NaN, 20).is_met, false);
});

t.test(
	"cost that grows as size does has the exponent one, and what stays the same has none",
	async (t) => {
		const sizes = [10_000, 100_000, 1_000_000] as const;
		t.equal(exponentOf(sizes.map((size) => [size, size / 40])), 1);
		t.equal(exponentOf(sizes.map((size) => [size, 3])), 0);
		t.equal(exponentOf(sizes.map((size) => [size, Math.sqrt(size)])), 0.5);
	},
);

t.test("the same number gives the same concept, alone or in a graph", async (t) => {
	const { concepts } = generateTextGraph("generated", 500, "long");
	t.same(createConceptSource("long")(499), concepts[499]);
	const ids = new Set(concepts.map(({ id }) => id));
	for (const { edges } of concepts) {
		for (const { target } of edges) t.ok(ids.has(target), target);
	}
});

t.test("a short concept is one passage, a long one several", async (t) => {
	t.equal(toPassages(createConceptSource("short")(7)).length, 1);
	t.ok(toPassages(createConceptSource("long")(7)).length > 1);
});

t.test("few words are frequent and most are rare", async (t) => {
	const { concepts } = generateTextGraph("generated", 2_000, "long");
	const counts = new Map<string, number>();
	for (const { body } of concepts) {
		for (const word of new Set(body.split(/\W+/))) counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	const shares = [...counts.values()].map((count) => count / concepts.length);
	t.ok(shares.some((share) => share > 0.5));
	t.ok(shares.filter((share) => share < 0.02).length > 0.9 * shares.length);
});

t.test("no two generated queries are alike", async (t) => {
	t.equal(new Set(generateTextQueries(3_000)).size, 3_000);
	t.same(generateTextQueries(5), generateTextQueries(5));
});

t.test("passages for scans are made of the sample catalog's sentences", async (t) => {
	const [one, other] = [await createSentencePairs(), await createSentencePairs()];
	const some = Array.from({ length: 200 }, one);
	t.same(some, Array.from({ length: 200 }, other));
	t.equal(new Set(some).size, 200);
	t.ok(some.every((passage) => passage.split(" ").length >= 12));
});
