import type { SkillContext } from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { recordRunEnd } from "../../src/webhooks/webhooks.js";
import type { BriefingRunRow, ScheduleRow } from "../../store/store.js";
import type { Briefing } from "./briefing.js";
import type { BriefingMemory } from "./briefing-changes.js";
import { composeFor, dropUnkept, rememberTold, stageBriefing } from "./schedule-briefing.js";
import { type Claim, openRun, ownedRun, runIdOf, settledStatus } from "./schedule-claims.js";
import type { ManualRun } from "./schedule-ports.js";
import { noSchedule, toRunItem } from "./schedule-record.js";
import type { ScheduleRunDeps } from "./schedule-run.js";
import type { ReadRun } from "./schedule-runs.js";
import { sendAll } from "./schedule-sending.js";
import { localDay } from "./schedule-slots.js";
import type { ScheduleText } from "./schedule-text.js";
import type { RunWire } from "./schedule-wire.js";

export interface ManualRunDeps extends ScheduleRunDeps {
	readonly readRun: ReadRun;
}

/**
 * One briefing at once, for its own price: it begins no week, and what is told in turn is told all the same. Nothing of it is
 * kept, sent or remembered before it is paid for, and nothing at all of one that has nothing new to tell.
 */
export async function runNow(
	deps: ManualRunDeps,
	schedule: ScheduleRow,
	{ callId, signal }: Pick<SkillContext, "callId" | "signal">,
): Promise<ManualRun> {
	const { store, clock, texts, readRun } = deps;
	const text = await texts.get(schedule);
	if (!text) throw noSchedule();
	const id = runIdOf(schedule.id, callId);
	const known = await store.read((reader) => reader.get("briefing_runs", id));
	if (known?.finishedAt !== undefined) return { run: await readRun(schedule, known) };
	const before = await toldLast(deps, schedule);
	const made = await composeFor(deps, schedule, { text, before, signal });
	signal.throwIfAborted();
	const { briefing } = made;
	const run = toManualRun(schedule, id, clock.now());
	if (!made.isWorth) {
		const ended = { ...run, status: "nothing_new", channels: [], finishedAt: clock.now() };
		return { run: { ...toRunItem(ended), briefing, kept_until: null } };
	}
	return {
		run: { ...toRunItem(run), briefing, kept_until: null },
		deliver: () => deliver(deps, run, { made, text }),
	};
}

/** What its reader was told last, in turn or out of it. */
async function toldLast(
	{ texts }: ManualRunDeps,
	schedule: ScheduleRow,
): Promise<BriefingMemory | undefined> {
	const scheduled = await texts.memoryOf(schedule, "scheduled");
	const manual = await texts.memoryOf(schedule, "manual");
	if (!scheduled || !manual) return scheduled ?? manual;
	return scheduled.at > manual.at ? scheduled : manual;
}

function toManualRun(schedule: ScheduleRow, id: string, now: number): BriefingRunRow {
	const slot = localDay(schedule.timezone, now);
	return openRun(schedule, { id, kind: "manual", slot, dueAt: now }, now);
}

/** Sends it, lets it be picked up and remembers what it told. Throws when somebody else delivers it, or its schedule is gone. */
async function deliver(
	deps: ManualRunDeps,
	opened: BriefingRunRow,
	{ made, text }: { readonly made: Briefing; readonly text: ScheduleText },
): Promise<RunWire> {
	const { store, clock, readRun } = deps;
	const claim = await claimManual(deps, opened);
	if (claim.run.finishedAt !== undefined) return readRun(claim.schedule, claim.run);
	const staged = await stageBriefing(deps, claim, made);
	try {
		await sendAll(deps, claim, { made, text });
		const run = await store.transaction(async (tx) => {
			const { run: now } = await ownedRun(tx, claim);
			const status = now.channels.length === 0 ? "delivered" : settledStatus(now);
			const ended: BriefingRunRow = { ...now, status, finishedAt: clock.now() };
			await tx.put("briefing_runs", ended);
			if (staged) await tx.put("artefacts", staged);
			await recordRunEnd(tx, ended, clock.now());
			return ended;
		});
		await rememberTold(deps, claim, made);
		return { ...(await readRun(claim.schedule, run)), briefing: made.briefing };
	} finally {
		if (staged) await dropUnkept(deps, claim);
	}
}

async function claimManual(
	{ store, clock }: ManualRunDeps,
	opened: BriefingRunRow,
): Promise<Claim> {
	const now = clock.now();
	return store.transaction(async (tx) => {
		const schedule = await tx.get("schedules", opened.scheduleId);
		if (!schedule || schedule.status === "cancelled") throw noSchedule();
		const known = await tx.get("briefing_runs", opened.id);
		if (known?.finishedAt !== undefined) return { schedule, run: known };
		if (known && now >= known.leasedAt && now < known.leaseUntil) {
			throw new ServiceError("IDEMPOTENCY_IN_FLIGHT", "This briefing is being delivered already.", {
				retryAfterSeconds: 1,
			});
		}
		const begun = toManualRun(schedule, opened.id, now);
		const run = known ? { ...begun, ...takenOver(known) } : begun;
		await tx.put("briefing_runs", run);
		return { schedule, run };
	});
}

/** What was being sent when its attempt ended may have arrived: it is not sent again. */
function takenOver({ attempt, channels }: BriefingRunRow) {
	return {
		attempt: attempt + 1,
		channels: channels.map((channel) =>
			channel.status === "sending" ? { ...channel, status: "unknown" as const } : channel,
		),
	};
}
