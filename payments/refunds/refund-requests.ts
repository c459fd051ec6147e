import {
	type Caller,
	isWallet,
	keepsText,
	LIMITS,
	maySeeAgain,
} from "../../src/contract/contract.js";
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
import { idempotencyIdOf, isUndelivered } from "../payments.js";
import { assertRefundable, type Refunds, refundedOf } from "./refund-ledger.js";

/** What payers ask back: at once for an answer that certainly reached no one and is gone, else by the operator's decision. */
export type RefundRequests = ReturnType<typeof createRefundRequests>;

export interface RefundServices {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly refunds: Refunds;
}

/** One that waits for a decision, with what its asker says. */
export type OpenRequest = RefundRequestRow & { readonly reason: string };

/** A request, a refund, or both under one id. */
export interface RefundState {
	readonly id: string;
	readonly request?: RefundRequestRow | undefined;
	readonly refund?: RefundRow | undefined;
}

/** What the payer of a receipt shows: its credential, or the retry key that a wallet's call was sent with. */
interface RefundAsked {
	readonly receiptId: string;
	readonly reason: string;
	readonly idempotencyKey: string | undefined;
}

const DAY_MS = 86_400_000;

export function createRefundRequests(deps: RefundServices) {
	const { store, clock } = deps;
	const findReceipt = (id: string) => store.read((reader) => reader.get("receipts", id));
	const refundLost = createLossRefund(deps);
	return {
		/**
		 * Asked again, it is the same request. Throws NOT_FOUND for a receipt that is not the asker's, INVALID_ARGUMENT where
		 * nothing can go back, RATE_LIMITED for one who waits for many decisions already.
		 */
		async ask(asker: Caller, asked: RefundAsked): Promise<RefundState> {
			const receipt = await findReceipt(asked.receiptId);
			if (!receipt || !mayAsk(asker, receipt, asked)) throw unknownReceipt(asked.receiptId);
			assertRefundable(receipt);
			if (clock.now() - receipt.at > LIMITS.refundAskDays * DAY_MS) {
				throw invalidArgument(
					`${receipt.id} is older than ${LIMITS.refundAskDays} days; write to the operator.`,
				);
			}
			const reason = keepsText(asker) ? asked.reason : "";
			const { isNew, ...state } = await store.transaction(async (tx) => {
				const [before] = await tx.findBy("refund_requests", "receiptId", receipt.id);
				if (before) return { ...(await withRefund(tx, before)), isNew: false };
				return { ...(await open(deps, tx, { receipt, hasReason: reason !== "" })), isNew: true };
			});
			if (isNew && state.request.hasReason) await putReason(store, state.request, reason);
			return state;
		},
		refundLost,
		...createUnwritten(refundLost),
		/** What became of it. Throws NOT_FOUND alike for one that does not exist and one of somebody else. */
		async get(asker: Caller, id: string): Promise<RefundState> {
			const found = await store.read(async (reader) => ({
				request: await reader.get("refund_requests", id),
				refund: await reader.get("refunds", id),
			}));
			const owner = found.request?.owner ?? found.refund?.owner;
			const receipt = await findReceipt(found.request?.receiptId ?? found.refund?.ref ?? "");
			const isTheirs = receipt ? isPayer(asker, receipt) : owner === asker.owner;
			if (owner !== undefined && (isTheirs || isWallet(owner))) return { id, ...found };
			throw notFound(`No refund "${id.slice(0, 40)}" is yours to read.`);
		},
		/** Requests that wait for a decision, oldest first. */
		async listOpen(): Promise<readonly OpenRequest[]> {
			const rows = await store.read((reader) => reader.list("refund_requests"));
			const open = rows.filter(({ state }) => state === "open");
			return Promise.all(
				open.map(async (row) => ({ ...row, reason: await readRefundReason(store, row) })),
			);
		},
		/** Grants or declines a request that is open. Throws NOT_FOUND, INVALID_ARGUMENT. */
		async decide(id: string, { isGranted }: { readonly isGranted: boolean }): Promise<RefundState> {
			const row = await store.read((reader) => reader.get("refund_requests", id));
			if (!row) throw notFound(`No request for a refund is called "${id.slice(0, 40)}".`);
			const receipt = await findReceipt(row.receiptId);
			if (!receipt) throw notFound(`No receipt is called "${row.receiptId}".`);
			return store.transaction(async (tx) => {
				const request = await tx.get("refund_requests", id);
				if (request?.state !== "open") {
					throw invalidArgument(
						`${id} is ${request?.state ?? "gone"}; only open requests are decided.`,
					);
				}
				if (isGranted) return grant(deps, tx, { request, receipt, reason: AGREED });
				const declined = decided(request, "declined", clock.now());
				await tx.put("refund_requests", declined);
				return { id, request: declined };
			});
		},
	};
}

/** Whether the credential is the payer's; of an account one that may see again what the key that paid has done. */
function isPayer({ owner, access }: Caller, receipt: ReceiptRow): boolean {
	if (receipt.owner !== owner) return false;
	// Subjects of an identity provider pay without a key.
	const isKeyless = receipt.keyId === undefined && access?.keyId === undefined;
	return isKeyless || maySeeAgain(access, receipt.keyId);
}

/** As each transport names the retry keys of one payer. */
const KEY_PREFIXES = ["", "mcp:", "a2a:"];

/** A wallet has no credential, and ids and payments of its calls can be read on the chain: only its retry key is its own. */
function mayAsk(
	asker: Caller,
	receipt: ReceiptRow,
	{ idempotencyKey: key }: Pick<RefundAsked, "idempotencyKey">,
): boolean {
	const { owner, operationId, idempotencyId } = receipt;
	if (!isWallet(owner)) return isPayer(asker, receipt);
	if (key === undefined || idempotencyId === undefined) return false;
	return KEY_PREFIXES.some(
		(prefix) => idempotencyIdOf(owner, operationId, `${prefix}${key}`) === idempotencyId,
	);
}

function unknownReceipt(id: string): ServiceError {
	return notFound(
		`No receipt "${id.slice(0, 40)}" is yours; show the token or key that paid for the call, or send the "idempotency_key" with which a wallet paid for it. A wallet that paid without one writes to the operator.`,
	);
}

/** Kept as text that can vanish: with its account, and as long as queries are. */
async function putReason(
	{ documents, read }: Pick<Store, "documents" | "read">,
	{ id, expiresAt }: RefundRequestRow,
	reason: string,
): Promise<void> {
	await documents.put(id, reason, expiresAt);
	// Erased meanwhile: then no row leads to it.
	if (!(await read((reader) => reader.get("refund_requests", id)))) await documents.delete(id);
}

/** In the asker's words; empty where there are none, or none any more. */
export async function readRefundReason(
	{ documents }: Pick<Store, "documents">,
	{ id, hasReason }: Pick<RefundRequestRow, "id" | "hasReason">,
): Promise<string> {
	return (hasReason && (await documents.get(id))) || "";
}

async function withRefund(tx: StoreTransaction, request: RefundRequestRow) {
	return { id: request.id, request, refund: await tx.get("refunds", request.id) };
}

async function open(
	deps: RefundServices,
	tx: StoreTransaction,
	{ receipt, hasReason }: { readonly receipt: ReceiptRow; readonly hasReason: boolean },
) {
	if ((await refundedOf(tx, receipt.id)) >= receipt.amountMicros)
		throw invalidArgument(`${receipt.id} has been refunded in full.`);
	const request = toRequest(deps, { receipt, hasReason });
	if (await isUndelivered(tx, receipt.id)) {
		const unexplained = { ...request, hasReason: false };
		return grant(deps, tx, { request: unexplained, receipt, reason: UNDELIVERED });
	}
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

/** Receipts whose answers were refused because they could not be written, and which may be written yet. */
function createUnwritten(refundLost: (receiptId: string) => Promise<void>) {
	const unwritten = new Set<string>();
	return {
		noteUnwritten(receiptId: string): void {
			unwritten.add(receiptId);
		},
		/** Once there is room on the disk again: refunds what was written after all. */
		async refundWritten(): Promise<void> {
			for (const receiptId of unwritten) {
				await refundLost(receiptId);
				unwritten.delete(receiptId);
			}
		},
	};
}

/** Refunds the price of an answer that certainly reached no one, unless it was asked for again meanwhile. */
function createLossRefund(deps: RefundServices) {
	const { store } = deps;
	return async (receiptId: string): Promise<void> => {
		const refund = async (tx: StoreTransaction) => {
			const receipt = await tx.get("receipts", receiptId);
			if (!receipt) return;
			const asked = await tx.findBy("refund_requests", "receiptId", receiptId);
			const isRepeated = (await tx.get("undelivered", receiptId)) !== undefined;
			const refunded = await refundedOf(tx, receiptId);
			if (asked.length > 0 || isRepeated || refunded >= receipt.amountMicros) return;
			const request = toRequest(deps, { receipt, hasReason: false });
			await grant(deps, tx, { request, receipt, reason: UNDELIVERED });
		};
		await store.transaction(refund, { durability: "deferred" });
	};
}

function toRequest(
	{ clock, ids }: Pick<RefundServices, "clock" | "ids">,
	{ receipt, hasReason }: { readonly receipt: ReceiptRow; readonly hasReason: boolean },
): RefundRequestRow {
	const now = clock.now();
	return {
		id: ids.next("rfd"),
		receiptId: receipt.id,
		owner: receipt.owner,
		hasReason,
		state: "open",
		createdAt: now,
		expiresAt: now + LIMITS.refundRequestDays * DAY_MS,
	};
}

/** What the books say: what askers write stays out of them. */
const UNDELIVERED = "The answer was not handed over.";
const AGREED = "The payer asked for it, and the operator agreed.";

async function grant(
	{ refunds, clock }: RefundServices,
	tx: StoreTransaction,
	{
		request,
		receipt,
		reason,
	}: {
		readonly request: RefundRequestRow;
		readonly receipt: ReceiptRow;
		readonly reason: string;
	},
) {
	const { id } = request;
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
