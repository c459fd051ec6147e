import { z } from "zod";
import { USAGE_GROUPINGS } from "../accounts/accounts.js";
import { digitsField, LIMITS, type OwnerOperationId } from "../contract/contract.js";
import {
	ACCOUNT_EXAMPLE,
	ACCOUNT_ID,
	BUDGET_EXAMPLE,
	CALL_EXAMPLE,
	KEY_ID,
	KEY_SECRET,
	QUOTA_EXAMPLE,
	USED_EXAMPLE,
} from "./account-examples.js";
import type { AccountKeyOperationId } from "./account-key-routes.js";
import { ACCOUNT_BASE, ACCOUNT_CHANGE, ACCOUNT_READ, accessOf } from "./account-owner.js";
import {
	accountChangeSchema,
	accountExportSchema,
	accountOrderSchema,
	accountSchema,
	budgetOrderSchema,
	budgetSchema,
	callListSchema,
	erasedAccountSchema,
	openedAccountSchema,
	quotaSchema,
	usageSchema,
} from "./account-schemas.js";
import { dataRoute, ownerRoute } from "./define-route.js";
import type { DataRoute, OwnerRoute } from "./route.js";

type AccountOperationId = Exclude<
	Extract<OwnerOperationId, `account.${string}`>,
	AccountKeyOperationId
>;

const dayField = z.iso.date("must be a day such as 2026-11-30");

/** An account is opened by somebody who has no credential yet. */
export const ACCOUNT_OPENING_ROUTE: DataRoute = dataRoute({
	operationId: "accounts.open",
	summary: "Open an account",
	description:
		"An account on the free plan and its first key, shown once. Offered where the operator lets anybody open one; elsewhere the operator hands out keys. All accounts opened from one address share one quota of free calls.",
	path: ACCOUNT_BASE.path,
	query: ACCOUNT_BASE.query,
	body: accountOrderSchema,
	isList: false,
	freshness: "secret",
	callsPerMinute: LIMITS.accountsOpenedPerMinute,
	data: openedAccountSchema,
	answer: (free, { body, address }) => free.openAccount(body, address),
	example: {
		body: { label: "research crew" },
		data: {
			account_id: ACCOUNT_ID,
			key: KEY_SECRET,
			key_id: KEY_ID,
			plan: "free",
		},
	},
});

/** What the owner of an account may see, change and end. */
export const ACCOUNT_ROUTES: Readonly<Record<AccountOperationId, OwnerRoute>> = {
	"account.get": ownerRoute({
		...ACCOUNT_READ,
		operationId: "account.get",
		summary: "The account behind a credential",
		description:
			"Balance, budget, retention, and what the credential that asks may do. Balance, budget and contact are null for one that does not manage the account.",
		isList: false,
		data: accountSchema,
		answer: (owner, { caller }) => owner.accountGet(accessOf(caller)),
		example: { data: ACCOUNT_EXAMPLE },
	}),
	"account.change": ownerRoute({
		...ACCOUNT_CHANGE,
		operationId: "account.change",
		summary: "Change the account",
		description: "New label, contact or retention; what is left out stays.",
		body: accountChangeSchema,
		isList: false,
		data: accountSchema,
		answer: (owner, { caller, body }) => owner.accountChange(accessOf(caller), body),
		example: { body: { label: "research crew" }, data: ACCOUNT_EXAMPLE },
	}),
	"account.erase": ownerRoute({
		...ACCOUNT_CHANGE,
		operationId: "account.erase",
		summary: "Erase the account",
		description:
			"Ends every key and token of the account, deletes its tasks, artifacts and feedback, its labels and its usage, and overwrites the text of its queries. Postings and receipts stay in the books under the account's id, which nothing leads back to its owner from; a count of free calls that others share stays until its month is over. While a balance is left the request is refused; ?confirm=<that amount> gives it up.",
		query: z.strictObject({
			confirm: z
				.string()
				.max(40)
				.optional()
				.describe("The balance that is given up, in USD, as account.get tells it"),
		}),
		isList: false,
		data: erasedAccountSchema,
		answer: (owner, { caller, query }) => owner.accountErase(accessOf(caller), query.confirm),
		example: {
			query: { confirm: "58.50" },
			data: {
				id: ACCOUNT_ID,
				status: "erased",
				erased: { queries: 120, documents: 3 },
				forfeited_usd: "58.50",
			},
		},
	}),
	"account.export": ownerRoute({
		...ACCOUNT_BASE,
		operationId: "account.export",
		summary: "Export the account",
		description:
			"All that is held about the account, in one JSON object that comes in pieces: profile, keys, usage, every posting and receipt, the text of its queries, tasks and feedback as far as it is kept. Result text is not kept.",
		callsPerMinute: LIMITS.accountExportsPerMinute,
		timeoutMs: LIMITS.accountExportTimeoutMs,
		isList: false,
		data: accountExportSchema,
		answer: (owner, { caller, signal }) => owner.accountExport(accessOf(caller), signal),
		example: {
			data: {
				account: ACCOUNT_EXAMPLE,
				quota: QUOTA_EXAMPLE,
				keys: [],
				connection_tokens: [],
				usage: [{ day: "2026-11-30", ...USED_EXAMPLE }],
				postings: [],
				calls: [CALL_EXAMPLE],
				queries: [
					{ requestId: "req_01kg9yz3v0f6x2m8q4t7w1ab2c", query: "Which status asks for payment?" },
				],
				feedback: [],
				tasks: [],
			},
		},
	}),
	"account.usage": ownerRoute({
		...ACCOUNT_READ,
		operationId: "account.usage",
		summary: "Usage of the account",
		description: `Answered calls and what they cost, by day, operation, graph or key. Days are told one by one for ${LIMITS.usageDays} days, then by month.`,
		query: z.strictObject({
			by: z
				.enum(USAGE_GROUPINGS, "must be day, operation, graph or key")
				.default("day")
				.describe("What to add up by"),
			from: dayField.optional().describe("First UTC day; thirty days back by default"),
			to: dayField.optional().describe("Last UTC day; today by default"),
		}),
		isList: false,
		data: usageSchema,
		answer: (owner, { caller, query }) => owner.accountUsage(accessOf(caller), query),
		example: {
			query: { by: "operation", from: "2026-11-01", to: "2026-11-30" },
			data: {
				by: "operation",
				from: "2026-11-01",
				to: "2026-11-30",
				items: [{ operation: "graphs.search", ...USED_EXAMPLE }],
				total: USED_EXAMPLE,
			},
		},
	}),
	"account.calls": ownerRoute({
		...ACCOUNT_BASE,
		operationId: "account.calls",
		summary: "Calls of the account",
		description:
			"Receipts of answered calls, newest first, without what was asked or answered. One question reads a bounded part of the books: a page may be short, or empty, and the list is at its end only when next_cursor is null.",
		callsPerMinute: LIMITS.sptLedgerReadsPerMinute,
		query: z.strictObject({
			limit: digitsField(LIMITS.accountCallsMax)
				.default(LIMITS.accountCallsDefault)
				.describe("Number of calls wanted"),
			cursor: z.string().min(1).max(200).optional().describe("next_cursor of the page before"),
		}),
		isList: true,
		data: callListSchema,
		answer: (owner, { caller, query, signal }) =>
			owner.accountCalls(accessOf(caller), query, signal),
		example: { query: { limit: "20" }, data: { items: [CALL_EXAMPLE] } },
	}),
	"account.quota": ownerRoute({
		...ACCOUNT_READ,
		operationId: "account.quota",
		summary: "Free calls of the account",
		description: "Free calls used and left this UTC month and day, and when they begin anew.",
		isList: false,
		data: quotaSchema,
		answer: (owner, { caller }) => owner.accountQuota(accessOf(caller)),
		example: { data: QUOTA_EXAMPLE },
	}),
	"account.budget": ownerRoute({
		...ACCOUNT_CHANGE,
		operationId: "account.budget",
		summary: "Set the account's budget",
		description:
			"The most the account spends in one UTC month, from its balance and over all its keys. It is judged where a price is held, so that calls that race cannot pass it; what was spent this month counts already.",
		body: budgetOrderSchema,
		isList: false,
		data: budgetSchema,
		answer: (owner, { caller, body }) => owner.accountBudget(accessOf(caller), body),
		example: { body: { limit_usd: "50.00", alert_percent: [50, 80, 100] }, data: BUDGET_EXAMPLE },
	}),
};
