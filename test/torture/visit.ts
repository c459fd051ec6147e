import { PaymentRequired } from "../../payments/challenge.js";
import type { CallResult } from "../../src/contract/call.js";
import { ServiceError } from "../../src/kernel/errors.js";
import type { Order, Reply } from "./book.js";
import { BrokenPromise } from "./broken-promise.js";
import type { Dice } from "./dice.js";
import type { House } from "./house.js";
import type { Life } from "./life.js";
import { SkillFailure } from "./test-skills.js";
import type { Timeline } from "./timeline.js";
import { RESOURCE_URL, type Signed } from "./wallet.js";

/** No word came back. */
export type Lost = Extract<Reply, { kind: "unknown" }>;

/** Asks something of whatever house is open; undefined when none is. */
export type Visit = <R>(
	act: (house: House, signal: AbortSignal) => Promise<R>,
) => Promise<R | Lost | undefined>;

/** Sends an order. */
export type Ask = (order: Order, signed: Signed | undefined) => Promise<Reply | undefined>;

/** A house with its doors open. */
export interface Open {
	readonly house: House;
	readonly life: Life;
	/** Resolves when the disk has stopped the store. */
	readonly stopped: Promise<void>;
}

export interface VisitDeps {
	readonly timeline: Timeline;
	readonly dice: Dice;
	readonly current: () => Open | undefined;
	/** Reports to the world a fault that no caller should ever see. */
	readonly onFault: (fault: BrokenPromise) => void;
}

export function createVisit({ timeline, dice, current }: Omit<VisitDeps, "onFault">): Visit {
	return async <R>(act: (house: House, signal: AbortSignal) => Promise<R>) => {
		const open = current();
		if (!open) return undefined;
		const caller = new AbortController();
		const left = new Promise<Lost>((resolve) => {
			if (!dice.chance(0.06)) return;
			timeline.schedule(dice.between(0, 80), () => {
				caller.abort(new Error("The caller left."));
				resolve({ kind: "unknown", why: "left" });
			});
		});
		const gone = open.life.died.then((): Lost => ({ kind: "unknown", why: "crash" }));
		return Promise.race([act(open.house, caller.signal), gone, left]);
	};
}

export function createAsk(visit: Visit, onFault: VisitDeps["onFault"]): Ask {
	let requests = 0;
	return (order, signed) =>
		visit((house, signal) =>
			house
				.invoke({
					operationId: order.operationId,
					rawInput: { query: order.query },
					credential: order.purse.credential,
					payment: signed?.payment,
					idempotencyKey: order.idempotencyKey,
					requestId: `req_${++requests}`,
					transport: "internal",
					resourceUrl: RESOURCE_URL,
					signal,
				})
				.then(toDelivery, (error: unknown) => toRefusal(error, signal, onFault)),
		);
}

function toDelivery({ cost, onDelivered }: CallResult): Reply {
	onDelivered?.();
	if (cost.credit) return { kind: "credited", tokenId: cost.credit.id };
	if (cost.receipt_id === null && !cost.charged) return { kind: "not charged" };
	return { kind: "delivered", receiptId: cost.receipt_id, isReplay: cost.replayed === true };
}

function toRefusal(error: unknown, signal: AbortSignal, onFault: VisitDeps["onFault"]): Reply {
	return signal.aborted ? { kind: "unknown", why: "left" } : toReply(error, onFault);
}

/** What an error reports to its caller. */
export function toReply(error: unknown, onFault: VisitDeps["onFault"]): Reply {
	if (error instanceof SkillFailure) return { kind: "refused", code: "SKILL_FAILURE" };
	if (error instanceof PaymentRequired) return { kind: "refused", code: error.code };
	const credited = creditIn(error);
	if (credited !== undefined) return { kind: "credited", tokenId: credited };
	if (error instanceof ServiceError && error.code !== "INTERNAL") {
		if (error.code === "UNAVAILABLE") return { kind: "unknown", why: "stopped" };
		return { kind: "refused", code: error.code };
	}
	const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
	onFault(new BrokenPromise(`A caller saw: ${text}`));
	return { kind: "refused", code: "FAULT" };
}

/** The token that holds what had settled for a call that then failed. */
function creditIn(error: unknown): string | undefined {
	const body = error instanceof ServiceError ? error.reply?.body : undefined;
	return (body as { credit?: { id: string } } | undefined)?.credit?.id;
}
