import t from "tap";
import { systemClock } from "../../src/core/clock.js";
import type { Concept } from "../../src/knowledge/graph.js";
import { readSigns } from "../../src/search/answer-signs.js";
import type { ConceptFilter } from "../../src/search/concept-filter.js";
import { findConcepts } from "../../src/search/find-concepts.js";
import type { Found } from "../../src/search/found-concepts.js";
import { buildLexicalSegment, embedConcepts } from "../../src/search/index-builder.js";
import { createIndexState, type SearchScope, toScopes } from "../../src/search/index-state.js";
import { createCountingEmbedder, sampleConcept, sampleGraph } from "./sample-graph.js";

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
	const request = { query: "lasers light wavelength", limit: 5, filter };
	const scopes = toScopes(state, [graph], filter);
	const { rows, decision } = findConcepts({
		scopes,
		dense: undefined,
		request,
		clock: systemClock,
	});
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

/** The scopes of one graph, its documents in segments of so many. */
async function scopesOf(concepts: readonly Concept[], perSegment: number, model: string) {
	const embedder = createCountingEmbedder(model);
	const graph = sampleGraph("nature", concepts);
	const parts = [];
	for (let from = 0; from < concepts.length; from += perSegment) {
		const some = concepts.slice(from, from + perSegment);
		const options = { embedder, goesOn: () => true, onConcepts: () => undefined };
		const vectors = await embedConcepts(some, options);
		const segment = { ...(await buildLexicalSegment({ ...graph, concepts: some })), vectors };
		parts.push({ segment, concepts: some, vectors: undefined });
	}
	return toScopes(createIndexState([{ graph, parts }]), [graph]);
}

/** How close a row with this cosine is taken to be. */
function closenessIn(scope: SearchScope | undefined, cosine: number): number | undefined {
	if (!scope) return undefined;
	const concept = scope.concepts[0] ?? LASERS;
	const shares = { lexicalShare: 0, denseShare: 1, denseWeight: 1, fused: 1, prior: 1, graph: 0 };
	const slot = { ...shares, slot: scope.base, lexical: 0, cosine, scope, concept: 0, score: 1 };
	const found: Found = { slot, concept, score: 1, isNamed: false };
	return readSigns([], [found]).closeness;
}

const MANY = Array.from({ length: 40 }, (_, at) =>
	sampleConcept(`c${at}`, {
		title: `Subject number ${at}`,
		summary: `About matter${at % 7} and ice`,
	}),
);

t.test("how close a row is does not depend on the segment it is in", async (t) => {
	const [whole] = await scopesOf(MANY, 40, "counting");
	const expected = closenessIn(whole, 0.6);
	t.type(expected, "number");
	const cut = await scopesOf(MANY, 3, "counting");
	t.same(new Set(cut.map((scope) => closenessIn(scope, 0.6))), new Set([expected]));
});

t.test("in a graph too small to tell, closeness is known of the bundled model only", async (t) => {
	const few = MANY.slice(0, 3);
	const [own] = await scopesOf(few, 3, "counting");
	t.equal(closenessIn(own, 0.6), undefined);
	const [bundled] = await scopesOf(few, 3, "bundled");
	t.ok((closenessIn(bundled, 0.6) ?? 0) > 1);
});
