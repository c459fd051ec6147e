import type { Clock } from "../../src/core/clock.js";
import type { Ids } from "../../src/core/ids.js";
import { LIMITS } from "../../src/core/limits.js";
import type { Logger } from "../../src/core/logger.js";
import {
	LedgerRefusal,
	type PaymentRow,
	type PaymentState,
	type Store,
} from "../../store/store.js";
import { DeadlinePassed, within } from "./deadline.js";
import type { ChainReader, Facilitator, SettlementTerms, SettleOutcome } from "./facilitator.js";
import { authorizationOf } from "./payment-claim.js";
import type { PaymentWatch } from "./payment-watch.js";
import {
	type Along,
	bookSettlement,
	changePayment,
	type SettlementPlace,
	toBooked,
} from "./settlement-book.js";
import { type Proof, proveSettlement } from "./settlement-proof.js";

export interface SettlerDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
	readonly terms: SettlementTerms;
	readonly facilitator: Facilitator;
	readonly chain?: ChainReader | undefined;
	readonly watch: PaymentWatch;
}

/** How settling ended, the books written. */
export type Settling<T> =
	| { readonly kind: "settled"; readonly value: T; readonly row: PaymentRow }
	| Exclude<Proof, { kind: "settled" }>;

export interface Settler {
	/**
	 * Sends a reserved payment and books what comes of it, together with `along`. The row says "settling" durably before
	 * anything is sent, so that a crash leaves a question and never a loss.
	 */
	settle<T>(id: string, along: Along<T>): Promise<Settling<T>>;
	/** Books money that settled before, together with `along`. */
	spend<T>(id: string, along: Along<T>): Promise<{ value: T; row: PaymentRow }>;
	/** Asks the facilitator once more about a payment of unknown outcome; changes nothing by itself. */
	ask(row: PaymentRow): Promise<SettleOutcome>;
	/** Books what was found out about a payment of unknown outcome; the row as it is now. */
	conclude(id: string, proof: Proof): Promise<PaymentRow | undefined>;
}

const UNDECIDED: readonly PaymentState[] = ["settling", "unknown", "refused"];

/** Money that came and was not used for anything yet. */
const keep: Along<undefined> = async () => ({ value: undefined, change: {} });

export function createSettler(deps: SettlerDeps): Settler {
	const { store, clock, watch } = deps;
	const conclude: Settler["conclude"] = (id, proof) =>
		proof.kind === "settled" ? keepSettled(deps, id, proof) : markUndecided(deps, id, proof);

	return {
		async settle(id, along) {
			const row = await markSettling(deps, id);
			if (!row) return WENT_ON;
			const proof = await send(deps, row, conclude);
			if (proof.kind !== "settled") {
				await conclude(id, proof);
				return proof;
			}
			try {
				const booked = await book(deps, { id, place: proof, along });
				return booked ? { kind: "settled", ...booked } : WENT_ON;
			} catch (error) {
				if (isKnownTransfer(error)) {
					await conclude(id, NOT_NEW);
					return NOT_NEW;
				}
				// What it was for failed; the money is here all the same.
				await conclude(id, proof).catch(() => undefined);
				throw error;
			}
		},

		async spend(id, along) {
			const spent = await store.transaction(async (tx) => {
				const row = await tx.get("payments", id);
				if (row?.state !== "settled") throw new Error(`The payment ${id} is spent already.`);
				const { value, change } = await along(tx, toBooked(row));
				const changed = { ...row, updatedAt: clock.now(), ...change };
				await tx.put("payments", changed);
				return { value, row: changed };
			});
			watch.follow(spent.row);
			return spent;
		},

		ask: (row) => within(startAsking(deps, row), LIMITS.verifyTimeoutMs, clock).catch(toUnknown),
		conclude,
	};
}

const NOT_NEW = { kind: "unknown", message: "The transaction is not new." } as const;

/** Found settled or closed by the reconciler while this call was on its way; the row tells the next try. */
const WENT_ON = { kind: "unknown", message: "The payment went on without this call." } as const;

/** One transaction for the settlement and what it pays for; undefined when the row was concluded already. */
async function book<T>(
	{ store, clock, ids, watch }: SettlerDeps,
	{ id, place, along }: { id: string; place: SettlementPlace; along: Along<T> },
): Promise<{ value: T; row: PaymentRow } | undefined> {
	const done = await store.transaction(async (tx) => {
		const row = await tx.get("payments", id);
		if (!row || !UNDECIDED.includes(row.state)) return undefined;
		const now = clock.now();
		const booked = await bookSettlement(tx, row, { place, ids, now });
		const { value, change } = await along(tx, booked);
		const settled: PaymentRow = {
			...booked.row,
			state: "settled",
			signature: undefined,
			reason: undefined,
			updatedAt: now,
			...change,
		};
		await tx.put("payments", settled);
		return { value, row: settled };
	});
	if (done) watch.follow(done.row);
	return done;
}

async function keepSettled(
	deps: SettlerDeps,
	id: string,
	place: SettlementPlace,
): Promise<PaymentRow | undefined> {
	try {
		return (await book(deps, { id, place, along: keep }))?.row;
	} catch (error) {
		if (!isKnownTransfer(error)) throw error;
		deps.logger.error("a settlement names a transaction that was booked before", { id });
		return undefined;
	}
}

async function markUndecided(
	{ store, clock, watch }: SettlerDeps,
	id: string,
	proof: Exclude<Proof, { kind: "settled" }>,
): Promise<PaymentRow | undefined> {
	const hash = "transactionHash" in proof ? proof.transactionHash : undefined;
	const row = await store.transaction((tx) =>
		changePayment(
			tx,
			{ id, from: UNDECIDED, now: clock.now() },
			{
				state: proof.kind,
				reason: proof.kind === "refused" ? proof.reason : proof.message,
				...(hash !== undefined && { transactionHash: hash }),
			},
		),
	);
	if (row) watch.follow(row);
	return row;
}

async function markSettling(
	{ store, clock, watch }: SettlerDeps,
	id: string,
): Promise<PaymentRow | undefined> {
	const row = await store.transaction((tx) =>
		changePayment(
			tx,
			{ id, from: ["reserved", "refused"], now: clock.now() },
			{ state: "settling" },
		),
	);
	if (row) watch.follow(row);
	return row;
}

type Conclude = Settler["conclude"];

async function send(deps: SettlerDeps, row: PaymentRow, conclude: Conclude): Promise<Proof> {
	const asked = startAsking(deps, row);
	const outcome = await within(asked, LIMITS.settleTimeoutMs, deps.clock).catch(
		(error: unknown) => {
			if (error instanceof DeadlinePassed) hearLater(deps, row, { asked, conclude });
			return toUnknown(error);
		},
	);
	const current = (await readRow(deps, row.id)) ?? row;
	return proveSettlement(deps, current, outcome);
}

/** The facilitator may answer after our deadline; its answer, not the timeout, decides. */
function hearLater(
	deps: SettlerDeps,
	row: PaymentRow,
	{ asked, conclude }: { asked: Promise<SettleOutcome>; conclude: Conclude },
): void {
	asked
		.then(async (outcome) => {
			if (outcome.kind !== "settled") return;
			const proof = await proveSettlement(deps, row, outcome);
			const current = await readRow(deps, row.id);
			if (proof.kind === "settled" && current?.state === "unknown") await conclude(row.id, proof);
		})
		.catch((error: unknown) =>
			deps.logger.error("a late settlement could not be booked", {
				id: row.id,
				error: String(error),
			}),
		);
}

async function startAsking(
	{ facilitator, terms, store, clock }: SettlerDeps,
	row: PaymentRow,
): Promise<SettleOutcome> {
	return facilitator.settle(terms, authorizationOf(row), {
		onBroadcast: async (transactionHash) => {
			await store.transaction((tx) =>
				changePayment(
					tx,
					{ id: row.id, from: UNDECIDED, now: clock.now() },
					{ transactionHash: transactionHash.toLowerCase() },
				),
			);
		},
	});
}

function readRow({ store }: SettlerDeps, id: string): Promise<PaymentRow | undefined> {
	return store.read((reader) => reader.get("payments", id));
}

function toUnknown(error: unknown): SettleOutcome {
	const isLate = error instanceof DeadlinePassed;
	return { kind: "unknown", message: isLate ? error.message : "The facilitator failed." };
}

function isKnownTransfer(error: unknown): boolean {
	return error instanceof LedgerRefusal && error.reason === "duplicate_key";
}
