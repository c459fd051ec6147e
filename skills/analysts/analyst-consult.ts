import { defineSkill, type Skill } from "../../src/contract/contract.js";
import type { CitedSentence } from "../../src/evidence/evidence.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import { toTrendId } from "../../src/knowledge/knowledge.js";
import { type CitationList, createCitationList } from "../answers/answers.js";
import { CONSULT_LIMITS, type ConsultSkillDeps, toConsultMeta } from "../experts/experts.js";
import { answerIf } from "../graphs/graphs.js";
import { type Analyst, analystsOf, findAnalyst } from "./analyst-index.js";
import { type AnalystView, askAnalyst } from "./analyst-view.js";
import {
	type AnalystConsultOutput,
	analystConsultInput,
	analystConsultOutput,
	SCENARIO_NAMES,
	type ScenarioName,
} from "./analyst-wire.js";

const EXAMPLE_ANALYST = "python-evolution";
const EXAMPLE_QUESTION = "Which typing syntax was refused for Python?";

/** One question to one synthetic analyst. Spec: Endpoints, paid operations. */
export const createAnalystConsult = (deps: ConsultSkillDeps): Skill<"analysts.consult"> =>
	defineSkill({
		operationId: "analysts.consult",
		title: "Consult a synthetic analyst",
		description:
			"One question to one analyst (GET /v1/analysts), answered from its graph alone: a thesis, arguments for and against, open questions, and scenarios whose probabilities are counted from cited evidence; small samples are flagged. Not charged when the graph does not answer.",
		tags: ["analyst", "consultation", "scenarios", "evidence"],
		examples: [EXAMPLE_QUESTION],
		get exampleInput() {
			return exampleOf(deps);
		},
		isOffered: () => analystsOf(deps.catalog).length > 0,
		input: analystConsultInput,
		output: analystConsultOutput,
		capture: "onResult",
		queryOf: ({ question }) => question,
		graphsOf: ({ analyst }) => [findAnalyst(deps.catalog, analyst).graph.record.id],
		prepare: ({ analyst }) => void findAnalyst(deps.catalog, analyst),
		toText,
		async run({ analyst: name, question }, { signal }) {
			const { catalog, clock, search, research } = deps;
			const startedMs = clock.monotonicMs();
			const analyst = findAnalyst(catalog, name);
			const today = toIsoDay(clock.now());
			const { writer } = research;
			const told = await askAnalyst({ search, writer }, { analyst, question, today, signal });
			const data = toData(analyst, question, told);
			const meta = toConsultMeta(deps, {
				...told,
				...{ query: question, startedMs },
				graphIds: told.view ? [analyst.graph.record.id] : [],
			});
			return answerIf(told.view !== undefined, { ok: true as const, data, meta });
		},
	});

type AnswerWire = AnalystConsultOutput["data"];

function toData(analyst: Analyst, question: string, { view, missing }: AnalystView): AnswerWire {
	const list = createCitationList();
	const quote = quoteWith(list);
	const shared = { question, analyst: toAnalystWire(analyst), not_covered: [...missing] };
	if (!view) {
		const nothing = { arguments_for: [], arguments_against: [], open_questions: [], citations: [] };
		const sample = { votes: { base: 0, upside: 0, downside: 0 }, is_small: true };
		return { ...shared, ...nothing, thesis: null, scenarios: [], sample, confidence: 0 };
	}
	const { thesis, sides, odds, confidence } = view;
	return {
		...shared,
		thesis: list.cite(thesis),
		scenarios: SCENARIO_NAMES.map((name) => toScenario(name, view, list)),
		sample: { votes: odds.votes, is_small: odds.isSmallSample },
		arguments_for: sides.for.map(quote),
		arguments_against: sides.against.map(quote),
		open_questions: sides.open.map(quote),
		confidence,
		citations: [...list.toWire()],
	};
}

const SIDE_OF = { base: "open", upside: "for", downside: "against" } as const;

function toScenario(
	name: ScenarioName,
	{ sides, odds, indicators }: NonNullable<AnalystView["view"]>,
	list: CitationList,
): AnswerWire["scenarios"][number] {
	const drivers = sides[SIDE_OF[name]].slice(0, CONSULT_LIMITS.drivers);
	return {
		name,
		probability: odds.probabilities[name],
		drivers: drivers.map(quoteWith(list)),
		indicators: indicators
			.filter(({ scenario }) => scenario === name)
			.map(({ concept, momentum, sentence }) => ({
				trend_id: toTrendId(sentence.graph.record.id, concept.id),
				title: concept.title,
				momentum: {
					...{ score: momentum.score, recent: momentum.recent, before: momentum.before },
					as_of: momentum.asOf,
				},
				citation_ids: [list.numberOf(sentence)],
			})),
	};
}

function quoteWith(list: CitationList) {
	return (sentence: CitedSentence) => list.cite({ text: sentence.text, evidence: [sentence] });
}

export function toAnalystWire({ graph, profile: { name, domain, method } }: Analyst) {
	return { id: graph.record.id, name, domain, method, is_synthetic: true as const };
}

function toText({ data }: AnalystConsultOutput): string {
	const { analyst, thesis, scenarios, citations } = data;
	if (!thesis) return `${analyst.name} does not cover this.`;
	const odds = scenarios.map(({ name, probability }) => `${name} ${probability}`).join(", ");
	const sources = citations.map(({ n, title, source_url: url }) => `[${n}] ${title} (${url})`);
	const marks = thesis.citation_ids.map((n) => `[${n}]`).join("");
	return [`${analyst.name}: ${thesis.text} ${marks}`, odds, ...sources].join("\n");
}

function exampleOf({ catalog }: Pick<ConsultSkillDeps, "catalog">) {
	const analysts = analystsOf(catalog).map(({ graph }) => graph.record);
	const [first] = analysts;
	const isSample = analysts.some(({ id }) => id === EXAMPLE_ANALYST);
	if (isSample || !first) return { analyst: EXAMPLE_ANALYST, question: EXAMPLE_QUESTION };
	return { analyst: first.id, question: first.exampleQueries[0] ?? EXAMPLE_QUESTION };
}
