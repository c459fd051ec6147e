import { LIMITS } from "../../src/contract/contract.js";
import type { Clock, Logger } from "../../src/kernel/kernel.js";
import type { PaymentRow, Store } from "../../store/store.js";
import type { ChainReader, Facilitator, SettlementTerms, SettleOutcome } from "./facilitator.js";
import { authorizationOf } from "./payment-claim.js";
import { changePayment, UNDECIDED } from "./settlement-book.js";
import { DeadlinePassed, type Proof, proveSettlement, within } from "./settlement-proof.js";

export interface QuestionDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly terms: SettlementTerms;
	readonly facilitator: Facilitator;
	/** Without it only the facilitator's success ends a payment of unknown outcome. */
	readonly chain?: ChainReader | undefined;
}

type Conclude = (id: string, proof: Proof & { kind: "settled" }) => Promise<unknown>;

/** Sends the payment and proves its outcome; an answer after the deadline is concluded when it arrives. */
export async function send(
	deps: QuestionDeps,
	row: PaymentRow,
	conclude: Conclude,
): Promise<Proof> {
	const asked = startAsking(deps, row);
	const outcome = await within(asked, LIMITS.settleTimeoutMs, deps.clock).catch(
		(error: unknown) => {
			if (error instanceof DeadlinePassed) concludeLate(deps, row, { asked, conclude });
			return toUnknown(error);
		},
	);
	const current = (await readRow(deps, row.id)) ?? row;
	return proveSettlement(deps, current, outcome);
}

/** The facilitator's answer alone; asking may send a payment that has not expired. */
export function askOnce(deps: QuestionDeps, row: PaymentRow): Promise<SettleOutcome> {
	return within(startAsking(deps, row), LIMITS.verifyTimeoutMs, deps.clock).catch(toUnknown);
}

/** The facilitator may answer after our deadline; its answer, not the timeout, decides. */
function concludeLate(
	deps: QuestionDeps,
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
	{ facilitator, terms, store, clock }: QuestionDeps,
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

function readRow({ store }: QuestionDeps, id: string): Promise<PaymentRow | undefined> {
	return store.read((reader) => reader.get("payments", id));
}

function toUnknown(error: unknown): SettleOutcome {
	const isLate = error instanceof DeadlinePassed;
	return { kind: "unknown", message: isLate ? error.message : "The facilitator failed." };
}
