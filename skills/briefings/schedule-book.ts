import { createHmac } from "node:crypto";
import {
	ANONYMOUS,
	type Caller,
	grantIdOf,
	keepsText,
	mayRead,
	type SkillContext,
} from "../../src/contract/contract.js";
import {
	firstPepperOf,
	invalidArgument,
	type Pepper,
	ServiceError,
	toIdLetters,
} from "../../src/kernel/kernel.js";
import { recordRunEnd } from "../../src/webhooks/webhooks.js";
import type { BriefingRunRow, ScheduleRow } from "../../store/store.js";
import type { Briefing } from "./briefing.js";
import type { BriefingMemory } from "./briefing-changes.js";
import { toRenewal } from "./schedule-billing.js";
import {
	abandonedChannels,
	type Claim,
	openRun,
	ownedRun,
	runIdOf,
	settledStatus,
} from "./schedule-claims.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { getSchedule, noSchedule, toRunItem, toScheduleWire } from "./schedule-record.js";
import { composeFor, dropUnkept, rememberTold, sendAll, stageBriefing } from "./schedule-run.js";
import { describe, type ScheduleServices } from "./schedule-service.js";
import { localDay } from "./schedule-slots.js";
import { type ScheduleText, toChannels } from "./schedule-text.js";
import type { RunWire, ScheduleOrder, ScheduleWire } from "./schedule-wire.js";

interface BookServices extends ScheduleServices {
	readonly pepper: Pepper;
}

/** Schedules as the skills that sell them see them: never a price, a target or how someone pays. */
export type ScheduleBook = ReturnType<typeof createScheduleBook>;

export function createScheduleBook(services: BookServices) {
	return {
		/** Makes a schedule once for each call, however often it is sent. Throws RATE_LIMITED for too many of one owner. */
		create: (order: ScheduleOrder, context: SkillContext) => create(services, order, context),

		/** Makes a briefing now, and delivers nothing yet. Throws NOT_FOUND for a schedule of someone else. */
		async runNow(id: string, context: SkillContext): Promise<ManualRun> {
			const owner = ownerOf(context);
			const schedule = await getSchedule(services.store, id, (row) => mayRead(owner, row));
			return runNow(services, schedule, context);
		},
	};
}

/** A wallet has no session: a schedule it pays for belongs to the credential sent along with it, if there is one. */
function ownerOf({ caller }: SkillContext): Caller {
	return caller?.shown ?? caller ?? ANONYMOUS;
}

const ID_CHARS = 32;

/**
 * 160 bits under a secret, the same for the same payment: a call that is sent again finds what it made. A call that paid
 * nothing is named by its caller, so that it makes a new one each time.
 */
function scheduleIdOf({ pepper, random }: BookServices, callId: string): string {
	const mac = createHmac("sha256", firstPepperOf(pepper)).update(`schedule\n${callId}`);
	if (!callId.startsWith("hold_")) mac.update(random.bytes(ID_CHARS));
	return `sch_${toIdLetters(mac.digest().subarray(0, ID_CHARS))}`;
}

async function create(
	deps: BookServices,
	order: ScheduleOrder,
	context: SkillContext,
): Promise<ScheduleWire> {
	const { store, texts, clock } = deps;
	const { callId } = context;
	const owner = ownerOf(context);
	const { topic, email, slack_webhook: slack } = order;
	const text: ScheduleText = { topic, email, slack };
	const id = scheduleIdOf(deps, callId);
	const known = await store.read((reader) => reader.get("schedules", id));
	if (known && known.owner !== owner.owner) {
		// Shown with another credential, one payment would else get a second week, or someone else's schedule.
		throw new ServiceError(
			"IDEMPOTENCY_MISMATCH",
			"This payment made a schedule of another credential already; send the credential it was made with.",
		);
	}
	if (known) return describe(deps, known);
	const row = toRow(deps, order, { id, owner, text, callId });
	assertDeliverable(owner, row);
	if (email !== undefined) await deps.refusals.assertMayAsk(owner.owner, email);
	const textExpiresAt = await texts.put(row.documentId, text);
	const made = { ...row, textExpiresAt, expiresAt: textExpiresAt };
	try {
		await store.transaction(async (tx) => {
			const others = await tx.findBy("schedules", "owner", owner.owner);
			const open = others.filter(({ status }) => status !== "cancelled");
			if (open.length >= SCHEDULE_LIMITS.perOwnerMax && owner !== ANONYMOUS) {
				throw new ServiceError(
					"RATE_LIMITED",
					`${SCHEDULE_LIMITS.perOwnerMax} schedules run for you already; cancel some with DELETE /v1/research/schedules/{schedule_id}.`,
					{ retryAfterSeconds: 3_600 },
				);
			}
			await tx.put("schedules", made);
		});
	} catch (error) {
		await texts.forget([row.documentId]);
		throw error;
	}
	return toScheduleWire(made, { topic, lastRun: undefined, now: clock.now() });
}

function toRow(
	deps: BookServices,
	{ frequency, timezone, hour, weekday }: ScheduleOrder,
	made: { id: string; owner: Caller; text: ScheduleText; callId: string },
): ScheduleRow {
	const { id, owner, text, callId } = made;
	const now = deps.clock.now();
	const grantId = grantIdOf(owner.access);
	const renewal = owner === ANONYMOUS ? undefined : toRenewal(owner);
	return {
		id,
		owner: owner.owner,
		...(grantId !== undefined && { grantId }),
		callId,
		isPaid: !callId.startsWith("hold_"),
		...(renewal && { renewal }),
		...{ frequency, timezone, hour, weekday },
		status: "active",
		channels: toChannels(deps, text, undefined),
		documentId: `${id}-text`,
		weekMicros: deps.billing.weekMicros(),
		prepaidWeeks: 1,
		createdAt: now,
		startsAt: now,
		failedRuns: 0,
		textExpiresAt: now,
		expiresAt: now + SCHEDULE_LIMITS.textKeptMs,
	};
}

/** Without a target a briefing waits to be picked up, which is text that is kept. */
function assertDeliverable(caller: Caller, { channels }: ScheduleRow): void {
	const isReachable = channels.some(({ status }) => status !== "not_configured");
	if (isReachable || keepsText(caller)) return;
	throw invalidArgument(
		'This account keeps no text, so that no briefing can wait for pick-up: send "email" or "slack_webhook".',
	);
}

/** A briefing that was asked for out of turn. */
export interface ManualRun {
	readonly run: RunWire;
	/**
	 * Delivers it once for each call, to be called when it is paid for; its channels then say whom it did not reach. Absent
	 * where there is nothing to deliver, or it was delivered before.
	 */
	readonly deliver?: () => Promise<RunWire>;
}

/**
 * One briefing at once, for its own price: it begins no week, and scheduled briefings report the same again. Nothing of it is
 * kept, sent or remembered before it is paid for, and nothing at all of one that has nothing new to report.
 */
async function runNow(
	deps: ScheduleServices,
	schedule: ScheduleRow,
	{ callId, signal }: Pick<SkillContext, "callId" | "signal">,
): Promise<ManualRun> {
	const { store, clock, texts, runs } = deps;
	const text = await texts.get(schedule);
	if (!text) throw noSchedule();
	const id = runIdOf(schedule.id, callId);
	const known = await store.read((reader) => reader.get("briefing_runs", id));
	if (known?.finishedAt !== undefined) return { run: await runs.read(schedule, known) };
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

/** What was last reported to its reader, on schedule or on request. */
async function toldLast(
	{ texts }: ScheduleServices,
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

/** Sends it, lets it be picked up and remembers what it reported. Throws when someone else delivers it, or its schedule is gone. */
async function deliver(
	deps: ScheduleServices,
	opened: BriefingRunRow,
	{ made, text }: { readonly made: Briefing; readonly text: ScheduleText },
): Promise<RunWire> {
	const { store, clock, runs } = deps;
	const claim = await claimManual(deps, opened);
	if (claim.run.finishedAt !== undefined) return runs.read(claim.schedule, claim.run);
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
		return { ...(await runs.read(claim.schedule, run)), briefing: made.briefing };
	} finally {
		if (staged) await dropUnkept(deps, claim);
	}
}

async function claimManual(
	{ store, clock }: ScheduleServices,
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
		const taken = known && { attempt: known.attempt + 1, channels: abandonedChannels(known) };
		const run = { ...begun, ...taken };
		await tx.put("briefing_runs", run);
		return { schedule, run };
	});
}
