import { z } from "zod";
import {
	dataOperation,
	digitsField,
	LIMITS,
	ownerOperation,
	type Services,
} from "../contract/contract.js";
import {
	ACCOUNT_BASE,
	ACCOUNT_CHANGE,
	ACCOUNT_ID,
	ACCOUNT_READ,
	accessOf,
	KEY_ID,
	KEY_SECRET,
} from "./account-owner.js";
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
	usageQuery,
	usageSchema,
} from "./account-wire.js";

/** An account is opened by somebody who has no credential yet. */
export const accountsOpen = dataOperation({
	id: "accounts.open",
	at: "POST /v1/accounts",
	summary: "Open an account",
	description:
		"An account on the free plan and its first key, shown once. Offered where the operator lets anybody open one; elsewhere the operator hands out keys. All accounts opened from one address share one quota of free calls.",
	body: accountOrderSchema,
	freshness: "secret",
	mayBeClosed: true,
	callsPerMinute: LIMITS.accountsOpenedPerMinute,
	data: openedAccountSchema,
	answer: (services: Services, request) => services.openAccount(request.body, request.address),
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
export const accountGet = ownerOperation({
	id: "account.get",
	at: "GET /v1/account",
	...ACCOUNT_READ,
	summary: "The account behind a credential",
	description:
		"Balance, budget, retention, and what the credential that asks may do. Balance, budget and contact are null for one that does not manage the account.",
	data: accountSchema,
	answer: (services: Services, request) => services.accountGet(accessOf(request)),
});

export const accountChange = ownerOperation({
	id: "account.change",
	at: "PATCH /v1/account",
	...ACCOUNT_CHANGE,
	summary: "Change the account",
	description: "New label, contact or retention; what is left out stays.",
	body: accountChangeSchema,
	data: accountSchema,
	answer: ({ accountChange }: Services, request) => accountChange(accessOf(request), request.body),
	example: { body: { label: "research crew" } },
});

export const accountErase = ownerOperation({
	id: "account.erase",
	at: "DELETE /v1/account",
	...ACCOUNT_CHANGE,
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
	data: erasedAccountSchema,
	answer: ({ accountErase }: Services, request) =>
		accountErase(accessOf(request), request.query.confirm),
	example: { query: { confirm: "58.50" } },
});

export const accountExport = ownerOperation({
	id: "account.export",
	at: "GET /v1/account/export",
	...ACCOUNT_BASE,
	summary: "Export the account",
	description:
		"All that is held about the account, in one JSON object that comes in pieces: profile, keys, usage, every posting and receipt, the text of its queries, tasks and feedback as far as it is kept. Result text is not kept.",
	callsPerMinute: LIMITS.accountExportsPerMinute,
	timeoutMs: LIMITS.accountExportTimeoutMs,
	data: accountExportSchema,
	answer: ({ accountExport }: Services, request) =>
		accountExport(accessOf(request), request.signal),
});

export const accountUsage = ownerOperation({
	id: "account.usage",
	at: "GET /v1/account/usage",
	...ACCOUNT_READ,
	summary: "Usage of the account",
	description: `Answered calls and what they cost, by day, operation, graph or key. Days are told one by one for ${LIMITS.usageDays} days, then by month.`,
	query: usageQuery,
	data: usageSchema,
	answer: ({ accountUsage }: Services, request) => accountUsage(accessOf(request), request.query),
	example: { query: { by: "operation", from: "2026-11-01", to: "2026-11-30" } },
});

export const accountCalls = ownerOperation({
	id: "account.calls",
	at: "GET /v1/account/calls",
	...ACCOUNT_BASE,
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
	answer: ({ accountCalls }: Services, request) =>
		accountCalls(accessOf(request), request.query, request.signal),
	example: { query: { limit: "20" } },
});

export const accountQuota = ownerOperation({
	id: "account.quota",
	at: "GET /v1/account/quota",
	...ACCOUNT_READ,
	summary: "Free calls of the account",
	description: "Free calls used and left this UTC month and day, and when they begin anew.",
	data: quotaSchema,
	answer: (services: Services, request) => services.accountQuota(accessOf(request)),
});

export const accountBudget = ownerOperation({
	id: "account.budget",
	at: "PUT /v1/account/budget",
	...ACCOUNT_CHANGE,
	summary: "Set the account's budget",
	description:
		"The most the account spends in one UTC month, from its balance and over all its keys. It is judged where a price is held, so that calls that race cannot pass it; what was spent this month counts already.",
	body: budgetOrderSchema,
	data: budgetSchema,
	answer: ({ accountBudget }: Services, request) => accountBudget(accessOf(request), request.body),
	example: { body: { limit_usd: "50.00", alert_percent: [50, 80, 100] } },
});
