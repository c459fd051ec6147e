import fc from "fast-check";
import t from "tap";
import { decideStance, toStance } from "../../../skills/verify/claims/stance-reading.js";
import {
	objectToRefutation,
	objectToSupport,
	readFacts,
} from "../../../skills/verify/claims/vetoes.js";
import { reading } from "../../support/word-judge.js";

const supportOf = (claim: string, passage: string) =>
	objectToSupport(readFacts(claim), readFacts(passage));
const refutationOf = (claim: string, passage: string) =>
	objectToRefutation(readFacts(claim), readFacts(passage));

t.test("what a claim counts, dates, measures and names must stand in the passage", (t) => {
	for (const [claim, passage] of [
		["The table has twelve rows.", "The table has 12 rows."],
		["The cable is 1 km long.", "The cable is 1,000 m long."],
		["A frame has 96 bits.", "A frame has 12 bytes."],
		["It was published in 2024.", "It was published on 3 May 2024."],
		["It waits for half an hour.", "It waits for 30 minutes."],
		["More than ten servers answered.", "16 servers answered."],
		["The zone begins at a depth of 6,000 metres.", "The zone lies between 6 km and 10 km down."],
		["Three quarters of the rows are flagged.", "Of 16 rows 12 are flagged."],
		["The archive is in Indonesia.", "The Indonesian archive was opened."],
		["The timeout is given in seconds.", "The timeout is given as a number."],
		["The two fields are signed.", "The name and the address are signed."],
	] as const) {
		t.equal(supportOf(claim, passage), undefined, claim);
	}
	for (const [claim, passage] of [
		["The table has twelve rows.", "The table has 21 rows."],
		["The cable is 1 km long.", "The cable is 1,000 miles long."],
		["A frame has 96 bits.", "A frame has 96 bytes."],
		["It was published in May 2024.", "It was published in 2024."],
		["It was published on 3 May 2024.", "It was published on 5 May 2024."],
		["The window was praised in Oslo.", "The window was praised."],
		["RFC 9110 asks for it.", "RFC 9111 asks for it."],
		["The timeout is given in seconds.", "The timeout is given in milliseconds."],
		["The distance is given in metres.", "The distance is given as a number."],
		["The build is called 7.4.1b.", "The build is called 7.4.2b."],
	] as const) {
		t.match(supportOf(claim, passage), /^lacks /, claim);
	}
	t.end();
});

t.test("a refutation speaks of whom the claim names, but for the one name that differs", (t) => {
	const passage = "Google published SPDY, and the standard came from the IETF.";
	for (const claim of [
		"The standard came from the W3C.",
		"Microsoft published SPDY.",
		"The standard never came from the IETF.",
		"Nothing was published.",
	]) {
		t.equal(refutationOf(claim, passage), undefined, claim);
	}
	for (const claim of [
		"Docker publishes a standard.",
		"In Norway the standard was withdrawn.",
		"Microsoft published QUIC.",
	]) {
		t.match(refutationOf(claim, passage), /^does not speak of /, claim);
	}
	t.end();
});

t.test("a claim that is longer than what is read is left open on both sides", (t) => {
	const long = `${"and so on ".repeat(20)}it holds.`;
	t.match(supportOf(long, long), /so long a claim/);
	t.match(refutationOf(long, long), /so long a claim/);
	t.end();
});

t.test("rules only ever open what the judge reads", (t) => {
	const share = fc.double({ min: 0, max: 1, noNaN: true });
	const text = fc.array(
		fc.constantFrom("12 bytes", "2019", "RFC 9110", "not", "all", "the IETF", ";", "½", "frames"),
		{ maxLength: 20 },
	);
	fc.assert(
		fc.property(text, text, share, share, (claim, passage, a, b) => {
			const [supports, refutes] = [a * 0.99, (1 - a) * b];
			const read = { answers: 0, supports, refutes, open: 1 - supports - refutes };
			const about = { text: passage.join(" "), names: [] };
			const found = toStance(readFacts(claim.join(" ")), about, read);
			const isOpened = found.isDisputed && found.stance === "neutral";
			return found.supports <= supports &&
				found.refutes <= refutes &&
				(found.supports === supports && found.refutes === refutes) !== isOpened
				? found.score >= 0 && found.score <= 1
				: false;
		}),
		{ numRuns: 300 },
	);
	t.end();
});

t.test("a side is told from its threshold on, unless the other side is strong too", (t) => {
	const all = (...readings: readonly { supports: number; refutes: number }[]) =>
		decideStance(readings).stance;
	t.equal(all(reading("supports")), "supports");
	t.equal(all(reading("refutes"), reading("open")), "refutes");
	t.equal(all(reading("supports"), reading("refutes")), "neutral");
	t.ok(decideStance([reading("supports"), reading("refutes")]).isConflict);
	t.equal(all({ supports: 0.79, refutes: 0 }), "neutral");
	t.equal(all(), "neutral");
	const one = decideStance([reading("supports")]).confidence;
	const many = decideStance(Array.from({ length: 16 }, () => reading("supports"))).confidence;
	t.ok(many < one, `${many} < ${one}`);
	t.end();
});
