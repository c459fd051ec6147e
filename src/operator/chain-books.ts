import type { OnchainParts } from "../../payments/onchain/onchain.js";
import {
	bookUnexplained,
	type Difference,
	type Movement,
	type Reconciliation,
	reconcile,
} from "../../payments/refunds/refunds.js";
import type { Store } from "../../store/store.js";
import { type Clock, formatUsd, type Ids, ServiceError, toIsoTime } from "../kernel/kernel.js";

export interface ReconcileRequest {
	/** Books what the chain shows and nobody booked to `suspense`. */
	readonly book?: boolean | undefined;
}

export interface MovementWire {
	readonly transaction: string;
	readonly direction: "in" | "out";
	readonly amount_usd: string;
	readonly at: string;
	/** The other address; for bookings what they refer to. */
	readonly counterparty: string;
	/** Where both sides know it and differ. */
	readonly ledger_usd?: string;
}

export interface ReconciliationWire {
	readonly status: "ok" | "differs";
	readonly network: string;
	readonly asset: string;
	readonly pay_to: string;
	readonly matched: { readonly count: number; readonly in_usd: string; readonly out_usd: string };
	readonly ledger_only: readonly MovementWire[];
	readonly chain_only: readonly MovementWire[];
	readonly differing: readonly MovementWire[];
	/** Unbooked yet, and a payment or refund whose outcome is open explains it. */
	readonly open: readonly MovementWire[];
	readonly booked: number;
	readonly chain_balance_usd: string;
	readonly ledger_balance_usd: string;
}

/** Told in blocks of the chain. */
export type OnReconciled = (progress: { readonly done: number; readonly total: number }) => void;

/** The ledger beside the chain. */
export interface ChainBooks {
	readonly isReadable: boolean;
	/** One at a time. Throws UNAVAILABLE when no chain can be read, RATE_LIMITED while another one runs. */
	reconcile(request: ReconcileRequest, onProgress?: OnReconciled): Promise<ReconciliationWire>;
}

export interface ChainBooksDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly onchain?: Pick<OnchainParts, "terms" | "chain"> | undefined;
}

export function createChainBooks(deps: ChainBooksDeps): ChainBooks {
	const { terms, chain } = deps.onchain ?? {};
	let isRunning = false;
	return {
		isReadable: terms !== undefined && chain !== undefined,
		async reconcile(request, onProgress) {
			if (!terms || !chain) {
				throw new ServiceError(
					"UNAVAILABLE",
					"There is no chain to hold the ledger against: no network with an RPC address is configured, or the server that runs the demo chain is not running.",
					{ retryable: false },
				);
			}
			if (isRunning) throw anotherRuns();
			isRunning = true;
			try {
				const found = await reconcile({ ...deps, chain, terms, onProgress });
				const booked = request.book ? await bookAll(deps, terms.network, found.chainOnly) : 0;
				return { ...toWire(found), ...namesOf(terms), booked };
			} finally {
				isRunning = false;
			}
		},
	};
}

async function bookAll(
	deps: ChainBooksDeps,
	network: string,
	movements: readonly Movement[],
): Promise<number> {
	let booked = 0;
	for (const movement of movements) {
		if (await bookUnexplained(deps, network, movement)) booked += 1;
	}
	return booked;
}

function anotherRuns(): ServiceError {
	return new ServiceError(
		"RATE_LIMITED",
		"The ledger is being held against the chain already; ask again when that has ended.",
		{ retryAfterSeconds: 60 },
	);
}

function namesOf({ network, asset, payTo }: OnchainParts["terms"]) {
	return { network, asset, pay_to: payTo };
}

function toWire(found: Reconciliation) {
	const { matched, ledgerOnly, chainOnly, differing, open } = found;
	const isSame = ledgerOnly.length + chainOnly.length + differing.length === 0;
	return {
		status: isSame ? ("ok" as const) : ("differs" as const),
		matched: {
			count: matched.count,
			in_usd: formatUsd(matched.inMicros),
			out_usd: formatUsd(matched.outMicros),
		},
		ledger_only: ledgerOnly.map(toMovement),
		chain_only: chainOnly.map(toMovement),
		differing: differing.map((one: Difference) => ({
			...toMovement(one),
			ledger_usd: formatUsd(one.ledgerMicros),
		})),
		open: open.map(toMovement),
		chain_balance_usd: formatUsd(found.chainBalanceMicros),
		ledger_balance_usd: formatUsd(found.ledgerBalanceMicros),
	};
}

function toMovement(movement: Movement): MovementWire {
	return {
		transaction: movement.transactionHash,
		direction: movement.direction,
		amount_usd: formatUsd(movement.amountMicros),
		at: toIsoTime(movement.at),
		counterparty: movement.counterparty,
	};
}
