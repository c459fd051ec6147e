import { LIMITS } from "../../src/contract/contract.js";
import {
	type Clock,
	type Ids,
	invalidArgument,
	notFound,
	ServiceError,
	unavailable,
} from "../../src/kernel/kernel.js";
import type { RefundRow, Store, StoreReader, StoreTransaction } from "../../store/store.js";
import type {
	ChainTransfer,
	EarlierTransfers,
	Hex,
	OnchainParts,
	SettleOutcome,
} from "../onchain/onchain.js";
import { REFUNDS_ACCOUNT, toEntries } from "../payments.js";

interface PayRequest {
	readonly id: string;
	/** Records a payment that was made by hand, with its transaction on the chain. */
	readonly transactionHash?: string | undefined;
	/** Sends a refund again whose earlier transfer the chain does not show. */
	readonly again?: boolean | undefined;
}

interface RefundPayoutDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Ledger account that refunds without a wallet are paid from. */
	readonly manualSource: string;
	readonly onchain?: Pick<OnchainParts, "terms" | "chain" | "treasury"> | undefined;
}

const HASH = /^0x[0-9a-fA-F]{64}$/;

export type RefundPayouts = ReturnType<typeof createRefundPayouts>;

export function createRefundPayouts(deps: RefundPayoutDeps) {
	const { store } = deps;
	return {
		/** Pays a refund, or records its payment; with an unknown outcome it stays `paying`. Throws NOT_FOUND, INVALID_ARGUMENT, UPSTREAM, UNAVAILABLE. */
		async pay({ id, transactionHash, again = false }: PayRequest): Promise<RefundRow> {
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
		/** Asks the chain, where there is one, what became of transfers under way; returns how many turned out paid. */
		async reconcile(): Promise<number> {
			if (!deps.onchain?.chain) return 0;
			const rows = await store.read((reader) => reader.list("refunds"));
			let paid = 0;
			for (const row of rows.filter(({ state }) => state === "paying")) {
				const found = await findTransfer(deps, row);
				if (!found) continue;
				await markPaid(deps, row.id, found);
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
		throw invalidArgument(
			`"${transactionHash.slice(0, 80)}" is no hash of a transaction: 0x and 64 hexadecimal digits.`,
		);
	}
	return markPaid(deps, id, transactionHash?.toLowerCase());
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
		throw unavailable(
			`No wallet to pay from is configured. Pay ${destination} yourself and record it with --tx <hash>.`,
			{ retryable: false },
		);
	}
	const to = addressOn(terms.network, destination);
	const claimed = await store.transaction((tx) => claim(tx, judged, clock.now()));
	const attempt: Attempt = { judged, claimed, isSigned: false };
	const onBroadcast = async (transactionHash: string, nonce?: number) => {
		const signed = { transactionHash, nonce };
		const isOurs = await change(store, claimed, (row) => ({
			...signed,
			earlierHashes: hashesOf(row),
		}));
		// It was given up meanwhile, and may have been sent by another: what is not written is not sent.
		if (!isOurs) throw unavailable(`The refund ${claimed.id} is under way elsewhere.`);
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
async function undo(store: Store, { judged, claimed }: Attempt): Promise<void> {
	const { state, payingSince } = judged;
	await change(store, claimed, () => (state === "paying" ? { payingSince } : PENDING));
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
		return markPaid(deps, id, outcome.transactionHash.toLowerCase());
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
	return invalidArgument(
		`A transfer for ${id} is under way${hash}. "tollgraph ledger reconcile" asks the chain what became of it.`,
	);
}

/** Only after the chain was read and shows nothing that looks like it. */
async function assertGivenUp(deps: RefundPayoutDeps, row: RefundRow): Promise<void> {
	const openMs = deps.clock.now() - (row.payingSince ?? 0);
	if (openMs < LIMITS.refundTransferTtlMs) {
		throw invalidArgument(
			`The transfer for ${row.id} was sent ${Math.round(openMs / 60_000)} minutes ago and may still be carried out; it can be given up after ${LIMITS.refundTransferTtlMs / 60_000} minutes.`,
		);
	}
	const found = await findTransfer(deps, row);
	if (!found) return;
	await markPaid(deps, row.id, found);
	throw invalidArgument(`The refund ${row.id} was paid by ${found}.`);
}

/** The row of this attempt, and of no later one; false where it is not there any more. */
function change(
	store: Store,
	{ id, payingSince }: RefundRow,
	toChanges: (row: RefundRow) => Partial<RefundRow>,
): Promise<boolean> {
	return store.transaction(async (tx) => {
		const row = await tx.get("refunds", id);
		if (row?.state !== "paying" || row.payingSince !== payingSince) return false;
		await tx.put("refunds", { ...row, ...toChanges(row) });
		return true;
	});
}

/** Money leaves `refunds`, once, and one transaction on the chain pays one refund. */
function markPaid(
	{ store, clock, ids, manualSource }: RefundPayoutDeps,
	id: string,
	transactionHash: string | undefined,
): Promise<RefundRow> {
	return store.transaction(async (tx) => {
		const row = await getRefund(tx, id);
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
			entries: toEntries(REFUNDS_ACCOUNT, cash, row.amountMicros),
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
	if (state === "paid") throw paidAlready(id);
	if (destination !== undefined && transactionHash === undefined) {
		throw invalidArgument(`Say by which transaction ${id} was paid: --tx.`);
	}
}

async function assertUnused(tx: StoreTransaction, transactionHash: string | undefined) {
	if (transactionHash === undefined) return;
	const rows = await tx.findBy("refunds", "transactionHash", transactionHash);
	const other = rows.find(({ state }) => state === "paid");
	if (!other) return;
	throw invalidArgument(`That transaction paid the refund ${other.id}.`);
}

function paidAlready(id: string): ServiceError {
	return invalidArgument(`The refund ${id} is paid already.`);
}

async function getRefund(reader: StoreReader, id: string): Promise<RefundRow> {
	const row = await reader.get("refunds", id);
	if (row) return row;
	throw notFound(`No refund is called "${id}".`);
}

/** Between our clock and the chain's. */
const CLOCK_SKEW_MS = 900_000;

/** Hash of the transfer on the chain that pays this refund, by its signed hashes, else by its content. Throws UNAVAILABLE without a chain. */
async function findTransfer(
	{ store, onchain }: RefundPayoutDeps,
	row: RefundRow,
): Promise<string | undefined> {
	const { terms, chain } = onchain ?? {};
	if (!terms || !chain) {
		throw unavailable("No chain is configured to ask what became of the transfer.", {
			retryable: false,
		});
	}
	const wanted = {
		row,
		to: addressOn(terms.network, row.destination ?? ""),
		sinceMs: (row.payingSince ?? row.createdAt) - CLOCK_SKEW_MS,
		used: await usedByOthers(store, row),
	};
	const ours = terms.payTo.toLowerCase();
	for await (const transfer of chain.transfers(terms, { sinceMs: wanted.sinceMs })) {
		if (transfer.from.toLowerCase() === ours && isIt(transfer, wanted)) {
			return transfer.transactionHash.toLowerCase();
		}
	}
	return undefined;
}

interface Wanted {
	readonly row: RefundRow;
	readonly to: Hex;
	readonly sinceMs: number;
	readonly used: ReadonlySet<string>;
}

function isIt(transfer: ChainTransfer, { row, to, sinceMs, used }: Wanted): boolean {
	const hash = transfer.transactionHash.toLowerCase();
	const signed = [row.transactionHash ?? [], row.earlierHashes ?? []].flat();
	if (signed.length > 0) return signed.some((one) => one.toLowerCase() === hash);
	const isSame = transfer.to.toLowerCase() === to && transfer.value === row.amountMicros;
	return isSame && transfer.at >= sinceMs && !used.has(hash);
}

async function usedByOthers(store: Store, { id }: RefundRow): Promise<ReadonlySet<string>> {
	const rows = await store.read((reader) => reader.list("refunds"));
	return new Set(
		rows.flatMap((row) => (row.id === id ? [] : (row.transactionHash?.toLowerCase() ?? []))),
	);
}

/** CAIP-2 of a CAIP-10 account. */
function networkOf(destination: string | undefined): string | undefined {
	return destination?.split(":").slice(0, 2).join(":");
}

/** The address of a CAIP-10 account on our network. */
function addressOn(network: string, destination: string): Hex {
	const address = destination.split(":")[2] ?? "";
	if (networkOf(destination) === network && /^0x[0-9a-fA-F]{40}$/.test(address)) {
		return address.toLowerCase() as Hex;
	}
	throw invalidArgument(
		`${destination} is not on ${network}. Pay it yourself and record it with --tx <hash>.`,
	);
}
