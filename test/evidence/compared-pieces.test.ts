import fc from "fast-check";
import t from "tap";
import { toComparedPieces } from "../../skills/verify/text-claims.js";

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];

t.test("a sentence of any usual length is one piece, as it is", (t) => {
	for (const sentence of [
		"HPACK's static table has 61 entries.",
		"The fee of the block, and of the one before, is 1.5 % of the sum (see § 3).",
	]) {
		t.same(toComparedPieces(sentence), [sentence]);
	}
	t.same(toComparedPieces("…"), ["…"]);
	t.same(toComparedPieces(" "), []);
	t.end();
});

t.test("pieces are short, repeat no word often, and lose no other word", (t) => {
	const word = fc.constantFrom(
		"e.g.",
		"QUIC",
		"fee",
		"the",
		"1.5",
		"2020-01-01",
		"rate-limit",
		"é",
	);
	const text = fc.array(fc.oneof(word, fc.string({ maxLength: 8 })), { maxLength: 400 });
	fc.assert(
		fc.property(text, fc.constantFrom(" ", "-", " , "), (words, between) => {
			const sentence = words.join(between);
			const pieces = toComparedPieces(sentence).map(wordsOf);
			const isShort = pieces.every((piece) => piece.length <= 100);
			const isVaried = pieces.every((piece) =>
				[...new Set(piece)].every(
					(one) => /^\p{N}+$/u.test(one) || piece.filter((other) => other === one).length <= 12,
				),
			);
			const told = new Set(pieces.flat());
			return isShort && isVaried && wordsOf(sentence).every((one) => told.has(one));
		}),
		{ numRuns: 100 },
	);
	t.same(toComparedPieces("e.g. ".repeat(800)).map(wordsOf), [Array(12).fill(["e", "g"]).flat()]);
	t.equal(toComparedPieces(Array.from({ length: 400 }, (_, n) => `word${n}`).join(" ")).length, 5);
	t.end();
});
