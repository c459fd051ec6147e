import { createHmac } from "node:crypto";
import { type IdKind, type Ids, siblingId, timeOfId } from "../core/ids.js";
import type { SkillContext } from "../core/skill.js";

/** The id of what a call leaves behind. */
export type ResultIds = (kind: IdKind, context: Pick<SkillContext, "callId" | "caller">) => string;

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_CHARS = 16;

/**
 * The same id when a paid call is sent again under its retry key, so that its result is kept once. It is derived from the
 * hold under a secret: who sees a receipt cannot tell what it paid for. Calls without a hold get a new one each time.
 */
export function createResultIds({
	ids,
	secret,
}: {
	readonly ids: Ids;
	readonly secret: Uint8Array;
}): ResultIds {
	return (kind, { callId, caller }) => {
		if (!callId.startsWith("hold_") || timeOfId(callId) === undefined) return ids.next(kind);
		const named = `${kind}\n${caller?.owner ?? ""}\n${callId}`;
		const digest = createHmac("sha256", secret).update(named).digest();
		const random = [...digest.subarray(0, RANDOM_CHARS)].map((byte) => CROCKFORD[byte & 31]);
		return `${siblingId(callId, kind).slice(0, -RANDOM_CHARS)}${random.join("")}`;
	};
}
