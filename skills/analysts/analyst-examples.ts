import { toDataReply } from "../../src/contract/contract.js";
import { CONSULT_META } from "../experts/experts.js";

/** Replies of the operations that ask analysts, of a question the sample catalog answers. */

export const DEBATE_QUESTION = "Should a language add pattern matching?";
const TREND_ID = "python-evolution:language.pattern-matching";
const THESIS =
	"The match statement arrived in Python 3.10 with PEP 634 (specification), 635 (rationale) and 636 (tutorial), after PEP 622 was superseded.";
const PRO =
	"For plain dispatch on values a dictionary is still simpler, and by type there is single dispatch.";
const CONTRA = "Earlier switch proposals, PEP 275 and 3103, had been rejected.";

const SWITCHING = { id: "pep-275", title: "Switching on Multiple Values", day: "2001-11-10" };
const DISPATCH = { id: "pep-443", title: "Single-dispatch generic functions", day: "2013-05-22" };

const citation = (n: number, place: number, excerpt: string, source = SWITCHING) => ({
	n,
	evidence_id: `${TREND_ID}~${place}`,
	trend_id: TREND_ID,
	article_id: source.id,
	title: source.title,
	source_url: `https://peps.python.org/pep-0${source.id.slice(4)}/`,
	published_at: source.day,
	publisher: "peps.python.org",
	excerpt,
	trust_tier: "unverified",
	graph_id: "python-evolution",
});
const citations = [citation(1, 0, THESIS), citation(2, 8, PRO, DISPATCH), citation(3, 1, CONTRA)];
const PROFILE = {
	id: "python-evolution",
	name: "python-evolution-analyst",
	domain: "Python language, CPython and packaging",
	method: "Reads PEPs with their status, date and target version.",
	is_synthetic: true,
};
const pro = { text: PRO, citation_ids: [2] };
const contra = { text: CONTRA, citation_ids: [3] };
const meta = { ...CONSULT_META, query: DEBATE_QUESTION, graphs_used: [PROFILE.id] };
const scenario = (name: string, probability: number, drivers: object[]) => ({
	...{ name, probability, drivers },
	indicators: [],
});

export const ANALYST_BODY = { analyst: PROFILE.id, question: DEBATE_QUESTION };
export const ANALYST_REPLY = toDataReply(
	{
		question: DEBATE_QUESTION,
		analyst: PROFILE,
		thesis: { text: THESIS, citation_ids: [1] },
		scenarios: [
			scenario("base", 0.2, []),
			scenario("upside", 0.4, [pro]),
			scenario("downside", 0.4, [contra]),
		],
		sample: { votes: { base: 0, upside: 1, downside: 1 }, is_small: true },
		arguments_for: [pro],
		arguments_against: [contra],
		open_questions: [],
		not_covered: [],
		citations,
		confidence: 0.5,
	},
	meta,
);

export const DEBATE_REPLY = toDataReply(
	{
		question: DEBATE_QUESTION,
		analysts: [{ ...PROFILE, answered: true }],
		for: [{ analyst: PROFILE.id, ...pro }],
		against: [{ analyst: PROFILE.id, ...contra }],
		judge: {
			verdict: "open",
			weight_for: 0.75,
			weight_against: 0.75,
			reasons: [{ analyst: PROFILE.id, ...pro, side: "for" }],
			method: "The sum over distinct sources of the trust of what cites them.",
		},
		open_questions: [],
		citations,
	},
	meta,
);
