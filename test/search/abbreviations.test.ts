import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { readCommonWords } from "../../src/search/lexical/common-words.js";
import { buildLexicalIndex, countTerms } from "../../src/search/lexical/lexical-builder.js";
import { abbreviationsOf, expandWords, readQuery } from "../../src/search/lexical/query-words.js";
import { stemWord } from "../../src/search/lexical/tokenizer.js";

const read = (query: string, text: string) => {
	const index = buildLexicalIndex([countTerms([{ text, weight: 1 }])]);
	const reader = { scopes: [{ index, base: 0 }], commonWords: new Set<string>() };
	return expandWords(readQuery(query), reader).flatMap(({ alternatives }) => alternatives);
};

t.test("a short form is surely its long one, the other way round it only may be", async (t) => {
	const [long] = read("cert", "A certificate.");
	const [short] = read("signature", "The sig of a block.");
	t.match(long, { term: "certificat" });
	t.match(short, { term: "sig" });
	t.ok((long?.trust ?? 0) > 1 / 2);
	t.ok((short?.trust ?? 1) < 1 / 2);
});

t.test("words that only share a stem with what is shortened are not read for it", async (t) => {
	t.same(read("statistics", "The state of the system, as stated."), []);
	t.same(read("organization", "See example.org."), []);
	t.same(read("security", "Ten secs."), []);
});

t.test("a short form that a graph spells out is asked for by its words as well", async (t) => {
	const text =
		"An externally owned account (EOA) signs. The Bank for International Settlements (BIS).";
	t.same(
		read("EOA", text).map(({ term, trust }) => [term, trust]),
		[
			["account", 0],
			["externalli", 0],
			["own", 0],
		],
	);
	t.same(
		read("BIS", text).map(({ term }) => term),
		["bank", "international", "settlement"],
	);
	t.same(read("EOA", "Some other words (EOA) and none."), []);
	t.same(read("owned", text), []);
});

/** Endings that leave a word what it is. */
const FORM = /^(?:s|ed|ing)$/;

t.test("no common word is taken for a short form because their stems are alike", async (t) => {
	const words = await readCommonWords(join(PACKAGE_ROOT, "models", "table"));
	t.ok(words.size > 10_000);
	const shortForms = [...words].filter((word) =>
		abbreviationsOf(stemWord(word)).some(({ trust }) => trust > 1 / 2),
	);
	const others = shortForms.filter((word) => {
		const stem = stemWord(word);
		return word !== stem && !FORM.test(word.slice(stem.length));
	});
	// Pieces of words that a list has beside the words themselves.
	t.same(others, ["imple", "appe"]);
});
