import { LIMITS } from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import type { RefundRow, Store, StoreTransaction } from "../../store/store.js";
import type { EarlierTransfers, OnchainParts, SettleOutcome } from "../onchain/onchain.js";
import {
	addressOn,
	findTransfer,
	getRefund,
	markPaid,
	paidAlready,
	type RefundBookDeps,
} from "./refund-book.js";

export interface PayRequest {
	readonly id: string;
	/** Records a payment that was made by hand, with its transaction on the chain. */
	readonly transactionHash?: string | undefined;
	/** Sends a refund again whose earlier transfer the chain does not show. */
	readonly again?: boolean | undefined;
}

export interface RefundPayouts {
	/** Pays a refund, or records its payment; with an unknown outcome it stays `paying`. Throws NOT_FOUND, INVALID_ARGUMENT, UPSTREAM, UNAVAILABLE. */
	pay(request: PayRequest): Promise<RefundRow>;
	/** Asks the chain, where there is one, what became of transfers under way; returns how many turned out paid. */
	reconcile(): Promise<number>;
}

export interface RefundPayoutDeps extends RefundBookDeps {
	readonly onchain?: Pick<OnchainParts, "terms" | "chain" | "treasury"> | undefined;
}

const HASH = /^0x[0-9a-fA-F]{64}$/;

export function createRefundPayouts(deps: RefundPayoutDeps): RefundPayouts {
	const { store } = deps;
	return {
		async pay({ id, transactionHash, again = false }) {
			const row = await store.read((reader) => getRefund(reader, id));
			if (transactionHash !== undefined || row.destination === undefined) {
				return recordPaid(deps, row, transactionHash);
			}
			if (row.state === "paying") {
				if (!again) throw underWay(row);
				await assertGivenUp(deps, row);
			}
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

/** The row says `paying`, durably, before anything is sent, so that a crash never leads to a second transfer. */
async function sendTransfer(
	deps: RefundPayoutDeps,
	judged: RefundRow,
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
	const claimed = await store.transaction((tx) => claim(tx, judged, clock.now()));
	const attempt: Attempt = { judged, claimed, isSigned: false };
	const onBroadcast = async (transactionHash: string, nonce?: number) => {
		await change(store, claimed, (row) => ({
			transactionHash,
			nonce,
			earlierHashes: hashesOf(row),
		}));
		attempt.isSigned = true;
	};
	const options = { onBroadcast, earlier: earlierOf(claimed) };
	const outcome = await treasury
		.transfer(terms, to, claimed.amountMicros, options)
		.catch(async (error: unknown): Promise<SettleOutcome> => {
			if (attempt.isSigned) return { kind: "unknown", message: String(error) };
			await undo(store, attempt);
			throw error;
		});
	return conclude(deps, attempt, outcome);
}

interface Attempt {
	/** As it was when it was decided to send it. */
	readonly judged: RefundRow;
	readonly claimed: RefundRow;
	isSigned: boolean;
}

const PENDING = {
	state: "pending",
	transactionHash: undefined,
	nonce: undefined,
	earlierHashes: undefined,
} as const;

/** Nothing was signed, so nothing can have left but what an earlier attempt sent. */
function undo(store: Store, { judged, claimed }: Attempt): Promise<void> {
	const { state, payingSince } = judged;
	return change(store, claimed, () => (state === "paying" ? { payingSince } : PENDING));
}

function hashesOf({ transactionHash, earlierHashes = [] }: RefundRow): readonly string[] {
	return transactionHash === undefined ? earlierHashes : [...earlierHashes, transactionHash];
}

function earlierOf(row: RefundRow): EarlierTransfers | undefined {
	return row.nonce === undefined ? undefined : { hashes: hashesOf(row), nonce: row.nonce };
}

async function conclude(
	deps: RefundPayoutDeps,
	attempt: Attempt,
	outcome: SettleOutcome,
): Promise<RefundRow> {
	const { id } = attempt.judged;
	if (outcome.kind === "settled") {
		return markPaid(deps, id, { transactionHash: outcome.transactionHash.toLowerCase() });
	}
	if (outcome.kind === "unknown") return deps.store.read((reader) => getRefund(reader, id));
	if (attempt.isSigned) await change(deps.store, attempt.claimed, () => PENDING);
	else await undo(deps.store, attempt);
	throw new ServiceError(
		"UPSTREAM",
		`The refund ${id} was not paid and stays ${attempt.isSigned ? "pending" : attempt.judged.state}: ${outcome.message}`,
		{ retryable: false },
	);
}

/** Taken by one call alone: a transfer that is sent again must still be the one that was given up. */
async function claim(tx: StoreTransaction, judged: RefundRow, now: number): Promise<RefundRow> {
	const row = await tx.get("refunds", judged.id);
	const isGivenUp = judged.state === "paying" && row !== undefined && isSameAttempt(row, judged);
	if (row && (row.state === "pending" || isGivenUp)) {
		const claimed: RefundRow = { ...row, state: "paying", payingSince: now };
		await tx.put("refunds", claimed);
		return claimed;
	}
	throw row?.state === "paying" ? underWay(row) : paidAlready(judged.id);
}

function isSameAttempt(row: RefundRow, { payingSince, transactionHash }: RefundRow): boolean {
	return (
		row.state === "paying" &&
		row.payingSince === payingSince &&
		row.transactionHash === transactionHash
	);
}

function underWay({ id, transactionHash }: RefundRow): ServiceError {
	const hash = transactionHash ? ` (${transactionHash})` : "";
	return new ServiceError(
		"INVALID_ARGUMENT",
		`A transfer for ${id} is under way${hash}. "tollgraph ledger reconcile" asks the chain what became of it.`,
	);
}

/** Only after the chain was read and shows nothing that looks like it. */
async function assertGivenUp(deps: RefundPayoutDeps, row: RefundRow): Promise<void> {
	const openMs = deps.clock.now() - (row.payingSince ?? 0);
	if (openMs < LIMITS.refundTransferTtlMs) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`The transfer for ${row.id} was sent ${Math.round(openMs / 60_000)} minutes ago and may still be carried out; it can be given up after ${LIMITS.refundTransferTtlMs / 60_000} minutes.`,
		);
	}
	const found = await findTransfer(deps, row);
	if (!found) return;
	await markPaid(deps, row.id, { transactionHash: found });
	throw new ServiceError("INVALID_ARGUMENT", `The refund ${row.id} was paid by ${found}.`);
}

/** The row of this attempt, and of no later one. */
async function change(
	store: Store,
	{ id, payingSince }: RefundRow,
	toChanges: (row: RefundRow) => Partial<RefundRow>,
): Promise<void> {
	await store.transaction(async (tx) => {
		const row = await tx.get("refunds", id);
		if (row?.state !== "paying" || row.payingSince !== payingSince) return;
		await tx.put("refunds", { ...row, ...toChanges(row) });
	});
}
