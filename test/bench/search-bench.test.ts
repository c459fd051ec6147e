import t from "tap";
import { atLeast, type Bar, below, toBarLine } from "../../bench/search/bars.js";
import { exponentOf } from "../../bench/search/exponent.js";
import {
	createConceptSource,
	generateTextGraph,
	generateTextQueries,
} from "../../bench/search/generated-texts.js";
import { buildLexicalSide } from "../../bench/search/lexical-side.js";
import { misspellSome } from "../../bench/search/misspelt-queries.js";
import type { QualityReport, SystemQuality } from "../../bench/search/quality.js";
import {
	decisionBars,
	developmentBars,
	fusionBars,
	labelledBars,
} from "../../bench/search/quality-bars.js";
import { createSentencePairs } from "../../bench/search/sentence-pairs.js";
import { toPassages } from "../../src/search/lexical/concept-text.js";

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

t.test("every fifth query holds a typo, whatever their number", async (t) => {
	const queries = generateTextQueries(50);
	const asked = misspellSome(queries);
	t.same(asked.slice(0, 20), misspellSome(queries.slice(0, 20)));
	const changed = asked.filter((query, at) => query !== queries[at]);
	t.equal(changed.length, 10);
	const lettersOf = (text: string) => [...text].sort().join("");
	t.same(asked.map(lettersOf), queries.map(lettersOf));
});

t.test("the lexical side reads typos", async (t) => {
	const graph = generateTextGraph("generated", 1_000, "short");
	const ask = await buildLexicalSide(graph, 10);
	const word = graph.concepts[0]?.title.split(" ").find((part) => part.length > 5) ?? "";
	const typo = misspellSome(["", "", "", "", word])[4] ?? "";
	t.not(typo, word);
	const slotsOf = (query: string) => (ask(query) as { slots: readonly number[] }).slots;
	t.ok(slotsOf(word).length > 0);
	const found = slotsOf(typo);
	t.ok(slotsOf(word).every((slot) => found.includes(slot)));
});

t.test("fused results that are worse than BM25's miss their bar", async (t) => {
	t.same(isMet(fusionBars("some", toReport({ bm25: 0.5, fused: 0.5 }))), [true]);
	t.same(isMet(fusionBars("some", toReport({ bm25: 0.5, fused: 0.4999 }))), [false]);
	const development = toReport({ dense: 0.62, fused: 0.639, read: 0.8 });
	t.same(isMet(developmentBars("dev", development)), [true, false, true]);
});

t.test("what the graph adds and what is decided are held against their goals", async (t) => {
	const good = { "multi-hop": 0.6, "single-hop": 0.7, identifier: 1 };
	const bad = { "multi-hop": 0.5, "single-hop": 0.6, identifier: 0.9 };
	const sure = (mean: number) => ({ mean, low: mean, high: mean });
	const abstention = { precision: sure(0.9), recall: sure(0.8), said: 10, meant: 10 };
	const fused = { ...good, "multi-hop": 0.5 };
	const report = (linked: Kinds): QualityReport => ({
		...toReport({ fused, fused_graph: linked, sold: linked }),
		abstention,
	});
	t.same(isMet(labelledBars("test", report(good))), [true, true, true, true]);
	t.same(isMet(labelledBars("test", report(bad))), [false, false, false, false]);
	t.same(isMet(decisionBars("test", report(good))), [true, true, true]);
	const dear = { ...report(good), ...toReport({ fused_graph: 0.7, sold: 0.67 }), abstention };
	t.same(isMet(decisionBars("test", dear)), [true, true, false]);
	const unjudged = { ...report(good), abstention: undefined };
	t.same(isMet(decisionBars("test", unjudged)), [false, false, true]);
});

type Kinds = Readonly<Record<string, number>>;

function isMet(bars: readonly Bar[]): boolean[] {
	return bars.map(({ is_met }) => is_met);
}

/** A report whose measures are all the one given, over all or by kind. */
function toReport(values: Readonly<Record<string, number | Kinds>>): QualityReport {
	const systems = Object.entries(values).map(([name, value]) => [name, toSystem(value)] as const);
	return {
		questions: 100,
		answerable: 90,
		documents: 50,
		systems: Object.fromEntries(systems),
		abstention: undefined,
		decisions: undefined,
	};
}

function toSystem(value: number | Kinds): SystemQuality {
	const mean = typeof value === "number" ? value : 0.5;
	const estimate = { mean, low: mean, high: mean };
	const all = {
		ndcg_at_10: estimate,
		recall_at_5: estimate,
		recall_at_10: estimate,
		mrr: estimate,
		kept_in_10_of_50: mean,
	};
	if (typeof value === "number") return all;
	const kinds = Object.entries(value).map(([kind, each]) => {
		const measures = {
			ndcg_at_10: each,
			best_at_5: each,
			recall_at_5: each,
			recall_at_10: each,
			mrr: each,
		};
		return [kind, { questions: 10, ...measures, best_first: each }] as const;
	});
	return { ...all, by_kind: Object.fromEntries(kinds) };
}
