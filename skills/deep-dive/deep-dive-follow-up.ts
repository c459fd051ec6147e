import { answer, type Caller, defineSkill, type Skill } from "../../src/contract/contract.js";
import {
	type DeepDiveFollowUpInput,
	deepDiveFollowUpInput,
	type JobLaunchedOutput,
	type JobWire,
	jobLaunchedOutput,
} from "../../src/jobs/jobs.js";
import { type Clock, toIsoTime } from "../../src/kernel/kernel.js";
import { resolveFollowUp } from "../chat/chat.js";
import { DEEP_DIVE_PRICES } from "./deep-dive-skill.js";

export interface DeepDiveFollowUpDeps {
	readonly clock: Clock;
	readonly research: {
		readonly launched: (jobId: string) => Promise<JobWire>;
		/** Throws NOT_FOUND. */
		readonly earlierQuestion: (
			caller: Pick<Caller, "owner" | "access">,
			jobId: string,
		) => Promise<{ readonly query: string; readonly graphs?: readonly string[] | undefined }>;
	};
}

/** A deep dive that goes on where another one of the same caller ended. */
export const createDeepDiveFollowUp = ({
	clock,
	research,
}: DeepDiveFollowUpDeps): Skill<"research.deep_dive.follow_up"> =>
	defineSkill<"research.deep_dive.follow_up", DeepDiveFollowUpInput, JobLaunchedOutput>({
		operationId: "research.deep_dive.follow_up",
		title: "Go on from a deep dive",
		description:
			'Launches another deep dive whose question is understood from an earlier one of yours: what "it", "that standard" or "and for TLS 1.2?" stands for. It looks in the same graphs, and is priced, run and read as any other.',
		tags: ["research", "report", "job"],
		examples: ["And what speaks against it?"],
		exampleInput: { job_id: "job_01kg9yz3v0f6x2m8q4t7w1ab2c", query: "What about its risks?" },
		input: deepDiveFollowUpInput,
		output: jobLaunchedOutput,
		capture: "jobOwned",
		job: {
			kind: "deep_dive",
			async inputOf({ job_id, query: said, mode }, caller) {
				// Nobody in particular is only told the price.
				if (!caller) return { query: said, mode };
				const { query: question, graphs } = await research.earlierQuestion(caller, job_id);
				const { question: query } = resolveFollowUp(said, { question, spokenOf: [] });
				return { query, mode, follows: job_id, ...(graphs && { graphs }) };
			},
			modeOf: ({ mode }) => mode,
		},
		pricedBy: DEEP_DIVE_PRICES,
		queryOf: ({ query }) => query,
		graphsOf: () => [],
		async prepare({ job_id }, caller) {
			// Whoever only asks for the price has no job to be told apart from others'.
			if (caller) await research.earlierQuestion(caller, job_id);
		},
		toText: ({ data }) =>
			`The deep dive ${data.job_id} is ${data.status}; GET ${data.links.status} tells how far it is and gives the report.`,
		async run({ query }, { callId }) {
			const data = await research.launched(callId);
			return answer({ ok: true, data, meta: { query, as_of: toIsoTime(clock.now()) } });
		},
	});
