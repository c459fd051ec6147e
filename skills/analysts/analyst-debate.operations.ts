import { paidOperation, toReply } from "../../src/contract/contract.js";
import { invalidArgument } from "../../src/kernel/kernel.js";
import { createCitationList, extractiveWriter } from "../answers/answers.js";
import { CONSULT_LIMITS, toConsultMeta } from "../experts/experts.js";
import { answerIf } from "../graphs/graphs.js";
import {
	type Analyst,
	type AnalystServices,
	analystsOf,
	findAnalyst,
	toAnalystWire,
} from "./analyst-index.js";
import { type DebateOutput, debateInput, debateOutput } from "./analyst-wire.js";
import { DEBATE_METHOD, type DebatePoint, inTurns, judgeDebate, surveyDebate } from "./debate.js";
import {
	type FoundThesis,
	findBearing,
	findThesis,
	NO_BEARING,
	readSides,
	type Side,
	type Sides,
} from "./thesis.js";

const DEBATE_QUESTION = "Should a language add pattern matching?";

/** What analysts have to say for and against, and who has more to rest on. Additive to the contract. */
export const analystDebate = paidOperation({
	id: "analysts.debate",
	at: "POST /v1/analysts/debate",
	summary: "Have analysts debate a question",
	description:
		"A thesis from the graphs of two to four analysts, what bears it out and what speaks against it, by marks in the text such as For: and Against: or as a judge reads it, every sentence cited, and a weighing of what either side rests on. Paid per call; an unknown analyst costs nothing, nor does a question to which either side lacks two documents: the answer says so in words.",
	body: debateInput,
	reply: toReply("DebateReply", debateOutput),
	about:
		"A thesis from the graphs of two to four analysts, with the sentences that bear it out and those that speak against it, every one cited, and a judge that weighs what either side rests on, with reasons. Not charged unless both sides rest on two documents.",
	tags: ["analyst", "debate", "arguments", "evidence"],
	examples: [DEBATE_QUESTION],
	output: debateOutput,
	create: (services: AnalystServices) => ({
		exampleInput: () => ({ question: DEBATE_QUESTION }),
		isOffered: () => analystsOf(services.catalog).length >= CONSULT_LIMITS.debateLeast,
		graphsOf: ({ analysts = [] }) =>
			analysts.map((name) => findAnalyst(services.catalog, name).graph.record.id),
		prepare({ analysts = [] }) {
			getAnalysts(services, analysts);
		},
		async run({ question, analysts: names }, { signal }) {
			const { clock, search } = services;
			const startedMs = clock.monotonicMs();
			const analysts = names
				? getAnalysts(services, names)
				: await chooseAnalysts(services, question, signal);
			const graphs = analysts.map(({ graph }) => graph);
			const found = await findThesis(search, { question, graphs, signal });
			const { thesis } = found;
			const bearing = thesis
				? await findBearing(search, thesis, { question, graphs, signal })
				: NO_BEARING;
			const sides = thesis
				? await readSides(search, thesis, { ...bearing, signal })
				: bearing.marked;
			const data = toData(question, { analysts, found, sides });
			const isDebate = data.message === null;
			const by = new Set([...data.for, ...data.against].map((point) => point.analyst));
			const meta = toConsultMeta(services, {
				query: question,
				decision: isDebate ? found.decision : "ABSTAIN",
				mode: found.mode,
				graphIds: [...by],
				// Arguments are quoted word for word.
				writer: extractiveWriter.name,
				warnings: [],
				startedMs,
			});
			return answerIf(isDebate, { ok: true as const, data, meta });
		},
	}),
	example: { body: { question: DEBATE_QUESTION } },
});

/** Throws NOT_FOUND for an unknown one, INVALID_ARGUMENT when two names are of one analyst. */
function getAnalysts(
	{ catalog }: Pick<AnalystServices, "catalog">,
	names: readonly string[],
): readonly Analyst[] {
	const found: Analyst[] = [];
	for (const name of names) {
		const analyst = findAnalyst(catalog, name);
		if (found.some(({ graph }) => graph === analyst.graph)) {
			throw invalidArgument(
				`"${name.slice(0, 80)}" is ${analyst.profile.name} once more; name each analyst once.`,
			);
		}
		found.push(analyst);
	}
	return found;
}

/** Those whose graphs would answer best. */
async function chooseAnalysts(
	{ catalog, search }: AnalystServices,
	question: string,
	signal: AbortSignal,
): Promise<readonly Analyst[]> {
	const known = analystsOf(catalog);
	const graphs = known.map(({ graph }) => graph);
	if (graphs.length === 0) return [];
	const limit = CONSULT_LIMITS.debateMost;
	const routed = await search.route({ graphs, query: question, limit, signal });
	return routed.graphs.flatMap(({ graph }) => known.find((one) => one.graph === graph) ?? []);
}

interface Argued {
	readonly analysts: readonly Analyst[];
	readonly found: FoundThesis;
	readonly sides: Sides;
}

function toData(question: string, { analysts, found, sides }: Argued): DebateOutput["data"] {
	const list = createCitationList();
	const pointsOf = (side: Side) =>
		inTurns(
			analysts.map(({ graph: { record } }) =>
				sides[side]
					.filter(({ graph }) => graph.record.id === record.id)
					.map((sentence) => ({ by: record.id, sentence })),
			),
		);
	const [pro, contra] = [pointsOf("for"), pointsOf("against")];
	const { message } = surveyDebate(pro, contra);
	const about = { question, message };
	if (message !== null || !found.thesis)
		return { ...about, ...NOTHING, analysts: analysts.map(silent) };
	const toWire = ({ by, sentence }: DebatePoint) => ({
		analyst: by,
		...list.cite({ text: sentence.text, evidence: [sentence] }),
	});
	const { claim } = found.thesis;
	const thesis = toWire({ by: claim.graph.record.id, sentence: claim });
	const { verdict, weightFor, weightAgainst, reasons } = judgeDebate(pro, contra);
	const spoke = new Set([...pro, ...contra].map(({ by }) => by));
	return {
		...about,
		thesis,
		analysts: analysts.map((analyst) => ({
			...toAnalystWire(analyst),
			answered: spoke.has(analyst.graph.record.id),
		})),
		for: pro.map(toWire),
		against: contra.map(toWire),
		judge: {
			verdict,
			weight_for: weightFor,
			weight_against: weightAgainst,
			reasons: reasons.map((point) => ({ ...toWire(point), side: point.side })),
			method: DEBATE_METHOD,
		},
		open_questions: [],
		citations: [...list.toWire()],
	};
}

/** Without two sides nothing is given away. */
const NOTHING = {
	thesis: null,
	for: [],
	against: [],
	judge: {
		verdict: "open" as const,
		weight_for: 0,
		weight_against: 0,
		reasons: [],
		method: DEBATE_METHOD,
	},
	open_questions: [],
	citations: [],
};

function silent(analyst: Analyst) {
	return { ...toAnalystWire(analyst), answered: false };
}
