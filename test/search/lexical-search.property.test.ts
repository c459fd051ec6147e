import fc from "fast-check";
import t from "tap";
import { createLexicalBuilder } from "../../src/search/lexical-builder.js";
import type { LexicalScope, QueryTerm } from "../../src/search/lexical-index.js";
import { scoreLexical } from "../../src/search/lexical-index.js";
import { createLexicalScratch, searchLexical } from "../../src/search/lexical-search.js";

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
const scratch = createLexicalScratch();

interface Searched {
	readonly texts: readonly (readonly string[])[];
	readonly mask: readonly boolean[] | undefined;
}

function scopesOf(parts: readonly Searched[]): readonly LexicalScope[] {
	let base = 0;
	return parts.map(({ texts, mask }) => {
		const builder = createLexicalBuilder();
		for (const words of texts) builder.add([{ text: words.join(" "), weight: 1 }]);
		const scope = {
			index: builder.build(),
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
	const scores = new Float32Array(size);
	scoreLexical(query, scopes, scores);
	return scopes
		.flatMap(({ index, base, mask }) =>
			Array.from({ length: index.documents }, (_, document) => ({
				slot: base + document,
				score: mask?.[document] === 0 ? 0 : (scores[base + document] ?? 0),
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
				const found = searchLexical(query, scopes, { count, scratch });
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
		const { slots, scores } = searchLexical(query, scopes, { count: 3, scratch });
		t.same(slots, [0, 2, 3]);
		t.equal(new Set(scores).size, 1);
	},
);

t.test("the parts of a score add up to it and name the terms that are there", async (t) => {
	const scopes = scopesOf([{ texts: [["tha", "orb"], ["dun"]], mask: undefined }]);
	const query = ["orb", "dun", "unknown"].map((term) => ({ term, weight: 1 }));
	const { scoreOf, partsOf } = searchLexical(query, scopes, { count: 3, scratch });
	const parts = partsOf(0);
	t.same(
		parts.map(({ term }) => term),
		["orb"],
	);
	t.ok(isClose(parts[0]?.score ?? 0, scoreOf(0)));
	t.equal(scoreOf(99), 0);
});
