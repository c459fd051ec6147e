import { createLedger, custAccount } from "../../../payments/ledger.js";
import { createRefunds } from "../../../payments/refunds/refund-ledger.js";
import { createDelegations } from "../../../payments/spt/delegations.js";
import {
	createSptAccounts,
	recoverTokens,
	type SptAccounts,
} from "../../../payments/spt/spt-accounts.js";
import { createSptBalance } from "../../../payments/spt/spt-balance.js";
import { createSptIssuer, type SptTerms } from "../../../payments/spt/spt-issuer.js";
import type { PresentedToken } from "../../../payments/spt/token.js";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import type { HoldRow } from "../../../store/rows/call-rows.js";
import type { Store } from "../../../store/store-port.js";
import { openOn, START_MS, stillClock } from "../../store/open-test-store.js";
import { withRepeatedWork } from "../../support/repeated-work.js";

export const USD = 1_000_000n;
const HOUR_MS = 3_600_000;

export interface Holder extends PresentedToken {
	readonly parent: Holder | undefined;
	secret: string;
}

interface Limits {
	readonly maxPerDayMicros?: bigint;
	readonly maxPerCallMicros?: bigint;
	readonly days?: number;
}

/** Tokens over a store on a disk in memory, without transports and without a chain. */
export interface SptBooks {
	readonly store: Store;
	readonly clock: { advance(ms: number): void };
	readonly accounts: SptAccounts;
	/** A bought token, and every one delegated from it. */
	readonly first: Holder;
	readonly holders: readonly Holder[];
	/** Buys a token of 1 USD for the same wallet, which takes along what its earlier ones have left. */
	recover(
		terms: Pick<SptTerms, "origin"> & { readonly days?: number | undefined },
	): Promise<bigint>;
	/** What the wallet paid so far. */
	paidMicros(): bigint;
	delegate(parent: Holder, amountMicros: bigint, limits?: Limits): Promise<Holder>;
	revokeChild(child: Holder): Promise<void>;
	rotate(holder: Holder): Promise<void>;
	hold(holder: Holder, amountMicros: bigint): Promise<HoldRow>;
	end(hold: HoldRow, isCaptured: boolean): Promise<void>;
	balanceOf(holder: Holder): Promise<bigint>;
}

export async function openSptBooks(amountMicros: bigint): Promise<SptBooks> {
	let nowMs = START_MS;
	const clock = { ...stillClock(), now: () => nowMs };
	const store = withRepeatedWork(await openOn(undefined, { clock }));
	const [ids, pepper] = [createIds({ clock, random: systemRandom }), new Uint8Array(32)];
	const ledger = createLedger({ clock, ids });
	const keys = { store, ledger, clock, random: systemRandom, pepper, environment: "test" as const };
	const spts = createSptIssuer({ ...keys, ids });
	const method = createSptBalance(keys);
	const { request: requestRefund } = createRefunds({ store, clock, ids });
	const accounts = createSptAccounts({ ...keys, requestRefund });
	const { issueFrom } = spts;
	const delegations = createDelegations({ ...keys, issueFrom, isForSale: () => true });
	const owner = "eip155:84532:0xabc";
	const endOf = (days: number | undefined) =>
		days === undefined ? {} : { expiresAt: nowMs + days * 24 * HOUR_MS };
	const issued = await store.transaction((tx) =>
		issueFrom(tx, "cash:x402:eip155:84532", { amountMicros, owner }),
	);
	const first: Holder = { tokenId: issued.id, secret: issued.token, parent: undefined };
	const holders = [first];
	let paidMicros = amountMicros;
	return {
		store,
		accounts,
		first,
		holders,
		clock: {
			advance(ms) {
				nowMs += ms;
			},
		},
		paidMicros: () => paidMicros,
		async recover({ days, ...terms }) {
			const { bought, recovered } = await store.transaction(async (tx) => {
				const order = { ...terms, ...endOf(days), amountMicros: USD, owner };
				const bought = await issueFrom(tx, "cash:x402:eip155:84532", order);
				const of = { owner, intoId: bought.id };
				return { bought, recovered: await recoverTokens(tx, of, { ledger, now: nowMs }) };
			});
			paidMicros += USD;
			holders.push({ tokenId: bought.id, secret: bought.token, parent: undefined });
			return recovered;
		},
		async delegate(parent, amountMicros, { days, ...limits } = {}) {
			const terms = { ...limits, ...endOf(days), amountMicros };
			const made = await delegations.create(parent, terms);
			const child: Holder = { tokenId: made.id, secret: made.token, parent };
			holders.push(child);
			return child;
		},
		async revokeChild({ tokenId, parent }) {
			if (parent) await delegations.revoke(parent, tokenId);
		},
		async rotate(holder) {
			holder.secret = (await accounts.rotate(holder)).token;
		},
		async hold({ secret }, amountMicros) {
			const credential = { scheme: "spt" as const, token: secret };
			const payer = await method.identify(store, credential);
			return store.transaction((tx) =>
				method.authorize(tx, payer, {
					quote: {
						operationId: "graphs.search",
						amountMicros,
						billingType: "per_call",
						resourceUrl: "",
						description: "",
					},
					graphIds: [],
					idempotencyId: undefined,
				}),
			);
		},
		async end(hold, isCaptured) {
			if (isCaptured) await store.transaction((tx) => method.capture(tx, hold));
			else await store.transaction((tx) => method.release(tx, hold, "no_answer"));
		},
		balanceOf: ({ tokenId }) => store.read((reader) => reader.balance(custAccount(tokenId))),
	};
}
