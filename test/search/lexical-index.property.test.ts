import fc from "fast-check";
import t from "tap";
import { BM25, buildLexicalIndex, countTerms } from "../../src/search/lexical/lexical-builder.js";
import { containsTerm, inverseDocumentFrequency } from "../../src/search/lexical/lexical-index.js";
import { searchLexical } from "../../src/search/lexical/lexical-search.js";

const WORDS = ["ledger", "token", "signal", "vector", "market", "python"] as const;
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 });
const document = fc.record({ title: text, body: text });
const TITLE_WEIGHT = 3;

/** BM25 as the textbook has it, over word lists. */
function naiveScore(
	documents: readonly { title: string[]; body: string[] }[],
	query: ReadonlyMap<string, number>,
	position: number,
): number {
	const lengthOf = ({ title, body }: { title: string[]; body: string[] }) =>
		title.length * TITLE_WEIGHT + body.length;
	const average = documents.reduce((sum, one) => sum + lengthOf(one), 0) / documents.length || 1;
	const count = (words: string[], word: string) => words.filter((one) => one === word).length;
	const current = documents[position] ?? { title: [], body: [] };
	let score = 0;
	for (const [word, weight] of query) {
		const having = documents.filter((one) => [...one.title, ...one.body].includes(word)).length;
		const frequency = TITLE_WEIGHT * count(current.title, word) + count(current.body, word);
		const norm = BM25.k1 * (1 - BM25.b + (BM25.b * lengthOf(current)) / average);
		const idf = Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
		score += weight * idf * ((frequency * (BM25.k1 + 1)) / (frequency + norm));
	}
	return score;
}

const build = (documents: readonly { title: string[]; body: string[] }[]) =>
	buildLexicalIndex(
		documents.map(({ title, body }) =>
			countTerms([
				{ text: title.join(" "), weight: TITLE_WEIGHT },
				{ text: body.join(" "), weight: 1 },
			]),
		),
	);

t.test("scores are those of BM25 computed word by word", async () => {
	const weights = fc.uniqueArray(
		fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(0.3, 0.5, 1)),
		{ selector: ([word]) => word },
	);
	fc.assert(
		fc.property(
			fc.array(document, { minLength: 1, maxLength: 20 }),
			weights,
			(documents, query) => {
				const terms = query.map(([term, weight]) => ({ term, weight }));
				const { scoreOf } = searchLexical(terms, [{ index: build(documents), base: 0 }], 1);
				return documents.every((_, position) => {
					const expected = naiveScore(documents, new Map(query), position);
					return Math.abs(scoreOf(position) - expected) <= 1e-5 * Math.max(1, expected);
				});
			},
		),
		{ numRuns: 200 },
	);
});

t.test("a document contains exactly the terms of its text", async () => {
	fc.assert(
		fc.property(fc.array(document, { minLength: 1, maxLength: 20 }), (documents) => {
			const index = build(documents);
			return documents.every(({ title, body }, position) =>
				WORDS.every(
					(word) => containsTerm(index, word, position) === [...title, ...body].includes(word),
				),
			);
		}),
		{ numRuns: 100 },
	);
});

t.test("the idf of graphs searched together is that of all their documents", async (t) => {
	const one = build([{ title: ["ledger"], body: [] }]);
	const other = build([
		{ title: ["token"], body: [] },
		{ title: ["ledger"], body: [] },
	]);
	const scopes = [
		{ index: one, base: 0 },
		{ index: other, base: 1 },
	];
	const { scoreOf } = searchLexical([{ term: "ledger", weight: 1 }], scopes, 3);
	t.equal(scoreOf(0), scoreOf(2), "equal documents score alike in either graph");
	t.equal(scoreOf(1), 0);
	const idf = inverseDocumentFrequency(2, 3);
	t.ok(Math.abs(scoreOf(0) / idf - (3 * 1.9) / (3 + 0.9)) < 1e-5);
});
