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
import { type AnalystArguments, findArguments } from "./analyst-view.js";
import { type DebateOutput, debateInput, debateOutput } from "./analyst-wire.js";
import { DEBATE_METHOD, type DebatePoint, inTurns, judgeDebate, type Side } from "./debate.js";

const DEBATE_QUESTION = "Should a language add pattern matching?";

/** What analysts have to say for and against, and who has more to rest on. Additive to the contract. */
export const analystDebate = paidOperation({
	id: "analysts.debate",
	at: "POST /v1/analysts/debate",
	summary: "Have analysts debate a question",
	description:
		"Arguments for and against from the graphs of two to four analysts, every sentence cited, and a judge that weighs what either side rests on. Paid per call; an analyst nobody knows and graphs without an argument cost nothing.",
	body: debateInput,
	reply: toReply("DebateReply", debateOutput),
	about:
		"Arguments for and against from the graphs of two to four analysts, every sentence cited, and a judge that weighs what either side rests on, with reasons. Not charged when no graph has an argument.",
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
			const told = await Promise.all(
				analysts.map(async (analyst) => ({
					analyst,
					...(await findArguments(search, { analyst, question, signal })),
				})),
			);
			const data = toData(question, told);
			const hasArguments = data.for.length + data.against.length > 0;
			const answered = told.filter(({ sides }) => sides);
			const meta = toConsultMeta(services, {
				query: question,
				decision: hasArguments ? (answered[0]?.decision ?? "ABSTAIN") : "ABSTAIN",
				mode: told.some(({ mode }) => mode === "keyword") ? "keyword" : "hybrid",
				graphIds: hasArguments ? answered.map(({ analyst }) => analyst.graph.record.id) : [],
				// Arguments are quoted word for word.
				writer: extractiveWriter.name,
				warnings: [],
				startedMs,
			});
			return answerIf(hasArguments, { ok: true as const, data, meta });
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

type Told = AnalystArguments & { readonly analyst: Analyst };

function toData(question: string, told: readonly Told[]): DebateOutput["data"] {
	const list = createCitationList();
	const pointsOf = (side: Side) =>
		inTurns(
			told.map(({ analyst, sides }) =>
				(sides?.[side] ?? []).map((sentence) => ({ by: analyst.graph.record.id, sentence })),
			),
		);
	const toWire = ({ by, sentence }: DebatePoint) => ({
		analyst: by,
		...list.cite({ text: sentence.text, evidence: [sentence] }),
	});
	const [pro, contra] = [pointsOf("for"), pointsOf("against")];
	const { verdict, weightFor, weightAgainst, reasons } = judgeDebate(pro, contra);
	const hasArguments = pro.length + contra.length > 0;
	return {
		question,
		analysts: told.map(({ analyst, sides }) => ({
			...toAnalystWire(analyst),
			answered: sides !== undefined,
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
		// Without arguments there is no debate, and nothing is given away.
		open_questions: hasArguments ? pointsOf("open").map(toWire) : [],
		citations: [...list.toWire()],
	};
}
