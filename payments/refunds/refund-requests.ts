import { isWallet, LIMITS } from "../../src/contract/contract.js";
import {
	type Clock,
	type Ids,
	invalidArgument,
	notFound,
	ServiceError,
} from "../../src/kernel/kernel.js";
import type {
	ReceiptRow,
	RefundRequestRow,
	RefundRow,
	Store,
	StoreTransaction,
} from "../../store/store.js";
import { assertRefundable, type Refunds, refundedOf } from "./refund-ledger.js";

/** What payers ask back: at once for an answer that this server knows it did not hand over, else by the operator's decision. */
export type RefundRequests = ReturnType<typeof createRefundRequests>;

export interface RefundServices {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly refunds: Refunds;
}

/** A request, a refund, or both under one id. */
export interface RefundState {
	readonly id: string;
	readonly request?: RefundRequestRow | undefined;
	readonly refund?: RefundRow | undefined;
}

interface Asker {
	readonly owner: string;
	readonly keepsNoText?: boolean | undefined;
}

interface RefundAsked {
	readonly receipt: ReceiptRow;
	readonly reason: string;
	/** Whether the answer was one piece: of a stream its payer has had a part, and a job's report waits to be read. */
	readonly isWhole: boolean;
}

const DAY_MS = 86_400_000;
/** By then every connection that an answer was written to has closed. */
const DELIVERY_MS = LIMITS.requestTimeoutMs + LIMITS.replyTakenMs;

export function createRefundRequests(deps: RefundServices) {
	const { store, clock } = deps;
	const receiptOf = async (id: string): Promise<ReceiptRow> => {
		const receipt = await store.read((reader) => reader.get("receipts", id));
		if (receipt) return receipt;
		throw unknownReceipt(id);
	};
	return {
		/**
		 * Asked again, it is the same request. Throws NOT_FOUND for a receipt that is not the asker's, a wallet's being anyone's
		 * who knows its id: its money goes to that wallet alone; INVALID_ARGUMENT where nothing can go back, RATE_LIMITED for one
		 * who waits for many decisions already.
		 */
		async ask(asker: Asker, asked: RefundAsked) {
			const { receipt } = asked;
			assertRefundable(receipt);
			if (clock.now() - receipt.at > LIMITS.refundAskDays * DAY_MS) {
				throw invalidArgument(
					`${receipt.id} is older than ${LIMITS.refundAskDays} days; write to the operator.`,
				);
			}
			return store.transaction(async (tx) => {
				const [before] = await tx.findBy("refund_requests", "receiptId", receipt.id);
				if (before) return withRefund(tx, before);
				return open(deps, tx, { ...asked, asker });
			});
		},
		/** The asker's receipt. Throws NOT_FOUND. */
		async receiptFor({ owner }: Asker, id: string): Promise<ReceiptRow> {
			const receipt = await receiptOf(id);
			if (receipt.owner === owner || isWallet(receipt.owner)) return receipt;
			throw unknownReceipt(id);
		},
		/** What became of it. Throws NOT_FOUND alike for one that does not exist and one of somebody else. */
		async get({ owner }: Asker, id: string): Promise<RefundState> {
			const found = await store.read(async (reader) => ({
				id,
				request: await reader.get("refund_requests", id),
				refund: await reader.get("refunds", id),
			}));
			const payer = found.request?.owner ?? found.refund?.owner;
			if (payer !== undefined && (payer === owner || isWallet(payer))) return found;
			throw notFound(`No refund "${id.slice(0, 40)}" is yours to read.`);
		},
		/** Requests that wait for a decision, oldest first. */
		async listOpen(): Promise<readonly RefundRequestRow[]> {
			const rows = await store.read((reader) => reader.list("refund_requests"));
			return rows.filter(({ state }) => state === "open");
		},
		/** Grants or declines a request that is open. Throws NOT_FOUND, INVALID_ARGUMENT. */
		async decide(id: string, { isGranted }: { readonly isGranted: boolean }): Promise<RefundState> {
			const row = await store.read((reader) => reader.get("refund_requests", id));
			if (!row) throw notFound(`No request for a refund is called "${id.slice(0, 40)}".`);
			const receipt = await receiptOf(row.receiptId);
			return store.transaction(async (tx) => {
				const request = await tx.get("refund_requests", id);
				if (request?.state !== "open") {
					throw invalidArgument(
						`${id} is ${request?.state ?? "gone"}; only open requests are decided.`,
					);
				}
				if (isGranted) return grant(deps, tx, { request, receipt });
				const declined = decided(request, "declined", clock.now());
				await tx.put("refund_requests", declined);
				return { id, request: declined };
			});
		},
	};
}

function unknownReceipt(id: string): ServiceError {
	return notFound(
		`No receipt "${id.slice(0, 40)}" is yours; show the token or key that paid for the call.`,
	);
}

async function withRefund(tx: StoreTransaction, request: RefundRequestRow): Promise<RefundState> {
	return { id: request.id, request, refund: await tx.get("refunds", request.id) };
}

async function open(
	deps: RefundServices,
	tx: StoreTransaction,
	asked: RefundAsked & { readonly asker: Asker },
): Promise<RefundState> {
	const { receipt, asker, isWhole } = asked;
	const { clock, ids } = deps;
	if ((await refundedOf(tx, receipt.id)) >= receipt.amountMicros)
		throw invalidArgument(`${receipt.id} has been refunded in full.`);
	const now = clock.now();
	const request: RefundRequestRow = {
		id: ids.next("rfd"),
		receiptId: receipt.id,
		owner: receipt.owner,
		reason: asker.keepsNoText ? "" : asked.reason,
		state: "open",
		createdAt: now,
		expiresAt: now + LIMITS.refundRequestDays * DAY_MS,
	};
	if (isWhole && (await takeBackUndelivered(tx, receipt, now)))
		return grant(deps, tx, { request, receipt });
	const waiting = await tx.findBy("refund_requests", "owner", receipt.owner);
	if (waiting.filter(({ state }) => state === "open").length >= LIMITS.refundRequestsOpen) {
		throw new ServiceError(
			"RATE_LIMITED",
			`${LIMITS.refundRequestsOpen} of your requests wait for the operator's decision already.`,
		);
	}
	await tx.put("refund_requests", request);
	return { id: request.id, request };
}

const UNDELIVERED = "The answer was not handed over.";

async function grant(
	{ refunds, clock }: RefundServices,
	tx: StoreTransaction,
	{ request, receipt }: { readonly request: RefundRequestRow; readonly receipt: ReceiptRow },
): Promise<RefundState> {
	const { id } = request;
	const reason = request.reason || UNDELIVERED;
	const refund = await refunds.refundWithin(tx, receipt, { id, reason });
	const granted = decided(request, "granted", clock.now());
	await tx.put("refund_requests", granted);
	return { id, request: granted, refund };
}

function decided(
	request: RefundRequestRow,
	state: "granted" | "declined",
	decidedAt: number,
): RefundRequestRow {
	return { ...request, state, decidedAt };
}

/**
 * Whether the answer of a receipt was never handed over whole. If so it can not be had any more: neither its retry key nor its
 * payment on a chain buys it from now on.
 */
async function takeBackUndelivered(
	tx: StoreTransaction,
	{ id, at, settlement }: ReceiptRow,
	now: number,
): Promise<boolean> {
	const noted = await tx.get("undelivered", id);
	const payment = settlement && (await tx.get("payments", settlement.paymentId));
	const isStuck = payment?.state === "captured" && !payment.isDelivered && now - at > DELIVERY_MS;
	if (!noted && !isStuck) return false;
	const idempotencyId = noted?.idempotencyId ?? payment?.idempotencyId;
	if (idempotencyId !== undefined) {
		const attempt = await tx.get("idempotency", idempotencyId);
		if (attempt?.receiptId === id) await tx.delete("idempotency", idempotencyId);
	}
	if (noted) await tx.delete("undelivered", id);
	if (payment && isStuck)
		await tx.put("payments", { ...payment, isDelivered: true, idempotencyId: undefined });
	return true;
}
