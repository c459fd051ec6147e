import { createHmac } from "node:crypto";
import {
	ANONYMOUS,
	type Caller,
	grantIdOf,
	keepsText,
	mayRead,
	type SkillContext,
} from "../../src/contract/contract.js";
import { ServiceError, toIdLetters } from "../../src/kernel/kernel.js";
import type { ScheduleRow, Store } from "../../store/store.js";
import type { MailRefusals } from "./mail-refusals.js";
import { toRenewal } from "./schedule-billing.js";
import { type ChannelDeps, toChannels } from "./schedule-channels.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { type ManualRunDeps, runNow } from "./schedule-manual-run.js";
import type { ScheduleBook } from "./schedule-ports.js";
import { getSchedule, toScheduleWire } from "./schedule-record.js";
import { describe } from "./schedule-service.js";
import type { ScheduleText } from "./schedule-text.js";
import type { ScheduleOrder, ScheduleWire } from "./schedule-wire.js";

export interface ScheduleBookDeps extends ManualRunDeps, ChannelDeps {
	readonly store: Store;
	readonly pepper: Uint8Array;
	readonly refusals: MailRefusals;
}

/** Schedules as they are sold. */
export function createScheduleBook(deps: ScheduleBookDeps): ScheduleBook {
	const { store } = deps;
	return {
		create: (order, context) => create(deps, order, context),

		async runNow(id, context) {
			const owner = ownerOf(context);
			const schedule = await getSchedule(store, id, (row) => mayRead(owner, row));
			return runNow(deps, schedule, context);
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
function scheduleIdOf({ pepper, random }: ScheduleBookDeps, callId: string): string {
	const mac = createHmac("sha256", pepper).update(`schedule\n${callId}`);
	if (!callId.startsWith("hold_")) mac.update(random.bytes(ID_CHARS));
	return `sch_${toIdLetters(mac.digest().subarray(0, ID_CHARS))}`;
}

async function create(
	deps: ScheduleBookDeps,
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
	if (known && known.owner !== owner.owner) throw paidBefore();
	if (known) return describe(deps, known);
	const row = toRow(deps, { id, owner, order, text, callId });
	assertDeliverable(owner, row);
	if (email !== undefined) await deps.refusals.assertMayAsk(owner.owner, email);
	const textExpiresAt = await texts.put(row.documentId, text);
	const made = { ...row, textExpiresAt, expiresAt: textExpiresAt };
	try {
		await store.transaction(async (tx) => {
			const others = await tx.findBy("schedules", "owner", owner.owner);
			const open = others.filter(({ status }) => status !== "cancelled");
			if (open.length >= SCHEDULE_LIMITS.perOwnerMax && owner !== ANONYMOUS) throw tooMany();
			await tx.put("schedules", made);
		});
	} catch (error) {
		await texts.forget([row.documentId]);
		throw error;
	}
	return toScheduleWire(made, { topic, lastRun: undefined, now: clock.now() });
}

function toRow(
	deps: ScheduleBookDeps,
	made: {
		readonly id: string;
		readonly owner: Caller;
		readonly order: ScheduleOrder;
		readonly text: ScheduleText;
		readonly callId: string;
	},
): ScheduleRow {
	const { id, owner, order, text, callId } = made;
	const { frequency, timezone, hour, weekday } = order;
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
	throw new ServiceError(
		"INVALID_ARGUMENT",
		'This account keeps no text, so that no briefing can wait for pick-up: send "email" or "slack_webhook".',
	);
}

/** Whoever shows a payment again with another credential would else get a second week for it, or somebody else's schedule. */
function paidBefore(): ServiceError {
	return new ServiceError(
		"IDEMPOTENCY_MISMATCH",
		"This payment made a schedule of another credential already; send the credential it was made with.",
	);
}

function tooMany(): ServiceError {
	return new ServiceError(
		"RATE_LIMITED",
		`${SCHEDULE_LIMITS.perOwnerMax} schedules run for you already; cancel some with DELETE /v1/research/schedules/{schedule_id}.`,
		{ retryAfterSeconds: 3_600 },
	);
}
