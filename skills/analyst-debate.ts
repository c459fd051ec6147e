import { type DebateOutput, debateInput, debateOutput } from "../src/core/analyst-wire.js";
import { toIsoDay } from "../src/core/clock.js";
import { CONSULT_LIMITS } from "../src/core/consult-limits.js";
import { defineSkill, type Skill } from "../src/core/skill.js";
import { type AnalystView, askAnalyst } from "../src/evidence/analyst-view.js";
import { type Analyst, analystsOf, findAnalyst } from "../src/evidence/analysts.js";
import type { Side } from "../src/evidence/argument-words.js";
import { createCitationList } from "../src/evidence/citation-list.js";
import { DEBATE_METHOD, type DebatePoint, inTurns, judgeDebate } from "../src/evidence/debate.js";
import { toAnalystWire } from "./analyst-consult.js";
import { toConsultMeta } from "./consult-answer.js";
import type { ConsultSkillDeps } from "./consult-deps.js";
import { answerIf } from "./graph-skill.js";

const EXAMPLE_QUESTION = "Should a language add pattern matching?";

/** What analysts have to say for and against, and who has more to rest on. */
export const createAnalystDebate = (deps: ConsultSkillDeps): Skill<"analysts.debate"> =>
	defineSkill({
		operationId: "analysts.debate",
		title: "Have analysts debate a question",
		description:
			"Arguments for and against from the graphs of two to four analysts, every sentence cited, and a judge that weighs what either side rests on, with reasons. Not charged when no graph has an argument.",
		tags: ["analyst", "debate", "arguments", "evidence"],
		examples: [EXAMPLE_QUESTION],
		exampleInput: { question: EXAMPLE_QUESTION },
		isOffered: () => analystsOf(deps.catalog).length >= CONSULT_LIMITS.debateLeast,
		input: debateInput,
		output: debateOutput,
		capture: "onResult",
		queryOf: ({ question }) => question,
		graphsOf: ({ analysts = [] }) =>
			analysts.map((name) => findAnalyst(deps.catalog, name).graph.record.id),
		prepare({ analysts = [] }) {
			for (const name of analysts) findAnalyst(deps.catalog, name);
		},
		async run({ question, analysts: names }, { signal }) {
			const { clock, search, research } = deps;
			const startedMs = clock.monotonicMs();
			const analysts = await chooseAnalysts(deps, { names, question, signal });
			const today = toIsoDay(clock.now());
			const { writer } = research;
			const told = await Promise.all(
				analysts.map(async (analyst) => ({
					analyst,
					...(await askAnalyst({ search, writer }, { analyst, question, today, signal })),
				})),
			);
			const data = toData(question, told);
			const hasArguments = data.for.length + data.against.length > 0;
			const answered = told.filter(({ view }) => view);
			const meta = toConsultMeta(deps, {
				query: question,
				decision: hasArguments ? (answered[0]?.decision ?? "ABSTAIN") : "ABSTAIN",
				mode: told.some(({ mode }) => mode === "keyword") ? "keyword" : "hybrid",
				graphIds: hasArguments ? answered.map(({ analyst }) => analyst.graph.record.id) : [],
				writer: answered[0]?.writer ?? writer.name,
				warnings: [...new Set(told.flatMap(({ warnings }) => warnings))],
				startedMs,
			});
			return answerIf(hasArguments, { ok: true as const, data, meta });
		},
	});

interface Choice {
	readonly names: readonly string[] | undefined;
	readonly question: string;
	readonly signal: AbortSignal;
}

/** Those who were named, each once, or those whose graphs would answer best. */
async function chooseAnalysts(
	{ catalog, search }: ConsultSkillDeps,
	{ names, question, signal }: Choice,
): Promise<readonly Analyst[]> {
	if (names)
		return [...new Set(names.map((name) => findAnalyst(catalog, name).graph.record.id))].map((id) =>
			findAnalyst(catalog, id),
		);
	const known = analystsOf(catalog);
	const graphs = known.map(({ graph }) => graph);
	if (graphs.length === 0) return [];
	const limit = CONSULT_LIMITS.debateMost;
	const routed = await search.route({ graphs, query: question, limit, signal });
	return routed.graphs.flatMap(({ graph }) => known.find((one) => one.graph === graph) ?? []);
}

type Told = AnalystView & { readonly analyst: Analyst };

function toData(question: string, told: readonly Told[]): DebateOutput["data"] {
	const list = createCitationList();
	const pointsOf = (side: Side) =>
		inTurns(
			told.map(({ analyst, view }) =>
				(view?.sides[side] ?? []).map((sentence) => ({ by: analyst.graph.record.id, sentence })),
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
		analysts: told.map(({ analyst, view }) => ({
			...toAnalystWire(analyst),
			answered: view !== undefined,
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
