import { ServiceError } from "../../src/kernel/kernel.js";
import { LedgerRefusal, type PaymentRow, type PaymentState } from "../../store/store.js";
import type { OnchainContext } from "./onchain-context.js";
import {
	type Along,
	bookSettlement,
	changePayment,
	type SettlementPlace,
	toBooked,
	UNDECIDED,
} from "./settlement-book.js";
import { askOnce, type Proof, type SettledProof, send } from "./settlement-proof.js";

/** How settling ended, the books written. */
export type Settling<T> =
	| { readonly kind: "settled"; readonly value: T; readonly row: PaymentRow }
	| Undecided;

type Undecided = Exclude<Proof, { kind: "settled" | "not_sent" | "not_taken" }>;

/** Money that came and was not used for anything yet. */
const keep: Along<undefined> = async () => ({ value: undefined, change: {} });

export type Settler = ReturnType<typeof createSettler>;
export type SettlingContext = OnchainContext & { readonly settler: Settler };

export function createSettler(context: OnchainContext) {
	const { store, clock, watch } = context;
	/** Books what was found out about a payment of unknown outcome; the row as it is now. */
	const conclude = (
		id: string,
		proof: SettledProof | Undecided,
	): Promise<PaymentRow | undefined> =>
		proof.kind === "settled" ? keepSettled(context, id, proof) : markUndecided(context, id, proof);
	const bookOrKeep = async <T>(
		id: string,
		proof: SettledProof,
		along: Along<T>,
	): Promise<Settling<T>> => {
		try {
			const booked = await book(context, { id, place: proof, along });
			return booked ? { kind: "settled", ...booked } : CONCLUDED_ELSEWHERE;
		} catch (error) {
			if (isKnownTransfer(error)) {
				await conclude(id, NOT_NEW);
				return NOT_NEW;
			}
			// What it was for failed; the money is here all the same.
			await conclude(id, proof).catch(() => undefined);
			throw error;
		}
	};

	return {
		/**
		 * Marks the row "settling" durably, sends the payment and books the outcome with `along`. Throws UPSTREAM when it was
		 * not sent, and when the facilitator did not take it: such a payment is looked for on the chain until it has lapsed.
		 */
		async settle<T>(id: string, along: Along<T>): Promise<Settling<T>> {
			const marked = await markSettling(context, id);
			if (!marked) return CONCLUDED_ELSEWHERE;
			const proof = await send(context, marked.row, conclude);
			if (proof.kind === "not_sent") {
				await restore(context, { id, before: marked.before });
				throw new ServiceError("UPSTREAM", NOT_SENT);
			}
			if (proof.kind === "not_taken") {
				await changeAlone(context, UNDECIDED, { id, state: "refused", reason: proof.kind });
				throw new ServiceError("UPSTREAM", NOT_TAKEN, { reply: { body: { payment_id: id } } });
			}
			if (proof.kind !== "settled") {
				await conclude(id, proof);
				return proof;
			}
			return bookOrKeep(id, proof, along);
		},

		/** Books money that settled before, together with `along`. */
		async spend<T>(id: string, along: Along<T>): Promise<{ value: T; row: PaymentRow }> {
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

		/** Asks the facilitator once more about a payment of unknown outcome; changes nothing by itself. */
		ask: (row: PaymentRow) => askOnce(context, row),
		conclude,
	};
}

const NOT_SENT =
	"The payment could not be sent just now; nothing was charged. Send the same request again.";

const NOT_TAKEN =
	"The payment was turned away just now. Send the same request with the same payment again, and sign no new one: should this one have been sent all the same, it is delivered or given back.";

const NOT_NEW = { kind: "unknown", message: "The transaction is not new." } as const;

/** Settled or closed by the reconciler meanwhile; the next try reads it from the row. */
const CONCLUDED_ELSEWHERE = {
	kind: "unknown",
	message: "The payment went on without this call.",
} as const;

/** One transaction for the settlement and what it pays for; undefined when the row was concluded already. */
async function book<T>(
	{ store, clock, ids, watch }: OnchainContext,
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
	context: OnchainContext,
	id: string,
	place: SettlementPlace,
): Promise<PaymentRow | undefined> {
	try {
		return (await book(context, { id, place, along: keep }))?.row;
	} catch (error) {
		if (!isKnownTransfer(error)) throw error;
		context.logger.error("a settlement names a transaction that was booked before", { id });
		return undefined;
	}
}

async function markUndecided(
	context: OnchainContext,
	id: string,
	proof: Undecided,
): Promise<PaymentRow | undefined> {
	const hash = "transactionHash" in proof ? proof.transactionHash : undefined;
	return changeAlone(context, UNDECIDED, {
		id,
		state: proof.kind,
		reason: proof.kind === "refused" ? proof.reason : proof.message,
		...(hash !== undefined && { transactionHash: hash }),
	});
}

/** Changes the row in a transaction of its own if it is in one of these states, and follows it; undefined otherwise. */
export async function changeAlone(
	{ store, clock, watch }: OnchainContext,
	from: readonly PaymentState[],
	{ id, ...change }: Partial<PaymentRow> & Pick<PaymentRow, "id">,
): Promise<PaymentRow | undefined> {
	const row = await store.transaction((tx) =>
		changePayment(tx, { id, from, now: clock.now() }, change),
	);
	if (row) watch.follow(row);
	return row;
}

/** Undefined when the row is in another state meanwhile. */
async function markSettling(
	{ store, clock, watch }: OnchainContext,
	id: string,
): Promise<{ readonly row: PaymentRow; readonly before: PaymentState } | undefined> {
	const marked = await store.transaction(async (tx) => {
		const before = (await tx.get("payments", id))?.state;
		const asked = { id, from: ["reserved", "refused"], now: clock.now() } as const;
		const row = await changePayment(tx, asked, { state: "settling" });
		return row && before && { row, before };
	});
	if (marked) watch.follow(marked.row);
	return marked;
}

/** Not sent: a reservation is released for the next try, an earlier refusal stays. */
async function restore(
	context: OnchainContext,
	{ id, before }: { id: string; before: PaymentState },
): Promise<void> {
	const change: Partial<PaymentRow> =
		before === "refused"
			? { state: "refused" }
			: { state: "released", reason: "not_sent", signature: undefined };
	await changeAlone(context, ["settling"], { id, ...change });
}

function isKnownTransfer(error: unknown): boolean {
	return error instanceof LedgerRefusal && error.reason === "duplicate_key";
}
