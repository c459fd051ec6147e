import { createLedger } from "../../../payments/ledger.js";
import type { Quote } from "../../../payments/payments.js";
import { createPlanBalance } from "../../../payments/plan/plan-balance.js";
import type { AccountAccess, Caller } from "../../../src/contract/call.js";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import type { AccountRow, ConnectionRow, KeyRow } from "../../../store/rows/account-rows.js";
import { openOn, START_MS, stillClock } from "../../store/open-test-store.js";

export const USD = 1_000_000n;
/** What the free plan pays for at most. */
export const FREE = 500_000n;

const ACCOUNT: AccountRow = {
	...{ id: "acc_a", label: "", plan: "free", hasPaymentMethod: false, createdAt: START_MS },
};
const KEY: KeyRow = {
	...{ id: "key_a", hash: "h", accountId: "acc_a", label: "", status: "active" },
	createdAt: START_MS,
};

/** An account with one key and no money, over a store in memory whose clock stands still. */
export async function openPlan(changes: Partial<AccountRow> = {}, key: Partial<KeyRow> = {}) {
	const clock = stillClock();
	const store = await openOn(undefined, { clock });
	const ledger = createLedger({ clock, ids: createIds({ clock, random: systemRandom }) });
	let access: AccountAccess | undefined = {
		...{ accountId: "acc_a", keyId: "key_a", isManager: true, keepsNoText: false },
	};
	const asked: unknown[] = [];
	const method = createPlanBalance({
		...{ ledger, clock },
		findAccess: async (credential, options) => {
			asked.push([credential, options]);
			return access;
		},
	});
	await store.transaction(async (tx) => {
		await tx.put("accounts", { ...ACCOUNT, ...changes });
		await tx.put("keys", { ...KEY, ...key });
	});
	const payerOf = (of: AccountAccess | undefined = access): Caller => ({
		...{ owner: "acc_a", rail: "plan", access: of },
	});
	const quoteOf = (amountMicros: bigint, quote: Partial<Quote> = {}): Quote => ({
		...{ operationId: "graphs.search", amountMicros, billingType: "per_call" },
		...{ resourceUrl: "", description: "", ...quote },
	});
	const hold = (
		amountMicros: bigint,
		{
			payer = payerOf(),
			graphIds = [],
			...quote
		}: Partial<Quote> & { payer?: Caller; graphIds?: string[] } = {},
	) =>
		store.transaction((tx) =>
			method.authorize(tx, payer, {
				...{ quote: quoteOf(amountMicros, quote), graphIds, idempotencyId: undefined },
			}),
		);
	let credits = 0;
	const fund = (amountMicros: bigint) =>
		store.transaction((tx) =>
			ledger.credit(tx, {
				...{ owner: "acc_a", source: "cash:manual", amountMicros, key: `c${credits++}` },
			}),
		);
	const use = (id: string, used: number) =>
		store.transaction((tx) => tx.put("quotas", { id, used, expiresAt: 4e12 }));
	return {
		...{ clock, store, method, hold, fund, use, asked, payerOf, quoteOf },
		setAccess(of: AccountAccess | undefined) {
			access = of;
		},
		balance: (account: string) => store.read((reader) => reader.balance(account)),
		usedOf: async (id: string) => (await store.read((reader) => reader.get("quotas", id)))?.used,
		changeKey: (of: Partial<KeyRow>) =>
			store.transaction((tx) => tx.put("keys", { ...KEY, ...key, ...of })),
		changeAccount: (of: Partial<AccountRow>) =>
			store.transaction((tx) => tx.put("accounts", { ...ACCOUNT, ...changes, ...of })),
		putConnection: (of: Partial<ConnectionRow> = {}) =>
			store.transaction((tx) =>
				tx.put("connections", {
					...{ id: "con_a", hash: "c", accountId: "acc_a", status: "active" },
					...{ createdAt: START_MS, ...of },
				}),
			),
	};
}
