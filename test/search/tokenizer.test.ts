import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { readQuery } from "../../src/search/lexical/query-words.js";
import { stemWord, termsOf, tokenize } from "../../src/search/lexical/tokenizer.js";

const termsIn = (text: string) => new Set(tokenize(text).flatMap(termsOf));
const share = (one: string, other: string, term: string) =>
	termsIn(one).has(term) && termsIn(other).has(term);

t.test("an identifier is one term in every spelling", async (t) => {
	t.ok(share("EIP-3009", "eip 3009", "eip3009"));
	t.ok(share("EIP-3009", "EIP3009", "eip3009"));
	t.ok(share("RFC 9110", "RFC9110", "rfc9110"));
	t.ok(share("RFC 9110", "rfc-9110", "rfc9110"));
	t.ok(share("HTTP/2", "HTTP 2", "http2"));
	t.ok(share("TLS 1.3", "tls13", "tls13"));
	t.ok(share("CVE-2025-48384", "cve 2025 48384", "cve202548384"));
	t.ok(share("SHA-256", "sha256", "sha256"));
});

t.test("an identifier is also found by its parts", async (t) => {
	t.same([...termsIn("CVE-2025-48384")].sort(), ["2025", "48384", "cve", "cve202548384"]);
	t.ok(termsIn("x402").has("402"));
	t.ok(termsIn("maxFeePerGas").has("fee"));
	t.ok(share("base-fee", "basefee", "basefe"));
});

t.test("a name that is one word is not cut at its capitals", async (t) => {
	t.same([...termsIn("GitHub")], ["github"]);
	t.same([...termsIn("JavaScript")], ["javascript"]);
});

t.test("numbers stay whole as well as split", async (t) => {
	t.ok(termsIn("802.11").has("802.11"));
	t.ok(termsIn("IEEE 802.11ax").has("802"));
	t.ok(termsIn("24,000 entries").has("24000"));
	t.ok(termsIn("2025-08-25").has("2025-08-25"));
	t.notOk(termsIn("2025-08-25").has("20250825"));
});

t.test("C++ and C# are neither each other nor C alone", async (t) => {
	t.ok(termsIn("C++ code").has("c++"));
	t.ok(termsIn("C# code").has("c#"));
	t.notOk(termsIn("C++").has("c#"));
});

t.test("accents, typographic apostrophes and possessives do not hide a word", async (t) => {
	t.ok(share("naïve", "naive", "naiv"));
	t.ok(share("browser’s", "browser", "browser"));
	t.ok(share("don’t", "don't", "dont"));
});

t.test("plain words around a number are not glued over punctuation", async (t) => {
	t.notOk(termsIn("the RFC. 9110 was").has("rfc9110"));
	t.notOk(termsIn("with 5 rows").has("with5"));
});

t.test("stop words are marked, subject words are not", async (t) => {
	const marks = tokenize("How does HTTP caching work").map((word) => word.isStopWord);
	t.same(marks, [true, true, false, false, true]);
});

t.test("forms of a word meet in one stem", async (t) => {
	for (const forms of [
		["signature", "signatures"],
		["cache", "caches", "cached", "caching"],
		["plan", "plans", "planned", "planning"],
		["call", "calls", "called", "calling"],
		["policy", "policies"],
		["address", "addresses"],
		["carry", "carries", "carried"],
	]) {
		t.equal(new Set(forms.map(stemWord)).size, 1, forms.join(", "));
	}
});

t.test("short words, words that merely look inflected and other scripts stay", async (t) => {
	for (const word of ["gas", "bus", "ring", "bed", "sha256", "проверка"]) {
		t.equal(stemWord(word), word);
	}
});

t.test("what is remembered of a word does not hold on to the text around it", async (t) => {
	setFlagsFromString("--expose-gc");
	const collectGarbage = runInNewContext("gc") as () => void;
	const heapAfter = (first: number, count: number): number => {
		for (let number = first; number < first + count; number++) {
			const word = `remembered${String(number).padStart(8, "0")}`;
			tokenize(`${word} section 12345678901234 ${" ".repeat(100_000)}`);
			tokenize(`${"x".repeat(100_000)}${word}`);
		}
		collectGarbage();
		return process.memoryUsage().heapUsed;
	};
	const before = heapAfter(0, 10);
	const grown = heapAfter(1_000, 200) - before;
	t.ok(grown < 5e6, `200 texts of 200 kB left ${grown} bytes`);
});

t.test("a query that grows when it is taken apart is cut again", async (t) => {
	const different = Array.from({ length: LIMITS.queryChars / 2 }, (_, at) =>
		String.fromCodePoint(0x4e00 + at, 0xfdfa),
	);
	t.ok(readQuery(different.join("")).length < LIMITS.queryChars / 4);
});

t.test("a name like C++ may be of any length, its terms may not", async (t) => {
	const terms = tokenize(`${"c".repeat(300)}++`).flatMap(termsOf);
	t.ok(terms.length > 0 && terms.every((term) => term.length <= 40));
});
