import fc from "fast-check";
import t from "tap";
import { buildLexicalIndex, countTerms } from "../../src/search/lexical/lexical-builder.js";
import { isMissingIdentifier, weighWords } from "../../src/search/lexical/query-coverage.js";
import { expandWords, readQuery } from "../../src/search/lexical/query-words.js";
import { termsOf, tokenize } from "../../src/search/lexical/tokenizer.js";

const termsIn = (text: string) => new Set(tokenize(text).flatMap(termsOf));

/** What an index of these texts makes of a query: the words no one knows, and the identifiers among them. */
function judge(query: string, ...texts: readonly string[]) {
	const counted = texts.map((text) => countTerms([{ text, weight: 1 }]));
	const scopes = [{ index: buildLexicalIndex(counted), base: 0 }];
	const words = expandWords(readQuery(query), { scopes, commonWords: new Set() });
	const weighed = weighWords(words, scopes);
	return {
		missing: weighed.filter(({ isKnown }) => !isKnown).map(({ word }) => word.surface),
		identifiers: weighed.filter(isMissingIdentifier).map(({ word }) => word.surface),
	};
}

const IDENTIFIERS = [
	["EIP-3009", "eip3009"],
	["CVE-2025-48384", "cve202548384"],
	["RFC 9110", "rfc9110"],
	["HTTP/2", "http2"],
	["C++", "c++"],
	["C#", "c#"],
	[".NET", ".net"],
	["TLS 1.3", "tls13"],
	["TLSv1.3", "tls13"],
	["ISO 8601", "iso8601"],
	["SHA-256", "sha256"],
	["802.11ax", "80211ax"],
	["P-256", "p256"],
	["UUID v7", "uuidv7"],
	["UUIDv7", "v7"],
	["version 7", "v7"],
	["FIPS 206", "fips206"],
	["OAuth 2.1", "oauth21"],
	["October 2025", "october2025"],
] as const;

t.test("an identifier is one term wherever it stands", async (t) => {
	const around = fc.constantFrom("", "the ", "(", "see: ", "what is ", "“");
	const after = fc.constantFrom("", ".", ", that", ")", "?", " says", "”");
	for (const [text, term] of IDENTIFIERS) {
		fc.assert(
			fc.property(around, after, (before, behind) => termsIn(before + text + behind).has(term)),
			{ numRuns: 42 },
		);
		t.ok(termsIn(text.toLowerCase()).has(term), text);
	}
});

const number = fc.integer({ min: 100, max: 99_999 });
const series = fc.constantFrom("RFC", "EIP", "PEP", "FIPS", "ISO");
const spelling = fc.constantFrom(" ", "-", "");

t.test("a number of a series is known when the series has it, and by no other number", async () => {
	fc.assert(
		fc.property(series, number, number, spelling, spelling, (name, asked, there, one, other) => {
			const { missing } = judge(`${name}${one}${asked}`, `On ${name}${other}${there}.`);
			return missing.length > 0 === (asked !== there);
		}),
		{ numRuns: 200 },
	);
});

t.test("a number that is there as something else does not make an identifier known", async (t) => {
	t.same(judge("FIPS 206", "FIPS 203 and FIPS 204.", "HTTP answers 206 for a range.").identifiers, [
		"206",
	]);
	t.same(judge("RFC 5117", "RFC 5116 is an interface.", "5117 of them.").identifiers, ["5117"]);
	t.same(judge("October 2025", "In October.", "In 2025.").missing, ["2025"]);
	t.same(judge("status 402", "The status of 402 is reserved.").missing, []);
	t.same(judge("top 5 ways", "Five ways to the top.", "5 of them.").missing, []);
});

t.test(
	"a name from code is known as a whole only, a compound of words by its words in one text",
	async (t) => {
		const texts = [
			"A pod, its security and the policy of it.",
			"Long walks.",
			"In the short term.",
		];
		t.same(judge("PodSecurityPolicy", ...texts).identifiers, ["podsecuritypolicy"]);
		t.same(judge("read_timeout", "Read it before the timeout.").identifiers, ["read_timeout"]);
		t.same(judge("long-term", ...texts).missing, ["long-term"]);
		t.same(judge("short-term", ...texts).missing, []);
	},
);

t.test("a misspelt word is not missing, a neighboring number is", async (t) => {
	const text = "The Idempotency-Key header of EIP-3009.";
	t.same(judge("Idempotncy-Key", text).missing, []);
	t.same(judge("EIP-3008", text).missing, ["eip-3008"]);
});

t.test("any text is read, and every term of it is short", async () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
			const words = readQuery(text);
			return words.every((word) => termsOf(word).every((term) => term.length <= 40));
		}),
		{ numRuns: 100 },
	);
});
