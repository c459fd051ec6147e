import { LIMITS } from "../../src/contract/contract.js";
import type { Logger } from "../../src/kernel/kernel.js";
import type { PaymentRow, PaymentState, StoreTransaction } from "../../store/store.js";
import type { SettlementTerms } from "./facilitator.js";
import { isSameAddress } from "./networks.js";
import { endOfBinding } from "./payment-claim.js";
import { changePayment, creditSettled, UNDECIDED } from "./settlement-book.js";
import { proveSettlement, readAuthorization } from "./settlement-proof.js";
import { changeAlone, type SettlingContext } from "./settler.js";

const AT_ONCE = 8;
const ROWS_AT_ONCE = 500;
const FINAL_STATES: ReadonlySet<PaymentState> = new Set(["captured", "credited", "released"]);

/** The chain decides what became of a payment; where none can be read, only the facilitator's success does. */
export function createReconciler(context: SettlingContext) {
	const { clock, watch, logger } = context;
	let pass: Promise<void> | undefined;
	const lookAtDue = async (stopping: AbortSignal | undefined) => {
		await watch.refresh();
		const due = watch.takeDue(clock.now());
		for (let start = 0; start < due.length && !stopping?.aborted; start += AT_ONCE) {
			const looks = due
				.slice(start, start + AT_ONCE)
				.map((id) =>
					lookAtOne(context, id).catch((error: unknown) =>
						logger.error("a payment could not be reconciled", { id, error: String(error) }),
					),
				);
			await Promise.all(looks);
		}
	};
	return {
		/** As `takeUp`, at the start: also logs what the configured chain knows nothing of. */
		async resume(): Promise<void> {
			await takeUp(context);
			await watch.refresh();
			reportUnreachable(context, await context.store.read((reader) => reader.list("payments")));
		},
		/** What processes left that have ended, after their holds were released. */
		takeUp: () => takeUp(context),
		/** Knows afterwards what is open, of which other processes see to the end. */
		refresh: watch.refresh,
		/** Advances every open payment that is due, one pass at a time; an abort resolves after the requests in progress. */
		reconcile(stopping?: AbortSignal): Promise<void> {
			pass ??= lookAtDue(stopping).finally(() => {
				pass = undefined;
			});
			return pass;
		},
		/** Forgets payments that are final and expired. */
		async forgetExpired(): Promise<void> {
			const isOver = (row: PaymentRow) =>
				FINAL_STATES.has(row.state) &&
				row.expiresAt <= clock.now() &&
				endOfBinding(row.validBefore) <= clock.now();
			await inPortions(context, { isWanted: isOver }, async (tx, row) =>
				tx.delete("payments", row.id),
			);
			await context.marks.forgetEnded();
		},
	};
}

async function takeUp(context: SettlingContext): Promise<void> {
	const { clock, marks } = context;
	await marks.forgetEnded();
	for (const wanted of ["reserved", "settling"] as const) {
		const wasCutOff = ({ state }: PaymentRow) => state === wanted;
		await inPortions(context, { wasIn: wanted, isWanted: wasCutOff }, async (tx, { id, state }) => {
			const now = clock.now();
			// Only what was reserved is known not to have been sent.
			const change: Partial<PaymentRow> =
				state === "reserved"
					? { state: "released", reason: "restart", signature: undefined }
					: { state: "unknown", reason: "restart" };
			await changePayment(tx, { id, from: [state], now }, change);
		});
	}
}

interface Wanted {
	/** State to look among; all of them where absent. */
	readonly wasIn?: PaymentState;
	readonly isWanted: (row: PaymentRow) => boolean;
}

/** In small transactions, so that calls get their turn in between; each row is judged again inside. */
async function inPortions(
	{ store, marks }: SettlingContext,
	{ wasIn, isWanted }: Wanted,
	work: (tx: StoreTransaction, row: PaymentRow) => Promise<void>,
): Promise<void> {
	const rows = await store.read((reader) =>
		wasIn === undefined ? reader.list("payments") : reader.findBy("payments", "state", wasIn),
	);
	const ids = rows.filter(isWanted).map((row) => row.id);
	for (let start = 0; start < ids.length; start += ROWS_AT_ONCE) {
		await store.transaction(async (tx) => {
			for (const id of ids.slice(start, start + ROWS_AT_ONCE)) {
				const row = await tx.get("payments", id);
				if (row && isWanted(row) && !(await marks.isBusy(tx, id))) await work(tx, row);
			}
		});
	}
}

function isBusy({ store, marks }: SettlingContext, id: string): Promise<boolean> {
	return store.read((reader) => marks.isBusy(reader, id));
}

async function lookAtOne(context: SettlingContext, id: string): Promise<void> {
	const row = await context.store.read((reader) => reader.get("payments", id));
	if (!row) return context.watch.forget(id);
	if (await isBusy(context, id)) return;
	// Another chain knows nothing of it, and nothing it says may end the question.
	if (row.state !== "settled" && !isOnTerms(context.terms, row)) return;
	switch (row.state) {
		case "settled":
			return creditUndelivered(context, row);
		case "refused":
			return context.chain ? lookOnChain(context, row) : reopenRefusal(context, row);
		case "settling":
		case "unknown":
			return context.chain ? lookOnChain(context, row) : askAgain(context, row);
		case "reserved":
		case "captured":
		case "credited":
		case "released":
			return context.watch.follow(row);
	}
}

async function lookOnChain(context: SettlingContext, row: PaymentRow): Promise<void> {
	const state = await readAuthorization(context, row);
	// A caller may have come back meanwhile; then the call decides.
	if (await isBusy(context, row.id)) return;
	if (state?.kind === "settled") {
		await context.settler.conclude(row.id, state);
		return;
	}
	if (state?.kind === "canceled") await closeUnused(context, row, "canceled");
	if (state?.kind === "unused" && isBeyondUse(context, row, state.headMs)) {
		await closeUnused(context, row, "lapsed");
	}
}

/** A node may lag behind the block that settled it, so its own time decides; a chain without new blocks is accepted as final after a day. */
function isBeyondUse(context: SettlingContext, row: PaymentRow, headMs: number): boolean {
	if (!hasLapsed(context, row)) return false;
	const endMs = row.validBefore * 1_000;
	return headMs >= endMs || context.clock.now() > endMs + LIMITS.idleChainLapseMs;
}

function hasLapsed({ clock }: SettlingContext, { validBefore }: PaymentRow): boolean {
	return clock.now() > validBefore * 1_000 + LIMITS.authorizationLapseMs;
}

/** A facilitator's refusal proves nothing: without a chain to read it stays unknown. */
async function reopenRefusal(context: SettlingContext, row: PaymentRow): Promise<void> {
	if (!hasLapsed(context, row)) return;
	const reason = row.reason ?? "refused";
	await context.settler.conclude(row.id, { kind: "unknown", message: reason });
}

/** Expired or canceled without a settlement. */
function closeUnused(context: SettlingContext, { id }: PaymentRow, reason: string) {
	return changeAlone(context, UNDECIDED, { id, state: "released", reason, signature: undefined });
}

/** Asking again may send the payment, so it waits until the authorization has lapsed; only an answer with the first transaction settles the question. */
async function askAgain(context: SettlingContext, row: PaymentRow): Promise<void> {
	if (!hasLapsed(context, row)) return;
	const outcome = await context.settler.ask(row);
	if (outcome.kind === "settled" && !(await isBusy(context, row.id))) {
		const proof = await proveSettlement(context, row, outcome);
		if (proof.kind === "settled") await context.settler.conclude(row.id, proof);
		return;
	}
	context.logger.error(
		"a payment stays unknown: no chain can be read and the facilitator proves nothing",
		{
			id: row.id,
			network: row.network,
			transactionHash: row.transactionHash,
		},
	);
}

/** The caller did not come back for what it paid: the money becomes a token of the wallet's. */
async function creditUndelivered(context: SettlingContext, row: PaymentRow): Promise<void> {
	const { clock, settler, marks, issueCredit } = context;
	if (clock.now() < row.updatedAt + LIMITS.undeliveredGraceMs) return;
	const credit = creditSettled(issueCredit);
	const unlessWanted: typeof credit = async (tx, booked) => {
		const { id, holdId } = booked.row;
		const hold = holdId && (await tx.get("holds", holdId));
		if (hold || (await marks.isBusy(tx, id))) throw new StillWanted();
		return credit(tx, booked);
	};
	await settler.spend(row.id, unlessWanted).catch((error: unknown) => {
		if (!(error instanceof StillWanted)) throw error;
	});
}

/** Its caller came back, or is being answered. */
class StillWanted extends Error {}

type Terms = Pick<SettlementTerms, "network" | "asset">;

/** True when the configured chain is the one that knows what became of the payment. */
function isOnTerms({ network, asset }: Terms, row: PaymentRow): boolean {
	return row.network === network && isSameAddress(row.asset, asset);
}

/** Logs at the start which open payments the configured chain knows nothing of; without terms that is all of them. */
export function reportUnreachable(
	{ terms, logger }: { terms?: Terms | undefined; logger: Logger },
	rows: readonly PaymentRow[],
): void {
	const counts = new Map<string, number>();
	for (const row of rows) {
		if (!UNDECIDED.includes(row.state) || (terms && isOnTerms(terms, row))) continue;
		const place = `${row.network} ${row.asset}`;
		counts.set(place, (counts.get(place) ?? 0) + 1);
	}
	for (const [place, payments] of counts) {
		const [network, asset] = place.split(" ");
		logger.error("payments stay open until their network and asset are configured again", {
			network,
			asset,
			payments,
		});
	}
}
