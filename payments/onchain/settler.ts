import { type Ids, ServiceError } from "../../src/kernel/kernel.js";
import { LedgerRefusal, type PaymentRow, type PaymentState } from "../../store/store.js";
import type { SettleOutcome } from "./facilitator.js";
import type { PaymentWatch } from "./payment-watch.js";
import {
	type Along,
	bookSettlement,
	changePayment,
	type SettlementPlace,
	toBooked,
	UNDECIDED,
} from "./settlement-book.js";
import { askOnce, type Proof, type QuestionDeps, send } from "./settlement-proof.js";

export interface SettlerDeps extends QuestionDeps {
	readonly ids: Ids;
	readonly watch: PaymentWatch;
}

/** How settling ended, the books written. */
export type Settling<T> =
	| { readonly kind: "settled"; readonly value: T; readonly row: PaymentRow }
	| Undecided;

type Undecided = Exclude<Proof, { kind: "settled" | "not_sent" }>;

export interface Settler {
	/** Marks the row "settling" durably, sends the payment and books the outcome with `along`. Throws UPSTREAM when it was certainly not sent. */
	settle<T>(id: string, along: Along<T>): Promise<Settling<T>>;
	/** Books money that settled before, together with `along`. */
	spend<T>(id: string, along: Along<T>): Promise<{ value: T; row: PaymentRow }>;
	/** Asks the facilitator once more about a payment of unknown outcome; changes nothing by itself. */
	ask(row: PaymentRow): Promise<SettleOutcome>;
	/** Books what was found out about a payment of unknown outcome; the row as it is now. */
	conclude(
		id: string,
		proof: Exclude<Proof, { kind: "not_sent" }>,
	): Promise<PaymentRow | undefined>;
}

/** Money that came and was not used for anything yet. */
const keep: Along<undefined> = async () => ({ value: undefined, change: {} });

export function createSettler(deps: SettlerDeps): Settler {
	const { store, clock, watch } = deps;
	const conclude: Settler["conclude"] = (id, proof) =>
		proof.kind === "settled" ? keepSettled(deps, id, proof) : markUndecided(deps, id, proof);

	return {
		async settle(id, along) {
			const marked = await markSettling(deps, id);
			if (!marked) return CONCLUDED_ELSEWHERE;
			const proof = await send(deps, marked.row, conclude);
			if (proof.kind === "not_sent") {
				await restore(deps, { id, before: marked.before });
				throw new ServiceError("UPSTREAM", NOT_SENT);
			}
			if (proof.kind !== "settled") {
				await conclude(id, proof);
				return proof;
			}
			return bookOrKeep(deps, { id, proof, along, conclude });
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

		ask: (row) => askOnce(deps, row),
		conclude,
	};
}

const NOT_SENT =
	"The payment could not be sent just now; nothing was charged. Send the same request again.";

const NOT_NEW = { kind: "unknown", message: "The transaction is not new." } as const;

/** Settled or closed by the reconciler meanwhile; the next try reads it from the row. */
const CONCLUDED_ELSEWHERE = {
	kind: "unknown",
	message: "The payment went on without this call.",
} as const;

async function bookOrKeep<T>(
	deps: SettlerDeps,
	{ id, proof, along, conclude }: Keeping<T>,
): Promise<Settling<T>> {
	try {
		const booked = await book(deps, { id, place: proof, along });
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
}

interface Keeping<T> {
	readonly id: string;
	readonly proof: Proof & { kind: "settled" };
	readonly along: Along<T>;
	readonly conclude: Settler["conclude"];
}

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
	proof: Undecided,
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

/** Undefined when the row is in another state meanwhile. */
async function markSettling(
	{ store, clock, watch }: SettlerDeps,
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
	{ store, clock, watch }: SettlerDeps,
	{ id, before }: { id: string; before: PaymentState },
): Promise<void> {
	const change: Partial<PaymentRow> =
		before === "refused"
			? { state: "refused" }
			: { state: "released", reason: "not_sent", signature: undefined };
	const row = await store.transaction((tx) =>
		changePayment(tx, { id, from: ["settling"], now: clock.now() }, change),
	);
	if (row) watch.follow(row);
}

function isKnownTransfer(error: unknown): boolean {
	return error instanceof LedgerRefusal && error.reason === "duplicate_key";
}
