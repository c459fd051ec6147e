import { z } from "zod";
import {
	ANONYMOUS,
	LIMITS,
	ownerOperation,
	pageQueryUpTo,
	paidOperation,
	type Services,
	type SkillContext,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { isFollowUp } from "../../src/evidence/evidence.js";
import { notFound } from "../../src/kernel/kernel.js";
import type { ConsultServices } from "./consult-answer.js";
import {
	CONSULT_BILLING,
	consult,
	getConsultable,
	graphsOfAgents,
	offeredDesks,
	toConsultText,
} from "./consult-answer.js";
import {
	CONSULT_LIMITS,
	consultationIdField,
	consultationListSchema,
	consultationSchema,
	consultInput,
	consultOutput,
	followUpBody,
	followUpInput,
} from "./consult-wire.js";

const params = z.strictObject({ consultation_id: consultationIdField });
const reply = toReply("ConsultReply", consultOutput);
const consultation_id = "cns_01kg9yz3v0f6x2m8q4t7w1ab2c";
const CONSULT_BODY = {
	agent_id: "transport-security-desk",
	question: "How should a server roll out HSTS?",
};

type Needs = Pick<Services, "consultations">;

/** One question to one expert's twin. Spec: Endpoints, paid operations. */
export const expertConsultation = paidOperation({
	id: "human_agents.consult",
	at: "POST /v1/human-agents/consult",
	agent: {
		name: "consult_expert",
		tool: {
			title: "Consult an expert's twin",
			description:
				"One question to one expert. A machine answers from that expert's own notes, every sentence cited; match_experts names who can be asked.",
			fields: { agent_id: "agent_id of match_experts", question: "Question in plain language" },
		},
	},
	summary: "Consult an expert's twin",
	description: `A machine answers from one expert's own notes, every sentence cited, and says what they do not cover. ${CONSULT_BILLING}`,
	body: consultInput,
	reply,
	about:
		"One question to one expert of the roster (GET /v1/experts, POST /v1/experts/match). A machine answers from that expert's own notes alone, every sentence cited, with stance, key points, limits and what the notes do not cover. Experts without a recorded consent are not consulted. Not charged when the notes do not answer.",
	tags: ["expert", "consultation", "advice", "evidence"],
	examples: [CONSULT_BODY.question],
	output: consultOutput,
	toText: toConsultText,
	create: (services: ConsultServices) => ({
		exampleInput: () => exampleOf(services),
		isOffered: () => offeredDesks(services).length > 0,
		graphsOf: ({ agent_id }) => graphsOfAgents(services.catalog, [agent_id]),
		prepare: async ({ agent_id }) => void (await getConsultable(services, agent_id)),
		async run({ agent_id, question }, context) {
			const expert = await getConsultable(services, agent_id);
			return consult(services, { expert, question }, context);
		},
	}),
	example: { body: CONSULT_BODY },
});

/** Documents and probes use it as it stands, so it asks a desk that can be asked wherever there is one. */
function exampleOf(services: Pick<SkillServices, "catalog" | "clock">) {
	const desks = offeredDesks(services);
	const [first] = desks;
	const isSample = desks.some(({ agentId }) => agentId === CONSULT_BODY.agent_id);
	if (isSample || !first) return CONSULT_BODY;
	return { agent_id: first.agentId, question: first.question ?? CONSULT_BODY.question };
}

const FOLLOW_UP = "And when should it be renewed?";

/** The next question to the same twin, which may leave open what it is about. Additive to the contract. */
export const consultationFollowUp = paidOperation({
	id: "human_agents.follow_up",
	at: "POST /v1/human-agents/consultations/{consultation_id}/follow-up",
	summary: "Ask the next question",
	description: `Goes on from a consultation of the caller's, while it is kept; a question that leaves its subject open is about what the earlier answer rests on. ${CONSULT_BILLING}`,
	params,
	body: followUpBody,
	reply,
	title: "Ask an expert's twin the next question",
	about:
		'Goes on from a consultation: "it", "that", or a question of few words is taken to be about what the earlier answer rests on. For whoever paid for that answer, while it is kept. Not charged when the notes do not answer or there is no such consultation.',
	tags: ["expert", "consultation", "follow-up"],
	examples: [FOLLOW_UP],
	input: followUpInput,
	output: consultOutput,
	// Which graph it is about stands in what is kept for its owner; a token for some graphs alone pays for none of it.
	toText: toConsultText,
	create: (services: ConsultServices) => ({
		exampleInput: () => ({ consultation_id, question: FOLLOW_UP }),
		isOffered: () => offeredDesks(services).length > 0,
		async run({ consultation_id: id, question }, context) {
			const earlier = await getEarlier(services, id, context);
			const expert = await getConsultable(services, earlier.expert.id);
			const subject = isFollowUp(question) ? subjectOf(services, earlier) : undefined;
			return consult(services, { expert, question, follows: id, subject }, context);
		},
	}),
	example: { params: { consultation_id }, body: { question: FOLLOW_UP } },
});

/** Throws NOT_FOUND alike for unknown ids, those of others and expired ones. */
async function getEarlier(
	{ research }: ConsultServices,
	id: string,
	{ caller = ANONYMOUS }: SkillContext,
) {
	const kept = await research.artifacts.find(caller, "consultation", id);
	if (kept) return consultationSchema.parse(kept.data);
	throw notFound(
		`No consultation of yours is called "${id}"; answers are kept for a day, and not for accounts that keep no text.`,
	);
}

/** The title of what the earlier answer rests on first. */
function subjectOf(
	{ catalog }: ConsultServices,
	{ citations: [first] }: ReturnType<typeof consultationSchema.parse>,
): string | undefined {
	const graph = first && catalog.find(first.graph_id);
	const nodeId = first?.trend_id.slice(first.graph_id.length + 1);
	return graph?.concepts.find(({ id }) => id === nodeId)?.title;
}

/** Consultations that can be read again. Additive to the contract. */
export const consultationList = ownerOperation({
	id: "human_agents.consultations.list",
	at: "GET /v1/human-agents/consultations",
	summary: "List consultations",
	description:
		"Those of the caller that are still kept, newest first. What a wallet paid for is opened by its id alone.",
	callsPerMinute: LIMITS.accountReadsPerMinute,
	query: z.strictObject(pageQueryUpTo(CONSULT_LIMITS.listMax, CONSULT_LIMITS.listDefault)),
	isList: true,
	data: consultationListSchema,
	answer: ({ consultations }: Needs, { caller, query }) => consultations.list(caller, query),
	example: { query: { limit: "20" } },
});

export const consultation = ownerOperation({
	id: "human_agents.consultations.get",
	at: "GET /v1/human-agents/consultations/{consultation_id}",
	summary: "Read a consultation again",
	description:
		"For a day, for whoever paid for it. Unknown ids and those of others are answered alike.",
	callsPerMinute: LIMITS.accountReadsPerMinute,
	opensById: true,
	params,
	data: consultationSchema,
	answer: ({ consultations }: Needs, { caller, params }) =>
		consultations.get(caller, params.consultation_id),
	example: { params: { consultation_id } },
});
