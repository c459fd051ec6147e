import t from "tap";
import { isAnswered } from "../../src/contract/wire.js";
import {
	type AnswerSigns,
	decide,
	statusOf,
	strengthOf,
} from "../../src/search/ranking/decision.js";

const STRONG: AnswerSigns = {
	subjectWords: 4,
	coverage: 1,
	headingCoverage: 0.8,
	known: 1,
	evidence: 6,
	rarity: 1,
	nearness: 2.5,
	answers: undefined,
	lacksName: 0,
	lacksIdentifier: false,
	isNamed: false,
	isAboutName: false,
	isAmbiguous: false,
};
const OFF: AnswerSigns = {
	...STRONG,
	coverage: 0,
	headingCoverage: 0,
	known: 0.2,
	evidence: 0.5,
	rarity: 0.1,
	nearness: 1,
};

t.test("a row that covers the query and stands out answers", async (t) => {
	t.equal(decide(STRONG), "ANSWER");
	t.equal(statusOf("ANSWER", STRONG), "TREND_MATCH");
});

t.test("unknown words and a row like the others mean no answer", async (t) => {
	t.equal(decide(OFF), "ABSTAIN");
	t.equal(statusOf("ABSTAIN", OFF), "NO_MATCH");
});

t.test("a query in other words than the row's is answered in part", async (t) => {
	const weak = { evidence: 3, rarity: 0.4, nearness: 6 };
	const paraphrase = { ...STRONG, coverage: 0.3, known: 0.65, ...weak };
	t.equal(decide(paraphrase), "PARTIAL");
});

t.test("a name or an identifier that no one covers is never answered in full", async (t) => {
	for (const lacks of [{ lacksName: 1 }, { lacksIdentifier: true }]) {
		t.not(decide({ ...STRONG, rarity: 3, ...lacks }), "ANSWER");
	}
});

t.test(
	"a query about something named that the row is about is asked back, not turned away",
	async (t) => {
		t.equal(decide({ ...OFF, isAboutName: true }), "CLARIFY");
		t.equal(statusOf("CLARIFY", OFF), "WEAK_MATCH");
	},
);

t.test("a short query that many rows answer equally well is asked back", async (t) => {
	t.equal(decide({ ...STRONG, isAmbiguous: true }), "CLARIFY");
	t.equal(decide({ ...STRONG, isAmbiguous: true, isNamed: true }), "ANSWER");
	t.equal(decide({ ...OFF, isAmbiguous: true, known: 1 }), "CLARIFY");
	t.equal(decide({ ...OFF, isAmbiguous: true }), "ABSTAIN");
});

t.test("a query without subject words is not answered, whatever the vectors say", async (t) => {
	t.equal(decide({ ...STRONG, subjectWords: 0, nearness: 9 }), "ABSTAIN");
});

t.test("one word found in passing is not enough", async (t) => {
	const lone = {
		...STRONG,
		subjectWords: 1,
		known: 0.8,
		evidence: 1,
		rarity: 0.1,
		nearness: 1,
	};
	t.notOk(isAnswered(decide(lone)));
});

t.test("a name is an answer and an entity match", async (t) => {
	const named = { ...OFF, subjectWords: 1, isNamed: true };
	t.equal(decide(named), "ANSWER");
	t.equal(statusOf("ANSWER", named), "ENTITY_MATCH");
	t.ok(strengthOf(named) > 0.9);
});

t.test("a match in the text rather than the headings is an evidence match", async (t) => {
	t.equal(statusOf("PARTIAL", { ...STRONG, headingCoverage: 0.1 }), "EVIDENCE_MATCH");
});

t.test("without vectors the words decide alone", async (t) => {
	const keyword = { ...STRONG, nearness: undefined };
	t.equal(decide(keyword), "ANSWER");
	t.equal(decide({ ...keyword, known: 0.3, coverage: 0.3, rarity: 0.3, evidence: 2 }), "ABSTAIN");
});
