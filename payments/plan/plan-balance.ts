import {
	type AccessScope,
	type AccountAccess,
	type Caller,
	type Credential,
	type IdentifyOptions,
	LIMITS,
} from "../../src/contract/contract.js";
import {
	type Clock,
	formatUsd,
	type Micros,
	ServiceError,
	toIsoDay,
} from "../../src/kernel/kernel.js";
import type {
	AccountRow,
	ConnectionRow,
	KeyRow,
	StoreReader,
	StoreTransaction,
} from "../../store/store.js";
import {
	assertInScope,
	type Balance,
	custAccount,
	type Ledger,
	type PaymentRequired,
	PriceNotAgreed,
	type Purchase,
	type Quote,
	refusePayment,
} from "../payments.js";
import {
	countFreeCall,
	countPlanSpending,
	countUsage,
	type FreeQuota,
	hasFreeCall,
	readQuota,
	secondsUntilReset,
} from "./plan-limits.js";

const FREE_TIER = "promo:free_tier";

/** Accounts: first the plan's free calls (counted in the same transaction), then the account's prepaid balance. */
export function createPlanBalance({
	ledger,
	clock,
	findAccess,
}: {
	readonly ledger: Ledger;
	readonly clock: Clock;
	/** What a key, connection token or identity token opens; undefined for an unknown or ended one. */
	readonly findAccess: (
		credential: Credential,
		options?: IdentifyOptions,
	) => Promise<AccountAccess | undefined>;
}): Balance {
	const openInScope = async (reader: StoreReader, payer: Caller, purchase: Purchase) => {
		const opened = await openPlan(reader, payer.access ?? { accountId: payer.owner }, clock.now());
		assertInScope(opened.scope, purchase, "key");
		return opened;
	};
	return {
		rail: "plan",
		schemes: ["api_key", "oidc", "connection", "oauth"],
		offer: () => ({ continuation: HOW_TO_GET_A_KEY, accepts: [], headers: {} }),

		async identify(_store, credential, options) {
			const access = await findAccess(credential, options);
			if (access === undefined) throw unknownKey();
			const { accountId: owner, keepsNoText } = access;
			return { owner, rail: "plan", access, keepsNoText };
		},

		async assertMayBuy(reader, payer, purchase) {
			await openInScope(reader, payer, purchase);
		},

		async authorize(tx, payer, purchase) {
			const now = clock.now();
			const opened = await openInScope(tx, payer, purchase);
			await markUsed(tx, opened, now);
			const { account, key, connection } = opened;
			const { idempotencyId, graphIds } = purchase;
			const { operationId, billingType, amountMicros } = purchase.quote;
			const balance = await tx.balance(custAccount(account.id));
			const quota = await readQuota(tx, account, now);
			const keyId = key?.id ?? connection?.id;
			const terms = {
				owner: account.id,
				rail: "plan",
				amountMicros,
				operationId,
				billingType,
				idempotencyId,
				graphIds,
				...(keyId !== undefined && { keyId }),
			};

			const isSmall = amountMicros <= LIMITS.freeCallMaxMicros;
			if (isSmall && hasFreeCall(quota, hasCard(account, balance))) {
				const quotaKeys = await countFreeCall(tx, account, now);
				return ledger.authorize(tx, { ...terms, from: FREE_TIER, quotaKeys });
			}
			if (balance < amountMicros) throw refusal(amountMicros, { balance, quota, now });
			assertAgreed(key, purchase.quote);
			const spendingIds = await countPlanSpending(tx, { account, key }, { amountMicros, now });
			return ledger.authorize(tx, { ...terms, from: custAccount(account.id), spendingIds });
		},

		async capture(tx, hold, amountMicros = hold.amountMicros) {
			const transactionId = await ledger.capture(tx, hold, amountMicros);
			const paidMicros = hold.from === FREE_TIER ? 0n : amountMicros;
			await countUsage(tx, hold, { paidMicros, now: clock.now() });
			const balanceAfterMicros = await tx.balance(custAccount(hold.owner));
			return { transactionId, paidMicros, balanceAfterMicros };
		},

		release: (tx, hold, reason) => ledger.release(tx, hold, reason),
		balance: (reader, payer) => reader.balance(custAccount(payer.owner)),
	};
}

/** Calls of the free plan take no money, and are not asked about. Throws SPENDING_LIMIT. */
function assertAgreed(key: KeyRow | undefined, { amountMicros, isAgreed }: Quote): void {
	const limit = key?.askAboveMicros;
	if (limit === undefined || amountMicros <= limit || isAgreed) return;
	throw new PriceNotAgreed(
		`The owner of this key wants to be asked above ${formatUsd(limit)} USD a call`,
		amountMicros,
	);
}

/** The contract's "card on file": set by the operator, or shown by a positive prepaid balance. */
export function hasCard(account: AccountRow, balance: Micros): boolean {
	return account.hasPaymentMethod || balance > 0n;
}

const HOW_TO_GET_A_KEY = {
	type: "api_key",
	header: "X-API-Key",
	alternative_header: "Authorization: Bearer <API key>",
	free_calls_per_month: LIMITS.freeCallsPerMonth,
	free_calls_per_day: LIMITS.freeCallsPerDay,
	instructions:
		"Ask the operator for an API key (sk_…) and send it in the X-API-Key header; the free plan covers the first calls of a month.",
} as const;

/** 429 when waiting helps (the free calls are used up), 402 when only money does. */
function refusal(
	amountMicros: Micros,
	{ balance, quota, now }: { balance: Micros; quota: FreeQuota; now: number },
): PaymentRequired {
	const topUp = {
		type: "api_key",
		balance_usd: formatUsd(balance),
		amount_usd: formatUsd(amountMicros),
		instructions: "Ask the operator to add prepaid balance to the account behind this key.",
	} as const;
	if (balance > 0n || amountMicros > LIMITS.freeCallMaxMicros) {
		return refusePayment(
			"INSUFFICIENT_BALANCE",
			`The account has ${formatUsd(balance)} USD left; this call costs ${formatUsd(amountMicros)} USD. Nothing was charged.`,
			[topUp],
		);
	}
	const retryAfterSeconds = secondsUntilReset(quota, now);
	const period = quota.monthUsed >= LIMITS.freeCallsPerMonth ? "month" : "day";
	const ceiling = period === "month" ? LIMITS.freeCallsPerMonth : LIMITS.freeCallsPerDay;
	return refusePayment(
		"QUOTA_EXCEEDED",
		`The ${ceiling} free calls of this ${period} (UTC) are used up.`,
		[
			{
				type: "wait",
				retry_after_seconds: retryAfterSeconds,
				instructions: `The next ${period} begins in ${retryAfterSeconds} seconds.`,
			},
			topUp,
			{
				type: "spt",
				header: "X-Pay-SPT",
				amount_usd: formatUsd(amountMicros),
				instructions:
					"Send the request with a Shared Payment Token instead of the key; no quota applies.",
			},
		],
		{ retryAfterSeconds },
	);
}

/** What a call is paid from, as it stands in the transaction that holds its price. */
export interface OpenedPlan {
	readonly account: AccountRow;
	readonly key: KeyRow | undefined;
	readonly connection: ConnectionRow | undefined;
	readonly scope: AccessScope;
}

const EVERYTHING: AccessScope = { skills: [], graphs: [] };

/** Reads account and key again, so that one revoked, expired or erased since pays for nothing. Throws UNAUTHENTICATED. */
async function openPlan(
	reader: StoreReader,
	{ accountId, keyId, scope }: Pick<AccountAccess, "accountId" | "keyId" | "scope">,
	now: number,
): Promise<OpenedPlan> {
	const account = await reader.get("accounts", accountId);
	if (!account || account.closedAt !== undefined) throw unknownKey();
	if (account.frozenAt !== undefined) throw frozenAccount();
	if (keyId === undefined) {
		return { account, key: undefined, connection: undefined, scope: scope ?? EVERYTHING };
	}
	const key = await reader.get("keys", keyId);
	const connection = await reader.get("connections", keyId);
	const row = key ?? connection;
	if (!row || row.accountId !== accountId || !isUsable(row, now)) throw unknownKey();
	const { skills = [], graphs = [] } = row;
	return { account, key, connection, scope: { skills, graphs } };
}

/** Whether a key or connection token may pay at this instant, its limits aside. */
export function isUsable(
	{ status, expiresAt }: Pick<KeyRow, "status" | "expiresAt">,
	now: number,
): boolean {
	return status === "active" && (expiresAt === undefined || now < expiresAt);
}

function frozenAccount(): ServiceError {
	return new ServiceError(
		"SCOPE_FORBIDDEN",
		"The operator has frozen this account: it pays for nothing until that is lifted, and its balance stays. Ask the operator, or pay another way.",
	);
}

/** Alike for unknown, expired and revoked ones. */
function unknownKey(): ServiceError {
	return new ServiceError(
		"UNAUTHENTICATED",
		"The API key is not known here, has expired or was revoked.",
	);
}

/** Notes the day on which a key pays, once a day: reporting when it was last used needs no more. */
async function markUsed(
	tx: StoreTransaction,
	{ key, connection }: OpenedPlan,
	now: number,
): Promise<void> {
	const usedDay = toIsoDay(now);
	if (key && key.usedDay !== usedDay) await tx.put("keys", { ...key, usedDay });
	if (connection && connection.usedDay !== usedDay) {
		await tx.put("connections", { ...connection, usedDay });
	}
}
