import fc from "fast-check";
import t from "tap";
import { buildLexicalIndex, countTerms } from "../../src/search/lexical/lexical-builder.js";
import {
	createTermTable,
	documentFrequency,
	impactOf,
	inverseDocumentFrequency,
	type LexicalScope,
	type QueryTerm,
	toCells,
} from "../../src/search/lexical/lexical-index.js";
import { searchLexical } from "../../src/search/lexical/lexical-search.js";

/** From in nearly every document to in hardly any, as in real text. */
const WORDS = ["tha", "tha", "tha", "tha", "dun", "dun", "orb", "pix", "qua", "zet"] as const;
const documents = fc.array(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 9 }), {
	minLength: 1,
	maxLength: 60,
});
const terms = fc.uniqueArray(
	fc.record({
		term: fc.constantFrom(...new Set(WORDS), "unknown"),
		weight: fc.constantFrom(0.3, 0.5, 1),
	}),
	{ selector: ({ term }) => term, minLength: 1 },
);

interface Searched {
	readonly texts: readonly (readonly string[])[];
	readonly mask: readonly boolean[] | undefined;
}

function scopesOf(parts: readonly Searched[]): readonly LexicalScope[] {
	let base = 0;
	return parts.map(({ texts, mask }) => {
		const counted = texts.map((words) => countTerms([{ text: words.join(" "), weight: 1 }]));
		const scope = {
			index: buildLexicalIndex(counted),
			base,
			mask: mask && Uint8Array.from(texts, (_, at) => (mask[at % mask.length] ? 1 : 0)),
		};
		base += texts.length;
		return scope;
	});
}

/** Every document's score, one by one, sorted. */
function bruteForce(query: readonly QueryTerm[], scopes: readonly LexicalScope[], count: number) {
	const size = scopes.reduce((sum, { index }) => sum + index.documents, 0);
	const factors = query.map(
		({ term, weight }) => weight * inverseDocumentFrequency(documentFrequency(term, scopes), size),
	);
	const scoreIn = ({ index, mask }: LexicalScope, document: number): number => {
		if (mask?.[document] === 0) return 0;
		const parts = query.map(({ term }, at) => (factors[at] ?? 0) * impactOf(index, term, document));
		return parts.reduce((sum, part) => sum + part, 0);
	};
	return scopes
		.flatMap((scope) =>
			Array.from({ length: scope.index.documents }, (_, document) => ({
				slot: scope.base + document,
				score: scoreIn(scope, document),
			})),
		)
		.filter(({ score }) => score > 0)
		.sort((a, b) => b.score - a.score || a.slot - b.slot)
		.slice(0, count);
}

const isClose = (one: number, other: number) => Math.abs(one - other) <= 1e-5 * Math.max(1, other);

t.test("the best documents are those of scoring them all", async () => {
	const part = fc.record({
		texts: documents,
		mask: fc.option(fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), { nil: undefined }),
	});
	fc.assert(
		fc.property(
			fc.array(part, { minLength: 1, maxLength: 4 }),
			terms,
			fc.integer({ min: 1, max: 12 }),
			(parts, query, count) => {
				const scopes = scopesOf(parts);
				const found = searchLexical(query, scopes, count);
				const expected = bruteForce(query, scopes, count);
				const all = new Map(
					bruteForce(query, scopes, Number.POSITIVE_INFINITY).map(({ slot, score }) => [
						slot,
						score,
					]),
				);
				return (
					found.slots.length === expected.length &&
					new Set(found.slots).size === found.slots.length &&
					// Scores that differ by rounding alone may change places: each place must hold its score.
					found.slots.every(
						(slot, rank) =>
							isClose(found.scores[rank] ?? 0, expected[rank]?.score ?? 0) &&
							isClose(all.get(slot) ?? 0, expected[rank]?.score ?? 0) &&
							found.scoreOf(slot) === found.scores[rank],
					)
				);
			},
		),
		{ numRuns: 400 },
	);
});

t.test(
	"documents alike score alike, in whichever index they are, and the lower slot goes first",
	async (t) => {
		const texts = [["tha", "orb"], ["dun"], ["tha", "orb"]];
		const scopes = scopesOf([
			{ texts, mask: undefined },
			{ texts, mask: undefined },
		]);
		const query = [
			{ term: "tha", weight: 1 },
			{ term: "orb", weight: 1 },
		];
		const { slots, scores } = searchLexical(query, scopes, 3);
		t.same(slots, [0, 2, 3]);
		t.equal(new Set(scores).size, 1);
	},
);

t.test("the parts of a score add up to it and name the terms that are there", async (t) => {
	const scopes = scopesOf([{ texts: [["tha", "orb"], ["dun"]], mask: undefined }]);
	const query = ["orb", "dun", "unknown"].map((term) => ({ term, weight: 1 }));
	const { scoreOf, partsOf } = searchLexical(query, scopes, 3);
	const parts = partsOf(0);
	t.same(
		parts.map(({ term }) => term),
		["orb"],
	);
	t.ok(isClose(parts[0]?.score ?? 0, scoreOf(0)));
	t.equal(scoreOf(99), 0);
});

/** An index of many documents at once: one number in `every` holds the term. */
function wideIndex(documents: number, terms: ReadonlyMap<string, number>): LexicalScope["index"] {
	const names = [...terms.keys()].sort();
	const docs: number[] = [];
	const impacts: number[] = [];
	const starts = [0];
	for (const name of names) {
		const every = terms.get(name) ?? 1;
		for (let document = name.length % every; document < documents; document += every) {
			docs.push(document);
			impacts.push(0.4 + ((document * 7919) % 997) / 997);
		}
		starts.push(docs.length);
	}
	return {
		documents,
		terms: createTermTable(toCells(names)),
		starts: Uint32Array.from(starts),
		docs: Uint32Array.from(docs),
		impacts: Float32Array.from(impacts),
		lengths: new Float32Array(documents).fill(1),
		averageLength: 1,
	};
}

t.test(
	"rare, common and masked terms over many windows find what scoring everything finds",
	async (t) => {
		const size = 30_000;
		const index = wideIndex(
			size,
			new Map([
				["the", 1],
				["often", 2],
				["common", 3],
				["medium", 17],
				["rarely", 301],
				["seldom", 4_999],
			]),
		);
		const mask = Uint8Array.from({ length: size }, (_, at) => (at % 5 === 0 ? 0 : 1));
		for (const words of [
			["the"],
			["the", "often"],
			["seldom", "the", "common"],
			["rarely", "medium", "the", "often", "common"],
			["seldom", "rarely", "medium", "common", "often", "the"],
		]) {
			const query = words.map((term) => ({ term, weight: 1 }));
			for (const scopes of [
				[{ index, base: 0 }],
				[
					{ index, base: 0, mask },
					{ index, base: size },
				],
			]) {
				const found = searchLexical(query, scopes, 50);
				const expected = bruteForce(query, scopes, 50);
				t.ok(
					found.scores.every((score, rank) => isClose(score, expected[rank]?.score ?? 0)) &&
						found.slots.length === 50 &&
						new Set(found.slots).size === 50 &&
						found.slots.every((slot, rank) => found.scoreOf(slot) === found.scores[rank]),
					`${words.join(" ")} over ${scopes.length} indexes`,
				);
			}
		}
	},
);
