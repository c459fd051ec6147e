import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import { readCommonWords } from "../../src/search/lexical/common-words.js";
import { buildLexicalIndex, countTerms } from "../../src/search/lexical/lexical-builder.js";
import { expandWords, readQuery } from "../../src/search/lexical/query-words.js";
import { termsOf, tokenize } from "../../src/search/lexical/tokenizer.js";
import { editDistance, vocabularyOf } from "../../src/search/lexical/vocabulary.js";

const indexOf = (...texts: readonly string[]) =>
	buildLexicalIndex(texts.map((text) => countTerms([{ text, weight: 1 }])));
const scopeOf = (...texts: readonly string[]) => ({ index: indexOf(...texts), base: 0 });
const NO_WORDS: ReadonlySet<string> = new Set();

/** What each word of the query was read as, best first. */
const read = (
	query: string,
	scopes: ReturnType<typeof scopeOf>[],
	commonWords: ReadonlySet<string> = NO_WORDS,
) =>
	expandWords(readQuery(query), { scopes, commonWords }).map(({ alternatives }) =>
		alternatives.map(({ term }) => term),
	);

const NOTES = scopeOf(
	"An idempotency key makes a retry safe; the Idempotency-Key header carries it.",
	"Authorization of a transfer; an authorization is signed.",
	"EIP-3009 and RFC 9110 and protection of transport, traceparent.",
);

t.test("a misspelt word is read as the known one it is nearest to", async (t) => {
	t.same(read("idempotncy", [NOTES]), [["idempotenci"]]);
	t.same(read("Idempotncy-Key", [NOTES]), [["idempotencykey"]]);
	t.same(read("tracepraent", [NOTES]), [["traceparent"]]);
	t.same(read("hedaer", [NOTES]), [["header"]]);
});

t.test(
	"a short form no one writes is read as what it stands for, and the other way round",
	async (t) => {
		const scope = scopeOf("The certificate of a repo.", "Certain carts.");
		t.same(read("cert repository", [scope]), [["certificat"], ["repo"]]);
		t.same(read("cert", [scopeOf("A cert is a certificate.")]), [[]]);
	},
);

t.test("a word that was cut short is read as those that begin with it", async (t) => {
	t.same(read("authoriz", [NOTES]), [["authorization"]]);
	t.same(read("auth", [NOTES]), [["authorization"]]);
});

t.test(
	"known words, identifiers, short words and words of the language are left alone",
	async (t) => {
		t.same(read("header signed", [NOTES]), [[], []]);
		t.same(read("EIP-3008", [NOTES]), [[]]);
		t.same(read("RFC 9111", [NOTES]), [[], []]);
		t.same(read("kei", [NOTES]), [[]]);
		t.same(read("production", [NOTES], new Set(["production"])), [[]]);
		t.same(read("production", [NOTES]), [["protection"]]);
	},
);

t.test("a short word's neighbors help to find, and are not taken for it", async (t) => {
	const scope = scopeOf("A shift of the key.");
	const [word] = expandWords(readQuery("swift"), { scopes: [scope], commonWords: NO_WORDS });
	t.same(
		word?.alternatives.map(({ term, trust }) => [term, trust]),
		[["shift", 0]],
	);
});

t.test("what no document that takes part holds is not offered", async (t) => {
	const scope = { ...NOTES, mask: Uint8Array.from([0, 1, 1]) };
	t.same(read("idempotncy", [scope]), [[]]);
});

t.test("all indexes that are searched are asked", async (t) => {
	const other = { ...scopeOf("A tracepoint."), base: 3 };
	t.same(read("idempotncy tracepiont", [NOTES, other]), [["idempotenci"], ["tracepoint"]]);
});

t.test("a text full of unknown words is not read word by word", async (t) => {
	const query = Array.from(
		{ length: 50 },
		(_, at) => `idempotn${"abcdefghij".charAt(at % 10)}${"klmno".charAt(at % 5)}cy`,
	);
	const readings = read(query.join(" "), [NOTES]).filter((terms) => terms.length > 0);
	t.ok(readings.length <= 8);
});

const letters = fc.string({
	unit: fc.constantFrom("a", "b", "c", "d"),
	minLength: 3,
	maxLength: 9,
});

/** The distance as its textbook table has it. */
function tableDistance(one: string, other: string): number {
	const table = Array.from({ length: one.length + 1 }, (_, i) =>
		Array.from({ length: other.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
	);
	const at = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
	for (let i = 1; i <= one.length; i++) {
		for (let j = 1; j <= other.length; j++) {
			const same = one[i - 1] === other[j - 1] ? 0 : 1;
			const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
			const row = table[i] ?? [];
			row[j] = Math.min(
				at(i - 1, j) + 1,
				at(i, j - 1) + 1,
				at(i - 1, j - 1) + same,
				swapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
			);
		}
	}
	return at(one.length, other.length);
}

t.test("the edit distance is that of the table, up to the bound", async () => {
	fc.assert(
		fc.property(
			letters,
			letters,
			fc.constantFrom(1, 2),
			(one, other, most) =>
				editDistance(one, other, most) === Math.min(most + 1, tableDistance(one, other)),
		),
		{ numRuns: 2_000 },
	);
});

t.test("every term near enough is found, and no other", async () => {
	fc.assert(
		fc.property(fc.uniqueArray(letters, { maxLength: 40 }), letters, (texts, word) => {
			const vocabulary = vocabularyOf(indexOf(texts.join(" ")));
			const terms = new Set(tokenize(texts.join(" ")).flatMap(termsOf));
			const expected = [...terms].filter((term) => {
				const distance = tableDistance(word, term);
				return term.length >= 3 && distance <= (term[0] === word[0] ? 2 : 1);
			});
			const found = vocabulary.near(word, 2).map(({ term }) => term);
			return expected.sort().join() === found.sort().join();
		}),
		{ numRuns: 300 },
	);
});

t.test(
	"common words are read from either kind of tokenizer, and none from what is not one",
	async (t) => {
		const folder = mkdtempSync(join(tmpdir(), "tollgraph-words-"));
		t.teardown(() => rmSync(folder, { recursive: true, force: true }));
		const write = (content: unknown) =>
			writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(content));
		t.same([...(await readCommonWords(folder))], []);
		write({ model: { vocab: { token: 1, "##ize": 2, a: 3, "[CLS]": 4, rfc9: 5 } } });
		t.same([...(await readCommonWords(folder))], ["token"]);
		write({
			model: {
				vocab: [
					["▁token", -1],
					["ize", -2],
				],
			},
		});
		t.same([...(await readCommonWords(folder))], ["token"]);
		write({ model: "none" });
		t.same([...(await readCommonWords(folder))], []);
	},
);
