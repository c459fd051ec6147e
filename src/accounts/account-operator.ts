import { z } from "zod";
import { custAccount, type Ledger } from "../../payments/payments.js";
import { assertAmount, type Environment, sourceOf } from "../../payments/spt/spt.js";
import type { AccountRow, Store, StoreTransaction } from "../../store/store.js";
import { LIMITS } from "../contract/contract.js";
import { formatUsd, type Micros, parseUsd, toIsoTime } from "../kernel/kernel.js";
import {
	createConnection,
	parseLimit,
	setLabel,
	toConnectionWire,
	toKeyTerms,
	toKeyWire,
} from "./account-keys.js";
import type { AccountProfiles } from "./account-profiles.js";
import type { AccountServices } from "./account-services.js";
import { type ApiKeys, getKey, getOpenAccount } from "./api-keys.js";
import type { ConnectionTokens } from "./connection-tokens.js";

export const usdField = z
	.string()
	.regex(/^\d{1,12}(\.\d{1,6})?$/, 'must be an amount in USD such as "7.50"');

const idField = z.string().min(1);
const scopeFields = {
	label: z.string().max(LIMITS.sptLabelChars).optional(),
	skills: z.array(z.string()).optional(),
	graphs: z.array(z.string()).optional(),
	expires_in_days: z.number().positive().max(LIMITS.sptDaysMax).optional(),
};
const settingFields = {
	/** The contract's "card on file": lifts the ceiling of free calls per day. */
	has_payment_method: z.boolean().optional(),
	/** Whether the owner may choose zero retention. */
	zero_retention: z.boolean().optional(),
};

/** What the operator's commands about accounts take. */
export const accountCommands = {
	ofAccount: z.strictObject({ account_id: idField.optional() }),
	account: z.strictObject({ account_id: idField }),
	createKey: z.strictObject({
		...scopeFields,
		/** Account that gets one more key; a new account where absent. */
		account_id: idField.optional(),
		/** Prepaid balance of a new account. */
		usd: usdField.optional(),
		...settingFields,
		max_total_usd: usdField.optional(),
		max_per_month_usd: usdField.optional(),
		ask_above_usd: usdField.optional(),
		manages_account: z.boolean().optional(),
	}),
	rotateKey: z.strictObject({
		id: idField,
		overlap_seconds: z.int().min(0).max(LIMITS.keyOverlapSecondsMax).optional(),
	}),
	createToken: z.strictObject({ ...scopeFields, account_id: idField }),
	setAccount: z.strictObject({
		account_id: idField,
		...settingFields,
		/** There is one plan. */
		plan: z.literal("free").optional(),
		/** Whether it pays for nothing; what is held already is finished. */
		frozen: z.boolean().optional(),
		/** Most it spends in one UTC month; null for no limit. */
		max_per_month_usd: usdField.nullable().optional(),
	}),
	credit: z.strictObject({ account_id: idField, usd: usdField }),
};

type Command<Name extends keyof typeof accountCommands> = z.output<(typeof accountCommands)[Name]>;

/** What an operator can do with accounts, their keys and their connection tokens. */
export type AccountOperator = ReturnType<typeof createAccountOperator>;

export interface AccountOperatorDeps
	extends Pick<AccountServices, "store" | "ids" | "clock" | "catalog"> {
	readonly ledger: Ledger;
	readonly apiKeys: ApiKeys;
	readonly connections: ConnectionTokens;
	readonly profiles: AccountProfiles;
	/** Which money this folder holds: see `sourceOf`. */
	readonly environment: Environment;
	readonly mcpUrl: () => string | null;
}

export function createAccountOperator(deps: AccountOperatorDeps) {
	const { store, apiKeys } = deps;
	return {
		createKey: (request: Command<"createKey">) => createKey(deps, request),

		async listKeys({ account_id }: Command<"ofAccount">) {
			const rows = await rowsOf(store, "keys", account_id);
			const items = await withLabels(deps, rows, async (row, labels) => ({
				account_id: row.accountId,
				...(await toKeyWire(deps, row, labels)),
			}));
			return { items };
		},

		async rotateKey({ id, overlap_seconds = LIMITS.keyOverlapSeconds }: Command<"rotateKey">) {
			const { accountId } = await store.read((reader) => getKey(reader, id));
			const { key } = await apiKeys.rotate(accountId, id, overlap_seconds);
			return { key, id, account_id: accountId };
		},

		async revokeKey({ id }: { readonly id: string }) {
			await apiKeys.revoke(id);
			return { id, status: "revoked" as const };
		},

		...createTokenOperator(deps),

		async listAccounts() {
			const rows = await store.read((reader) => reader.list("accounts"));
			return { items: await Promise.all(rows.map((row) => toSummary(deps, row))) };
		},

		/** Throws NOT_FOUND. */
		getAccount: async ({ account_id }: Command<"account">) =>
			toSummary(deps, await store.read((reader) => getOpenAccount(reader, account_id))),

		/** What the operator decides of an account. Throws NOT_FOUND. */
		async setAccount(request: Command<"setAccount">) {
			const {
				account_id,
				has_payment_method,
				zero_retention,
				frozen,
				max_per_month_usd: limit,
			} = request;
			const row = await store.transaction(async (tx) => {
				const account = await getOpenAccount(tx, account_id);
				const changed: AccountRow = {
					...account,
					...(has_payment_method !== undefined && { hasPaymentMethod: has_payment_method }),
					...(zero_retention !== undefined && { mayKeepNothing: zero_retention }),
					...(zero_retention === false && { retention: "standard" }),
					...(frozen !== undefined && {
						frozenAt: frozen ? (account.frozenAt ?? deps.clock.now()) : undefined,
					}),
					...(limit !== undefined && {
						budgetMicros: limit === null ? undefined : parseLimit(limit),
					}),
				};
				await tx.put("accounts", changed);
				return changed;
			});
			return toSummary(deps, row);
		},

		/** Adds prepaid balance to an account. Throws NOT_FOUND. */
		creditAccount: ({ account_id, usd }: Command<"credit">) =>
			store.transaction(async (tx) => {
				await getOpenAccount(tx, account_id);
				await credit(deps, tx, { owner: account_id, amountMicros: parseUsd(usd) });
				return { account_id, balance_usd: formatUsd(await tx.balance(custAccount(account_id))) };
			}),
	};
}

function createTokenOperator(deps: AccountOperatorDeps) {
	const { store, connections, mcpUrl } = deps;
	return {
		/** The secret of a connection, and the MCP address it makes; null where no one serves, so that none is known. */
		createToken: ({ account_id, ...scope }: Command<"createToken">) =>
			createConnection({ ...deps, mcpUrl: mcpUrl() }, account_id, scope),

		async listTokens({ account_id }: Command<"ofAccount">) {
			const rows = await rowsOf(store, "connections", account_id);
			const items = await withLabels(deps, rows, (row, labels) => ({
				account_id: row.accountId,
				...toConnectionWire(row, labels),
			}));
			return { items };
		},

		async revokeToken({ id }: { readonly id: string }) {
			await connections.revoke(id);
			return { id, status: "revoked" as const };
		},
	};
}

async function createKey(deps: AccountOperatorDeps, request: Command<"createKey">) {
	const { apiKeys, profiles } = deps;
	const { account_id, usd, has_payment_method, zero_retention, label, ...order } = request;
	const limits = [order.skills, order.graphs, order.max_total_usd, order.max_per_month_usd];
	const isLimited = limits.some((limit) => limit !== undefined);
	// A key without limits manages its account, unless the request says otherwise.
	const terms = toKeyTerms(deps, {
		...order,
		manages_account: order.manages_account ?? !isLimited,
	});
	if (account_id !== undefined) {
		const { id, key } = await apiKeys.add(account_id, terms);
		await setLabel(deps, account_id, id, label);
		return { key, id, account_id };
	}
	const { id, key, accountId } = await apiKeys.create({
		...terms,
		hasPaymentMethod: has_payment_method ?? false,
		mayKeepNothing: zero_retention ?? false,
		...(usd !== undefined && {
			alongside: (tx, owner) => credit(deps, tx, { owner, amountMicros: parseUsd(usd) }),
		}),
	});
	if (label) await profiles.change(accountId, (profile) => ({ ...profile, label }));
	return { key, id, account_id: accountId };
}

async function credit(
	{ ledger, ids, environment }: AccountOperatorDeps,
	tx: StoreTransaction,
	{ owner, amountMicros }: { owner: string; amountMicros: Micros },
): Promise<void> {
	assertAmount(amountMicros);
	const key = `credit:${ids.next("txn")}`;
	await ledger.credit(tx, { owner, source: sourceOf(environment), amountMicros, key });
}

function rowsOf<T extends "keys" | "connections">(
	store: Store,
	table: T,
	accountId: string | undefined,
) {
	return store.read((reader) =>
		accountId === undefined ? reader.list(table) : reader.findBy(table, "accountId", accountId),
	);
}

type Labels = Readonly<Record<string, string>>;

async function withLabels<R extends { readonly accountId: string }, T>(
	{ profiles }: AccountOperatorDeps,
	rows: readonly R[],
	toItem: (row: R, labels: Labels) => T | Promise<T>,
): Promise<readonly T[]> {
	const labelsOf = new Map<string, Labels>();
	const items: T[] = [];
	for (const row of rows) {
		const labels = labelsOf.get(row.accountId) ?? (await profiles.get(row.accountId)).labels;
		labelsOf.set(row.accountId, labels);
		items.push(await toItem(row, labels));
	}
	return items;
}

async function toSummary({ store, profiles }: AccountOperatorDeps, row: AccountRow) {
	const { label, contact } = await profiles.get(row.id);
	const balance = await store.read((reader) => reader.balance(custAccount(row.id)));
	return {
		id: row.id,
		label: label || row.label,
		contact,
		plan: row.plan,
		status: statusOf(row),
		balance_usd: formatUsd(balance),
		max_per_month_usd: row.budgetMicros === undefined ? null : formatUsd(row.budgetMicros),
		has_payment_method: row.hasPaymentMethod,
		zero_retention: row.mayKeepNothing ?? false,
		retention: row.retention ?? "standard",
		created_at: toIsoTime(row.createdAt),
	};
}

function statusOf({ closedAt, frozenAt }: AccountRow): "active" | "frozen" | "erased" {
	if (closedAt !== undefined) return "erased";
	return frozenAt === undefined ? "active" : "frozen";
}
