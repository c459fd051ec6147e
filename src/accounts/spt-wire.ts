import { z } from "zod";
import {
	LIMITS,
	replyComponent,
	replyList,
	requestComponent,
	usdField,
} from "../contract/contract.js";

/** What the operations of a Shared Payment Token take and answer with. */

export const usdInput = z
	.string()
	.regex(/^\d{1,12}(\.\d{1,6})?$/, 'must be an amount in USD such as "7.50"')
	.describe("Decimal amount in USD, at most six decimals");

export const scopeInput = {
	label: z
		.string()
		.max(LIMITS.sptLabelChars, `must have at most ${LIMITS.sptLabelChars} characters`)
		.optional()
		.describe("Whom it is for; kept with the token"),
	max_per_call_usd: usdInput.optional().describe("Highest price it pays for one call"),
	max_per_day_usd: usdInput.optional().describe("Highest sum it spends on one UTC day"),
	skills: z
		.array(z.string())
		.min(1, "must name at least one skill")
		.max(50, "must name at most 50 skills")
		.optional()
		.describe("Skills it may pay for; all where absent"),
	graphs: z
		.array(z.string())
		.min(1, "must name at least one graph")
		.max(50, "must name at most 50 graphs")
		.optional()
		.describe("Graphs it may pay for; all where absent"),
	expires_in_days: z
		.number("must be a number")
		.positive("must be above zero")
		.max(LIMITS.sptDaysMax, `must be at most ${LIMITS.sptDaysMax}`)
		.optional()
		.describe("It never expires where absent"),
};

export const sptOrderSchema = requestComponent(
	"SptOrder",
	z.strictObject({
		amount_usd: usdInput,
		...scopeInput,
		recover: z
			.boolean("must be true or false")
			.optional()
			.describe(
				"Take along what is left on the paying wallet's credits, on tokens of it that never paid for a call, and on ended ones",
			),
	}),
);

export const sptTopUpSchema = requestComponent(
	"SptTopUp",
	z.strictObject({ amount_usd: usdInput }),
);

export const sptDelegationOrderSchema = requestComponent(
	"SptDelegationOrder",
	z.strictObject({ amount_usd: usdInput, ...scopeInput }),
);

export const sptRefundOrderSchema = requestComponent(
	"SptRefundOrder",
	z.strictObject({
		reason: z
			.string()
			.trim()
			.min(1, "must not be empty")
			.max(500, "must have at most 500 characters")
			.optional(),
	}),
);

const signedUsd = z.string().regex(/^-?\d+\.\d{2,6}$/);

const environmentField = z.enum(["live", "test"]);
const secretField = z.string().describe("The secret; shown once");

const terms = {
	id: z.string(),
	label: z.string(),
	balance_usd: usdField,
	held_usd: usdField.describe("Reserved for calls that are being answered"),
	expires_at: z.string().nullable(),
	max_per_call_usd: usdField.nullable(),
	max_per_day_usd: usdField.nullable(),
	skills: z.array(z.string()).describe("Empty means every skill"),
	graphs: z.array(z.string()).describe("Empty means every graph"),
};

export const sptBalanceSchema = replyComponent(
	"SptBalance",
	z.object({
		...terms,
		environment: environmentField,
		spent_today_usd: usdField.describe(
			"Held or spent since 00:00 UTC; counted where there is a limit per day",
		),
		parent_id: z.string().nullable().describe("The token it was delegated from"),
	}),
);

export const sptLedgerSchema = replyList(
	"SptLedger",
	z.object({
		id: z.string(),
		at: z.string(),
		kind: z.string().describe("credit, transfer, authorise, capture, release or refund"),
		balance_change_usd: signedUsd.describe("Change of what can be spent"),
		held_change_usd: signedUsd.describe("Change of what is held for calls"),
		ref: z.string().describe("Hold, receipt, refund or token it belongs to"),
		memo: z.string().nullable(),
	}),
);

export const sptPurchaseSchema = replyComponent(
	"SptPurchase",
	z.object({
		token: secretField
			.optional()
			.describe(
				"The secret, shown once; absent after a top-up, unless the token ended before the money settled and a new one took it",
			),
		id: z.string(),
		balance_usd: usdField,
		environment: environmentField,
		recovered_usd: usdField.optional().describe("What earlier tokens of the wallet brought along"),
		receipt: z.object({
			receipt_id: z.string().describe("GET /v1/receipts/{receipt_id} signs it; told here alone"),
			network: z.string().describe("CAIP-2"),
			transaction: z.string(),
			payer: z.string(),
			payment_id: z.string(),
		}),
	}),
);

export const sptRotationSchema = replyComponent(
	"SptRotation",
	z.object({ token: secretField, id: z.string(), balance_usd: usdField }),
);

const delegation = { ...terms, created_at: z.string() };

export const sptDelegationSchema = replyComponent(
	"SptDelegation",
	z.object({
		token: secretField,
		...delegation,
		parent_id: z.string(),
		parent_balance_usd: usdField,
	}),
);

export const sptDelegationListSchema = replyList("SptDelegationList", z.object(delegation));

export const sptDelegationEndSchema = replyComponent(
	"SptDelegationEnd",
	z.object({
		id: z.string(),
		status: z.literal("revoked"),
		returned_usd: usdField,
		parent_balance_usd: usdField,
	}),
);

const refund = z.object({
	refund_id: z.string(),
	amount_usd: usdField,
	state: z.enum(["pending", "paying", "paid"]),
	destination: z.string().nullable().describe("CAIP-10 account it goes to"),
	created_at: z.string(),
});

export const sptRefundSchema = replyComponent("SptRefund", refund);

export const sptEndSchema = replyComponent(
	"SptEnd",
	z.object({
		id: z.string(),
		status: z.literal("revoked"),
		returned_usd: usdField.describe("What went back to the token it was delegated from"),
		refund: sptRefundSchema.nullable().describe("What goes back to the wallet that bought it"),
		balance_usd: usdField.describe("What stays on the books, for the operator to decide"),
	}),
);
