import t from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import { runAtOnce } from "../../src/knowledge/model/work-in-turns.js";
import { countTerms } from "../../src/search/lexical/lexical-builder.js";
import { readQuery } from "../../src/search/lexical/query-words.js";
import { createTextFinder, readTexts } from "../../src/search/lexical/text-finder.js";
import { termsOf } from "../../src/search/lexical/tokenizer.js";

const finderOf = (texts: readonly string[]) =>
	runAtOnce(createTextFinder(runAtOnce(readTexts(texts, (text) => [{ text, weight: 1 }]))));

t.test(
	"texts are found by their words, the best first, with what they hold of the query",
	async (t) => {
		const finder = finderOf(["heat pumps and buffer tanks", "pumps", "sand filters", "heat pumps"]);
		const found = finder.find("Which heat pumps?", 10);
		t.same(
			found.map(({ item }) => item),
			["heat pumps", "heat pumps and buffer tanks", "pumps"],
		);
		t.same(found[0]?.words, ["heat", "pumps"]);
		t.equal(found[0]?.coverage, 1);
		t.equal(found[2]?.coverage, 0.5);
		t.equal(finder.find("heat pumps", 1).length, 1);
		t.same(finder.find("gardening", 10), []);
		t.same(finder.find("", 10), []);
		t.same(finder.find("the of and", 10), []);
		t.same(finderOf([]).find("heat", 10), []);
	},
);

t.test(
	"equal texts score alike and keep their order, also where they lie in several indexes",
	async (t) => {
		const texts = Array.from({ length: 9_000 }, (_, index) =>
			index % 4_400 === 100 ? "tidal turbine" : `filler ${index}`,
		);
		const read = runAtOnce(
			readTexts([...texts.keys()], (at) => [{ text: texts[at] ?? "", weight: 1 }]),
		);
		const found = runAtOnce(createTextFinder(read)).find("tidal turbine", 10);
		t.same(
			found.map(({ item }) => item),
			[100, 4_500, 8_900],
		);
		t.equal(new Set(found.map(({ score }) => score)).size, 1);
		for (const { words } of found) t.same(words, ["tidal", "turbine"]);
	},
);

t.test("the words that a text holds are those of the query that stand in it", async (t) => {
	const vocabulary = [
		"EIP-3009",
		"eip",
		"3009",
		"pumps",
		"pump",
		"the",
		"heat",
		"RFC 9110",
		"9110",
	];
	const next = createSeededNumbers(7);
	const some = (count: number) =>
		Array.from({ length: count }, () => vocabulary[Math.floor(next() * vocabulary.length)]).join(
			" ",
		);
	const texts = Array.from({ length: 60 }, () => some(3));
	const finder = finderOf(texts);
	for (let round = 0; round < 40; round++) {
		const query = some(4);
		const asked = readQuery(query).filter(({ isStopWord }) => !isStopWord);
		for (const { item, words: held, coverage } of finder.find(query, texts.length)) {
			const terms = countTerms([{ text: item, weight: 1 }]).frequencies;
			const plain = asked.filter((word) => termsOf(word).some((term) => terms.has(term)));
			t.same(
				held,
				plain.map(({ surface }) => surface),
				`${query} in ${item}`,
			);
			t.equal(coverage, plain.length / asked.length);
		}
	}
});
