import { LIMITS } from "../../src/contract/contract.js";
import { type Clock, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import type { PaymentRow } from "../../store/store.js";
import type { AuthorizationState, SettlementTerms, SettleOutcome } from "./facilitator.js";
import type { OnchainContext } from "./onchain-context.js";
import { authorizationOf } from "./payment-claim.js";
import { changePayment, type SettlementPlace, UNDECIDED } from "./settlement-book.js";

/** What facilitator and chain prove of a settlement. */
export type Proof =
	/** Seen on the chain at `logIndex`, or accepted on the facilitator's statement. */
	({ readonly kind: "settled" } & SettlementPlace) | Exclude<SettleOutcome, { kind: "settled" }>;

export type SettledProof = Extract<Proof, { kind: "settled" }>;

/** A node may lag behind the one that settled; the pauses between looks. */
const LOOK_PAUSES_MS = [0, 100, 400, 1_000];

/** Where the chain can be read, it alone decides; without it a facilitator's success is accepted when all its fields match the payment. */
export async function proveSettlement(
	context: OnchainContext,
	row: PaymentRow,
	outcome: SettleOutcome,
): Promise<Proof> {
	if (!context.chain) return acceptOutcome(context.terms, row, outcome);
	const looks = outcome.kind === "settled" ? LOOK_PAUSES_MS : [0];
	for (const pauseMs of looks) {
		if (pauseMs > 0) await pause(pauseMs, context.clock);
		const proof = judgeLook(await readAuthorization(context, row), outcome);
		if (proof) return proof;
	}
	if (outcome.kind !== "settled" && outcome.kind !== "unknown") return outcome;
	return unknown("The chain does not show the transfer.", outcome);
}

/** Undefined while the authorization is not used. */
function judgeLook(
	state: AuthorizationState | undefined,
	outcome: SettleOutcome,
): Proof | undefined {
	switch (state?.kind) {
		case undefined:
			if (outcome.kind === "not_sent") return outcome;
			return unknown("The chain cannot be read just now.", outcome);
		case "settled":
			return state;
		case "canceled":
			return {
				kind: "refused",
				reason: "nonce_used",
				message: "The payer has cancelled this payment or used its nonce for another one.",
			};
		case "unused":
			return undefined;
	}
}

/** State of the authorization; undefined while the chain cannot be read. */
export async function readAuthorization(
	{ chain, terms, clock }: OnchainContext,
	row: PaymentRow,
): Promise<AuthorizationState | undefined> {
	if (!chain) return undefined;
	const look = chain.stateOf(terms, authorizationOf(row));
	return within(look, LIMITS.verifyTimeoutMs, clock).catch(
		(error: unknown): AuthorizationState | undefined => {
			// Used up by another transfer of its payer: as little a payment to us as a cancelled one.
			const isSpent = error instanceof ServiceError && !error.retryable;
			return isSpent ? { kind: "canceled" } : undefined;
		},
	);
}

function acceptOutcome(terms: SettlementTerms, row: PaymentRow, outcome: SettleOutcome): Proof {
	if (outcome.kind === "unknown") return unknown(outcome.message, outcome);
	if (outcome.kind === "not_sent" || outcome.kind === "not_taken") return outcome;
	if (outcome.kind === "refused") {
		// What was broadcast before may be what used the nonce.
		const mayBeOurs = outcome.reason === "nonce_used" && row.transactionHash !== undefined;
		return mayBeOurs ? unknown(outcome.message, outcome) : outcome;
	}
	const mismatch = findMismatch(terms, row, outcome);
	if (mismatch) return unknown(`The facilitator names another ${mismatch}.`, outcome);
	return { kind: "settled", transactionHash: outcome.transactionHash.toLowerCase() };
}

function findMismatch(
	{ network }: SettlementTerms,
	row: PaymentRow,
	said: Extract<SettleOutcome, { kind: "settled" }>,
): string | undefined {
	if (!/^0x[0-9a-fA-F]{64}$/.test(said.transactionHash)) return "kind of transaction";
	if (said.network !== network) return "network";
	if (said.payer.toLowerCase() !== row.payer.toLowerCase()) return "payer";
	if (said.amount !== undefined && said.amount !== String(row.amountMicros)) return "amount";
	return undefined;
}

function unknown(message: string, outcome: SettleOutcome): Proof {
	const transactionHash = "transactionHash" in outcome ? outcome.transactionHash : undefined;
	return { kind: "unknown", message, ...(transactionHash !== undefined && { transactionHash }) };
}

class DeadlinePassed extends Error {
	constructor(timeoutMs: number) {
		super(`No answer within ${timeoutMs} ms.`);
		this.name = "DeadlinePassed";
	}
}

/** The promise's own outcome, or DeadlinePassed; a later outcome is ignored here. */
export function within<T>(promise: Promise<T>, timeoutMs: number, clock: Clock): Promise<T> {
	return new Promise((resolve, reject) => {
		const cancel = clock.after(timeoutMs, () => reject(new DeadlinePassed(timeoutMs)));
		promise.then(
			(value) => {
				cancel();
				resolve(value);
			},
			(error: unknown) => {
				cancel();
				reject(error);
			},
		);
	});
}

function pause(ms: number, clock: Clock): Promise<void> {
	return new Promise((resolve) => {
		clock.after(ms, () => resolve(undefined));
	});
}

type Conclude = (id: string, proof: SettledProof) => Promise<unknown>;

/** Sends the payment and proves its outcome; an answer after the deadline is concluded when it arrives. */
export async function send(
	context: OnchainContext,
	row: PaymentRow,
	conclude: Conclude,
): Promise<Proof> {
	const asked = startAsking(context, row);
	const outcome = await within(asked, LIMITS.settleTimeoutMs, context.clock).catch(
		(error: unknown) => {
			if (error instanceof DeadlinePassed) concludeLate(context, row, { asked, conclude });
			return toUnknown(error);
		},
	);
	const current = (await readRow(context, row.id)) ?? row;
	return proveSettlement(context, current, outcome);
}

/** The facilitator's answer alone; asking may send a payment that has not expired. */
export function askOnce(context: OnchainContext, row: PaymentRow): Promise<SettleOutcome> {
	const asked = startAsking(context, row);
	return within(asked, LIMITS.verifyTimeoutMs, context.clock).catch(toUnknown);
}

/** The facilitator may answer after our deadline; its answer, not the timeout, decides. */
function concludeLate(
	context: OnchainContext,
	row: PaymentRow,
	{ asked, conclude }: { asked: Promise<SettleOutcome>; conclude: Conclude },
): void {
	asked
		.then(async (outcome) => {
			if (outcome.kind !== "settled") return;
			const proof = await proveSettlement(context, row, outcome);
			const current = await readRow(context, row.id);
			if (proof.kind === "settled" && current?.state === "unknown") await conclude(row.id, proof);
		})
		.catch((error: unknown) =>
			context.logger.error("a late settlement could not be booked", {
				id: row.id,
				error: String(error),
			}),
		);
}

async function startAsking(
	{ facilitator, terms, store, clock }: OnchainContext,
	row: PaymentRow,
): Promise<SettleOutcome> {
	return facilitator.settle(terms, authorizationOf(row), {
		onBroadcast: async (transactionHash) => {
			const isOpen = await store.transaction((tx) =>
				changePayment(
					tx,
					{ id: row.id, from: UNDECIDED, now: clock.now() },
					{ transactionHash: transactionHash.toLowerCase() },
				),
			);
			// It was decided meanwhile: what is not written is not sent.
			if (!isOpen) throw unavailable("The payment was decided elsewhere.");
		},
	});
}

function readRow({ store }: OnchainContext, id: string): Promise<PaymentRow | undefined> {
	return store.read((reader) => reader.get("payments", id));
}

function toUnknown(error: unknown): SettleOutcome {
	const isLate = error instanceof DeadlinePassed;
	return { kind: "unknown", message: isLate ? error.message : "The facilitator failed." };
}
