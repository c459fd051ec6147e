import { type Caller, mayRead, maySeeAgain } from "../../src/contract/contract.js";
import { type Clock, ServiceError } from "../../src/kernel/kernel.js";
import { recordPause } from "../../src/webhooks/webhooks.js";
import type { ScheduleChannel, ScheduleRow, Store, StoreTransaction } from "../../store/store.js";
import { toRenewal } from "./schedule-billing.js";
import { closeRun, settledStatus } from "./schedule-claims.js";
import type { MailRefusals } from "./schedule-consent.js";
import type { ScheduleDelivery } from "./schedule-delivery.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import {
	getSchedule,
	noSchedule,
	type ScheduleRuns,
	type ScheduleViewer,
	toScheduleWire,
} from "./schedule-record.js";
import type { RunServices } from "./schedule-run.js";
import {
	type ChannelDeps,
	newRef,
	readTopic,
	type ScheduleText,
	type ScheduleTexts,
	scheduleMemories,
	toChannels,
} from "./schedule-text.js";
import type { ScheduleChange, ScheduleWire, TestWire } from "./schedule-wire.js";
import { countMail, mayMail } from "./schedule-worker.js";

/** What owners of schedules, and anyone who knows their ids, may ask, paying nothing. */
export type ScheduleService = ReturnType<typeof createScheduleService>;

/** What everything that is asked about schedules works with. */
export interface ScheduleServices extends RunServices, ChannelDeps {
	readonly store: Store;
	readonly runs: ScheduleRuns;
	readonly refusals: MailRefusals;
}

export function createScheduleService(deps: ScheduleServices) {
	const { store, texts, runs } = deps;
	const own = (caller: Caller, id: string) => getSchedule(store, id, (row) => mayRead(caller, row));
	return {
		/** Those of the viewer; none without a credential (D6). */
		async list({ caller, isNamed }: ScheduleViewer): Promise<{ items: ScheduleWire[] }> {
			if (!isNamed) return { items: [] };
			const rows = await store.read((reader) => reader.findBy("schedules", "owner", caller.owner));
			const mine = rows
				.filter(
					({ status, grantId }) => status !== "cancelled" && maySeeAgain(caller.access, grantId),
				)
				.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
			return { items: await Promise.all(mine.map((row) => describe(deps, row))) };
		},
		/** Throws NOT_FOUND, as all of these do, alike for unknown ids, those of others and cancelled ones. */
		get: async (caller: Caller, id: string) => describe(deps, await own(caller, id)),

		async change(
			viewer: ScheduleViewer,
			id: string,
			change: ScheduleChange,
		): Promise<ScheduleWire> {
			const row = await own(viewer.caller, id);
			return describe(deps, await applyChange(deps, { row, viewer, change }));
		},

		/** Nothing more is delivered or charged; its text is gone before this resolves. */
		async cancel(viewer: ScheduleViewer, id: string): Promise<ScheduleWire> {
			const row = await own(viewer.caller, id);
			const wire = await describe(deps, row);
			const expiresAt = deps.clock.now() + SCHEDULE_LIMITS.cancelledKeptMs;
			// The text of the row as it is now: another change may have given it a new one since it was read.
			const { documentId } = await changeRow(store, id, (now) => ({
				...now,
				status: "cancelled",
				channels: [],
				expiresAt,
			}));
			await texts.forget([documentId, ...scheduleMemories(id)]);
			return { ...wire, status: "cancelled", reason: null, channels: [], next_run_at: null };
		},

		/** Sends a test to every target; what is not confirmed is asked again. Throws RATE_LIMITED for too many on one day. */
		test: async (caller: Caller, id: string) => sendTests(deps, await own(caller, id)),
		runs: async (caller: Caller, id: string, cursor: string | undefined) =>
			runs.list(await own(caller, id), cursor),
		run: async (caller: Caller, id: string, runId: string) =>
			runs.get(await own(caller, id), runId),
	};
}

/** As its owner sees it. */
export async function describe(
	{ store, clock }: Pick<ScheduleServices, "store" | "clock">,
	row: ScheduleRow,
): Promise<ScheduleWire> {
	const { lastRunId } = row;
	const lastRun =
		lastRunId === undefined
			? undefined
			: await store.read((reader) => reader.get("briefing_runs", lastRunId));
	const topic = await readTopic(store.documents, row);
	return toScheduleWire(row, { topic, lastRun, now: clock.now() });
}

/** All schedules of an owner, for exports. */
export async function* schedulesOf(
	deps: Pick<ScheduleServices, "store" | "clock">,
	owner: string,
): AsyncIterable<ScheduleWire> {
	const rows = await deps.store.read((reader) => reader.findBy("schedules", "owner", owner));
	for (const row of rows) yield describe(deps, row);
}

/** Tries every target of a schedule. Throws RATE_LIMITED for too many mails on one day. */
async function sendTests(
	{ store, texts, delivery, clock }: ScheduleServices,
	row: ScheduleRow,
): Promise<TestWire> {
	const now = clock.now();
	// Judged and counted in one: tests that come together are not more of them.
	const counted = await changeRow(store, row.id, (schedule) => {
		if (!mayMail(schedule, now)) {
			throw new ServiceError(
				"RATE_LIMITED",
				`A schedule sends at most ${SCHEDULE_LIMITS.extraMailsPerDay} tests and confirmations a day; send this one tomorrow.`,
				{ retryAfterSeconds: 3_600 },
			);
		}
		return countMail(schedule, now);
	});
	// Of the same row as the channels: an old address never gets the link of a new one.
	const text = await texts.get(counted);
	if (!text) throw noSchedule();
	const channels: TestWire["channels"][number][] = [];
	for (const channel of counted.channels) {
		const status = await sendTest(delivery, { schedule: row, channel, text });
		channels.push({ kind: channel.kind, target_masked: channel.masked, status });
	}
	return { channels };
}

async function sendTest(
	delivery: ScheduleDelivery,
	sending: { schedule: ScheduleRow; channel: ScheduleChannel; text: ScheduleText },
): Promise<TestWire["channels"][number]["status"]> {
	const { status } = sending.channel;
	if (status !== "ready" && status !== "unconfirmed") return "not_sent";
	const isAsked = status === "unconfirmed";
	try {
		await (isAsked ? delivery.confirmation(sending) : delivery.test(sending));
		return isAsked ? "asked_again" : "sent";
	} catch {
		return "failed";
	}
}

interface ChangeServices extends ChannelDeps {
	readonly refusals: MailRefusals;
	readonly store: Pick<Store, "transaction">;
	readonly texts: ScheduleTexts;
	readonly clock: Clock;
}

/** Throws NOT_FOUND when it is gone meanwhile. */
function changeRow(
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
async function applyChange(deps: ChangeServices, changing: Changing): Promise<ScheduleRow> {
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
