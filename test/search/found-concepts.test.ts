import t from "tap";
import type { Concept } from "../../src/knowledge/model/graph.js";
import type { ConceptFilter } from "../../src/search/index/concept-filter.js";
import { buildLexicalSegment } from "../../src/search/index/index-builder.js";
import { createIndexState, toScopes } from "../../src/search/index/index-state.js";
import { readSigns } from "../../src/search/ranking/answer-signs.js";
import { concludeQuery, rankQuery } from "../../src/search/ranking/find-concepts.js";
import type { Found } from "../../src/search/ranking/found-concepts.js";
import { sampleConcept, sampleGraph } from "./sample-graph.js";

const LASERS = sampleConcept("lasers", {
	title: "Lasers",
	summary: "Light of one wavelength.",
	tags: ["public"],
	trust: "human-reviewed",
});
const GLACIERS = sampleConcept("glaciers", { title: "Glaciers", summary: "Rivers of ice." });

/** Searches for lasers in another version of the graph than the one that is indexed. */
async function findIn(changed: Partial<Concept>, filter?: ConceptFilter) {
	const indexed = sampleGraph("nature", [LASERS, GLACIERS]);
	const segment = await buildLexicalSegment(indexed);
	const state = createIndexState([
		{ graph: indexed, parts: [{ segment, concepts: indexed.concepts, vectors: undefined }] },
	]);
	const graph = sampleGraph("nature", [GLACIERS, { ...LASERS, ...changed }]);
	const query = "lasers light wavelength";
	const scopes = toScopes(state, [graph], filter);
	const ranked = rankQuery({ scopes, dense: undefined, query });
	const { rows, decision } = concludeQuery(ranked, { limit: 5, filter }, undefined);
	t.ok(rows.every(({ concept }) => graph.concepts.includes(concept)));
	return { ids: rows.map(({ concept }) => concept.id), decision };
}

t.test("a row is the caller's concept as long as it reads as the one that matched", async (t) => {
	t.same((await findIn({})).ids, ["lasers"]);
	t.same((await findIn({ status: "deprecated" })).ids, ["lasers"]);
});

t.test("a concept with another text than the one that matched is no row", async (t) => {
	t.match(await findIn({ summary: "Melting ice." }), { ids: [], decision: "ABSTAIN" });
	t.match(await findIn({ body: "Nothing about light." }), { ids: [] });
});

t.test("a filter holds for the version that the caller gets", async (t) => {
	const filter = { trust: "human-reviewed" } as const;
	t.same((await findIn({}, filter)).ids, ["lasers"]);
	t.same((await findIn({ trust: "unverified" }, filter)).ids, []);
});

const BACKGROUND = { mean: 0.3, spread: 0.1 };

/** How near a graph's rows with these cosines are. */
async function nearnessIn(cosines: readonly number[]) {
	const graph = sampleGraph("nature", [LASERS, GLACIERS]);
	const segment = await buildLexicalSegment(graph);
	const part = { segment, concepts: graph.concepts, vectors: undefined };
	const scopes = toScopes(createIndexState([{ graph, parts: [part] }]), [graph]);
	const [scope] = scopes;
	if (!scope) throw new Error("The graph has a scope.");
	const shares = { lexicalShare: 0, denseShare: 1, denseWeight: 1, fused: 1, prior: 1, graph: 0 };
	const rows = cosines.map((cosine, concept): Found => {
		const at = { slot: scope.base + concept, lexical: 0, cosine, scope, concept, score: 1 };
		return { slot: { ...shares, ...at }, concept: LASERS, score: 1, isNamed: false };
	});
	return readSigns([], rows, { scopes, background: BACKGROUND }).nearness;
}

t.test("a row is as near as the closest of its graph is above foreign questions", async (t) => {
	t.equal((await nearnessIn([0.4, 0.6]))?.toFixed(6), "3.000000");
	t.equal((await nearnessIn([0.2]))?.toFixed(6), "-1.000000");
	t.equal(await nearnessIn([]), undefined);
});
