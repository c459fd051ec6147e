import { z } from "zod";
import {
	LIMITS,
	replyComponent,
	replyList,
	requestComponent,
	usdField,
} from "../contract/contract.js";
import { accountKeySchema, connectionSchema } from "./account-keys.operations.js";
import { feedbackSchema } from "./feedback.operations.js";
import { usdInput } from "./spt-wire.js";

/** What the operations of an account take and answer with, each with an example. */

const textField = (what: string) =>
	z
		.string()
		.trim()
		.max(LIMITS.accountTextChars, `must have at most ${LIMITS.accountTextChars} characters`)
		.describe(what);

const accountText = {
	label: textField("What its owner calls it; erased with the account").optional(),
	contact: textField("How the operator reaches its owner; erased with the account").optional(),
};

export const accountOrderSchema = requestComponent("AccountOrder", z.strictObject(accountText));

const billingFields = {
	name: textField("Name of the customer, as invoices say it"),
	address: textField("Its address, on one line").default(""),
	country: z
		.string()
		.regex(/^([A-Z]{2})?$/, "must be two capital letters such as DE")
		.default("")
		.describe("ISO 3166-1 alpha-2"),
	vat_id: z.string().trim().max(20).default("").describe("VAT number of a business"),
};

export const accountChangeSchema = requestComponent(
	"AccountChange",
	z.strictObject({
		...accountText,
		retention: z
			.enum(["standard", "zero"], 'must be "standard" or "zero"')
			.optional()
			.describe(
				"zero keeps a hash of each query instead of its text, where the operator allows it",
			),
		billing: z
			.strictObject(billingFields)
			.optional()
			.describe("Whom invoices to come are for; erased with the account"),
	}),
);

export type AccountChange = z.output<typeof accountChangeSchema>;

export const budgetOrderSchema = requestComponent(
	"BudgetOrder",
	z.strictObject({
		limit_usd: usdInput
			.nullable()
			.describe("Most the account spends in one UTC month: 0 for nothing, null for no limit"),
		alert_percent: z
			.array(
				z
					.int("must be a whole number")
					.min(1, "must be at least 1")
					.max(100, "must be at most 100"),
			)
			.max(10, "must name at most 10 marks")
			.optional()
			.describe("Shares of the budget, in percent, that alerts_reached tells of"),
	}),
);

export type BudgetOrder = z.output<typeof budgetOrderSchema>;

export const budgetSchema = replyComponent(
	"Budget",
	z.object({
		limit_usd: usdField.nullable(),
		spent_this_month_usd: usdField.describe("Spent or held since the UTC month began"),
		remaining_usd: usdField.nullable(),
		alert_percent: z.array(z.int()),
		alerts_reached: z.array(z.int()),
		resets_at: z.string(),
	}),
);

export const accountSchema = replyComponent(
	"Account",
	z.object({
		id: z.string(),
		label: z.string(),
		contact: z.string().nullable().describe("Null for a credential that does not manage it"),
		plan: z.string(),
		has_payment_method: z.boolean(),
		retention: z.enum(["standard", "zero"]),
		may_choose_zero_retention: z.boolean(),
		created_at: z.string(),
		balance_usd: usdField.nullable(),
		held_usd: usdField.nullable(),
		budget: budgetSchema.nullable(),
		billing: z
			.object({
				name: z.string(),
				address: z.string(),
				country: z.string(),
				vat_id: z.string(),
			})
			.nullable()
			.describe("Whom invoices are for; null until it is said"),
		credential: z.object({ key_id: z.string().nullable(), manages_account: z.boolean() }),
	}),
);

export const openedAccountSchema = replyComponent(
	"OpenedAccount",
	z.object({
		account_id: z.string(),
		key: z.string().describe("The secret of its first key, which manages it; shown once"),
		key_id: z.string(),
		plan: z.string(),
	}),
);

export const erasedAccountSchema = replyComponent(
	"ErasedAccount",
	z.object({
		id: z.string(),
		status: z.literal("erased"),
		erased: z.object({
			queries: z.int().describe("Rows of the query log that were overwritten"),
			documents: z.int().describe("Tasks and artifacts that were deleted"),
		}),
		forfeited_usd: usdField,
	}),
);

const callSchema = replyComponent(
	"Call",
	z.object({
		receipt_id: z.string(),
		at: z.string(),
		operation: z.string(),
		billing_type: z.string(),
		graph_ids: z.array(z.string()),
		key_id: z.string().nullable(),
		amount_usd: usdField,
		balance_after_usd: usdField,
	}),
);

export const callListSchema = replyList("CallList", callSchema);

const USAGE_GROUPINGS = ["day", "operation", "graph", "key"] as const;
const dayField = z.iso.date("must be a day such as 2026-11-30");

export const usageQuery = z.strictObject({
	by: z
		.enum(USAGE_GROUPINGS, "must be day, operation, graph or key")
		.default("day")
		.describe("What to add up by"),
	from: dayField.optional().describe("First UTC day; thirty days back by default"),
	to: dayField.optional().describe("Last UTC day; today by default"),
});
export type UsageRequest = z.output<typeof usageQuery>;

const count = { calls: z.int(), spent_usd: usdField };

export const usageSchema = replyComponent(
	"Usage",
	z.object({
		by: z.enum(USAGE_GROUPINGS),
		from: z.string(),
		to: z.string(),
		items: z.array(
			z.object({
				day: z.string().optional().describe("UTC day, or month once its days are long over"),
				operation: z.string().optional(),
				graph: z.string().optional().describe("* for calls over several or all graphs"),
				key: z.string().optional(),
				...count,
			}),
		),
		total: z.object(count),
	}),
);

const period = { used: z.int(), resets_at: z.string() };

export const quotaSchema = replyComponent(
	"Quota",
	z.object({
		plan: z.string(),
		has_payment_method: z.boolean(),
		max_price_usd: usdField.describe("Calls up to this price can be free"),
		remaining: z.int().describe("Free calls left now"),
		month: z.object({ limit: z.int(), ...period }),
		day: z.object({
			limit: z.int().nullable().describe("Null with a payment method on file"),
			...period,
		}),
	}),
);

export const accountExportSchema = replyComponent(
	"AccountExport",
	z.object({
		account: accountSchema,
		quota: quotaSchema,
		keys: z.array(accountKeySchema),
		connection_tokens: z.array(connectionSchema),
		usage: usageSchema.shape.items,
		postings: z.array(z.looseObject({ id: z.string(), at: z.string(), kind: z.string() })),
		calls: z.array(callSchema),
		queries: z.array(z.looseObject({ requestId: z.string() })).describe("What was asked, as kept"),
		feedback: z.array(feedbackSchema),
		jobs: z.array(z.looseObject({})).describe("Deep dives with what was asked"),
		schedules: z.array(z.looseObject({})).describe("Schedules with their topics"),
		webhooks: z.array(z.looseObject({})),
		webhook_deliveries: z.array(z.looseObject({})),
		granted_access: z.array(z.looseObject({})).describe("Applications that may call for it"),
		results: z.array(z.looseObject({})).describe("Results that can still be read"),
		chats: z.array(z.looseObject({})).describe("Chat sessions with their turns"),
		refund_requests: z.array(z.looseObject({})).describe("What was asked back, with its reason"),
		tasks: z.array(z.looseObject({ id: z.string() })).describe("A2A tasks with their text"),
	}),
);
