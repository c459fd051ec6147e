import {
	ANONYMOUS,
	defineSkill,
	type Skill,
	type SkillContext,
} from "../../src/contract/contract.js";
import { isFollowUp } from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import type { ConsultSkillDeps } from "./consult-answer.js";
import { consultationSchema, consultOutput, followUpInput } from "./consult-wire.js";
import { consult, getConsultable, offeredDesks, toConsultText } from "./expert-consult.js";

const EXAMPLE_ID = "cns_01kg9yz3v0f6x2m8q4t7w1ab2c";

/** The next question to the same twin, which may leave open what it is about. */
export const createExpertFollowUp = (deps: ConsultSkillDeps): Skill<"human_agents.follow_up"> =>
	defineSkill({
		operationId: "human_agents.follow_up",
		title: "Ask an expert's twin the next question",
		description:
			'Goes on from a consultation: "it", "that", or a question of few words is taken to be about what the earlier answer rests on. For whoever paid for that answer, while it is kept. Not charged when the notes do not answer or there is no such consultation.',
		tags: ["expert", "consultation", "follow-up"],
		examples: ["And when should it be renewed?"],
		exampleInput: { consultation_id: EXAMPLE_ID, question: "And when should it be renewed?" },
		isOffered: () => offeredDesks(deps).length > 0,
		input: followUpInput,
		output: consultOutput,
		capture: "onResult",
		queryOf: ({ question }) => question,
		// Which graph it is about stands in what is kept for its owner; a token for some graphs alone pays for none of it.
		graphsOf: () => [],
		toText: toConsultText,
		async run({ consultation_id: id, question }, context) {
			const earlier = await getEarlier(deps, id, context);
			const expert = await getConsultable(deps, earlier.expert.id);
			const subject = isFollowUp(question) ? subjectOf(deps, earlier) : undefined;
			return consult(deps, { expert, question, follows: id, subject }, context);
		},
	});

/** Throws NOT_FOUND alike for ids nobody has, those of others and those whose time is over. */
async function getEarlier(
	{ research }: ConsultSkillDeps,
	id: string,
	{ caller = ANONYMOUS }: SkillContext,
) {
	const kept = await research.artifacts.find(caller, "consultation", id);
	if (kept) return consultationSchema.parse(kept.data);
	throw new ServiceError(
		"NOT_FOUND",
		`No consultation of yours is called "${id}"; answers are kept for a day, and not for accounts that keep no text.`,
	);
}

/** The title of what the earlier answer rests on first. */
function subjectOf(
	{ catalog }: ConsultSkillDeps,
	{ citations: [first] }: ReturnType<typeof consultationSchema.parse>,
): string | undefined {
	const graph = first && catalog.find(first.graph_id);
	const nodeId = first?.trend_id.slice(first.graph_id.length + 1);
	return graph?.concepts.find(({ id }) => id === nodeId)?.title;
}
