import { z } from "zod";
import {
	AFTER,
	answer,
	BILLING_TYPES,
	dataOperation,
	LIMITS,
	ownerOperation,
	type PriceTerms,
	pageQueryUpTo,
	paidOperation,
	REPORT_FORMATS,
	readLastEventId,
	replyComponent,
	requestComponent,
	type Services,
	type SkillContext,
	type SkillServices,
	toReply,
	usdField,
} from "../../src/contract/contract.js";
import {
	deepDiveFields,
	deepDiveFollowUpFields,
	deepDiveFollowUpInput,
	deepDiveInput,
	JOB_LIMITS,
	type JobLaunchedOutput,
	type JobWire,
	jobDeletedSchema,
	jobIdField,
	jobLaunchedOutput,
	jobListSchema,
	jobSchema,
	jobSourcesSchema,
	jobStatusSchema,
} from "../../src/jobs/jobs.js";
import { toIsoTime } from "../../src/kernel/kernel.js";
import { resolveFollowUp } from "../chat/chat.js";
import { SOLD_AS } from "./plan.js";

const EXAMPLE_BODY = { query: "How do agents pay for what they call?", mode: "fast" };

const { query, mode, graphs } = deepDiveFields;
const planSchema = replyComponent(
	"DeepDivePlan",
	z.object({
		query: z.string(),
		mode: z.enum(["fast", "comprehensive"]),
		aspects: z.array(z.object({ question: z.string(), purpose: z.string() })),
		graphs: z.array(z.string()).describe("Graphs it would look in, strongest first"),
		passes: z.array(z.string()),
		missing: z.array(z.string()).describe("Words of the question that no graph covers"),
		would_answer: z
			.boolean()
			.describe(
				"Whether its first round answers; later ones may answer what it leaves open, and a job without an answer costs nothing",
			),
		mode_text: z.string().describe("What the mode does, in a sentence"),
		price_usd: usdField,
		billing_type: z.enum(BILLING_TYPES),
		operation: z.string(),
	}),
);

/** What a deep dive would do, before anybody pays. Additive to the contract. */
export const researchDeepDivePlan = dataOperation({
	id: "research.deep_dive.plan",
	at: "POST /v1/research/deep-dive/plan",
	summary: "Plan a deep dive",
	description:
		"The questions its first round would ask, the graphs it would look in, its passes, its price, and whether that round answers; no job is run and the query is kept nowhere.",
	body: requestComponent("DeepDivePlanRequest", z.strictObject({ query, mode, graphs })),
	callsPerMinute: LIMITS.routedQueriesPerMinute,
	data: planSchema,
	answer: ({ planDeepDive }: Pick<Services, "planDeepDive">, { body, signal }) =>
		planDeepDive(body, signal),
	example: { body: EXAMPLE_BODY },
});

const path = z.strictObject({ job_id: jobIdField });
const JOB_ID = "job_01kg9yz3v0f6x2m8q4t7w1ab2c";
const job = replyComponent("DeepDiveJob", jobSchema);
const WHOSE =
	"For whoever launched it: the same key or token, or, of a job that a wallet paid for, whoever has its id. Others and unknown ids get the same 404.";

const LIGHT: PriceTerms = { usd: "10.00", billingType: "deep_research_light" };
/** A deep dive costs what its mode costs, whatever it goes on from. */
const LAUNCHES = {
	pricedBy: { field: "mode", as: SOLD_AS },
	accepted: {
		retryAfterSeconds: JOB_LIMITS.pollSeconds,
		locationOf: (reply: unknown) => (reply as { readonly data: JobWire }).data.links.status,
	},
	reply: toReply("DeepDiveLaunched", jobLaunchedOutput),
	tags: ["research", "report", "job"],
	output: jobLaunchedOutput,
	capture: "jobOwned",
	toText: ({ data }: JobLaunchedOutput) =>
		`The deep dive ${data.job_id} is ${data.status}; GET ${data.links.status} tells how far it is and gives the report.`,
} as const;

const toLaunched =
	({ research, clock }: Pick<SkillServices, "research" | "clock">) =>
	async ({ query }: { readonly query: string }, { callId }: SkillContext) => {
		const data = await research.launched(callId);
		return answer({ ok: true as const, data, meta: { query, as_of: toIsoTime(clock.now()) } });
	};

/** A question looked into over all graphs, in passes that go on when the call has ended. */
export const researchDeepDive = paidOperation({
	...LAUNCHES,
	id: "research.deep_dive",
	at: "POST /v1/research/deep-dive",
	price: LIGHT,
	kindPrices: {
		"research.deep_dive.comprehensive": { usd: "15.00", billingType: "deep_research_heavy" },
	},
	agent: {
		name: "start_deep_dive",
		aliases: ["deep_dive"],
		tool: {
			title: "Start a deep dive",
			description:
				"Begins a research job that reads many sources and writes a cited report; get_deep_dive tells where it stands.",
			fields: {
				query: "Question to look into",
				mode: "How thoroughly; fast if left out",
				graphs: "Only these graph ids",
			},
			begins: true,
		},
	},
	summary: "Start a deep dive",
	description:
		"Looks into one question in several rounds and writes a report whose every sentence is cited: the parts of the question first, then what the rounds before raised, such as gaps, names, links and doubts. fast runs two rounds over the six graphs that promise most, comprehensive up to six over all graphs. The reply is a job: poll its status, or follow its events. The price, that of the mode, is held now and taken when the report is there; without an answer nothing is taken, and a cancelled job gives back the passes that were not begun (price × begun / passes, rounded down to a micro-USD, is taken). A payment on a chain settles first and gets the rest back as a Shared Payment Token. Sent again under its Idempotency-Key it names the same job.",
	body: requestComponent("DeepDiveRequest", z.strictObject(deepDiveFields)),
	about:
		"Looks into one question in several rounds: its parts first, then the gaps, names, links and doubts that the rounds before raised; fast runs two over six graphs, comprehensive up to six over all. Answers at once with a job: ask for its status, or follow its events. The price is held and taken when the report is there; nothing is taken without an answer, and a cancelled job gives back the passes that were not begun.",
	examples: ["How do agents pay for what they call, and what speaks against each way?"],
	input: deepDiveInput,
	graphsOf: ({ graphs }) => graphs ?? [],
	create: (services: Pick<SkillServices, "catalog" | "research" | "clock">) => ({
		exampleInput: () => EXAMPLE_BODY,
		isOffered: () => services.catalog.list().length > 0,
		job: { kind: "deep_dive", inputOf: (input) => ({ ...input }), modeOf: ({ mode }) => mode },
		async prepare({ graphs = [], feeds = [] }) {
			for (const id of graphs) services.catalog.assertKnown(id);
			for (const id of feeds) await services.research.feeds.get(id);
		},
		run: toLaunched(services),
	}),
	example: { body: EXAMPLE_BODY },
});

/** A deep dive that goes on where another one of the same caller ended. */
export const researchDeepDiveFollowUp = paidOperation({
	...LAUNCHES,
	id: "research.deep_dive.follow_up",
	at: "POST /v1/research/deep-dive/{job_id}/follow-up",
	price: LIGHT,
	summary: "Go on from a deep dive",
	description:
		"Launches another deep dive in the same graphs, its question understood from the one it follows. Only for whoever launched that one; priced by its mode, paid for and read as any other.",
	params: path,
	body: requestComponent("DeepDiveFollowUpRequest", z.strictObject(deepDiveFollowUpFields)),
	about:
		'Launches another deep dive whose question is understood from an earlier one of yours: what "it", "that standard" or "and for TLS 1.2?" stands for. It looks in the same graphs, and is priced, run and read as any other.',
	examples: ["And what speaks against it?"],
	input: deepDiveFollowUpInput,
	create: (services: Pick<SkillServices, "research" | "clock">) => ({
		exampleInput: () => ({
			job_id: "job_01kg9yz3v0f6x2m8q4t7w1ab2c",
			query: "How does the exact scheme of x402 settle a payment on EVM chains?",
		}),
		job: {
			kind: "deep_dive",
			async inputOf({ job_id, query: said, mode }, caller) {
				// Without a credential only the price is asked for.
				if (!caller) return { query: said, mode };
				const { query: question, graphs } = await services.research.earlierQuestion(caller, job_id);
				const { question: query, added } = resolveFollowUp(said, { question, spokenOf: [] });
				const more = { ...(graphs && { graphs }), ...(added !== undefined && { added }) };
				return { query, mode, follows: job_id, ...more };
			},
			modeOf: ({ mode }) => mode,
		},
		async prepare({ job_id }, caller) {
			// Without a caller only the price is asked for: there is no job to find.
			if (caller) await services.research.earlierQuestion(caller, job_id);
		},
		run: toLaunched(services),
	}),
	example: {
		params: { job_id: JOB_ID },
		body: {
			query: "How does the exact scheme of x402 settle a payment on EVM chains?",
			mode: "fast",
		},
	},
});

const example = { params: { job_id: JOB_ID } };
const OF_ONE_JOB = {
	callsPerMinute: JOB_LIMITS.pollsPerMinute,
	opensById: true,
	params: path,
};

type Needs = Pick<Services, "jobs">;
/** What is asked about deep dives that were launched. */
export const researchDeepDiveStatus = ownerOperation({
	id: "research.deep_dive.status",
	at: "GET /v1/research/deep-dive/status/{job_id}",
	summary: "Status and report of a deep dive",
	description: `Where it stands, and the report once there is one, for a day. ${WHOSE} Polling is free for them. What a payment on a chain got back is told here, its secret once.`,
	...OF_ONE_JOB,
	showsOnce: true,
	data: replyComponent("DeepDiveStatus", jobStatusSchema),
	answer: ({ jobs }: Needs, { caller, params }) => jobs.status(caller, params.job_id),
	example,
});

export const researchDeepDiveEvents = ownerOperation({
	id: "research.deep_dive.events",
	at: "GET /v1/research/deep-dive/{job_id}/events",
	summary: "Events of a deep dive",
	description: `Server-Sent Events from its creation to its end, and on from any event by Last-Event-ID or ?after=; exactly one of research.completed, research.failed and research.cancelled is the last. 204 where nothing is left to tell. ${WHOSE}`,
	...OF_ONE_JOB,
	sends: { kind: "events" },
	timeoutMs: JOB_LIMITS.eventStreamMs,
	query: z.strictObject({
		after: z
			.string()
			.regex(AFTER, "must be the id of an event, in digits")
			.describe("Goes on behind this event instead of beginning")
			.optional(),
	}),
	data: z.string(),
	answer: async ({ jobs }: Needs, { caller, params, query, headers, signal }) => {
		const after = Number(readLastEventId(headers) ?? query.after ?? 0);
		return { events: await jobs.events(caller, params.job_id, { after, signal }) };
	},
	example,
});

export const researchDeepDiveCancel = ownerOperation({
	id: "research.deep_dive.cancel",
	at: "POST /v1/research/deep-dive/{job_id}/cancel",
	summary: "Cancel a deep dive",
	description: `Ends it as soon as can be; passes that were not begun are given back, and what was found makes a report if it can. A job that has ended stays as it is. ${WHOSE}`,
	...OF_ONE_JOB,
	callsPerMinute: LIMITS.accountChangesPerMinute,
	data: job,
	answer: ({ jobs }: Needs, { caller, params }) => jobs.cancel(caller, params.job_id),
	example,
});

export const researchDeepDiveList = ownerOperation({
	id: "research.deep_dive.list",
	at: "GET /v1/research/deep-dive",
	summary: "Deep dives that were launched",
	description: "With this account or token, the newest first, for thirty days.",
	callsPerMinute: LIMITS.accountReadsPerMinute,
	query: z.strictObject(pageQueryUpTo(JOB_LIMITS.listMax, JOB_LIMITS.listDefault)),
	isList: true,
	data: replyComponent("DeepDiveList", jobListSchema),
	answer: (services: Needs, request) => services.jobs.list(request.caller, request.query),
	example: { query: { limit: "20" } },
});

export const researchDeepDiveSources = ownerOperation({
	id: "research.deep_dive.sources",
	at: "GET /v1/research/deep-dive/{job_id}/sources",
	summary: "Evidence table of a deep dive",
	description: `Every sentence its report rests on, with its source and where it is used, as long as the report is kept. ${WHOSE}`,
	...OF_ONE_JOB,
	data: replyComponent("DeepDiveSources", jobSourcesSchema),
	answer: ({ jobs }: Needs, { caller, params }) => jobs.sources(caller, params.job_id),
	example,
});

export const researchDeepDiveExport = ownerOperation({
	id: "research.deep_dive.export",
	at: "GET /v1/research/deep-dive/{job_id}/export",
	summary: "Report of a deep dive as a document",
	description: `CommonMark, JSON or one HTML page without script, as long as the report is kept. ${WHOSE}`,
	...OF_ONE_JOB,
	sends: { kind: "document", mediaTypes: ["text/markdown", "application/json", "text/html"] },
	query: z.strictObject({
		format: z
			.enum(REPORT_FORMATS, `must be one of ${REPORT_FORMATS.join(", ")}`)
			.default("md")
			.describe("Kind of document"),
	}),
	data: z.string(),
	answer: ({ jobs }: Needs, { caller, params: { job_id: id }, query }) =>
		jobs.export(caller, id, query.format),
	example: { ...example, query: { format: "md" } },
});

export const researchDeepDiveDelete = ownerOperation({
	id: "research.deep_dive.delete",
	at: "DELETE /v1/research/deep-dive/{job_id}",
	summary: "Delete a deep dive",
	description: `With its question, its events and its report, at once; one that has not ended must be cancelled first. ${WHOSE}`,
	...OF_ONE_JOB,
	callsPerMinute: LIMITS.accountChangesPerMinute,
	data: replyComponent("DeletedDeepDive", jobDeletedSchema),
	answer: ({ jobs }: Needs, { caller, params }) => jobs.remove(caller, params.job_id),
	example,
});
