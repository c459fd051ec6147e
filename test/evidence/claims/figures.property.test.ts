import fc from "fast-check";
import t from "tap";
import { extractClaims } from "../../../skills/verify/claims/claim-extraction.js";
import { isSameValue } from "../../../skills/verify/claims/figure-match.js";
import { findQuantities } from "../../../skills/verify/claims/quantities.js";
import {
	objectToRefutation,
	objectToSupport,
	readFacts,
} from "../../../skills/verify/claims/vetoes.js";

const isVetoed = (claim: string, sentence: string) =>
	objectToSupport(readFacts(claim), readFacts(sentence)) !== undefined;

t.test("no two texts make a rule throw", (t) => {
	const text = fc.oneof(
		fc.string({ unit: "grapheme", maxLength: 200 }),
		fc
			.array(
				fc.constantFrom(
					"not",
					"no",
					"12 bytes",
					"2019",
					"RFC 9110",
					"may",
					"all",
					";",
					"before",
					"3 of",
				),
				{ maxLength: 30 },
			)
			.map((words) => words.join(" ")),
	);
	fc.assert(
		fc.property(text, text, (claim, sentence) => {
			extractClaims(claim);
			objectToRefutation(readFacts(claim), readFacts(sentence));
			return typeof isVetoed(claim, sentence) === "boolean";
		}),
		{ numRuns: 200 },
	);
	t.end();
});

t.test("one quantity in two units is one value, whichever is asked first", (t) => {
	const pairs: readonly (readonly [string, string])[] = [
		["12 bytes", "96 bits"],
		["128 KiB", "131,072 bytes"],
		["24 hours", "86,400 seconds"],
		["two million", "2,000,000"],
		["1.5 s", "1,500 ms"],
		["0.5 percentage points", "50 basis points"],
		["half", "50 %"],
		["3 gwei", "3,000,000,000 wei"],
	];
	for (const [one, other] of pairs) {
		const [a] = findQuantities(one);
		const [b] = findQuantities(other);
		t.ok(a && b && isSameValue(a, b) && isSameValue(b, a), `${one} is ${other}`);
	}
	t.end();
});

t.test("whole numbers and measures agree in both directions or in none", (t) => {
	const unit = fc.constantFrom(
		"bytes",
		"bits",
		"KiB",
		"ms",
		"seconds",
		"days",
		"%",
		"gas",
		"frames",
	);
	fc.assert(
		fc.property(fc.nat(5_000), unit, fc.nat(5_000), unit, (n, one, m, other) => {
			const [a] = findQuantities(`${n} ${one}`);
			const [b] = findQuantities(`${m} ${other}`);
			return !a || !b || isSameValue(a, b) === isSameValue(b, a);
		}),
	);
	t.end();
});

t.test("a number changed beyond tolerance is always vetoed", (t) => {
	const said = (n: number, unit: string) => `The buffer of the relay holds ${n} ${unit}.`;
	const unit = fc.constantFrom("frames", "bytes", "seconds", "entries", "messages");
	fc.assert(
		fc.property(
			fc.integer({ min: 10, max: 9_000 }),
			fc.integer({ min: 2, max: 9 }),
			unit,
			(n, factor, name) =>
				isVetoed(said(n * factor, name), said(n, name)) && !isVetoed(said(n, name), said(n, name)),
		),
	);
	t.end();
});

t.test("a year that is another one is always vetoed", (t) => {
	const said = (year: number) => `The relay protocol was published in ${year}.`;
	const year = fc.integer({ min: 1990, max: 2030 });
	fc.assert(fc.property(year, year, (a, b) => (a === b) !== isVetoed(said(a), said(b))));
	t.end();
});
