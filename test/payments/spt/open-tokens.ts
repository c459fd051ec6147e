import { createLedger } from "../../../payments/ledger.js";
import { createRefunds } from "../../../payments/refunds/refund-ledger.js";
import { createDelegations } from "../../../payments/spt/delegations.js";
import { createSptAccounts } from "../../../payments/spt/spt-accounts.js";
import { createSptBalance } from "../../../payments/spt/spt-balance.js";
import { createSptIssuer } from "../../../payments/spt/spt-issuer.js";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import type { TokenRow } from "../../../store/rows/account-rows.js";
import type { LedgerTransaction } from "../../../store/store-port.js";
import { openOn, stillClock } from "../../store/open-test-store.js";

export const USD = 1_000_000n;
export const OWNER = "eip155:84532:0xabc";

/** What issues, holds, delegates and ends tokens, over a store in memory whose clock stands still. */
export async function openTokens({
	isForSale = true,
	environment = "test",
}: {
	readonly isForSale?: boolean;
	readonly environment?: "live" | "test";
} = {}) {
	const clock = stillClock();
	const store = await openOn(undefined, { clock });
	const ids = createIds({ clock, random: systemRandom });
	const ledger = createLedger({ clock, ids });
	const pepper = new Uint8Array(32);
	const keys = { store, ledger, clock, random: systemRandom, pepper, environment };
	const spts = createSptIssuer({ ...keys, ids });
	const sale = { isForSale: () => isForSale };
	const { issueFrom } = spts;
	const { request: requestRefund } = createRefunds({ store, clock, ids });
	const postings = async (): Promise<LedgerTransaction[]> => {
		const found: LedgerTransaction[] = [];
		for await (const committed of store.history()) found.push(...committed.postings);
		return found;
	};
	return {
		...{ clock, store, ids, ledger, pepper, spts, postings },
		method: createSptBalance({ ...keys, ...sale }),
		accounts: createSptAccounts({ ...keys, requestRefund }),
		delegations: createDelegations({ ...keys, ...sale, issueFrom }),
		balance: (account: string) => store.read((reader) => reader.balance(account)),
		row: (id: string) => store.read((reader) => reader.get("tokens", id)),
		change: (id: string, changes: Partial<TokenRow>) =>
			store.transaction(async (tx) => {
				const row = await tx.get("tokens", id);
				if (row) await tx.put("tokens", { ...row, ...changes });
			}),
	};
}

export type Tokens = Awaited<ReturnType<typeof openTokens>>;

/** Holds a price on a token, as a call does. */
export async function holdOn(
	{ store, method }: Tokens,
	secret: string,
	amountMicros: bigint,
	{
		graphIds = [],
		operationId = "graphs.search",
	}: { graphIds?: string[]; operationId?: string } = {},
) {
	const payer = await method.identify(store, { scheme: "spt", token: secret });
	const quote = { operationId, amountMicros, billingType: "per_call", resourceUrl: "" } as const;
	return store.transaction((tx) =>
		method.authorize(tx, payer, {
			quote: { ...quote, description: "" } as never,
			graphIds,
			idempotencyId: undefined,
		}),
	);
}
