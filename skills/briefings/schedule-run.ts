import { stageArtifact } from "../../src/artifacts/artifacts.js";
import type { Caller } from "../../src/contract/contract.js";
import { type Clock, type Logger, ServiceError } from "../../src/kernel/kernel.js";
import type {
	ArtifactRow,
	BriefingRunRow,
	ScheduleRow,
	Store,
	StoreTransaction,
} from "../../store/store.js";
import type { Briefing, ComposeBriefing } from "./briefing.js";
import type { BriefingMemory } from "./briefing-changes.js";
import { type HeldWeek, isCovered, NotPaid, type ScheduleBilling } from "./schedule-billing.js";
import { type Claim, closeRun, deferRun, LostClaim, ownedRun } from "./schedule-claims.js";
import type { ScheduleDelivery } from "./schedule-delivery.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { type ScheduleText, type ScheduleTexts, scheduleMemories } from "./schedule-text.js";
import { maskId } from "./schedule-wire.js";

/** What runs of schedules work with, in turn and out of it. */
export interface RunServices {
	readonly store: Pick<Store, "read" | "transaction" | "documents">;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly compose: ComposeBriefing;
	readonly texts: ScheduleTexts;
	readonly delivery: ScheduleDelivery;
	readonly billing: ScheduleBilling;
}

/**
 * Makes one briefing and delivers it: the week's price is held before, and captured in the transaction that says the briefing
 * was delivered; from then on it can be picked up. Never throws for what a target or a payer does; it throws when the store
 * cannot be written.
 */
export async function performRun(deps: RunServices, claim: Claim): Promise<void> {
	const { billing, texts } = deps;
	const { schedule, run } = claim;
	let held: HeldWeek | undefined;
	let staged: ArtifactRow | undefined;
	try {
		const text = await texts.get(schedule);
		if (!text || !hasWay(schedule)) return await close(deps, claim, "unconfirmed");
		held = await billing.reserve(schedule, run.slot);
		const made = await composeFor(deps, schedule, {
			text,
			before: await texts.memoryOf(schedule, "scheduled"),
		});
		staged = await stageBriefing(deps, claim, made);
		await sendAll(deps, claim, { made, text });
		await finish(deps, claim, { made, held, staged });
		held = undefined;
	} catch (error) {
		if (error instanceof LostClaim) return;
		if (error instanceof NotPaid) return await pause(deps, claim, error);
		await retryLater(deps, claim, error);
	} finally {
		await billing.releaseWeek(held, "failed");
		if (staged) await dropUnkept(deps, claim);
	}
}

/** Whether there is anyone to deliver to; without any target briefings are kept for pick-up. */
export function hasWay({ channels }: ScheduleRow): boolean {
	const asked = channels.filter(({ status }) => status !== "not_configured");
	return asked.length === 0 || asked.some(({ status }) => status === "ready");
}

interface Finished {
	readonly made: Briefing;
	readonly held: HeldWeek | undefined;
	readonly staged: ArtifactRow | undefined;
}

/** Says how it went and takes the week's price, both or none; what was reported is remembered after that. */
async function finish(deps: RunServices, claim: Claim, finished: Finished): Promise<void> {
	const { store, logger, billing } = deps;
	const { made, held } = finished;
	let isOver: boolean;
	try {
		isOver = await store.transaction((tx) => settle(deps, tx, claim, finished));
	} catch (error) {
		if (!held || error instanceof LostClaim) throw error;
		// The hold was gone: what is delivered stays delivered, and is not charged.
		logger.error("a delivered week could not be charged", { error: String(error) });
		await billing.releaseWeek(held, "expired");
		isOver = await store.transaction((tx) =>
			settle(deps, tx, claim, { ...finished, held: undefined }),
		);
	}
	if (isOver) await rememberTold(deps, claim, made);
}

/** False when a target is still to be tried again. */
async function settle(
	deps: RunServices,
	tx: StoreTransaction,
	claim: Claim,
	finished: Finished,
): Promise<boolean> {
	const { schedule, run } = await ownedRun(tx, claim);
	const { held, staged } = finished;
	const { isWorth } = finished.made;
	const isSent = hasReached(run, staged);
	const charges = isSent && isWorth && schedule.status !== "cancelled";
	const begun = await settleWeek(deps, tx, { schedule, run }, { held, charges, isSent });
	const isServed = isWorth ? isCovered(begun.row, run.slot) : isSent;
	const isKept = staged !== undefined && isServed && schedule.status !== "cancelled";
	if (staged && isKept) await tx.put("artefacts", staged);
	// Without targets only what can be picked up was delivered.
	const isDelivered = run.channels.length === 0 ? isKept : isSent;
	const isOpen =
		run.channels.length === 0 ? !isKept : run.channels.some(({ status }) => status === "failed");
	const { receiptId = run.receiptId } = begun;
	const now = deps.clock.now();
	const next = { ...run, ...(receiptId !== undefined && { receiptId }) };
	const claimed = { schedule: begun.row, run: next };
	const delayMs = SCHEDULE_LIMITS.retryDelaysMs[run.attempt - 1];
	if (isOpen && delayMs !== undefined && schedule.status !== "cancelled") {
		await deferRun(tx, claimed, { now, delayMs, isDelivered });
		return false;
	}
	const done = isWorth ? "delivered" : "nothing_new";
	await closeRun(tx, claimed, { status: isDelivered ? done : "failed", now });
	return isDelivered;
}

/** Takes the week's price, or gives it back. */
async function settleWeek(
	{ billing }: RunServices,
	tx: StoreTransaction,
	{ schedule, run }: Claim,
	how: { held: HeldWeek | undefined; charges: boolean; isSent: boolean },
): Promise<{ readonly row: ScheduleRow; readonly receiptId?: string }> {
	const { held, charges, isSent } = how;
	if (charges) return billing.begin(tx, schedule, { day: run.slot, held });
	if (held) await billing.release(tx, held, isSent ? "no_answer" : "failed");
	return { row: schedule };
}

function hasReached({ channels }: BriefingRunRow, staged: ArtifactRow | undefined): boolean {
	if (channels.length === 0) return staged !== undefined;
	return channels.some(({ status }) => status === "sent");
}

function close({ store, clock }: RunServices, claim: Claim, status: string): Promise<void> {
	return store.transaction(async (tx) =>
		closeRun(tx, await ownedRun(tx, claim), { status, now: clock.now() }),
	);
}

function pause({ store, clock }: RunServices, claim: Claim, { reason }: NotPaid): Promise<void> {
	return store.transaction(async (tx) => {
		const { schedule, run } = await ownedRun(tx, claim);
		const paused = schedule.status === "cancelled" ? {} : { status: "paused" as const, reason };
		const claimed = { schedule: { ...schedule, ...paused }, run };
		await closeRun(tx, claimed, { status: "unpaid", now: clock.now() });
	});
}

/** What failed before anything was sent is tried again; an attempt that has ended meanwhile is not. */
async function retryLater(deps: RunServices, claim: Claim, error: unknown): Promise<void> {
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
			await deferRun(tx, { schedule, run }, { now, delayMs, isDelivered: false });
		})
		.catch((lost: unknown) => {
			if (!(lost instanceof LostClaim)) throw lost;
		});
}

/** Sends to each target that has not got it, one after the other; what is under way is persisted before. */
export async function sendAll(
	{ store, delivery }: Pick<RunServices, "store" | "delivery">,
	claim: Claim,
	{ made, text }: { readonly made: Briefing; readonly text: ScheduleText },
): Promise<void> {
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

/** The briefing of a schedule as things stand now. */
export async function composeFor(
	{ compose }: Pick<RunServices, "compose">,
	{ frequency }: ScheduleRow,
	asked: {
		readonly text: ScheduleText;
		/** What was last reported to its reader. */
		readonly before: BriefingMemory | undefined;
		readonly signal?: AbortSignal;
	},
): Promise<Briefing> {
	const timeout = AbortSignal.timeout(SCHEDULE_LIMITS.composeTimeoutMs);
	return compose({
		topic: asked.text.topic,
		frequency,
		before: asked.before,
		signal: asked.signal ? AbortSignal.any([asked.signal, timeout]) : timeout,
	});
}

/** The briefing's text, and the row that lets it be picked up once it is put; undefined where no text is kept. */
export async function stageBriefing(
	deps: Pick<RunServices, "store" | "clock">,
	{ schedule, run }: { readonly schedule: ScheduleRow; readonly run: Pick<BriefingRunRow, "id"> },
	{ briefing }: Briefing,
): Promise<ArtifactRow | undefined> {
	const owner = await ownerOf(deps.store, schedule);
	return stageArtifact(deps, owner, { kind: "briefing", id: run.id, data: briefing });
}

/** Whom a schedule's briefings belong to, and whether text of theirs may be kept now. */
export async function ownerOf(
	store: Pick<Store, "read">,
	{ owner, grantId }: Pick<ScheduleRow, "owner" | "grantId">,
): Promise<Pick<Caller, "owner" | "access" | "keepsNoText">> {
	const account = await store.read((reader) => reader.get("accounts", owner));
	const keepsNoText = account?.retention === "zero";
	if (!account) return { owner };
	const access = { accountId: owner, grantId, isManager: false, keepsNoText };
	return { owner, access, keepsNoText };
}

/** Text that no one may pick up is not kept until its time is over; what another attempt staged is left to that. */
export async function dropUnkept(
	{ store }: Pick<RunServices, "store">,
	{ run }: { readonly run: Pick<BriefingRunRow, "id" | "attempt"> },
): Promise<void> {
	const isLeft = await store.read(async (reader) => {
		const now = await reader.get("briefing_runs", run.id);
		const isOurs = now === undefined || now.attempt === run.attempt;
		return isOurs && (await reader.get("artefacts", run.id)) === undefined;
	});
	if (isLeft) await store.documents.delete(run.id);
}

/** What the next briefing of its kind is compared with; nothing is left of a schedule that was cancelled meanwhile. */
export async function rememberTold(
	{ store, texts }: Pick<RunServices, "store" | "texts">,
	{ schedule, run }: Claim,
	{ memory }: Briefing,
): Promise<void> {
	await texts.remember(schedule, run.kind, memory);
	const row = await store.read((reader) => reader.get("schedules", schedule.id));
	if (!row || row.status === "cancelled") await texts.forget(scheduleMemories(schedule.id));
}
