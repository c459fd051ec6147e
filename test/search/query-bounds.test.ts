import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { buildLexicalSegment } from "../../src/search/index/index-builder.js";
import { createIndexState, toScopes } from "../../src/search/index/index-state.js";
import type { LexicalIndex } from "../../src/search/lexical/lexical-index.js";
import { expandWords, readQuery } from "../../src/search/lexical/query-words.js";
import { termsOf } from "../../src/search/lexical/tokenizer.js";
import { vocabularyOf } from "../../src/search/lexical/vocabulary.js";
import { concludeRoute, rankByGraph } from "../../src/search/ranking/find-concepts.js";
import { PAYMENTS, sampleConcept, sampleGraph } from "./sample-graph.js";

/** No ending of a word begins with one of these. */
const LETTERS = "bcfhjklmnopqrtuvwxz";
/** So many different words without a meaning. */
const words = (count: number, chars = 5) =>
	Array.from({ length: count }, (_, at) =>
		Array.from({ length: chars }, (_, place) =>
			LETTERS.charAt(Math.floor(at / LETTERS.length ** place) % LETTERS.length),
		).join(""),
	);

async function segmentOf(graph: typeof PAYMENTS) {
	return await buildLexicalSegment(graph);
}

/** How often all terms of an index are looked through. */
function countLookUps(index: LexicalIndex): () => number {
	const vocabulary = vocabularyOf(index);
	const { near, startingWith } = vocabulary;
	let count = 0;
	Object.assign(vocabulary, {
		near: (...asked: Parameters<typeof near>) => {
			count++;
			return near(...asked);
		},
		startingWith: (...asked: Parameters<typeof startingWith>) => {
			count++;
			return startingWith(...asked);
		},
	});
	return () => count;
}

t.test("unknown words and pieces look through the terms only so often in one query", async (t) => {
	for (const query of [
		`x-${words(380, 4).join("-")}`,
		words(300).join(" "),
		words(300).join("/"),
	]) {
		const segment = await segmentOf(PAYMENTS);
		const lookUps = countLookUps(segment.lexical);
		const scopes = [{ index: segment.lexical, base: 0 }];
		expandWords(readQuery(query), { scopes, commonWords: new Set() });
		t.ok(lookUps() > 0, "they are read as others at all");
		t.ok(lookUps() <= LIMITS.queryLookUps, `${lookUps()} look-ups`);
	}
});

t.test("of a long text the first words and their pieces are searched for", async (t) => {
	const long = words(330);
	const subject = readQuery(long.join(" "));
	t.equal(subject.length, LIMITS.queryWords);
	t.equal(subject[0]?.surface, long[0]);
	const grammar = readQuery(`${long.join(" ")} and then whoever`);
	t.ok(
		grammar.some(({ surface }) => surface === "then"),
		"grammar costs little",
	);
	const compounds = readQuery(
		words(330, 2)
			.join("-")
			.replaceAll(/(.{40})-/g, "$1 "),
	);
	const parts = compounds.reduce((sum, word) => sum + word.parts.length, 0);
	t.ok(parts <= LIMITS.queryParts, `${parts} pieces`);
	t.ok(compounds.flatMap(termsOf).length <= LIMITS.queryWords * 3 + LIMITS.queryParts);
});

/** A shop of so many graphs, and how often the terms of their indexes are asked for. */
async function startShop(count: number) {
	const graphs = Array.from({ length: count }, (_, at) =>
		sampleGraph(`g${String(at).padStart(2, "0")}`, [
			sampleConcept("fern", { title: "Fern", summary: "Ferns like shade and moss." }),
			sampleConcept("own", { title: `Subject number${at}x`, summary: words(40)[at % 40] ?? "" }),
		]),
	);
	let asked = 0;
	const indexed = [];
	for (const graph of graphs) {
		const segment = await segmentOf(graph);
		const { terms } = segment.lexical;
		const get = (term: string) => {
			asked++;
			return terms.get(term);
		};
		const lexical = { ...segment.lexical, terms: { ...terms, get } };
		const counted = { ...segment, lexical };
		indexed.push({
			graph,
			parts: [{ segment: counted, concepts: graph.concepts, vectors: undefined }],
		});
	}
	const state = createIndexState(indexed);
	const route = (query: string, limit = 20) => {
		asked = 0;
		const scopes = toScopes(state, graphs);
		const outcome = concludeRoute(rankByGraph({ scopes, dense: undefined, query }), [], limit);
		return { outcome, asked };
	};
	return { route };
}

t.test("a graph that answers is found among more than may be named", async (t) => {
	const { route } = await startShop(60);
	const { outcome } = route("Subject number57x");
	t.equal(outcome.graphs[0]?.graph.record.id, "g57");
	t.ok(route("ferns like moss and shade").outcome.graphs.length <= LIMITS.routedGraphsMax);
});

t.test(
	"a text of many words costs a route no more than one of as many as are searched for",
	async (t) => {
		const { route } = await startShop(30);
		const most = route(words(LIMITS.queryWords).join(" ")).asked;
		t.ok(most > 0);
		t.ok(route(words(330).join(" ")).asked <= most);
	},
);
