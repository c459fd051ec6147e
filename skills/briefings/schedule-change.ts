import { type Clock, ServiceError } from "../../src/kernel/kernel.js";
import { recordPause } from "../../src/webhooks/webhooks.js";
import type { ScheduleRow, Store, StoreTransaction } from "../../store/store.js";
import { toRenewal } from "./schedule-billing.js";
import { closeRun, settledStatus } from "./schedule-claims.js";
import type { MailRefusals } from "./schedule-consent.js";
import { noSchedule, type ScheduleViewer } from "./schedule-record.js";
import {
	type ChannelDeps,
	newRef,
	type ScheduleText,
	type ScheduleTexts,
	scheduleMemories,
	toChannels,
} from "./schedule-text.js";
import type { ScheduleChange } from "./schedule-wire.js";

interface ChangeServices extends ChannelDeps {
	readonly refusals: MailRefusals;
	readonly store: Pick<Store, "transaction">;
	readonly texts: ScheduleTexts;
	readonly clock: Clock;
}

/** Throws NOT_FOUND when it is gone meanwhile. */
export function changeRow(
	store: Pick<Store, "transaction">,
	id: string,
	change: (row: ScheduleRow) => ScheduleRow,
): Promise<ScheduleRow> {
	return store.transaction(async (tx) => {
		const row = await tx.get("schedules", id);
		if (!row || row.status === "cancelled") throw noSchedule();
		const changed = change(row);
		await tx.put("schedules", changed);
		return changed;
	});
}

interface Changing {
	readonly row: ScheduleRow;
	readonly viewer: ScheduleViewer;
	readonly change: ScheduleChange;
}

/** Changes what was asked for, all of it or nothing. */
export async function applyChange(deps: ChangeServices, changing: Changing): Promise<ScheduleRow> {
	const { store, texts, clock, refusals } = deps;
	const { row, viewer, change } = changing;
	if (change.renew_with) assertRenews(viewer);
	const before = await texts.get(row);
	if (!before) throw noSchedule();
	if (change.email) await refusals.assertMayAsk(row.owner, change.email);
	const text = toText(before, change);
	const channels = toChannels(deps, text, { text: before, channels: row.channels });
	// A text of its own for each change: whichever comes last names it, and a crash leaves the old one whole.
	const documentId = `${row.id}-${newRef(deps)}`;
	const textExpiresAt = await texts.put(documentId, text);
	const now = clock.now();
	try {
		const changed = await store.transaction(async (tx) => {
			const current = await toBeChanged(tx, changing, now);
			const next = {
				...withTiming(current, change, now),
				...(change.renew_with && { renewal: toRenewal(viewer.caller) }),
				...statusOf(current, change, now),
				...{ channels, documentId, textExpiresAt, expiresAt: textExpiresAt },
			};
			await tx.put("schedules", next);
			const isPaused = next.status === "paused" && current.status !== "paused";
			if (isPaused) await recordPause(tx, next, now);
			return next;
		});
		await texts.forget([row.documentId]);
		if (text.topic !== before.topic) await texts.forget(scheduleMemories(row.id));
		return changed;
	} catch (error) {
		await texts.forget([documentId]);
		throw error;
	}
}

function toText(before: ScheduleText, { topic, email, slack_webhook: slack }: ScheduleChange) {
	return {
		topic: topic ?? before.topic,
		email: email === undefined ? before.email : (email ?? undefined),
		slack: slack === undefined ? before.slack : (slack ?? undefined),
	};
}

/** The row as it is now; a run that waits for its next attempt ends with a pause. */
async function toBeChanged(
	tx: StoreTransaction,
	{ row, change }: Changing,
	now: number,
): Promise<ScheduleRow> {
	const current = await tx.get("schedules", row.id);
	if (!current || current.status === "cancelled") throw noSchedule();
	if (current.documentId !== row.documentId) {
		throw new ServiceError(
			"IDEMPOTENCY_IN_FLIGHT",
			"The schedule was changed by another request in the same moment; send yours again.",
			{ retryAfterSeconds: 1 },
		);
	}
	if (change.status !== "paused" || current.openRunId === undefined) return current;
	const run = await tx.get("briefing_runs", current.openRunId);
	if (run?.status !== "waiting") return current;
	await closeRun(tx, { schedule: current, run }, { status: settledStatus(run), now });
	return (await tx.get("schedules", row.id)) ?? current;
}

/** Another time begins now: what would have been due by it already is not made up for. */
function withTiming(row: ScheduleRow, change: ScheduleChange, now: number): ScheduleRow {
	const { frequency, timezone, hour, weekday } = change;
	const timing = {
		...(frequency !== undefined && { frequency }),
		...(timezone !== undefined && { timezone }),
		...(hour !== undefined && { hour }),
		...(weekday !== undefined && { weekday }),
	};
	return Object.keys(timing).length === 0 ? row : { ...row, ...timing, startsAt: now };
}

/** What was due while it was paused does not come later; runs that failed before count on, so that pausing makes no new ones. */
function statusOf(
	row: ScheduleRow,
	{ status }: ScheduleChange,
	now: number,
): Partial<Pick<ScheduleRow, "status" | "reason" | "startsAt">> {
	if (status === "paused") return { status: "paused", reason: "asked" };
	if (status !== "active" || row.status !== "paused") return {};
	return { status: "active", reason: undefined, startsAt: now };
}

/** Throws UNAUTHENTICATED without a credential, and SCOPE_FORBIDDEN for a secret that was replaced. */
function assertRenews({ isNamed, caller }: ScheduleViewer): void {
	if (!isNamed) {
		throw new ServiceError(
			"UNAUTHENTICATED",
			'"renew_with": "credential" needs one: send an API key or a Shared Payment Token with this request.',
		);
	}
	if (!caller.access?.isReplaced) return;
	throw new ServiceError(
		"SCOPE_FORBIDDEN",
		"This secret was replaced and cannot pay for weeks to come; send the key's newest secret.",
	);
}
