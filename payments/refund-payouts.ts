import type { Clock } from "../src/core/clock.js";
import { ServiceError } from "../src/core/errors.js";
import type { Ids } from "../src/core/ids.js";
import { LIMITS } from "../src/core/limits.js";
import type { RefundRow, Store, StoreReader, StoreTransaction } from "../store/store.js";
import { addressOn, findTransfer, networkOf } from "./refund-transfer.js";
import { REFUNDS_ACCOUNT } from "./refunds.js";
import type { SettleOutcome } from "./x402/facilitator.js";
import type { OnchainParts } from "./x402/onchain-parts.js";

export interface PayRequest {
	readonly id: string;
	/** Records a payment that was made by hand, with its transaction on the chain. */
	readonly transactionHash?: string | undefined;
	/** Sends a refund again whose earlier transfer the chain does not show. */
	readonly again?: boolean | undefined;
}

export interface RefundPayouts {
	/**
	 * Pays a refund from our own wallet, or records that it was paid. A transfer whose outcome is not known leaves it
	 * `paying`: it is not sent again before the chain was asked. Throws NOT_FOUND, INVALID_ARGUMENT, UPSTREAM, UNAVAILABLE.
	 */
	pay(request: PayRequest): Promise<RefundRow>;
	/** Asks the chain, where there is one, what became of transfers under way; returns how many turned out paid. */
	reconcile(): Promise<number>;
}

export interface RefundPayoutDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Ledger account that refunds without a wallet are paid from. */
	readonly manualSource: string;
	readonly onchain?: Pick<OnchainParts, "terms" | "chain" | "treasury"> | undefined;
}

const HASH = /^0x[0-9a-fA-F]{64}$/;

export function createRefundPayouts(deps: RefundPayoutDeps): RefundPayouts {
	const { store } = deps;
	return {
		async pay({ id, transactionHash, again = false }) {
			const row = await store.read((reader) => getRow(reader, id));
			if (transactionHash !== undefined || row.destination === undefined) {
				return recordPaid(deps, row, transactionHash);
			}
			if (again) await giveUpTransfer(deps, row);
			return sendTransfer(deps, row, row.destination);
		},
		async reconcile() {
			if (!deps.onchain?.chain) return 0;
			const rows = await store.read((reader) => reader.list("refunds"));
			let paid = 0;
			for (const row of rows.filter(({ state }) => state === "paying")) {
				const found = await findTransfer(deps, row);
				if (!found) continue;
				await markPaid(deps, row.id, { transactionHash: found });
				paid += 1;
			}
			return paid;
		},
	};
}

function recordPaid(
	deps: RefundPayoutDeps,
	{ id }: RefundRow,
	transactionHash: string | undefined,
): Promise<RefundRow> {
	if (transactionHash !== undefined && !HASH.test(transactionHash)) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`"${transactionHash.slice(0, 80)}" is no hash of a transaction: 0x and 64 hexadecimal digits.`,
		);
	}
	return markPaid(deps, id, { transactionHash: transactionHash?.toLowerCase() });
}

/** The row says `paying`, durably, before anything leaves: after a crash nobody sends it twice. */
async function sendTransfer(
	deps: RefundPayoutDeps,
	{ id, amountMicros }: RefundRow,
	destination: string,
): Promise<RefundRow> {
	const { store, clock, onchain } = deps;
	const { terms, treasury } = onchain ?? {};
	if (!terms || !treasury) {
		throw new ServiceError(
			"UNAVAILABLE",
			`No wallet to pay from is configured. Pay ${destination} yourself and record it with --tx <hash>.`,
			{ retryable: false },
		);
	}
	const to = addressOn(terms.network, destination);
	await store.transaction((tx) => claim(tx, id, clock.now()));
	let isSigned = false;
	const onBroadcast = async (transactionHash: string) => {
		isSigned = true;
		await change(store, id, { transactionHash });
	};
	const outcome = await treasury
		.transfer(terms, to, amountMicros, { onBroadcast })
		.catch(async (error: unknown): Promise<SettleOutcome> => {
			if (isSigned) return { kind: "unknown", message: String(error) };
			// Nothing was signed, so nothing can have left.
			await change(store, id, PENDING);
			throw error;
		});
	return conclude(deps, id, outcome);
}

const PENDING = { state: "pending", transactionHash: undefined } as const;

async function conclude(
	deps: RefundPayoutDeps,
	id: string,
	outcome: SettleOutcome,
): Promise<RefundRow> {
	if (outcome.kind === "settled") {
		return markPaid(deps, id, { transactionHash: outcome.transactionHash.toLowerCase() });
	}
	if (outcome.kind === "unknown") return deps.store.read((reader) => getRow(reader, id));
	await change(deps.store, id, PENDING);
	throw new ServiceError(
		"UPSTREAM",
		`The refund ${id} was not paid and stays pending: ${outcome.message}`,
		{ retryable: false },
	);
}

async function claim(tx: StoreTransaction, id: string, now: number): Promise<void> {
	const row = await tx.get("refunds", id);
	if (row?.state === "pending") {
		await tx.put("refunds", { ...row, state: "paying", payingSince: now });
		return;
	}
	throw new ServiceError(
		"INVALID_ARGUMENT",
		row?.state === "paying"
			? `A transfer for ${id} is under way${row.transactionHash ? ` (${row.transactionHash})` : ""}. "tollgraph ledger reconcile" asks the chain what became of it.`
			: `The refund ${id} is paid already.`,
	);
}

/** Money leaves `refunds`, once, and one transaction on the chain pays one refund. */
function markPaid(
	{ store, clock, ids, manualSource }: RefundPayoutDeps,
	id: string,
	{ transactionHash }: { transactionHash: string | undefined },
): Promise<RefundRow> {
	return store.transaction(async (tx) => {
		const row = await getRow(tx, id);
		// The reconciler may have been faster.
		if (isPaidBy(row, transactionHash)) return row;
		assertPayable(row, transactionHash);
		await assertUnused(tx, transactionHash);
		const network = networkOf(row.destination);
		const cash = network === undefined ? manualSource : `cash:x402:${network}`;
		const now = clock.now();
		await tx.post({
			id: ids.next("txn"),
			key: transactionHash ? `payout:${network ?? "manual"}:${transactionHash}` : `payout:${id}`,
			kind: "payout",
			at: now,
			entries: [
				{ account: REFUNDS_ACCOUNT, amountMicros: -row.amountMicros },
				{ account: cash, amountMicros: row.amountMicros },
			],
			ref: id,
		});
		const paid: RefundRow = { ...row, state: "paid", transactionHash, paidAt: now };
		await tx.put("refunds", paid);
		return paid;
	});
}

function isPaidBy(row: RefundRow, transactionHash: string | undefined): boolean {
	return (
		row.state === "paid" && transactionHash !== undefined && row.transactionHash === transactionHash
	);
}

function assertPayable(
	{ id, state, destination }: RefundRow,
	transactionHash: string | undefined,
): void {
	if (state === "paid") {
		throw new ServiceError("INVALID_ARGUMENT", `The refund ${id} is paid already.`);
	}
	if (destination !== undefined && transactionHash === undefined) {
		throw new ServiceError("INVALID_ARGUMENT", `Say by which transaction ${id} was paid: --tx.`);
	}
}

async function assertUnused(tx: StoreTransaction, transactionHash: string | undefined) {
	if (transactionHash === undefined) return;
	const other = (await tx.list("refunds")).find(
		(row) => row.state === "paid" && row.transactionHash === transactionHash,
	);
	if (!other) return;
	throw new ServiceError("INVALID_ARGUMENT", `That transaction paid the refund ${other.id}.`);
}

/** Only after the chain was read and shows nothing that looks like it. */
async function giveUpTransfer(deps: RefundPayoutDeps, row: RefundRow): Promise<void> {
	if (row.state !== "paying") return;
	const openMs = deps.clock.now() - (row.payingSince ?? 0);
	if (openMs < LIMITS.refundTransferTtlMs) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`The transfer for ${row.id} was sent ${Math.round(openMs / 60_000)} minutes ago and may still be carried out; it can be given up after ${LIMITS.refundTransferTtlMs / 60_000} minutes.`,
		);
	}
	const found = await findTransfer(deps, row);
	if (found) {
		await markPaid(deps, row.id, { transactionHash: found });
		throw new ServiceError("INVALID_ARGUMENT", `The refund ${row.id} was paid by ${found}.`);
	}
	await change(deps.store, row.id, PENDING);
}

async function change(
	store: RefundPayoutDeps["store"],
	id: string,
	changes: Partial<RefundRow>,
): Promise<void> {
	await store.transaction(async (tx) => {
		const row = await tx.get("refunds", id);
		if (row?.state === "paying") await tx.put("refunds", { ...row, ...changes });
	});
}

async function getRow(reader: StoreReader, id: string): Promise<RefundRow> {
	const row = await reader.get("refunds", id);
	if (row) return row;
	throw new ServiceError("NOT_FOUND", `No refund is called "${id}".`);
}
