import { custAccount, heldAccount } from "../../payments/payments.js";
import { forgetKeySpending, spentThisMonth } from "../../payments/plan/plan.js";
import type { AccountRow, InvoiceParty, Store, StoreTransaction } from "../../store/store.js";
import { type AccountAccess, type Json, LIMITS } from "../contract/contract.js";
import {
	formatUsd,
	invalidArgument,
	ServiceError,
	stableHash,
	toIsoTime,
} from "../kernel/kernel.js";
import { requireManager } from "./account-keys.js";
import type { AccountProfiles } from "./account-profiles.js";
import type { AccountServices } from "./account-services.js";
import { getAccount, gone, toBudgetWire } from "./account-usage.js";
import type { AccountChange } from "./account-wire.js";
import type { ApiKeys } from "./api-keys.js";
import { forgetOwned } from "./owned-records.js";

interface ProfileServices extends Pick<AccountServices, "store" | "clock"> {
	readonly profiles: AccountProfiles;
}

/** An account as its owner sees, changes and ends it. */
export function createAccountProfile(deps: ProfileServices) {
	const { store, profiles } = deps;
	return {
		accountGet: (access: AccountAccess) => toAccountWire(deps, access),

		async accountChange(access: AccountAccess, change: AccountChange) {
			requireManager(access);
			const { accountId } = access;
			if (change.retention !== undefined) await setRetention(store, accountId, change.retention);
			const { label, contact, billing } = change;
			if (label !== undefined || contact !== undefined || billing) {
				await profiles.change(accountId, (profile) => ({
					...profile,
					...(label !== undefined && { label }),
					...(contact !== undefined && { contact }),
					...(billing && { billing: toParty(billing) }),
				}));
			}
			return toAccountWire(deps, access);
		},

		/** Ends it; a balance that is left must be named. What the books need stays, under an id alone. */
		async accountErase(access: AccountAccess, confirm: string | undefined) {
			requireManager(access);
			const { accountId } = access;
			const { documentIds, forfeited } = await closeAccount(deps, accountId, confirm);
			const queries = await eraseText(deps, accountId, documentIds);
			return {
				id: accountId,
				status: "erased",
				erased: { queries, documents: documentIds.length },
				forfeited_usd: formatUsd(forfeited),
			};
		},
	};
}

/** Returns how many queries were overwritten. */
async function eraseText(
	{ store, profiles }: ProfileServices,
	accountId: string,
	documentIds: readonly string[],
): Promise<number> {
	await profiles.erase(accountId);
	for (const id of documentIds) await store.documents.delete(id);
	return store.queryLog.erase(accountId);
}

/**
 * Erases once more what belongs to accounts that were erased a while ago: what calls under way wrote after that, and what
 * a crash in between left behind.
 */
export async function finishErasures(deps: ProfileServices): Promise<void> {
	const { store, clock } = deps;
	const now = clock.now();
	const accounts = await store.read((reader) => reader.list("accounts"));
	for (const { id, closedAt, erasedAt } of accounts) {
		if (closedAt === undefined || erasedAt !== undefined) continue;
		if (now - closedAt < LIMITS.requestTimeoutMs * 2) continue;
		const documentIds = await store.transaction((tx) => forgetRows(tx, id));
		await eraseText(deps, id, documentIds);
		await store.transaction(async (tx) => {
			const account = await tx.get("accounts", id);
			if (account) await tx.put("accounts", { ...account, erasedAt: now });
		});
	}
}

const FOR_MANAGERS = {
	contact: null,
	balance_usd: null,
	held_usd: null,
	budget: null,
	billing: null,
};

/** What any credential of an account may read of it; what concerns its owner is for those that manage it. */
async function toAccountWire(
	{ store, clock, profiles }: ProfileServices,
	{ accountId, keyId, isManager }: AccountAccess,
): Promise<Json> {
	const account = await getAccount(store, accountId);
	const [balance, held, spent] = await store.read(async (reader) => [
		await reader.balance(custAccount(accountId)),
		await reader.balance(heldAccount(accountId)),
		await spentThisMonth(reader, accountId, clock.now()),
	]);
	const { label, contact, billing } = await profiles.get(accountId);
	return {
		id: accountId,
		label: label || account.label,
		plan: account.plan,
		has_payment_method: account.hasPaymentMethod,
		retention: account.retention ?? "standard",
		may_choose_zero_retention: account.mayKeepNothing ?? false,
		created_at: toIsoTime(account.createdAt),
		...(isManager
			? {
					contact,
					balance_usd: formatUsd(balance ?? 0n),
					held_usd: formatUsd(held ?? 0n),
					budget: toBudgetWire(account, spent ?? 0n, clock.now()),
					billing: billing ? toBillingWire(billing) : null,
				}
			: FOR_MANAGERS),
		credential: { key_id: keyId ?? null, manages_account: isManager },
	};
}

function toParty({ vat_id: vatId, ...party }: NonNullable<AccountChange["billing"]>): InvoiceParty {
	return { ...party, vatId };
}

function toBillingWire({ vatId: vat_id, ...party }: InvoiceParty) {
	return { ...party, vat_id };
}

function setRetention(
	store: Store,
	accountId: string,
	retention: NonNullable<AccountChange["retention"]>,
): Promise<void> {
	return store.transaction(async (tx) => {
		const account = await tx.get("accounts", accountId);
		if (!account) throw gone();
		if (retention === "zero" && !account.mayKeepNothing) {
			throw new ServiceError(
				"SCOPE_FORBIDDEN",
				"Zero retention is agreed with the operator, who then allows it for this account.",
			);
		}
		await tx.put("accounts", { ...account, retention });
	});
}

/**
 * Ends everything that could pay, and forgets what is not owed to the books: postings and receipts stay, under an id that
 * nothing leads back to its owner from. Throws INVALID_ARGUMENT while a balance is left that was not named.
 */
function closeAccount(
	{ store, clock }: ProfileServices,
	accountId: string,
	confirm: string | undefined,
) {
	return store.transaction(async (tx) => {
		const account = await tx.get("accounts", accountId);
		if (!account || account.closedAt !== undefined) throw gone();
		const forfeited =
			(await tx.balance(custAccount(accountId))) + (await tx.balance(heldAccount(accountId)));
		const named = formatUsd(forfeited);
		if (forfeited > 0n && confirm !== named) {
			throw invalidArgument(
				`The account has ${named} USD left, which nobody could spend any more; ask the operator for a refund first, or send ?confirm=${named} to give it up.`,
			);
		}
		const closed: AccountRow = {
			id: accountId,
			label: "",
			plan: account.plan,
			hasPaymentMethod: false,
			createdAt: account.createdAt,
			closedAt: clock.now(),
		};
		await tx.put("accounts", closed);
		return { documentIds: await forgetRows(tx, accountId), forfeited };
	});
}

/** Returns the documents that hold text the account left here. */
async function forgetRows(tx: StoreTransaction, accountId: string): Promise<readonly string[]> {
	for (const { id } of await tx.findBy("keys", "accountId", accountId)) {
		await tx.delete("keys", id);
		await forgetKeySpending(tx, id);
	}
	for (const row of await tx.findBy("invoices", "accountId", accountId)) {
		if (row.customer) await tx.put("invoices", { ...row, customer: null });
	}
	for (const table of ["connections", "usage"] as const) {
		for (const { id } of await tx.findBy(table, "accountId", accountId)) await tx.delete(table, id);
	}
	return forgetOwned(tx, accountId);
}

export type OpenAccount = ReturnType<typeof createOpenAccount>;

/** Opens an account for anyone who asks. Throws SCOPE_FORBIDDEN where only the operator does. */
export function createOpenAccount({
	keys,
	profiles,
	accounts,
	pepper,
}: Pick<AccountServices, "pepper"> & {
	readonly keys: ApiKeys;
	readonly profiles: AccountProfiles;
	readonly accounts: "open" | "closed" | undefined;
}) {
	return async (
		{ label = "", contact = "" }: Pick<AccountChange, "label" | "contact">,
		/** IP address or network that asks; all accounts it opens share one quota of free calls. */
		address: string,
	): Promise<Json> => {
		if (accounts !== "open") {
			throw new ServiceError(
				"SCOPE_FORBIDDEN",
				"Accounts are opened by the operator here; ask for an API key, or pay per call with a Shared Payment Token or on the chain.",
			);
		}
		const { id, key, accountId } = await keys.create({
			quotaId: stableHash(`quota\u0000${address}`, pepper),
		});
		if (label !== "" || contact !== "") {
			await profiles.change(accountId, (profile) => ({ ...profile, label, contact }));
		}
		return { account_id: accountId, key, key_id: id, plan: "free" };
	};
}
