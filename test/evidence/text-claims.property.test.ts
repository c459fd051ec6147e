import fc from "fast-check";
import t from "tap";
import { isCheckable, readTextClaims } from "../../skills/verify/text-claims.js";
import { runAtOnce } from "../../src/knowledge/model/work-in-turns.js";

const MOST = 30;
const findTextClaims = (text: string, most: number) => runAtOnce(readTextClaims(text, most));
const claimsOf = (text: string) => findTextClaims(text, MOST).map(({ claim }) => claim.text);

t.test("a text is taken apart where sentences and predicates end", async (t) => {
	t.same(claimsOf("HPACK has a static table. It was made for HTTP/2."), [
		"HPACK has a static table.",
		"HPACK was made for HTTP/2.",
	]);
	t.same(claimsOf("1. **QUIC** runs over UDP [3].\n- It carries HTTP/3."), [
		"QUIC runs over UDP.",
		"QUIC carries HTTP/3.",
	]);
	t.same(claimsOf("# What HPACK is\n\nSummary\n\nHPACK is old."), ["HPACK is old."]);
	t.same(claimsOf("It was fast."), ["It was fast."], "nothing it could stand for");
});

t.test("what cannot be checked keeps its place and says why", async (t) => {
	const text = "Is TLS 1.2 safe? I love TLS 1.3. TLS 1.3 was published in August 2018.";
	const found = findTextClaims(text, MOST);
	t.same(
		found.map(({ claim, start, end }) => [claim.kind, text.slice(start, end)]),
		[
			["question", "Is TLS 1.2 safe?"],
			["opinion", "I love TLS 1.3."],
			["checkable", "TLS 1.3 was published in August 2018."],
		],
	);
	t.ok(found.filter((claim) => !isCheckable(claim)).every(({ claim }) => claim.reason));
});

const piece = fc.oneof(
	fc.string({ unit: "binary", maxLength: 40 }),
	fc.constantFrom("It is. ", "EIP-1 ", "\n- ", "**", "[1]", "U.S. ", "?", "\u202e", "1.5 MB "),
);

t.test("any text: bounded, in order, and each place is a sentence of it", async (t) => {
	fc.assert(
		fc.property(
			fc.array(piece, { maxLength: 40 }),
			fc.integer({ min: 1, max: 5 }),
			(parts, most) => {
				const text = parts.join("");
				const found = findTextClaims(text, most);
				let at = 0;
				for (const { start, end, claim } of found) {
					if (start < at || end < start || end > text.length) return false;
					if (text.slice(start, end).trim() === "" || typeof claim.text !== "string") return false;
					at = start;
				}
				return found.length <= most;
			},
		),
		{ numRuns: 150 },
	);
	t.pass("150 texts");
});

t.test("a text of one kind of mark takes no time", async (t) => {
	for (const mark of ["- ", "*", "[1", "(", "It ", "1. ", "_", '"', "# "]) {
		t.ok(findTextClaims(mark.repeat(20_000 / mark.length), 200).length <= 200);
	}
});
