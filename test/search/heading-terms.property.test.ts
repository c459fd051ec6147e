import fc from "fast-check";
import t from "tap";
import { headingFieldsOf, headingTermsOf } from "../../src/search/lexical/concept-text.js";
import { stemWord, termsOf, tokenize } from "../../src/search/lexical/tokenizer.js";
import { sampleConcept } from "./sample-graph.js";

const PIECES = [
	"Flies and ties",
	"planning calls",
	"GitHub maxFeePerGas",
	"EIP-3009",
	"RFC 9110",
	"time-locked don't won't",
	"C++ c# .NET",
	"a-b-c-d-e-f",
	"Ethereum's (wallet)",
	"October 2025",
	"24,000 café",
	"UUIDv7\u0000tail",
	"iOS HTTPServer",
] as const;
const texts = fc
	.array(fc.oneof(fc.constantFrom(...PIECES), fc.lorem({ maxCount: 4 }), fc.string()), {
		maxLength: 5,
	})
	.map((pieces) => pieces.join(" "));
const headings = fc.record({
	title: texts,
	summary: texts,
	tags: fc.array(texts),
	aliases: fc.array(texts),
});

t.test("asked one by one, a heading has the terms of its whole text and no others", async (t) => {
	fc.assert(
		fc.property(headings, fc.array(texts), (heading, others) => {
			const concept = sampleConcept("some-thing.heading", heading);
			const all = new Set(
				headingFieldsOf(concept).flatMap(({ text }) => tokenize(text).flatMap(termsOf)),
			);
			const words = [...others, ...PIECES, "ab", "fl", "won", "ing"].flatMap((text) =>
				tokenize(text),
			);
			const asked = new Set([
				...all,
				...words.flatMap(termsOf),
				...words.map(({ surface }) => stemWord(surface)),
			]);
			const heldTerms = headingTermsOf(concept);
			return [...asked].every((term) => heldTerms.has(term) === all.has(term));
		}),
		{ numRuns: 300 },
	);
	t.pass();
});
