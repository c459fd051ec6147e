import type { Random } from "../../src/kernel/kernel.js";
import type { ScheduleChannel } from "../../store/store.js";
import { maskTarget, type ScheduleText } from "./schedule-text.js";

const REF_BYTES = 12;

export interface ChannelDeps {
	readonly random: Random;
	/** Whether a mail server is configured. */
	readonly canMail: boolean;
}

/**
 * The channels of a schedule's targets. A target that stayed keeps its channel; a new address must be confirmed by its reader
 * before anything but the question is mailed there.
 */
export function toChannels(
	deps: ChannelDeps,
	{ email, slack }: ScheduleText,
	before:
		| { readonly text: ScheduleText; readonly channels: readonly ScheduleChannel[] }
		| undefined,
): readonly ScheduleChannel[] {
	const kept = (kind: "email" | "slack", target: string) => {
		const last = kind === "email" ? before?.text.email : before?.text.slack;
		const channel = before?.channels.find((one) => one.kind === kind);
		// What was missing may be there now; a reader who left is not asked again.
		const isSettled = channel?.status !== "not_configured";
		return last === target && isSettled ? channel : undefined;
	};
	const channels: ScheduleChannel[] = [];
	if (email !== undefined) {
		const made = { kind: "email", masked: maskTarget("email", email), ref: newRef(deps) } as const;
		const isNew = deps.canMail
			? ({ ...made, status: "unconfirmed", confirmTries: 0 } as const)
			: ({ ...made, status: "not_configured" } as const);
		channels.push(kept("email", email) ?? isNew);
	}
	if (slack !== undefined) {
		const made = { kind: "slack", masked: maskTarget("slack", slack), ref: newRef(deps) } as const;
		channels.push(kept("slack", slack) ?? { ...made, status: "ready" });
	}
	return channels;
}

/** A name nobody can guess. */
export function newRef({ random }: Pick<ChannelDeps, "random">): string {
	return Buffer.from(random.bytes(REF_BYTES)).toString("base64url");
}
