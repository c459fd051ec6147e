import t from "tap";
import { type AnswerSigns, decide, statusOf, strengthOf } from "../../src/search/judge.js";

const STRONG: AnswerSigns = {
	subjectWords: 4,
	coverage: 1,
	headingCoverage: 0.8,
	known: 1,
	cosine: 0.6,
	isAgreed: true,
	lacksIdentifier: false,
	isNamed: false,
};

t.test("a row that covers the query and is close to it answers", async (t) => {
	t.equal(decide(STRONG), "ANSWER");
	t.equal(statusOf("ANSWER", STRONG), "TREND_MATCH");
});

t.test("words that nobody knows and a far row mean no answer", async (t) => {
	const off = { ...STRONG, coverage: 0, headingCoverage: 0, known: 0.2, cosine: 0.25 };
	t.equal(decide(off), "ABSTAIN");
	t.equal(statusOf("ABSTAIN", off), "NO_MATCH");
});

t.test("a close row may answer in other words than the query's", async (t) => {
	t.equal(
		decide({ ...STRONG, coverage: 0.3, headingCoverage: 0.1, known: 0.8, cosine: 0.4 }),
		"PARTIAL",
	);
});

t.test("an identifier that nobody covers is never answered in full", async (t) => {
	t.not(decide({ ...STRONG, lacksIdentifier: true }), "ANSWER");
	t.ok(strengthOf({ ...STRONG, lacksIdentifier: true }) < strengthOf(STRONG));
});

t.test("a query without subject words is not answered, whatever the vectors say", async (t) => {
	t.equal(decide({ ...STRONG, subjectWords: 0, cosine: 0.9 }), "ABSTAIN");
});

t.test("one word found in passing is not enough", async (t) => {
	const lone = { ...STRONG, subjectWords: 1, headingCoverage: 0, cosine: 0.15 };
	t.equal(decide(lone), "ABSTAIN");
});

t.test("a name is an answer and an entity match", async (t) => {
	const named = { ...STRONG, subjectWords: 1, cosine: 0.1, isNamed: true };
	t.equal(decide(named), "ANSWER");
	t.equal(statusOf("ANSWER", named), "ENTITY_MATCH");
});

t.test("a match in the text rather than the headings is an evidence match", async (t) => {
	t.equal(statusOf("PARTIAL", { ...STRONG, headingCoverage: 0.1 }), "EVIDENCE_MATCH");
	t.equal(statusOf("CLARIFY", STRONG), "WEAK_MATCH");
});

t.test("without vectors more of the words must be covered", async (t) => {
	const keyword = { ...STRONG, cosine: undefined };
	t.equal(decide(keyword), "ANSWER");
	t.equal(decide({ ...keyword, coverage: 0.3, known: 0.5 }), "ABSTAIN");
});
