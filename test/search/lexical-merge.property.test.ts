import fc from "fast-check";
import t from "tap";
import {
	buildLexicalIndex,
	countTerms,
	mergeLexical,
	retuneLexical,
} from "../../src/search/lexical/lexical-builder.js";
import {
	createTermTable,
	fromCells,
	type LexicalIndex,
	toCells,
} from "../../src/search/lexical/lexical-index.js";

const WORDS = ["ledger", "token", "signal", "vector", "market", "python", "ünïcode", "𝒳ray"];
const fields = fc.array(
	fc.record({
		text: fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(" ")),
		weight: fc.constantFrom(0.5, 1, 1.5, 2, 3, 1.35),
	}),
	{ minLength: 1, maxLength: 3 },
);
const documents = fc.array(fields, { minLength: 1, maxLength: 6 });
type Documents = readonly (readonly { text: string; weight: number }[])[];

function build(given: Documents, averageLength?: number): LexicalIndex {
	return buildLexicalIndex(given.map(countTerms), averageLength);
}

const contentOf = ({ terms, starts, docs, impacts, lengths, averageLength }: LexicalIndex) =>
	JSON.stringify([
		[...terms.keys()],
		[...starts],
		[...docs],
		[...impacts],
		[...lengths],
		averageLength,
	]);

t.test("a merge without the dead is bit for bit the index of the living", () =>
	fc.assert(
		fc.asyncProperty(
			fc.array(documents, { minLength: 1, maxLength: 4 }),
			fc.infiniteStream(fc.boolean()),
			async (groups, lives) => {
				const alive = groups.map((group) => group.map(() => lives.next().value === true));
				const living = groups.flatMap((group, at) => group.filter((_, one) => alive[at]?.[one]));
				const expected = build(living);
				const sources = groups.map((group, at) => ({
					index: build(group),
					isLive: (document: number) => alive[at]?.[document] === true,
				}));
				const merged = await mergeLexical(sources, expected.averageLength);
				return contentOf(merged) === contentOf(expected);
			},
		),
		{ numRuns: 200 },
	),
);

t.test("impacts held against another average length are those built with it", () =>
	fc.assert(
		fc.asyncProperty(
			documents,
			fc.double({ min: 0.5, max: 500, noNaN: true }),
			async (given, to) =>
				contentOf(await retuneLexical(build(given), to)) === contentOf(build(given, to)),
		),
		{ numRuns: 200 },
	),
);

t.test("a table finds each of its strings at its place, and no other", async () =>
	fc.assert(
		fc.property(
			fc.uniqueArray(fc.string({ unit: "binary", maxLength: 80 })),
			fc.string(),
			(given, other) => {
				const sorted = given.toSorted();
				const table = createTermTable(toCells(sorted));
				return (
					table.size === sorted.length &&
					sorted.every((term, number) => table.get(term) === number && table.at(number) === term) &&
					JSON.stringify(fromCells(table.cells)) === JSON.stringify(sorted) &&
					table.get(other) === (sorted.includes(other) ? sorted.indexOf(other) : undefined)
				);
			},
		),
	),
);
