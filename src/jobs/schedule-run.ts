import type { BriefingRunRow, ScheduleRow, Store, StoreTransaction } from "../../store/store.js";
import type { ArtefactShelf } from "../core/artefacts.js";
import type { SkillCaller } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Logger } from "../core/logger.js";
import { SCHEDULE_LIMITS } from "../core/schedule-limits.js";
import type { Briefing, ComposeBriefing } from "../evidence/briefing.js";
import { type HeldWeek, NotPaid, type ScheduleBilling } from "../service/schedule-billing.js";
import type { ScheduleText, ScheduleTexts } from "../service/schedule-text.js";
import { type Claim, closeRun, LostClaim, ownedRun } from "./schedule-claims.js";
import type { ScheduleDelivery } from "./schedule-delivery.js";
import { sendAll } from "./schedule-sending.js";

export interface ScheduleRunDeps {
	readonly store: Pick<Store, "read" | "transaction">;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly compose: ComposeBriefing;
	readonly texts: ScheduleTexts;
	readonly delivery: ScheduleDelivery;
	readonly billing: ScheduleBilling;
	readonly artefacts: Pick<ArtefactShelf, "keep">;
}

/**
 * Makes one briefing and delivers it: the week's price is held before, and captured in the transaction that says the briefing
 * was delivered. Never throws for what a target or a payer does; it throws when the store cannot be written.
 */
export async function performRun(deps: ScheduleRunDeps, claim: Claim): Promise<void> {
	const { billing, texts } = deps;
	const { schedule, run } = claim;
	let held: HeldWeek | undefined;
	try {
		const text = await texts.get(schedule);
		if (!text || !hasWay(schedule)) return await close(deps, claim, "unconfirmed");
		held = await billing.reserve(schedule, run.slot);
		const made = await composeFor(deps, schedule, text);
		const isKept = await keepBriefing(deps, claim, made);
		await sendAll(deps, claim, { made, text });
		await finish(deps, claim, { made, held, isKept });
		held = undefined;
	} catch (error) {
		if (error instanceof LostClaim) return;
		if (error instanceof NotPaid) return await pause(deps, claim, error);
		await retryLater(deps, claim, error);
	} finally {
		await billing.giveBack(held, "failed");
	}
}

/** Whether there is anybody to deliver to; without any target briefings are kept for pick-up. */
export function hasWay({ channels }: ScheduleRow): boolean {
	const asked = channels.filter(({ status }) => status !== "not_configured");
	return asked.length === 0 || asked.some(({ status }) => status === "ready");
}

/** The briefing of a schedule as things stand now. */
export async function composeFor(
	{ compose, texts }: Pick<ScheduleRunDeps, "compose" | "texts">,
	schedule: ScheduleRow,
	{ topic }: ScheduleText,
): Promise<Briefing> {
	return compose({
		topic,
		frequency: schedule.frequency,
		before: await texts.memoryOf(schedule),
		signal: AbortSignal.timeout(SCHEDULE_LIMITS.composeTimeoutMs),
	});
}

/** True when it can be picked up. */
export async function keepBriefing(
	{ store, artefacts }: Pick<ScheduleRunDeps, "store" | "artefacts">,
	{ schedule, run }: Claim,
	{ briefing }: Briefing,
): Promise<boolean> {
	const owner = await ownerOf(store, schedule);
	const keptUntil = await artefacts.keep(owner, { kind: "briefing", id: run.id, data: briefing });
	return keptUntil !== undefined;
}

/** Whom a schedule's briefings belong to, and whether text of theirs may be kept now. */
export async function ownerOf(
	store: Pick<Store, "read">,
	{ owner, grantId }: Pick<ScheduleRow, "owner" | "grantId">,
): Promise<SkillCaller> {
	const account = await store.read((reader) => reader.get("accounts", owner));
	const keepsNoText = account?.retention === "zero";
	if (!account) return { owner };
	const access = { accountId: owner, grantId, isManager: false, keepsNoText };
	return { owner, access, keepsNoText };
}

interface Finished {
	readonly made: Briefing;
	readonly held: HeldWeek | undefined;
	readonly isKept: boolean;
}

/** Says how it went and takes the week's price, both or none; what was told is remembered after that. */
async function finish(deps: ScheduleRunDeps, claim: Claim, finished: Finished): Promise<void> {
	const { store, texts, logger, billing } = deps;
	const { made, held } = finished;
	let isOver: boolean;
	try {
		isOver = await store.transaction((tx) => settle(deps, tx, claim, finished));
	} catch (error) {
		if (!held || error instanceof LostClaim) throw error;
		// The hold was gone: what is delivered stays delivered, and is not charged.
		logger.error("a delivered week could not be charged", { error: String(error) });
		await billing.giveBack(held, "expired");
		isOver = await store.transaction((tx) =>
			settle(deps, tx, claim, { ...finished, held: undefined }),
		);
	}
	if (isOver) await texts.remember(claim.schedule, made.memory);
}

/** False when a target is still to be tried again. */
async function settle(
	{ billing, clock }: ScheduleRunDeps,
	tx: StoreTransaction,
	claim: Claim,
	{ made, held, isKept }: Finished,
): Promise<boolean> {
	const { schedule, run } = await ownedRun(tx, claim);
	const { isDelivered, isOpen } = howItWent(run, isKept);
	const charges = isDelivered && made.isWorth && schedule.status !== "cancelled";
	if (!charges && held) {
		await held.method.release(tx, held.hold, isDelivered ? "no_answer" : "failed");
	}
	const begun = charges
		? await billing.begin(tx, schedule, { day: run.slot, held })
		: { row: schedule };
	const { receiptId = run.receiptId } = begun;
	const now = clock.now();
	const next = { ...run, ...(receiptId !== undefined && { receiptId }) };
	const delayMs = SCHEDULE_LIMITS.retryDelaysMs[run.attempt - 1];
	if (isOpen && delayMs !== undefined) {
		const waiting = { ...next, status: "waiting", leasedAt: now, leaseUntil: now + delayMs };
		await tx.put("briefing_runs", waiting);
		await tx.put("schedules", markFailing(begun.row, isDelivered));
		return false;
	}
	const told = made.isWorth ? "delivered" : "nothing_new";
	const claimed = { schedule: begun.row, run: next };
	await closeRun(tx, claimed, { status: isDelivered ? told : "failed", now });
	return isDelivered;
}

function howItWent({ channels }: BriefingRunRow, isKept: boolean) {
	if (channels.length === 0) return { isDelivered: isKept, isOpen: !isKept };
	return {
		isDelivered: channels.some(({ status }) => status === "sent"),
		isOpen: channels.some(({ status }) => status === "failed"),
	};
}

function markFailing(schedule: ScheduleRow, isDelivered: boolean): ScheduleRow {
	const isRunning = schedule.status === "active" || schedule.status === "failing";
	return isDelivered || !isRunning ? schedule : { ...schedule, status: "failing" };
}

function close({ store, clock }: ScheduleRunDeps, claim: Claim, status: string): Promise<void> {
	return store.transaction(async (tx) =>
		closeRun(tx, await ownedRun(tx, claim), { status, now: clock.now() }),
	);
}

function pause(
	{ store, clock }: ScheduleRunDeps,
	claim: Claim,
	{ reason }: NotPaid,
): Promise<void> {
	return store.transaction(async (tx) => {
		const { schedule, run } = await ownedRun(tx, claim);
		const paused = schedule.status === "cancelled" ? {} : { status: "paused" as const, reason };
		const claimed = { schedule: { ...schedule, ...paused }, run };
		await closeRun(tx, claimed, { status: "unpaid", now: clock.now() });
	});
}

/** What failed before anything was sent is tried again; an attempt that has ended meanwhile is not. */
async function retryLater(deps: ScheduleRunDeps, claim: Claim, error: unknown): Promise<void> {
	const { store, clock, logger } = deps;
	const code = error instanceof ServiceError ? error.code : "INTERNAL";
	logger.error("a briefing could not be made", { schedule: maskId(claim.schedule.id), code });
	await store
		.transaction(async (tx) => {
			const { schedule, run } = await ownedRun(tx, claim);
			const now = clock.now();
			const delayMs = SCHEDULE_LIMITS.retryDelaysMs[run.attempt - 1];
			if (delayMs === undefined) {
				return closeRun(tx, { schedule, run }, { status: "failed", now });
			}
			const waiting: BriefingRunRow = {
				...run,
				status: "waiting",
				leasedAt: now,
				leaseUntil: now + delayMs,
			};
			await tx.put("briefing_runs", waiting);
			await tx.put("schedules", markFailing(schedule, false));
		})
		.catch((lost: unknown) => {
			if (!(lost instanceof LostClaim)) throw lost;
		});
}

/** Enough to find it in a list, and too little to open it. */
export function maskId(scheduleId: string): string {
	return `${scheduleId.slice(0, 10)}…`;
}
