import type { Store, StoreTransaction } from "../../store/store.js";
import type { Briefing } from "./briefing.js";
import { type Claim, ownedRun } from "./schedule-claims.js";
import type { ScheduleDelivery } from "./schedule-delivery.js";
import type { ScheduleText } from "./schedule-text.js";

interface SendingDeps {
	readonly store: Pick<Store, "transaction">;
	readonly delivery: ScheduleDelivery;
}

/** Sends to each target that has not got it, one after the other; what is under way is written down before. */
export async function sendAll(
	deps: SendingDeps,
	claim: Claim,
	{ made, text }: { readonly made: Briefing; readonly text: ScheduleText },
): Promise<void> {
	const { store, delivery } = deps;
	const { schedule } = claim;
	const due = claim.run.channels.filter(
		({ status }) => status === "waiting" || status === "failed",
	);
	for (const channel of due) {
		const mark = (status: "sending" | "sent" | "failed") =>
			store.transaction((tx) => markChannel(tx, claim, { ref: channel.ref, status }));
		const isWanted = await mark("sending");
		if (!isWanted) continue;
		const sending = { schedule, channel, text, run: claim.run, briefing: made.briefing };
		const isSent = await delivery.briefing(sending).then(
			() => true,
			() => false,
		);
		await mark(isSent ? "sent" : "failed");
	}
}

/** False when its target left meanwhile. */
async function markChannel(
	tx: StoreTransaction,
	claim: Claim,
	{ ref, status }: { readonly ref: string; readonly status: "sending" | "sent" | "failed" },
): Promise<boolean> {
	const { schedule, run } = await ownedRun(tx, claim);
	const target = schedule.channels.find((channel) => channel.ref === ref);
	if (status === "sending" && target?.status !== "ready") return false;
	const channels = run.channels.map((one) => (one.ref === ref ? { ...one, status } : one));
	await tx.put("briefing_runs", { ...run, channels });
	return true;
}
