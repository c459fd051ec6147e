import { createHash } from "node:crypto";
import { toIdLetters } from "../../src/kernel/kernel.js";
import { recordPause, recordRunEnd } from "../../src/webhooks/webhooks.js";
import type { BriefingRunRow, ScheduleRow, Store, StoreTransaction } from "../../store/store.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { latestSlot } from "./schedule-slots.js";

/** One attempt at one run: no one else works on it until its lease is over. */
export interface Claim {
	readonly schedule: ScheduleRow;
	readonly run: BriefingRunRow;
}

/** What an attempt does no longer counts: another one took over, or the schedule is gone. */
export class LostClaim extends Error {
	constructor() {
		super("Another attempt has taken over this run.");
		this.name = "LostClaim";
	}
}

const ID_CHARS = 26;

/** The same id for the same schedule and slot, which no one can guess who does not know the schedule's. */
export function runIdOf(scheduleId: string, slot: string): string {
	const digest = createHash("sha256").update(`${scheduleId}\n${slot}`).digest();
	return `run_${toIdLetters(digest.subarray(0, ID_CHARS))}`;
}

/** A run that is about to begin, with its first lease. */
export function openRun(
	schedule: ScheduleRow,
	about: Pick<BriefingRunRow, "id" | "kind" | "slot" | "dueAt">,
	now: number,
): BriefingRunRow {
	return {
		...about,
		owner: schedule.owner,
		...(schedule.grantId !== undefined && { grantId: schedule.grantId }),
		scheduleId: schedule.id,
		status: "running",
		attempt: 1,
		leasedAt: now,
		leaseUntil: now + SCHEDULE_LIMITS.leaseMs,
		channels: schedule.channels
			.filter(({ status }) => status === "ready")
			.map(({ kind, ref }) => ({ kind, ref, status: "waiting" as const })),
		startedAt: now,
		expiresAt: now + SCHEDULE_LIMITS.runsKeptMs,
	};
}

/**
 * Takes the run that is due of one schedule, if there is one that no one works on. The id of a run is made from its slot, so
 * that no two workers, no crash and no jump of the clock makes a slot run twice; of slots that were missed only the latest runs.
 */
export function claimDue(
	store: Pick<Store, "transaction">,
	scheduleId: string,
	now: number,
): Promise<Claim | undefined> {
	return store.transaction(async (tx) => {
		const schedule = await tx.get("schedules", scheduleId);
		if (!schedule || !isRunning(schedule)) return undefined;
		const open = schedule.openRunId && (await tx.get("briefing_runs", schedule.openRunId));
		if (open && open.finishedAt === undefined) {
			const taken = await takeOver(tx, { schedule, run: open }, now);
			if (taken !== "free") return taken;
		}
		return claimSlot(tx, scheduleId, now);
	});
}

export function isRunning({ status }: Pick<ScheduleRow, "status">): boolean {
	return status === "active" || status === "failing";
}

async function claimSlot(
	tx: StoreTransaction,
	scheduleId: string,
	now: number,
): Promise<Claim | undefined> {
	const schedule = await tx.get("schedules", scheduleId);
	if (!schedule || !isRunning(schedule)) return undefined;
	const slot = latestSlot(schedule, { since: schedule.startsAt, now });
	if (!slot) return undefined;
	const id = runIdOf(schedule.id, slot.day);
	if (await tx.get("briefing_runs", id)) return undefined;
	const about = { id, kind: "scheduled", slot: slot.day, dueAt: slot.at } as const;
	const run = openRun(schedule, about, now);
	const claimed = { ...schedule, openRunId: id, lastRunId: id };
	await tx.put("briefing_runs", run);
	await tx.put("schedules", claimed);
	return { schedule: claimed, run };
}

/** The open run, when its attempt was abandoned or its wait is over; "free" once it is closed. */
async function takeOver(
	tx: StoreTransaction,
	{ schedule, run }: Claim,
	now: number,
): Promise<Claim | undefined | "free"> {
	if (now < run.leasedAt) {
		// The clock went back: the lease, or the wait, begins again on the new time.
		const leaseUntil = now + (run.leaseUntil - run.leasedAt);
		await tx.put("briefing_runs", { ...run, leasedAt: now, leaseUntil });
		return undefined;
	}
	if (run.status === "running" && now < run.leaseUntil) return undefined;
	const next = { ...run, channels: abandonedChannels(run) };
	const isDue = now >= run.leaseUntil;
	const isOver =
		run.attempt > SCHEDULE_LIMITS.retryDelaysMs.length ||
		next.channels.some(({ status }) => status === "unknown");
	if (isSuperseded(schedule, run, now) || (isDue && isOver)) {
		await closeRun(tx, { schedule, run: next }, { status: settledStatus(next), now });
		return "free";
	}
	if (!isDue) return undefined;
	const claimed = {
		...next,
		status: "running",
		attempt: run.attempt + 1,
		leasedAt: now,
		leaseUntil: now + SCHEDULE_LIMITS.leaseMs,
	};
	await tx.put("briefing_runs", claimed);
	return { schedule, run: claimed };
}

/** What was being sent when its attempt ended may have arrived: it is not sent again. */
export function abandonedChannels({ channels }: BriefingRunRow): BriefingRunRow["channels"] {
	return channels.map((channel) =>
		channel.status === "sending" ? { ...channel, status: "unknown" } : channel,
	);
}

function isSuperseded(schedule: ScheduleRow, run: BriefingRunRow, now: number): boolean {
	const slot = latestSlot(schedule, { since: schedule.startsAt, now });
	return slot !== undefined && slot.day > run.slot;
}

/** How a run ended that no one finishes any more. */
export function settledStatus({ channels }: Pick<BriefingRunRow, "channels">): string {
	if (channels.some(({ status }) => status === "sent")) return "delivered";
	return channels.some(({ status }) => status === "unknown") ? "unknown" : "failed";
}

/** Ends a run; a schedule whose runs fail one after the other is paused. */
export async function closeRun(
	tx: StoreTransaction,
	{ schedule, run }: Claim,
	{ status, now }: { readonly status: string; readonly now: number },
): Promise<void> {
	const ended = { ...run, status, finishedAt: now };
	await tx.put("briefing_runs", ended);
	await recordRunEnd(tx, ended, now);
	const failedRuns = status === "failed" ? schedule.failedRuns + 1 : 0;
	const { openRunId: _, ...rest } = schedule;
	const isLost = failedRuns >= SCHEDULE_LIMITS.failedRunsMax && isRunning(schedule);
	const closed: ScheduleRow = {
		...rest,
		failedRuns,
		...(isRunning(schedule) && { status: failedRuns > 0 ? "failing" : "active" }),
		...(isLost && { status: "paused", reason: "deliveries_failed" }),
	};
	await tx.put("schedules", closed);
	if (closed.status === "paused" && (isLost || status === "unpaid"))
		await recordPause(tx, closed, now);
}

/** Leaves a run to its next attempt; a schedule whose briefing was not delivered is failing until then. */
export async function deferRun(
	tx: StoreTransaction,
	{ schedule, run }: Claim,
	how: { readonly now: number; readonly delayMs: number; readonly isDelivered: boolean },
): Promise<void> {
	const { now, delayMs, isDelivered } = how;
	const waiting = { ...run, status: "waiting", leasedAt: now, leaseUntil: now + delayMs };
	await tx.put("briefing_runs", waiting);
	const isFailing = isRunning(schedule) && !isDelivered;
	await tx.put("schedules", isFailing ? { ...schedule, status: "failing" } : schedule);
}

/** The run and its schedule as they are now, for anyone who still owns the attempt. Throws LostClaim. */
export async function ownedRun(tx: StoreTransaction, { run }: Claim): Promise<Claim> {
	const now = await tx.get("briefing_runs", run.id);
	const schedule = await tx.get("schedules", run.scheduleId);
	if (!schedule || now?.status !== "running" || now.attempt !== run.attempt) throw new LostClaim();
	return { schedule, run: now };
}
