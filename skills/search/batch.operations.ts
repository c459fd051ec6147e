import { z } from "zod";
import {
	answer,
	DATA_STATUSES,
	DECISIONS,
	graphIdField,
	LIMITS,
	limitField,
	noAnswer,
	outputOf,
	paidOperation,
	queryField,
	replyComponent,
	requestComponent,
	rowSchema,
	type SearchResponse,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { formatUsd } from "../../src/kernel/kernel.js";
import { searchAndAnswer } from "./search-answer.js";
import { DOMAIN_EXAMPLE } from "./search-examples.js";

/** What travels of several searches at once. */

const { batchQueriesMax } = LIMITS;

const batchQuerySchema = z.strictObject({
	query: queryField,
	graph_id: graphIdField.describe("The graph to search; all graphs by default").optional(),
	limit: limitField.default(LIMITS.rowsDefault),
});

const batchInput = requestComponent(
	"BatchRequest",
	z.strictObject({
		queries: z
			.array(batchQuerySchema)
			.min(1, "must not be an empty list")
			.max(batchQueriesMax, `must list at most ${batchQueriesMax} queries`)
			.describe("Each is charged for, once it has an answer"),
	}),
);

const batchItemSchema = replyComponent(
	"BatchItem",
	z.object({
		query: z.string(),
		graph_id: z.string().nullable().describe("Null for a search over all graphs"),
		is_answered: z.boolean().describe("False when it has no rows"),
		decision: z.enum(DECISIONS),
		dataStatus: z.enum(DATA_STATUSES),
		missing: z.array(z.string()).describe("Words of the query that no concept covers"),
		rows: z.array(rowSchema),
	}),
);

const batchOutput = outputOf(
	z.object({ items: z.array(batchItemSchema).describe("In the order of the queries") }),
	z.object({
		queries: z.int(),
		answered: z.int().describe("Queries with at least one row"),
		mode: z.enum(["hybrid", "keyword"]).describe("keyword while no embedding model is at hand"),
	}),
);

type BatchOutput = z.infer<typeof batchOutput>;
type BatchQuery = z.infer<typeof batchInput>["queries"][number];

const UNANSWERED = {
	is_answered: false,
	decision: "ABSTAIN",
	dataStatus: "NO_MATCH",
	missing: [],
	rows: [],
} satisfies Partial<BatchOutput["data"]["items"][number]>;

/** Several questions in one call, priced by the question. Additive to the contract. */
export const batchSearch = paidOperation({
	id: "search.batch",
	at: "POST /v1/search/batch",
	summary: "Search several questions at once",
	description: `Up to ${LIMITS.batchQueriesMax} questions, each over one graph or all of them, priced by the question. From a balance (account or Shared Payment Token) only questions with rows are paid for; a payment on a chain is for all questions, and is given back only where none has rows. The free plan covers a batch as long as its whole price is within the plan's price per call, ${formatUsd(LIMITS.freeCallMaxMicros)} USD.`,
	body: batchInput,
	reply: toReply("BatchReply", batchOutput),
	about: `Up to ${LIMITS.batchQueriesMax} questions in one call, each over one graph or all of them, priced by the question. From a balance only questions that have an answer are paid for; a payment on a chain pays for all of them unless none has one.`,
	tags: ["search", "batch"],
	examples: ["Which standards cover gasless transfers, and which cover typed signatures?"],
	output: batchOutput,
	units: {
		name: "query",
		countOf: ({ queries }) => queries.length,
		graphsOf: ({ queries }) => queries.map(({ graph_id }) => graph_id),
		keepOnly: keepAnswers,
	},
	queryOf: ({ queries }) => queries.map(({ query }) => query).join("\n"),
	graphsOf: ({ queries }) => graphsNamed(queries),
	create: ({ catalog, search, clock }: Pick<SkillServices, "catalog" | "search" | "clock">) => ({
		exampleInput: () => ({
			queries: [
				{ query: "Which HTTP status code asks for payment?", limit: 3 },
				{ query: "How should a server roll out HSTS?", limit: 3 },
			],
		}),
		prepare({ queries }) {
			for (const id of graphIdsOf(queries)) catalog.assertKnown(id);
		},
		async run({ queries }, { signal }) {
			const responses = await Promise.all(
				queries.map(async ({ query, graph_id: id, limit }) => {
					const graphs = id === undefined ? catalog.list() : [catalog.get(id)];
					const task = { graphs, graphId: id ?? null, query, limit, explain: false, signal };
					return (await searchAndAnswer({ search, clock }, task)).result;
				}),
			);
			const items = responses.map(toItem);
			const answered = items.flatMap(({ is_answered }, place) => (is_answered ? [place] : []));
			const result = {
				ok: true as const,
				data: { items },
				meta: { queries: queries.length, answered: answered.length, mode: modeOf(responses) },
			};
			return answered.length > 0 ? answer(result, { answered }) : noAnswer(result);
		},
	}),
	example: { body: { queries: [{ query: DOMAIN_EXAMPLE.query, limit: 5 }] } },
});

/** The others are reported as questions without an answer. */
function keepAnswers(output: BatchOutput, kept: readonly number[]): BatchOutput {
	const items = output.data.items.map((item, place) =>
		kept.includes(place) || !item.is_answered ? item : { ...item, ...UNANSWERED },
	);
	const answered = items.filter(({ is_answered }) => is_answered).length;
	return { ...output, data: { items }, meta: { ...output.meta, answered } };
}

/** None as soon as one question is over all graphs: then no token may pay that is for some of them. */
function graphsNamed(queries: readonly BatchQuery[]): readonly string[] {
	const isBound = queries.every(({ graph_id }) => graph_id !== undefined);
	return isBound ? [...new Set(graphIdsOf(queries))] : [];
}

function graphIdsOf(queries: readonly BatchQuery[]): readonly string[] {
	return queries.flatMap(({ graph_id }) => graph_id ?? []);
}

function toItem({ meta, dataStatus, rows }: SearchResponse) {
	const { query, graph_id, decision, missing } = meta;
	return { query, graph_id, is_answered: rows.length > 0, decision, dataStatus, missing, rows };
}

/** Keyword as soon as one of them was. */
function modeOf(responses: readonly SearchResponse[]): SearchResponse["meta"]["mode"] {
	return responses.some(({ meta }) => meta.mode === "keyword") ? "keyword" : "hybrid";
}
