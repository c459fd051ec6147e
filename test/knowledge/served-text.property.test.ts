import fc from "fast-check";
import t from "tap";
import { cleanText, toPlainText, truncateText } from "../../src/documents/served-text.js";

const esc = String.fromCharCode(27);
/** Text in which everything that is stripped is frequent, also in pieces. */
const hostileText = fc
	.array(
		fc.oneof(
			fc.constantFrom(
				"<!",
				"--",
				"-->",
				"<!--",
				esc,
				"[31m",
				"]0;x",
				"\u0007",
				"\u202e",
				"\u200b",
				"\r",
				"\n",
				"\u{e0041}",
				"\ud800",
			),
			fc.string({ unit: "binary", maxLength: 4 }),
		),
		{ maxLength: 40 },
	)
	.map((parts) => parts.join(""));

t.test("cleaning twice is cleaning once, and nothing hidden is left", async (t) => {
	fc.assert(
		fc.property(hostileText, (text) => {
			const clean = cleanText(text);
			return (
				cleanText(clean) === clean &&
				!clean.includes("<!--") &&
				!/[\u200b\u202e\u{e0041}]|(?![\t\n])\p{Cc}|\p{Surrogate}/u.test(clean)
			);
		}),
	);
	t.pass();
});

t.test("visible text survives", async (t) => {
	const text = "Grüße, 世界 – naïve façade 👍 a < b -- c\n\tindented";
	t.equal(cleanText(text), text);
});

t.test("Markdown becomes the prose a reader would say aloud", async (t) => {
	t.equal(
		toPlainText(
			"**Bold** and _soft_ `code` see [EIP-1](./eip-1.md) and ![chart](x.png)[^1], <b>tag</b> snake_case_name [[Note|label]].",
		),
		"Bold and soft code see EIP-1 and chart, tag snake_case_name label.",
	);
});

t.test("cutting never exceeds the limit nor splits a word or a character", async (t) => {
	t.equal(truncateText("one two three", 9), "one two…");
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 50 }), (text, limit) => {
			const cut = truncateText(text, limit);
			return cut.length <= limit && !/\p{Surrogate}/u.test(cut);
		}),
	);
});

t.test("a megabyte of openings is cleaned in linear time", async (t) => {
	const started = process.cpuUsage().user;
	cleanText("<!--".repeat(250_000));
	cleanText(`${esc}]`.repeat(300_000));
	toPlainText("[".repeat(500_000));
	t.ok(process.cpuUsage().user - started < 2_000_000);
});
