import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { foreignLanguageOf } from "../../src/search/lexical/query-language.js";

const rows = (name: string) =>
	readFileSync(join(PACKAGE_ROOT, "bench", "labelled", name), "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));

t.test(
	"questions in other languages are recognized, English ones are not taken for them",
	async (t) => {
		const asked = rows("languages.jsonl");
		const right = asked.filter(
			({ question, language }) => foreignLanguageOf(question) === language,
		);
		t.ok(right.length / asked.length >= 0.95, `${right.length} of ${asked.length}`);
		const wrong = asked.filter(({ english }) => foreignLanguageOf(english) !== undefined);
		t.equal(wrong.length, 0);
		const queries = rows("queries.jsonl").flatMap(({ query }) => query ?? []);
		const taken = queries.filter((query: string) => foreignLanguageOf(query) !== undefined);
		t.ok(taken.length / queries.length <= 0.02, taken.join("; "));
	},
);

t.test("names and short queries are of no language", async (t) => {
	for (const query of [
		"",
		"EIP-3009",
		"Dirty Pipe",
		"x402 facilitator",
		"1234 5678 90",
		"👍 👍 👍",
	]) {
		t.equal(foreignLanguageOf(query), undefined, query);
	}
	t.equal(foreignLanguageOf("什么是支付通道的结算"), "zh");
});
