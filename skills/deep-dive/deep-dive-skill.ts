import { answer, defineSkill, type PricedBy, type Skill } from "../../src/contract/contract.js";
import {
	type DeepDiveWireInput,
	deepDiveInput,
	type JobLaunchedOutput,
	type JobWire,
	jobLaunchedOutput,
} from "../../src/jobs/jobs.js";
import { type Clock, toIsoTime } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { Feeds } from "../feeds/feeds.js";

export interface DeepDiveSkillDeps {
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
	readonly research: {
		/** Where a job stands that was launched. */
		readonly launched: (jobId: string) => Promise<JobWire>;
		readonly feeds: Pick<Feeds, "get">;
	};
}

/** A deep dive costs what its mode costs, whatever it goes on from. */
export const DEEP_DIVE_PRICES: PricedBy = {
	field: "mode",
	as: { fast: "research.deep_dive", comprehensive: "research.deep_dive.comprehensive" },
};

/** A question looked into over all graphs, in passes that go on when the call has ended. */
export const createDeepDive = (deps: DeepDiveSkillDeps): Skill<"research.deep_dive"> =>
	defineSkill<"research.deep_dive", DeepDiveWireInput, JobLaunchedOutput>({
		operationId: "research.deep_dive",
		title: "Start a deep dive",
		description:
			"Looks into one question over all graphs in several passes: plan, search, read, follow the graph, challenge, write; comprehensive runs more of them. Answers at once with a job: ask for its status, or follow its events. The price is held and taken when the report is there; nothing is taken without an answer, and a cancelled job gives back the passes that were not begun.",
		tags: ["research", "report", "job"],
		examples: ["How do agents pay for what they call, and what speaks against each way?"],
		exampleInput: { query: "How do agents pay for what they call?", mode: "fast" },
		isOffered: () => deps.catalog.list().length > 0,
		input: deepDiveInput,
		output: jobLaunchedOutput,
		capture: "jobOwned",
		job: {
			kind: "deep_dive",
			inputOf: (input) => ({ ...input }),
			modeOf: ({ mode }) => mode,
		},
		pricedBy: DEEP_DIVE_PRICES,
		queryOf: ({ query }) => query,
		graphsOf: ({ graphs }) => graphs ?? [],
		async prepare({ graphs = [], feeds = [] }) {
			for (const id of graphs) deps.catalog.assertKnown(id);
			for (const id of feeds) await deps.research.feeds.get(id);
		},
		toText: ({ data }) =>
			`The deep dive ${data.job_id} is ${data.status}; GET ${data.links.status} tells how far it is and gives the report.`,
		async run({ query }, { callId }) {
			const data = await deps.research.launched(callId);
			return answer({ ok: true, data, meta: { query, as_of: toIsoTime(deps.clock.now()) } });
		},
	});
