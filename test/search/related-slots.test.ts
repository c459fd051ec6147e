import t from "tap";
import type { Concept } from "../../src/knowledge/model/graph.js";
import { buildLexicalSegment } from "../../src/search/index/index-builder.js";
import { createIndexState, toScopes } from "../../src/search/index/index-state.js";
import { buildLinkGraph } from "../../src/search/ranking/link-graph.js";
import { relatedSlots } from "../../src/search/ranking/related-slots.js";
import { sampleConcept, sampleGraph } from "./sample-graph.js";

const linkedTo = (id: string, targets: Readonly<Record<string, number>>): Concept =>
	sampleConcept(id, {
		edges: Object.entries(targets).map(([target, weight]) => ({ type: "uses", target, weight })),
	});

/** How related the concepts are, by id, to the matches, which are given with their scores. */
async function relatedTo(
	matches: Readonly<Record<string, number>>,
	concepts: readonly Concept[],
	types?: readonly string[],
): Promise<Readonly<Record<string, number>>> {
	const graph = sampleGraph("g", concepts);
	const segment = await buildLexicalSegment(graph);
	const state = createIndexState([{ graph, parts: [{ segment, concepts, vectors: undefined }] }]);
	const links = await buildLinkGraph([{ segment, concepts }]);
	const slotOf = (id: string) => concepts.findIndex((concept) => concept.id === id);
	const asked = Object.entries(matches).map(([id, score]) => ({ slot: slotOf(id), score }));
	const related = relatedSlots(links, toScopes(state, [graph], { types }), asked);
	return Object.fromEntries([...related].map(([slot, share]) => [concepts[slot]?.id, share]));
}

t.test("the most related row that is no match itself is fully related", async (t) => {
	const concepts = [
		linkedTo("a", { b: 1, far: 0.1 }),
		linkedTo("b", { a: 1, far: 0.05 }),
		sampleConcept("far"),
		sampleConcept("alone"),
	];
	const related = await relatedTo({ a: 1, b: 1 }, concepts);
	t.equal(related["far"], 1, "however much the matches lead to each other");
	t.equal(related["a"], 1);
	t.equal(related["b"], 1);
	t.notOk(related["alone"]);
});

t.test("what is related half as much gets more than half", async (t) => {
	const concepts = [
		linkedTo("a", { near: 1, half: 0.5 }),
		sampleConcept("near"),
		sampleConcept("half"),
	];
	const { near, half } = await relatedTo({ a: 1 }, concepts);
	t.equal(near, 1);
	t.match(half, 0.594604);
});

t.test(
	"matches that lead to nothing but each other, or to nothing, raise nothing else",
	async (t) => {
		const concepts = [linkedTo("a", { b: 1 }), sampleConcept("b"), sampleConcept("c")];
		const related = await relatedTo({ a: 1, b: 0.5 }, concepts);
		t.same(Object.keys(related).sort(), ["a", "b"]);
		t.ok(Object.values(related).every((share) => share >= 0 && share <= 1));
		t.same(await relatedTo({ c: 1 }, concepts), {});
		t.same(await relatedTo({}, concepts), {});
	},
);

t.test("of matches that lead to nothing else, each is as related as walks end there", async (t) => {
	const concepts = [
		linkedTo("a", { strong: 1, faint: 0.002 }),
		sampleConcept("strong"),
		sampleConcept("faint"),
	];
	const { strong = 0, faint = 1 } = await relatedTo({ a: 1, strong: 0.3, faint: 0.3 }, concepts);
	t.equal(strong, 1);
	t.ok(faint < 0.3, `${faint}`);
});

t.test("what the filter leaves out is no bridge", async (t) => {
	const concepts = [
		linkedTo("a", { bridge: 1, other: 0.2 }),
		{ ...linkedTo("bridge", { behind: 1 }), type: "Event" },
		sampleConcept("behind"),
		sampleConcept("other"),
	];
	t.ok((await relatedTo({ a: 1 }, concepts))["behind"]);
	const related = await relatedTo({ a: 1 }, concepts, ["concept"]);
	t.notOk(related["bridge"]);
	t.notOk(related["behind"]);
	t.equal(related["other"], 1);
});
