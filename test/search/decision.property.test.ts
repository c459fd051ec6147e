import fc from "fast-check";
import t from "tap";
import { type AnswerSigns, decide, strengthOf } from "../../src/search/ranking/decision.js";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const signs: fc.Arbitrary<AnswerSigns> = fc.record({
	subjectWords: fc.nat({ max: 20 }),
	coverage: share,
	headingCoverage: share,
	known: share,
	evidence: fc.double({ min: 0, max: 60, noNaN: true }),
	rarity: fc.double({ min: 0, max: 20, noNaN: true }),
	nearness: fc.option(fc.double({ min: 0, max: 10, noNaN: true }), { nil: undefined }),
	answers: fc.option(share, { nil: undefined }),
	lacksName: fc.constantFrom(0, 0.5, 1),
	lacksIdentifier: fc.boolean(),
	isNamed: fc.boolean(),
	isAboutName: fc.boolean(),
	isAmbiguous: fc.boolean(),
});
const RANKS = ["ABSTAIN", "CLARIFY", "PARTIAL", "ANSWER"];
const rankOf = (some: AnswerSigns) => RANKS.indexOf(decide(some));

t.test("a strength is a probability", async () => {
	fc.assert(fc.property(signs, (some) => strengthOf(some) >= 0 && strengthOf(some) <= 1));
});

t.test(
	"what covers more, stands out more or is known better never weakens a decision",
	async () => {
		const better = fc.constantFrom("known", "evidence", "rarity", "nearness", "answers");
		const more = fc.double({ min: 0, max: 1, noNaN: true });
		fc.assert(
			fc.property(signs, better, more, (some, sign, gain) => {
				const value = some[sign];
				const stronger = value === undefined ? some : { ...some, [sign]: value + gain };
				return strengthOf(stronger) >= strengthOf(some) && rankOf(stronger) >= rankOf(some);
			}),
		);
	},
);

t.test("what is missing never strengthens a decision", async () => {
	const missing = fc.constantFrom({ lacksName: 1 }, { lacksIdentifier: true }, { known: 0 });
	fc.assert(
		fc.property(signs, missing, (some, lack) => {
			const weaker = { ...some, ...lack };
			return strengthOf(weaker) <= strengthOf(some) && rankOf(weaker) <= rankOf(some);
		}),
	);
});
