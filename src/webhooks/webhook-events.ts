import { createHash } from "node:crypto";
import { isUsable } from "../../payments/plan/plan.js";
import { isSpendable } from "../../payments/spt/spt.js";
import type {
	BriefingRunRow,
	JobRow,
	ScheduleRow,
	StoreReader,
	StoreTransaction,
	WebhookDeliveryRow,
	WebhookRow,
} from "../../store/store.js";
import { isWallet, OPERATION_ADDRESSES } from "../contract/contract.js";
import { toIdLetters, toIsoTime } from "../kernel/kernel.js";
import { WEBHOOK_LIMITS, type WebhookEventType } from "./webhook-wire.js";

/** Something that happened; `data` are ids and closed words, never what was asked or answered. */
interface WebhookEvent {
	readonly id: string;
	readonly type: WebhookEventType;
	readonly owner: string;
	/** Grant of the account it was done under. */
	readonly grantId?: string | undefined;
	readonly data: Readonly<Record<string, string>>;
	readonly at: number;
}

/** Persists, in the transaction that ends a job, its event for each webhook. Nothing for a job that is open. */
export async function recordJobEnd(tx: StoreTransaction, row: JobRow, at: number): Promise<void> {
	const { id, owner, grantId, operationId, state, stopReason } = row;
	if (state !== "completed" && state !== "failed" && state !== "cancelled") return;
	const data = {
		job_id: id,
		operation: operationId,
		status: state,
		...(stopReason !== undefined && { stop_reason: stopReason }),
	};
	await record(tx, { id: eventId(id), type: `job.${state}`, owner, grantId, data, at });
}

const DELIVERED: ReadonlySet<string> = new Set(["delivered", "nothing_new"]);

/** As `recordJobEnd`, of a briefing that was due or asked for. */
export async function recordRunEnd(
	tx: StoreTransaction,
	{ id, owner, grantId, scheduleId, kind, slot, status }: BriefingRunRow,
	at: number,
): Promise<void> {
	const type = DELIVERED.has(status) ? "briefing.delivered" : "briefing.failed";
	const data = { schedule_id: scheduleId, run_id: id, kind, slot, status };
	await record(tx, { id: eventId(id), type, owner, grantId, data, at });
}

/** As `recordJobEnd`, of a schedule that was paused. */
export async function recordPause(
	tx: StoreTransaction,
	{ id, owner, grantId, reason = "asked" }: ScheduleRow,
	at: number,
): Promise<void> {
	const data = { schedule_id: id, reason };
	const event = eventId(`${id} ${reason} ${at}`);
	await record(tx, { id: event, type: "schedule.paused", owner, grantId, data, at });
}

async function record(tx: StoreTransaction, event: WebhookEvent): Promise<void> {
	for (const hook of await tx.findBy("webhooks", "owner", event.owner)) {
		const visibility = await visibilityOf(tx, hook, event.at);
		if (!isSentTo(hook, visibility, event)) continue;
		const id = `dlv_${digest(`${hook.id}\n${event.id}`)}`;
		if (await tx.get("webhook_deliveries", id)) continue;
		const isSent = hook.status === "active" && visibility !== "nothing";
		if (hook.status === "active" && !isSent) {
			await pauseWebhook(tx, hook, { reason: "credential_ended", now: event.at });
		}
		await evictOldest(tx, hook.id);
		await tx.put("webhook_deliveries", toDelivery(id, hook, event, isSent));
	}
}

/** A webhook made with a scoped key receives what is done with that key alone; what it misses once that has ended is listed. */
function isSentTo(
	hook: WebhookRow,
	visibility: Visibility,
	{ type, grantId }: WebhookEvent,
): boolean {
	if (!hook.events.includes(type)) return false;
	const seesAll = visibility === "nothing" ? hook.isForAll : visibility === "all";
	return seesAll || hook.grantId === grantId;
}

function toDelivery(
	id: string,
	{ id: webhookId, owner }: WebhookRow,
	{ id: event, type, data, at }: WebhookEvent,
	isSent: boolean,
): WebhookDeliveryRow {
	return {
		id,
		owner,
		webhookId,
		eventId: event,
		type,
		data,
		occurredAt: at,
		state: isSent ? "pending" : "skipped",
		attempts: 0,
		tries: 0,
		lastAttempts: [],
		nextAt: at,
		updatedAt: at,
		expiresAt: at + WEBHOOK_LIMITS.deliveriesKeptMs,
	};
}

/** The oldest goes first, what has ended before what waits. */
async function evictOldest(tx: StoreTransaction, webhookId: string): Promise<void> {
	const rows = await tx.findBy("webhook_deliveries", "webhookId", webhookId);
	const excess = rows.length + 1 - WEBHOOK_LIMITS.deliveriesKeptMax;
	if (excess <= 0) return;
	const rank = ({ state, occurredAt }: WebhookDeliveryRow) =>
		occurredAt + (state === "pending" ? Number.MAX_SAFE_INTEGER / 2 : 0);
	const oldest = [...rows].sort((one, other) => rank(one) - rank(other)).slice(0, excess);
	for (const { id } of oldest) await tx.delete("webhook_deliveries", id);
}

/** Nothing more is sent to it; what waits can be sent again by hand once it is resumed. */
export async function pauseWebhook(
	tx: StoreTransaction,
	hook: WebhookRow,
	{ reason, now }: { readonly reason: string; readonly now: number },
): Promise<WebhookRow> {
	const paused: WebhookRow = { ...hook, status: "paused", reason };
	await tx.put("webhooks", paused);
	for (const row of await tx.findBy("webhook_deliveries", "webhookId", hook.id)) {
		if (row.state !== "pending") continue;
		await tx.put("webhook_deliveries", { ...row, state: "skipped", updatedAt: now });
	}
	return paused;
}

/** What is sent: type, time and ids, with addresses under which their owner may read more. */
export function toEventBody(
	{ type, data, occurredAt }: Pick<WebhookDeliveryRow, "type" | "data" | "occurredAt">,
	baseUrl: string,
): string {
	const links = Object.fromEntries(
		linksOf(data).map(([name, path]) => [name, `${baseUrl}${path}`]),
	);
	return JSON.stringify({ type, timestamp: toIsoTime(occurredAt), data: { ...data, links } });
}

function linksOf(data: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
	const at = (operation: keyof typeof OPERATION_ADDRESSES) =>
		OPERATION_ADDRESSES[operation].path.replace(/\{(\w+)\}/g, (_, name) => data[name] ?? "");
	if (data["job_id"] !== undefined) return [["status", at("research.deep_dive.status")]];
	if (data["schedule_id"] === undefined) return [];
	const schedule = ["schedule", at("research.schedules.get")] as const;
	if (data["run_id"] === undefined) return [schedule];
	return [["run", at("research.schedules.runs.get")], schedule];
}

/** What ends ends once: the id of its event is made from its own, and reveals nothing of it. */
function eventId(subject: string): string {
	return `evt_${digest(`event\n${subject}`)}`;
}

const ID_CHARS = 26;

function digest(text: string): string {
	const bytes = createHash("sha256").update(text).digest().subarray(0, ID_CHARS);
	return toIdLetters(bytes);
}

/** What a webhook may receive now: everything its owner does, what was done under its own grant, or nothing more. */
export type Visibility = "all" | "own" | "nothing";

type Maker = Pick<WebhookRow, "owner" | "grantId" | "isForAll">;

/**
 * No webhook receives more than the credential a webhook was made with would show now: one that was revoked or has expired shows
 * nothing, and a key that manages its account no longer shows what it did itself.
 */
export async function visibilityOf(
	reader: StoreReader,
	{ owner, grantId, isForAll }: Maker,
	now: number,
): Promise<Visibility> {
	if (!(await isOwnerOpen(reader, owner, now))) return "nothing";
	const most = isForAll ? "all" : "own";
	if (grantId?.startsWith("con_")) {
		const connection = await reader.get("connections", grantId);
		return connection && isUsable(connection, now) ? most : "nothing";
	}
	if (!grantId?.startsWith("key_")) return most;
	const key = await reader.get("keys", grantId);
	if (!key || !isUsable(key, now)) return "nothing";
	return (key.isManager ?? true) ? most : "own";
}

async function isOwnerOpen(reader: StoreReader, owner: string, now: number): Promise<boolean> {
	if (isWallet(owner)) return true;
	const account = await reader.get("accounts", owner);
	if (account) return account.closedAt === undefined;
	return isSpendable(reader, await reader.get("tokens", owner), now);
}
