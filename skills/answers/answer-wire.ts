import { z } from "zod";
import {
	ANSWER_LIMITS,
	DECISIONS,
	graphIdField,
	outputOf,
	queryField,
	requestComponent,
} from "../../src/contract/contract.js";
import { QUESTION_KINDS } from "./engine/question-reading.js";

const VERDICTS = ["answered", "partial", "not_in_graphs"] as const;

const tokensField = z
	.int("must be a whole number")
	.min(ANSWER_LIMITS.tokensLeast, `must be at least ${ANSWER_LIMITS.tokensLeast}`)
	.max(ANSWER_LIMITS.tokensMost, `must be at most ${ANSWER_LIMITS.tokensMost}`)
	.default(ANSWER_LIMITS.tokens)
	.describe("Tokens that the passages may take together, at some 4 characters each");

const asked = {
	question: queryField.describe("Question in plain language; a comparison names what it compares"),
	max_tokens: tokensField,
};

export const answerInput = requestComponent("QuestionRequest", z.strictObject(asked));
export const askInput = z.strictObject({ graph_id: graphIdField, ...asked });

const namedSchema = z.object({ trend_id: z.string(), title: z.string() });

const sourceNumbers = z.array(z.int().positive()).min(1).describe("Numbers of `sources`");

/** Things by what they are compared in; cells quote what is said of them. */
export function tableOf<Cell extends z.ZodType>(cell: Cell) {
	return z
		.object({
			columns: z.array(z.string()).describe("What is compared"),
			rows: z.array(
				z.object({
					attribute: z.string(),
					cells: z.array(cell.nullable()).describe("One for each column; null: not known"),
				}),
			),
		})
		.nullable()
		.describe("Of comparisons whose sides both have something said of them");
}

/** As createSourceList numbers them. */
export const numberedSources = z
	.array(
		z.object({
			n: z.int().positive(),
			title: z.string(),
			source_url: z.string(),
			published_at: z.string().nullable(),
			publisher: z.string().describe("Host of the source"),
		}),
	)
	.describe("Each source once, however often it is cited");

const quotedSchema = z.object({
	text: z.string().describe("Word for word as the graph has it"),
	evidence_ids: z.array(z.string()).min(1).describe("Its sentences"),
	sources: sourceNumbers,
});

const placedSchema = z.object({
	evidence_id: z.string(),
	passage: z.int().nullable().describe("Place in `passages`; null: it stands in the table"),
});

export const questionAnswerOutput = outputOf(
	z.object({
		question: z.string(),
		verdict: z
			.enum(VERDICTS)
			.describe("not_in_graphs: nothing here answers it; nothing is charged"),
		form: z.enum(QUESTION_KINDS).describe("What kind of question it was read as"),
		text: z
			.string()
			.describe(
				"The table, then the passages by concept, each with the numbers of its sources in brackets",
			),
		passages: z.array(
			quotedSchema.extend({
				about: namedSchema.describe("The concept that it stands in"),
				heading: z.string().nullable(),
				part: z.int().describe("Place in `parts` of what it answers"),
				likelihood: z.number().describe("How likely it answers that part, 0 to 1"),
			}),
		),
		parts: z
			.array(z.object({ question: z.string(), answered: z.boolean() }))
			.describe("What the question asks for, one by one; the question itself first"),
		table: tableOf(quotedSchema),
		events: z
			.array(
				placedSchema.extend({
					date: z.string().describe("Year, month or day, as the text says it"),
					until: z.string().nullable().describe("Where the text says when it ended"),
				}),
			)
			.describe("Of questions on time: what the passages date by themselves, oldest first"),
		steps: z
			.array(placedSchema.extend({ step: z.int().describe("Its number in the list it stands in") }))
			.describe("Of questions on how to do something: numbered steps, in reading order"),
		total: z
			.object({ count: z.int(), evidence_id: z.string() })
			.nullable()
			.describe(
				"Of lists: how many there are, where a passage says so; null: it may be incomplete",
			),
		yes_no: z
			.object({
				claim: z.string().describe("The question as a claim"),
				verdict: z.enum(["yes", "no", "open"]),
				supporting: z.array(z.int()).describe("Places in `passages`"),
				opposing: z.array(z.int()).describe("Places in `passages`"),
			})
			.nullable()
			.describe(
				"Of questions whether something holds: what the passages come to, as a model reads them",
			),
		disputes: z
			.array(z.object({ statements: z.array(quotedSchema).length(2), reason: z.string() }))
			.describe("Passages of the answer that contradict each other"),
		gaps: z
			.array(
				z.object({
					question: z.string(),
					message: z.string(),
					nearest: z.array(namedSchema).describe("Concepts that come nearest"),
				}),
			)
			.describe("What nothing here answers"),
		sources: numberedSources,
		tokens: z.int().describe("What the passages take, at some 4 characters a token"),
	}),
	z.object({
		query: z.string(),
		decision: z.enum(DECISIONS),
		mode: z.enum(["hybrid", "keyword"]),
		graphs_used: z.array(z.string()),
		as_of: z.string(),
		execution_time_ms: z.int(),
	}),
);
export type QuestionAnswerOutput = z.infer<typeof questionAnswerOutput>;
