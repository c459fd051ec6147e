import { createHmac } from "node:crypto";
import type { SkillContext } from "../contract/contract.js";
import { type IdKind, type Ids, siblingId, timeOfId, toIdLetters } from "../kernel/kernel.js";

/** The id of what a call leaves behind. */
export type ResultIds = (kind: IdKind, context: Pick<SkillContext, "callId" | "caller">) => string;

const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/**
 * The same id when a paid call is sent again under its retry key, so that its result is kept once. It is derived from the
 * hold, or from the payment on a chain that needed none, under a secret: who sees a receipt cannot tell what it paid for.
 * Calls that nothing was paid for get a new one each time.
 */
export function createResultIds({
	ids,
	secret,
}: {
	readonly ids: Ids;
	readonly secret: Uint8Array;
}): ResultIds {
	return (kind, { callId, caller }) => {
		const isHold = callId.startsWith("hold_") && timeOfId(callId) !== undefined;
		if (!isHold && !PAYMENT_ID.test(callId)) return ids.next(kind);
		const named = `${kind}\n${caller?.owner ?? ""}\n${callId}`;
		const digest = createHmac("sha256", secret).update(named).digest();
		const chars = toIdLetters(digest);
		const random = chars.slice(0, RANDOM_CHARS);
		if (isHold) return `${siblingId(callId, kind).slice(0, -RANDOM_CHARS)}${random}`;
		// A payment's id tells no time; the first digit keeps it one that an id can have.
		return `${kind}_0${chars.slice(-(TIME_CHARS - 1))}${random}`;
	};
}

const PAYMENT_ID = /^pay_[0-9a-f]{32}$/;
