import { isWallet, LIMITS } from "../../src/contract/contract.js";
import {
	type Clock,
	formatUsd,
	type Ids,
	invalidArgument,
	type Micros,
	notFound,
} from "../../src/kernel/kernel.js";
import type {
	LedgerEntry,
	ReceiptRow,
	RefundRow,
	Store,
	StoreReader,
	StoreTransaction,
} from "../../store/store.js";
import {
	custAccount,
	isPayout,
	owedAccount,
	owedOf,
	ownerOf,
	PAYOUT_REF,
	REFUNDS_ACCOUNT,
	type RefundTerms,
	shareEntries,
	toEntries,
} from "../payments.js";
import { getToken, isSpendable } from "../spt/spt.js";

interface RefundRequest {
	readonly reason: string;
	/** All that is left of the receipt, or on the token, by default. */
	readonly amountMicros?: Micros | undefined;
}
type ReceiptRefund = RefundRequest & {
	readonly receiptId: string;
	/** Its own by default. */
	readonly id?: string | undefined;
};
type TokenRefund = RefundRequest & { readonly tokenId: string };
interface OwnerPayout {
	readonly owner: string;
	/** All that is owed by default. */
	readonly amountMicros?: Micros | undefined;
	/** CAIP-10 account on our chain; without one it is paid by hand. */
	readonly destination?: string | undefined;
}

export type Refunds = ReturnType<typeof createRefunds>;

export function createRefunds(deps: { store: Store; clock: Clock; ids: Ids }) {
	const { store, clock, ids } = deps;
	const write: Write = async (
		tx,
		{ from, ...terms },
		{ to, state, id = ids.next("rfd"), shares = [] },
	) => {
		assertReason(terms.reason);
		const now = clock.now();
		const row: RefundRow = {
			...terms,
			id,
			state,
			createdAt: now,
			...(state === "paid" && { paidAt: now }),
		};
		await tx.post({
			id: ids.next("txn"),
			key: `refund:${row.id}`,
			kind: "refund",
			at: now,
			entries: [...toEntries(from, to, row.amountMicros), ...shares],
			ref: row.ref,
		});
		await tx.put("refunds", row);
		return row;
	};

	const to = REFUNDS_ACCOUNT;
	return {
		/** Moves an amount that the caller has checked to `refunds`, pending; small sums of one token are added to one refund. */
		request: async (tx: StoreTransaction, terms: RefundTerms): Promise<RefundRow> =>
			(await raiseSmallRefund(tx, terms, { clock, ids })) ??
			write(tx, terms, { to, state: "pending" }),
		/** Refunds what a token has left, pending. Throws NOT_FOUND, INVALID_ARGUMENT for a delegated token or an unavailable amount. */
		refundToken: (input: TokenRefund): Promise<RefundRow> =>
			store.transaction(async (tx) =>
				write(tx, await toTokenTerms(tx, input), { to, state: "pending" }),
			),
		/** Refunds at most what a receipt charged: to the payer's balance at once, or to its wallet, pending. Throws NOT_FOUND, INVALID_ARGUMENT. */
		async refundReceipt(input: ReceiptRefund): Promise<RefundRow> {
			// A receipt never changes: the transaction need not wait for the disk to find it.
			const receipt = await store.read((reader) => reader.get("receipts", input.receiptId));
			if (!receipt) {
				throw notFound(`No receipt is called "${input.receiptId}".`);
			}
			assertRefundable(receipt);
			return store.transaction((tx) => refundReceipt(tx, receipt, { input, write, clock }));
		},
		/** The same of a receipt that was read, within a transaction that does more. */
		refundWithin(
			tx: StoreTransaction,
			receipt: ReceiptRow,
			{ id, reason }: Pick<ReceiptRefund, "id" | "reason">,
		): Promise<RefundRow> {
			assertRefundable(receipt);
			const input = { id, reason, receiptId: receipt.id };
			return refundReceipt(tx, receipt, { input, write, clock });
		},
		/** Every refund and payout to an owner, oldest first. */
		list: () => store.read((reader) => reader.list("refunds")),
		/** Sets aside what an owner of revenue is owed, or part of it, to be paid as a refund is. Throws INVALID_ARGUMENT. */
		payOwner: (input: OwnerPayout): Promise<RefundRow> =>
			store.transaction(async (tx) =>
				write(tx, await toOwnerTerms(tx, input), { to, state: "pending" }),
			),
		listOwed: () => store.read(listOwed),
	};
}

type Write = (
	tx: StoreTransaction,
	terms: RefundTerms,
	where: {
		readonly to: string;
		readonly state: RefundRow["state"];
		readonly id?: string | undefined;
		/** What owners of the revenue refund of it. */
		readonly shares?: readonly LedgerEntry[];
	},
) => Promise<RefundRow>;

/** Reads what went back before in the transaction that gives more back, so that two at once never exceed the capture. */
async function refundReceipt(
	tx: StoreTransaction,
	receipt: ReceiptRow,
	{ input, write, clock }: { input: ReceiptRefund; write: Write; clock: Clock },
): Promise<RefundRow> {
	const left = receipt.amountMicros - (await refundedOf(tx, receipt.id));
	if (left === 0n) {
		throw invalidArgument(`${receipt.id} has been refunded in full.`);
	}
	const amountMicros = input.amountMicros ?? left;
	const why = `: it charged ${formatUsd(receipt.amountMicros)} USD`;
	assertAtMost(left, amountMicros, { id: receipt.id, why });
	if (amountMicros === left) await endReplays(tx, receipt);
	const from = `rev:${receipt.billingType}`;
	const { id: ref, owner } = receipt;
	const terms = { ref, owner, from, amountMicros, reason: input.reason };
	const target = await targetOf(tx, owner, clock.now());
	const shares = shareEntries(
		owedOf(left, receipt.owners),
		owedOf(left - amountMicros, receipt.owners),
	);
	if (target.kind === "balance") {
		return write(tx, terms, { to: custAccount(target.owner), state: "paid", id: input.id, shares });
	}
	const pending = { to: REFUNDS_ACCOUNT, state: "pending", id: input.id, shares } as const;
	return write(tx, { ...terms, ...(target.wallet && { destination: target.wallet }) }, pending);
}

/** What was refunded whole is not had again for nothing: neither its retry key nor its payment buys it from now on. */
async function endReplays(
	tx: StoreTransaction,
	{ id, idempotencyId, settlement }: ReceiptRow,
): Promise<void> {
	const attempt = idempotencyId && (await tx.get("idempotency", idempotencyId));
	if (attempt && attempt.receiptId === id) await tx.delete("idempotency", attempt.id);
	await tx.delete("undelivered", id);
	const payment = settlement && (await tx.get("payments", settlement.paymentId));
	if (payment?.state === "captured")
		await tx.put("payments", { ...payment, isDelivered: true, idempotencyId: undefined });
}

async function toTokenTerms(
	reader: StoreReader,
	{ tokenId, reason, amountMicros: wanted }: TokenRefund,
): Promise<RefundTerms> {
	const { id, parentId, owner } = await getToken(reader, tokenId);
	if (parentId !== undefined) {
		throw invalidArgument(
			`${id} was delegated: revoke it, and what it has left goes to ${parentId}.`,
		);
	}
	const from = custAccount(id);
	const left = await reader.balance(from);
	if (left === 0n) {
		throw invalidArgument(
			`${id} has no balance to refund; revoke it to bring back what was delegated from it.`,
		);
	}
	const amountMicros = wanted ?? left;
	assertAtMost(left, amountMicros, { id, why: ", which it has left" });
	return { ref: id, owner: id, from, amountMicros, reason, ...(owner && { destination: owner }) };
}

async function toOwnerTerms(
	reader: StoreReader,
	{ owner, amountMicros: wanted, destination }: OwnerPayout,
): Promise<RefundTerms> {
	if (destination !== undefined && !/^eip155:\d+:0x[0-9a-fA-F]{40}$/.test(destination)) {
		throw invalidArgument(
			`"${destination.slice(0, 100)}" is no account on a chain; write it like "eip155:8453:0x…", or leave it out and pay by hand.`,
		);
	}
	const from = owedAccount(owner);
	const owed = await reader.balance(from);
	if (owed <= 0n) {
		throw invalidArgument(
			`Nothing is owed to "${owner.slice(0, 80)}"; "tollgraph ledger payouts" lists what is owed to whom.`,
		);
	}
	const amountMicros = wanted ?? owed;
	if (amountMicros <= 0n || amountMicros > owed) {
		throw invalidArgument(
			`A payout to "${owner}" must be above zero and at most the ${formatUsd(owed)} USD that are owed.`,
		);
	}
	const reason = "share of revenue";
	return { ref: `${PAYOUT_REF}${owner}`, owner, from, amountMicros, reason, destination };
}

/** What each owner is owed, was paid, and is to be paid. */
async function listOwed(reader: StoreReader) {
	const payouts = (await reader.list("refunds")).filter(isPayout);
	const owed = new Map<string, Micros>();
	for (const [account, micros] of await reader.balances()) {
		const owner = ownerOf(account);
		if (owner !== undefined) owed.set(owner, micros);
	}
	const sum = (owner: string, isPaid: boolean) =>
		payouts
			.filter((row) => row.owner === owner && (row.state === "paid") === isPaid)
			.reduce((total, { amountMicros }) => total + amountMicros, 0n);
	const owners = [...owed].sort(([a], [b]) => (a < b ? -1 : 1));
	return {
		owners: owners.map(([owner, owedMicros]) => ({
			owner,
			owedMicros,
			pendingMicros: sum(owner, false),
			paidMicros: sum(owner, true),
		})),
		payouts,
	};
}

function assertAtMost(left: Micros, amount: Micros, { id, why }: { id: string; why: string }) {
	if (amount > 0n && amount <= left) return;
	throw invalidArgument(
		`A refund of ${id} must be above zero and at most ${formatUsd(left)} USD${why}.`,
	);
}

export async function refundedOf(reader: StoreReader, receiptId: string): Promise<Micros> {
	let sum = 0n;
	for (const row of await reader.findBy("refunds", "ref", receiptId)) sum += row.amountMicros;
	return sum;
}

type Target =
	| { readonly kind: "balance"; readonly owner: string }
	/** It could not be spent here: to the wallet behind it, or by other means. */
	| { readonly kind: "payout"; readonly wallet: string | undefined };

/** A token that may not spend any more passes a refund on to the one it was delegated from, the first to its wallet. */
async function targetOf(reader: StoreReader, owner: string, now: number): Promise<Target> {
	if (isWallet(owner)) return { kind: "payout", wallet: owner };
	if (await reader.get("accounts", owner)) return { kind: "balance", owner };
	const token = await reader.get("tokens", owner);
	if (!token) return { kind: "payout", wallet: undefined };
	if (await isSpendable(reader, token, now)) return { kind: "balance", owner };
	if (token.parentId !== undefined) return targetOf(reader, token.parentId, now);
	return { kind: "payout", wallet: token.owner };
}

export function assertRefundable({ id, amountMicros, billingType }: ReceiptRow): void {
	if (billingType === "prepaid") {
		throw invalidArgument(
			`${id} bought balance of a token. Refund what the token (tok_…) has left, not the receipt.`,
		);
	}
	if (amountMicros > 0n) return;
	throw invalidArgument(`${id} charged nothing, so nothing can go back.`);
}

const REASON_CHARS = 500;

function assertReason(reason: string): void {
	if (reason.trim() !== "" && reason.length <= REASON_CHARS) return;
	throw invalidArgument(`A refund needs a reason of at most ${REASON_CHARS} characters.`);
}

/** Adds a small sum to a pending small refund of the same token, if there is one, so that splitting a balance does not multiply rows. */
async function raiseSmallRefund(
	tx: StoreTransaction,
	{ ref, destination, from, amountMicros }: RefundTerms,
	{ clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): Promise<RefundRow | undefined> {
	if (!isSmall(amountMicros)) return undefined;
	const rows = await tx.findBy("refunds", "ref", ref);
	const row = rows.find(
		(one) =>
			one.state === "pending" && one.destination === destination && isSmall(one.amountMicros),
	);
	if (!row) return undefined;
	await tx.post({
		id: ids.next("txn"),
		kind: "refund",
		at: clock.now(),
		entries: toEntries(from, REFUNDS_ACCOUNT, amountMicros),
		ref,
	});
	const raised = { ...row, amountMicros: row.amountMicros + amountMicros };
	await tx.put("refunds", raised);
	return raised;
}

function isSmall(amountMicros: Micros): boolean {
	return amountMicros < LIMITS.sptMinMicros;
}
