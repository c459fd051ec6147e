import { z } from "zod";
import {
	dataOperation,
	paidOperation,
	type Services,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import type { CitedSentence } from "../../src/evidence/evidence.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import { toTrendId } from "../../src/knowledge/knowledge.js";
import { type CitationList, createCitationList, toMarks } from "../answers/answers.js";
import { CONSULT_LIMITS, toConsultMeta } from "../experts/experts.js";
import { answerIf } from "../graphs/graphs.js";
import {
	type Analyst,
	type AnalystServices,
	analystsOf,
	findAnalyst,
	toAnalystWire,
} from "./analyst-index.js";
import { type AnalystView, askAnalyst } from "./analyst-view.js";
import {
	type AnalystConsultOutput,
	analystConsultInput,
	analystConsultOutput,
	analystDetailSchema,
	analystListSchema,
	SCENARIO_NAMES,
	type ScenarioName,
} from "./analyst-wire.js";

const EXAMPLE_ANALYST = "python-evolution";
const EXAMPLE_QUESTION = "Which typing syntax was refused for Python?";

type Needs = Pick<Services, "analysts">;

/** One question to one synthetic analyst. Spec: Endpoints, paid operations. */
export const analystConsultation = paidOperation({
	id: "analysts.consult",
	at: "POST /v1/analysts/consult",
	agent: {
		name: "consult_analyst",
		tool: {
			title: "Consult an analyst",
			description:
				"One question to one synthetic analyst, answered from its own notes, every sentence cited.",
			fields: { analyst: "analyst of list_analysts", question: "Question in plain language" },
		},
	},
	summary: "Consult a synthetic analyst",
	description:
		"A thesis from one analyst's graph, what else answers, what bears the thesis out and what speaks against it as a judge reads it, open questions and scenarios, every sentence cited. Probabilities are counted from cited evidence with one vote added for each scenario; small samples say so. Paid per call; an unknown analyst and a graph that does not answer cost nothing.",
	body: analystConsultInput,
	reply: toReply("AnalystConsultReply", analystConsultOutput),
	about:
		"One question to one analyst (GET /v1/analysts), answered from its graph alone: a thesis, what else answers, what speaks for and against it by a judge, open questions, and scenarios whose probabilities are counted from cited evidence; small samples are flagged. Not charged when the graph does not answer.",
	tags: ["analyst", "consultation", "scenarios", "evidence"],
	examples: [EXAMPLE_QUESTION],
	output: analystConsultOutput,
	toText,
	create: (services: AnalystServices) => ({
		exampleInput: () => exampleOf(services),
		isOffered: () => analystsOf(services.catalog).length > 0,
		graphsOf: ({ analyst }) => [findAnalyst(services.catalog, analyst).graph.record.id],
		prepare: ({ analyst }) => void findAnalyst(services.catalog, analyst),
		async run({ analyst: name, question }, { signal }) {
			const { catalog, clock, search, research } = services;
			const startedMs = clock.monotonicMs();
			const analyst = findAnalyst(catalog, name);
			const today = toIsoDay(clock.now());
			const { writer } = research;
			const told = await askAnalyst({ search, writer }, { analyst, question, today, signal });
			const data = toData(analyst, question, told);
			const meta = toConsultMeta(services, {
				...told,
				...{ query: question, startedMs },
				graphIds: told.view ? [analyst.graph.record.id] : [],
			});
			return answerIf(told.view !== undefined, { ok: true as const, data, meta });
		},
	}),
	example: {
		body: { analyst: EXAMPLE_ANALYST, question: "Should a language add pattern matching?" },
	},
});

type AnswerWire = AnalystConsultOutput["data"];

function toData(
	analyst: Analyst,
	question: string,
	{ view, missing, gaps }: AnalystView,
): AnswerWire {
	const list = createCitationList();
	const quote = quoteWith(list);
	const about = { question, analyst: toAnalystWire(analyst) };
	const shared = { ...about, gaps: [...gaps], not_covered: [...missing] };
	if (!view) {
		const sides = { arguments_for: [], arguments_against: [], open_questions: [] };
		const nothing = { ...sides, evidence: [], citations: [] };
		const sample = { votes: { base: 0, upside: 0, downside: 0 }, is_small: true };
		return { ...shared, ...nothing, thesis: null, scenarios: [], sample, confidence: 0 };
	}
	const { thesis, evidence, sides, open, odds, confidence } = view;
	return {
		...shared,
		thesis: list.cite(thesis),
		evidence: evidence.map(list.cite),
		scenarios: SCENARIO_NAMES.map((name) => toScenario(name, view, list)),
		sample: { votes: odds.votes, is_small: odds.isSmallSample },
		arguments_for: sides.for.map(quote),
		arguments_against: sides.against.map(quote),
		open_questions: open.map(quote),
		confidence,
		citations: [...list.toWire()],
	};
}

function toScenario(
	name: ScenarioName,
	{ sides, open, odds, indicators }: NonNullable<AnalystView["view"]>,
	list: CitationList,
): AnswerWire["scenarios"][number] {
	const driving = { base: open, upside: sides.for, downside: sides.against }[name];
	const drivers = driving.slice(0, CONSULT_LIMITS.drivers);
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

function toText({ data }: AnalystConsultOutput): string {
	const { analyst, thesis, evidence, citations } = data;
	if (!thesis) return `${analyst.name} does not cover this.`;
	const lines = ([said, told]: readonly [string, AnswerWire["evidence"]]) =>
		told.map(({ text, citation_ids: ids }) => `${said}${text} ${toMarks(ids)}`);
	const sources = citations.map(({ n, title, source_url: url }) => `[${n}] ${title} (${url})`);
	const odds = data.scenarios.map(({ name, probability }) => `${name} ${probability}`).join(", ");
	return [
		`${analyst.name}: ${thesis.text} ${toMarks(thesis.citation_ids)}`,
		...lines(["", evidence]),
		...lines(["Bears it out: ", data.arguments_for]),
		...lines(["Against it: ", data.arguments_against]),
		...(odds === "" ? [] : [`Scenarios: ${odds}`]),
		...sources,
	].join("\n");
}

function exampleOf({ catalog }: Pick<SkillServices, "catalog">) {
	const analysts = analystsOf(catalog).map(({ graph }) => graph.record);
	const [first] = analysts;
	const isSample = analysts.some(({ id }) => id === EXAMPLE_ANALYST);
	if (isSample || !first) return { analyst: EXAMPLE_ANALYST, question: EXAMPLE_QUESTION };
	return { analyst: first.id, question: first.exampleQueries[0] ?? EXAMPLE_QUESTION };
}

/** Who can be asked. Additive to the contract. */
export const analystList = dataOperation({
	id: "analysts.list",
	at: "GET /v1/analysts",
	summary: "Synthetic analysts",
	description: "Every analyst of the catalog with its domain and method.",
	isList: true,
	freshness: "catalog",
	data: analystListSchema,
	answer: (services: Needs) => services.analysts.list(),
});

export const analyst = dataOperation({
	id: "analysts.get",
	at: "GET /v1/analysts/{analyst}",
	summary: "One analyst",
	description: "Method, coverage in numbers, and questions to ask.",
	params: z.strictObject({
		analyst: z
			.string()
			.trim()
			.min(1, "must not be empty")
			.max(CONSULT_LIMITS.nameChars)
			.describe("Its graph's id, or its name"),
	}),
	freshness: "catalog",
	data: analystDetailSchema,
	answer: (services: Needs, request) => services.analysts.get(request.params.analyst),
	example: { params: { analyst: EXAMPLE_ANALYST } },
});
