import type { Decision } from "../../src/contract/contract.js";
import { type CitedSentence, createMomentum, type Momentum } from "../../src/evidence/evidence.js";
import type { Concept } from "../../src/knowledge/knowledge.js";
import type { HybridSearch, JudgedSearch } from "../../src/search/search.js";
import {
	composeAnswer,
	decisionOf,
	passagesOf,
	type Writer,
	writeProse,
} from "../answers/answers.js";
import { CONSULT_LIMITS, confidenceOf } from "../experts/experts.js";
import type { Analyst } from "./analyst-index.js";
import type { ScenarioName } from "./analyst-wire.js";
import { type Side, sideOf } from "./debate.js";

interface AnalystTask {
	readonly analyst: Analyst;
	readonly question: string;
	readonly signal: AbortSignal;
}

type Sides = Readonly<Record<Side, readonly CitedSentence[]>>;

/** What an analyst's graph holds for and against, without a word of its own: nothing is written for it. */
export type AnalystArguments = Awaited<ReturnType<typeof findArguments>>;

/** Asks an analyst for arguments alone; its sides are undefined when the graph does not answer. */
export async function findArguments(search: HybridSearch & JudgedSearch, task: AnalystTask) {
	const { decision, mode, offered } = await gatherFor(search, task);
	const sides = decision === "ABSTAIN" ? undefined : toSides(offered, []);
	return { decision, mode, sides };
}

/** Evidence that is relevant to the question; without any the decision is to abstain. */
async function gatherFor(
	search: HybridSearch & JudgedSearch,
	{ analyst, question, signal }: AnalystTask,
) {
	const { conceptsMax, viewTokens: tokens } = CONSULT_LIMITS;
	const graphs = [analyst.graph];
	const found = await composeAnswer(search, { graphs, question, conceptsMax, tokens, signal });
	const { mode, missing: unknown } = found.outcome;
	const missing = [...new Set([...unknown, ...found.missing])];
	return { mode, missing, decision: decisionOf(found), offered: passagesOf(found).flat() };
}

/** What an analyst has to say, from its own graph alone; its view is undefined when the graph does not answer. */
export type AnalystView = Awaited<ReturnType<typeof askAnalyst>>;

/** Asks an analyst: a thesis, what speaks for and against it, what is open, and what may come of it. */
export async function askAnalyst(
	{ search, writer }: { readonly search: HybridSearch & JudgedSearch; readonly writer: Writer },
	task: AnalystTask & {
		/** `YYYY-MM-DD`. */
		readonly today: string;
	},
) {
	const { question, today, signal } = task;
	const { decision, mode, missing, offered } = await gatherFor(search, task);
	const none = { decision: "ABSTAIN" as Decision, mode, missing, view: undefined };
	if (decision === "ABSTAIN") return { ...none, writer: writer.name, warnings: [] };
	const purpose = "State in one sentence what the evidence comes to.";
	const writing = { purpose, question, offered, sentencesMax: 1, signal };
	const prose = await writeProse(writing, { writer, judge: search.judge });
	const [thesis] = prose.sentences;
	const { warnings } = prose;
	if (!thesis) return { ...none, writer: prose.writer, warnings };
	const sides = toSides(offered, thesis.evidence);
	const indicators = indicatorsOf(offered, today);
	const cited = [...thesis.evidence, ...offered];
	const [first] = thesis.evidence;
	const side = first && sideOf({ text: thesis.text, concept: first.concept }, offered[0]?.concept);
	const view = {
		thesis,
		sides,
		indicators,
		odds: oddsOf(countVotes(sides, indicators, side)),
		confidence: confidenceOf({ question, decision, today, cited }),
	};
	return { decision, mode, missing, view, writer: prose.writer, warnings };
}

/** Sentences by the side they speak for, those that bear most on the question first; the thesis argues for nothing. */
function toSides(offered: readonly CitedSentence[], thesis: readonly CitedSentence[]): Sides {
	const said = new Set(thesis.map(({ evidenceId }) => evidenceId));
	const sides: Record<Side, CitedSentence[]> = { for: [], against: [], open: [] };
	const lead = offered[0]?.concept;
	const { arguments: argued, openQuestions: open } = CONSULT_LIMITS;
	const most = { for: argued, against: argued, open };
	for (const sentence of offered) {
		const side = said.has(sentence.evidenceId) ? undefined : sideOf(sentence, lead);
		if (side && sides[side].length < most[side]) sides[side].push(sentence);
	}
	return sides;
}

/** What to watch: the concepts the answer rests on, by the scenario their sources' momentum speaks for. */
function indicatorsOf(offered: readonly CitedSentence[], today: string) {
	const momentumOf = createMomentum(today);
	const firsts = new Map<Concept, CitedSentence>();
	for (const sentence of offered) {
		if (!firsts.has(sentence.concept)) firsts.set(sentence.concept, sentence);
	}
	/** With what each concept is cited for, first. */
	return [...firsts].flatMap(([concept, sentence]) => {
		const momentum = momentumOf(concept.evidence);
		const scenario = voteOf(momentum);
		return scenario ? [{ scenario, concept, momentum, sentence }] : [];
	});
}

function countVotes(
	sides: Sides,
	indicators: ReturnType<typeof indicatorsOf>,
	thesis: Side | undefined,
) {
	const votesOf = (side: Side) => sides[side].length + (thesis === side ? 1 : 0);
	const moving = (name: ScenarioName) =>
		indicators.filter(({ scenario }) => scenario === name).length;
	return {
		base: votesOf("open") + moving("base"),
		upside: votesOf("for") + moving("upside"),
		downside: votesOf("against") + moving("downside"),
	};
}

/** Fewer dated sources than these move nothing. */
const SOURCES_LEAST = 3;

/** The vote of one concept by the momentum of its dated sources; undefined where none is dated within two years. */
export function voteOf({ score, recent, before }: Momentum): ScenarioName | undefined {
	if (recent + before === 0) return undefined;
	if (score === 0 || recent + before < SOURCES_LEAST) return "base";
	return score > 0 ? "upside" : "downside";
}

/**
 * Probabilities of three scenarios by counting votes, one of each added (Laplace's rule of succession):
 * P(s) = (votes(s) + 1) / (all votes + 3). Votes are one for each concept by the momentum of its sources, one for each
 * argument for (upside) and against (downside), one for each open question (base), and one for the side of the thesis.
 */
export function oddsOf(votes: Readonly<Record<ScenarioName, number>>) {
	const count = votes.base + votes.upside + votes.downside;
	const share = (name: ScenarioName) => Math.round(((votes[name] + 1) / (count + 3)) * 1000);
	const [upside, downside] = [share("upside"), share("downside")];
	const base = (1000 - upside - downside) / 1000;
	const probabilities = { base, upside: upside / 1000, downside: downside / 1000 };
	// Below that many votes the numbers say little.
	return { probabilities, votes, isSmallSample: count < CONSULT_LIMITS.sampleLeast };
}
