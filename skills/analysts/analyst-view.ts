import { type CitedSentence, createMomentum, type Momentum } from "../../src/evidence/evidence.js";
import type { Concept } from "../../src/knowledge/knowledge.js";
import type { HybridSearch, JudgedSearch } from "../../src/search/search.js";
import { type Writer, writeFromPassages } from "../answers/answers.js";
import { CONSULT_LIMITS, confidenceOf } from "../experts/experts.js";
import type { Analyst } from "./analyst-index.js";
import type { ScenarioName } from "./analyst-wire.js";
import { findBearing, findThesis, readSides, type Sides } from "./thesis.js";

interface AnalystTask {
	readonly analyst: Analyst;
	readonly question: string;
	/** `YYYY-MM-DD`. */
	readonly today: string;
	readonly signal: AbortSignal;
}

/** What an analyst has to say, from its own graph alone; its view is undefined when the graph does not answer. */
export type AnalystView = Awaited<ReturnType<typeof askAnalyst>>;

const PURPOSE = "State in one sentence what the evidence comes to.";

/** Asks an analyst: a thesis, what else answers, what bears the thesis out and what speaks against it, and what may come of it. */
export async function askAnalyst(
	{ search, writer }: { readonly search: HybridSearch & JudgedSearch; readonly writer: Writer },
	{ analyst, question, today, signal }: AnalystTask,
) {
	const graphs = [analyst.graph];
	const found = await findThesis(search, { question, graphs, signal });
	const { decision, mode, missing, gaps, thesis } = found;
	const none = { decision: "ABSTAIN" as const, mode, missing, gaps, view: undefined };
	if (!thesis) return { ...none, writer: writer.name, warnings: [] };
	const passages = [thesis.passage, ...thesis.others];
	const offered = passages.flat();
	const counts = { quotedMax: 1, sentencesMax: 1 };
	const writing = { purpose: PURPOSE, question, offered, passages, signal, ...counts };
	const prose = await writeFromPassages(writing, { writer, judge: search.judge });
	const { warnings } = prose;
	const [told] = prose.sentences;
	if (!told) return { ...none, writer: prose.writer, warnings };
	const bearing = await findBearing(search, thesis, { question, graphs, signal });
	const sides = shorten(await readSides(search, thesis, { ...bearing, signal }));
	const open = offered
		.filter(({ concept }) => concept.status === "draft")
		.slice(0, CONSULT_LIMITS.openQuestions);
	const indicators = indicatorsOf(offered, today);
	const view = {
		thesis: told,
		/** What answers beside it, passage by passage. */
		evidence: prose.rest,
		sides,
		/** What its own concept calls a draft. */
		open,
		indicators,
		odds: oddsOf(countVotes({ sides, open, indicators })),
		confidence: confidenceOf({ question, decision, today, cited: offered }),
	};
	return { decision, mode, missing, gaps, view, writer: prose.writer, warnings };
}

function shorten(sides: Sides): Sides {
	const { arguments: most } = CONSULT_LIMITS;
	return { for: sides.for.slice(0, most), against: sides.against.slice(0, most) };
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

function countVotes({
	sides,
	open,
	indicators,
}: {
	readonly sides: Sides;
	readonly open: readonly CitedSentence[];
	readonly indicators: ReturnType<typeof indicatorsOf>;
}) {
	const moving = (name: ScenarioName) =>
		indicators.filter(({ scenario }) => scenario === name).length;
	return {
		base: open.length + moving("base"),
		upside: sides.for.length + moving("upside"),
		downside: sides.against.length + moving("downside"),
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
 * argument for (upside) and against (downside), and one for each open question (base).
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
