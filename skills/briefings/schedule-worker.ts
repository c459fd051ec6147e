import { toIsoDay } from "../../src/kernel/kernel.js";
import type { ScheduleRow } from "../../store/store.js";
import { type Claim, claimDue, isRunning } from "./schedule-claims.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { hasWay, performRun, type RunServices } from "./schedule-run.js";
import { latestSlot, nextSlot } from "./schedule-slots.js";
import { maskId } from "./schedule-wire.js";

/** Looks for what is due and does it; any number of them may work on one store. */
export type ScheduleWorker = ReturnType<typeof createScheduleWorker>;

export function createScheduleWorker(deps: RunServices) {
	const { store, clock, logger } = deps;
	const quiet = createQuietTimes();
	const look = async (row: ScheduleRow): Promise<number> => {
		const schedule = await withPayment(deps, row);
		if (!schedule) return 0;
		await sendConfirmations(deps, schedule);
		const now = clock.now();
		if (!isRunning(schedule) || quiet.has(schedule, now)) return 0;
		const claim = await claimDue(store, schedule.id, now);
		if (!claim) {
			quiet.note(schedule, now);
			return 0;
		}
		await performRun(deps, claim);
		await keepText(deps, claim);
		return 1;
	};
	return {
		/**
		 * One round over all schedules; resolves to how many runs it attempted. Never throws for one schedule's sake. Once asked
		 * to stop it begins no other schedule.
		 */
		async tick(stopping?: AbortSignal): Promise<number> {
			let attempts = 0;
			const rows = await store.read((reader) => reader.list("schedules"));
			quiet.keepOnly(new Set(rows.map(({ id }) => id)));
			for (const row of rows) {
				if (stopping?.aborted) break;
				attempts += await look(row).catch((error: unknown) => {
					logger.error("a schedule could not be looked after", {
						schedule: maskId(row.id),
						error: String(error),
					});
					return 0;
				});
			}
			return attempts;
		},
	};
}

/**
 * Remembers until when nothing is due, so that most rounds cost a comparison for each schedule. It holds between two slots
 * only, so that a clock that jumps out of it, either way, is looked at again.
 */
function createQuietTimes() {
	const known = new Map<string, { key: string; from: number; until: number }>();
	const keyOf = ({ frequency, timezone, hour, weekday, startsAt, lastRunId }: ScheduleRow) =>
		[frequency, timezone, hour, weekday, startsAt, lastRunId].join(" ");
	return {
		has(schedule: ScheduleRow, now: number): boolean {
			const quiet = known.get(schedule.id);
			if (schedule.openRunId !== undefined || quiet?.key !== keyOf(schedule)) return false;
			return now >= quiet.from && now < quiet.until;
		},
		/** Nothing was due now. */
		note(schedule: ScheduleRow, now: number): void {
			if (schedule.openRunId !== undefined) return;
			const { id, startsAt } = schedule;
			const latest = latestSlot(schedule, { since: startsAt, now });
			const until = nextSlot(schedule, Math.max(now, startsAt)).at;
			const from = latest?.at ?? Math.min(now, startsAt);
			known.set(id, { key: keyOf(schedule), from, until });
		},
		/** Forgets schedules that are gone. */
		keepOnly(ids: ReadonlySet<string>): void {
			for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
		},
	};
}

/** The schedule once it is paid for; one whose payment never came is cancelled, and delivers nothing. */
async function withPayment(
	{ store, texts, billing, clock }: RunServices,
	row: ScheduleRow,
): Promise<ScheduleRow | undefined> {
	if (row.isPaid || row.status === "cancelled") return row;
	const isPaid = await billing.isPaid(row);
	const now = clock.now();
	if (!isPaid && now < row.createdAt + SCHEDULE_LIMITS.unpaidTtlMs) return undefined;
	const end = { status: "cancelled", expiresAt: now + SCHEDULE_LIMITS.cancelledKeptMs } as const;
	const changed = await store.transaction(async (tx) => {
		const schedule = await tx.get("schedules", row.id);
		if (!schedule) return undefined;
		const next = { ...schedule, ...(isPaid ? { isPaid } : { ...end, channels: [] }) };
		await tx.put("schedules", next);
		return next;
	});
	if (changed?.status === "cancelled") await texts.forget([changed.documentId]);
	return changed;
}

/** Asks the readers of new addresses whether they want briefings. */
async function sendConfirmations(deps: RunServices, schedule: ScheduleRow): Promise<void> {
	const { store, texts, delivery, clock } = deps;
	const due = schedule.channels.find(({ confirmTries }) => confirmTries !== undefined);
	if (!due || !isRunning(schedule)) return;
	const isLeft = await store.transaction(async (tx) => {
		const row = await tx.get("schedules", schedule.id);
		const channel = row?.channels.find(({ ref }) => ref === due.ref);
		if (!row || channel?.confirmTries === undefined || !mayMail(row, clock.now())) return false;
		await tx.put("schedules", countMail(withTries(row, due.ref, undefined), clock.now()));
		return true;
	});
	const text = isLeft ? await texts.get(schedule) : undefined;
	if (!text) return;
	await delivery.confirmation({ schedule, channel: due, text }).catch(async () => {
		const tries = (due.confirmTries ?? 0) + 1;
		await store.transaction(async (tx) => {
			const row = await tx.get("schedules", schedule.id);
			if (row) await tx.put("schedules", withTries(row, due.ref, tries));
		});
	});
}

function withTries(row: ScheduleRow, ref: string, tries: number | undefined): ScheduleRow {
	const channels = row.channels.map((channel) => {
		if (channel.ref !== ref) return channel;
		const { confirmTries: _, ...rest } = channel;
		return tries === undefined ? rest : { ...rest, confirmTries: tries };
	});
	return { ...row, channels };
}

/** Whether one more mail beside briefings may leave today. */
export function mayMail({ extraMails }: ScheduleRow, now: number): boolean {
	return extraMails?.day !== toIsoDay(now) || extraMails.count < SCHEDULE_LIMITS.extraMailsPerDay;
}

export function countMail(row: ScheduleRow, now: number): ScheduleRow {
	const day = toIsoDay(now);
	const count = row.extraMails?.day === day ? row.extraMails.count + 1 : 1;
	return { ...row, extraMails: { day, count } };
}

/** What is in use is kept: text and row live a year from their last use. */
async function keepText({ store, texts, clock }: RunServices, { schedule }: Claim): Promise<void> {
	const isFresh = schedule.textExpiresAt - clock.now() > SCHEDULE_LIMITS.textRenewedMs;
	// No one's use: an address that never agreed is forgotten when its time is over.
	if (isFresh || !hasWay(schedule)) return;
	const text = await texts.get(schedule);
	if (!text) return;
	const textExpiresAt = await texts.put(schedule.documentId, text);
	const isMeant = await store.transaction(async (tx) => {
		const row = await tx.get("schedules", schedule.id);
		if (row?.documentId !== schedule.documentId || row.status === "cancelled") return false;
		await tx.put("schedules", { ...row, textExpiresAt, expiresAt: textExpiresAt });
		return true;
	});
	// Changed, cancelled or erased meanwhile: what was just written belongs to nothing.
	if (!isMeant) await texts.forget([schedule.documentId]);
}
