import { answer, noAnswer, paidOperation, toReply } from "../../src/contract/contract.js";
import { type CitationList, createCitationList } from "../answers/answers.js";
import { findAgreement, type Point } from "./agreement.js";
import {
	askTwin,
	CONSULT_BILLING,
	type ConsultServices,
	getConsultable,
	graphsOfAgents,
	offeredDesks,
	toConsultMeta,
} from "./consult-answer.js";
import { CONSULT_LIMITS, type PanelOutput, panelInput, panelOutput } from "./consult-wire.js";
import type { Expert } from "./expert-index.js";

const EXAMPLE_AGENTS = ["api-design-desk", "transport-security-desk"];
const EXAMPLE_QUESTION = "How should certificates and security be handled?";

/** One question to several twins, and what they agree on. Additive to the contract. */
export const expertPanel = paidOperation({
	id: "human_agents.panel",
	at: "POST /v1/human-agents/panel",
	summary: "Ask several experts' twins",
	description: `Each answers from its own notes; a map says what they share, where they contradict each other and what one alone says. ${CONSULT_BILLING} From a balance only experts who answer are paid for.`,
	body: panelInput,
	reply: toReply("PanelReply", panelOutput),
	about: `One question to ${CONSULT_LIMITS.panelLeast} to ${CONSULT_LIMITS.panelMost} experts, each answering from its own notes alone, and a map of what they share, where they contradict each other, and what one alone says. Priced by the expert; experts whose notes do not answer cost nothing from a balance.`,
	tags: ["expert", "panel", "agreement"],
	examples: [EXAMPLE_QUESTION],
	output: panelOutput,
	units: { name: "expert", countOf: ({ agent_ids }) => agent_ids.length, keepOnly },
	create: (services: ConsultServices) => ({
		exampleInput: () => exampleOf(services),
		isOffered: () => offeredDesks(services).length >= CONSULT_LIMITS.panelLeast,
		graphsOf: ({ agent_ids }) => graphsOfAgents(services.catalog, agent_ids),
		prepare: async ({ agent_ids }) => void (await getAll(services, agent_ids)),
		async run({ agent_ids, question }, { signal }) {
			const startedMs = services.clock.monotonicMs();
			const experts = await getAll(services, agent_ids);
			const citations = createCitationList();
			const asked = await Promise.all(
				experts.map((expert) => askTwin(services, { expert, question, citations }, signal)),
			);
			const told = asked.map(({ told }) => told);
			const points = told.flatMap((one, place) => pointsOf(experts[place], one.answer));
			const { judge } = services.search;
			const found = await findAgreement(points, { judge, signal });
			const agreement = toAgreementWire(found, citations);
			const answered = told.flatMap((one, place) => (one.answer ? [place] : []));
			const result: PanelOutput = {
				ok: true,
				data: {
					question,
					answers: asked.map(
						({ data: { expert, answer, not_covered, elsewhere, suggested_questions } }) => ({
							...{ expert, answer, not_covered, elsewhere, suggested_questions },
						}),
					),
					agreement,
					citations: [...citations.toWire()],
				},
				meta: {
					...toConsultMeta(services, {
						query: question,
						decision: decisionOf(told.map(({ decision }) => decision)),
						mode: told.some(({ mode }) => mode === "keyword") ? "keyword" : "hybrid",
						graphIds: [...new Set(answered.flatMap((at) => experts[at]?.graph.record.id ?? []))],
						writer: told.find((one) => one.answer)?.writer ?? services.research.writer.name,
						warnings: [...new Set(told.flatMap(({ warnings }) => warnings))],
						startedMs,
					}),
					experts: experts.length,
					answered: answered.length,
				},
			};
			return answered.length > 0 ? answer(result, { answered }) : noAnswer(result);
		},
	}),
	example: {
		body: {
			agent_ids: ["transport-security-desk", "api-design-desk"],
			question: "How should a server roll out HSTS?",
		},
	},
});

function getAll(
	services: ConsultServices,
	agentIds: readonly string[],
): Promise<readonly Expert[]> {
	return Promise.all(agentIds.map((id) => getConsultable(services, id)));
}

type Told = Awaited<ReturnType<typeof askTwin>>["told"];

function pointsOf(expert: Expert | undefined, told: Told["answer"]): readonly Point[] {
	if (!expert || !told) return [];
	const sentences = [...told.sentences, ...told.keyPoints].flatMap(({ evidence }) => evidence);
	return [...new Set(sentences)].map((sentence) => ({ by: expert.agentId, sentence }));
}

function toAgreementWire(
	{ shared, contradictions, single }: Awaited<ReturnType<typeof findAgreement>>,
	citations: CitationList,
) {
	const toPoint = ({ by, sentence }: Point) => ({
		agent_id: by,
		...citations.cite({ text: sentence.text, evidence: [sentence] }),
	});
	return {
		shared: shared.map(({ points }) => ({
			agent_ids: [...new Set(points.map(({ by }) => by))],
			points: points.map(toPoint),
		})),
		contradictions: contradictions.map(({ one, other, reasons }) => ({
			one: toPoint(one),
			other: toPoint(other),
			reasons: [...reasons],
		})),
		single: single.map(toPoint),
	};
}

function decisionOf(decisions: readonly Told["decision"][]): Told["decision"] {
	const told = decisions.filter((decision) => decision !== "ABSTAIN");
	if (told.length === 0) return "ABSTAIN";
	return told.length === decisions.length && told.every((one) => one === "ANSWER")
		? "ANSWER"
		: "PARTIAL";
}

/** Answers that were not paid for are shown as those of experts whose notes do not answer, and appear in no map. */
function keepOnly(output: PanelOutput, kept: readonly number[]): PanelOutput {
	const { data, meta } = output;
	const answers = data.answers.map((one, place) =>
		kept.includes(place) ? one : { ...one, answer: null },
	);
	const paid = new Set(answers.flatMap(({ expert, answer: told }) => (told ? [expert.id] : [])));
	const isPaid = ({ agent_id: id }: { readonly agent_id: string }) => paid.has(id);
	const { shared, contradictions, single } = data.agreement;
	const agreement = {
		shared: shared.filter(({ points }) => points.every(isPaid)),
		contradictions: contradictions.filter(({ one, other }) => isPaid(one) && isPaid(other)),
		single: single.filter(isPaid),
	};
	const cited = new Set(
		answers.flatMap(({ answer: told }) =>
			told ? [...told.sentences, ...told.key_points].flatMap(({ citation_ids: ids }) => ids) : [],
		),
	);
	const citations = data.citations.filter(({ n }) => cited.has(n));
	const answered = paid.size;
	return {
		...output,
		data: { ...data, answers, agreement, citations },
		meta: { ...meta, answered },
	};
}

function exampleOf(services: ConsultServices) {
	const ids = offeredDesks(services).map(({ agentId }) => agentId);
	const isSample = EXAMPLE_AGENTS.every((id) => ids.includes(id));
	const agents = isSample || ids.length < CONSULT_LIMITS.panelLeast ? EXAMPLE_AGENTS : ids;
	return { agent_ids: agents.slice(0, CONSULT_LIMITS.panelLeast), question: EXAMPLE_QUESTION };
}
