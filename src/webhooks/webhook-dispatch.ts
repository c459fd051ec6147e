import PQueue from "p-queue";
import { Webhook } from "standardwebhooks";
import type { Store, StoreTransaction, WebhookDeliveryRow, WebhookRow } from "../../store/store.js";
import {
	type Clock,
	type Egress,
	type ErrorCode,
	type Logger,
	type Random,
	readRetryAfterMs,
	ServiceError,
} from "../kernel/kernel.js";
import { pauseWebhook, toEventBody, visibilityOf } from "./webhook-events.js";
import { signingSecrets, type WebhookTexts } from "./webhook-record.js";
import { WEBHOOK_LIMITS, type WebhookFailure } from "./webhook-wire.js";

/** Sends what waits. What a crash interrupts is still pending, and is sent again: at least once, never lost. */
export type WebhookDispatch = ReturnType<typeof createWebhookDispatch>;

/** What webhooks run on; each part takes what it needs by `Pick<WebhookServices, …>`. */
export interface WebhookServices {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly logger: Logger;
	readonly texts: WebhookTexts;
	readonly send: SendWebhook;
	readonly baseUrl: () => string;
}

export function createWebhookDispatch(deps: WebhookServices) {
	const { store, clock, logger } = deps;
	const all = new PQueue({ concurrency: WEBHOOK_LIMITS.sending });
	const ownerQueues = new Map<string, PQueue>();
	const taken = new Set<string>();
	const closing = new AbortController();
	const queueOf = (owner: string) => {
		const known = ownerQueues.get(owner);
		if (known) return known;
		const queue = new PQueue({ concurrency: WEBHOOK_LIMITS.sendingOfOwner });
		ownerQueues.set(owner, queue);
		queue.once("idle", () => ownerQueues.delete(owner));
		return queue;
	};
	const perform = async ({ id }: WebhookDeliveryRow): Promise<void> => {
		try {
			await attempt(deps, id, closing.signal);
		} catch (error) {
			logger.error("a webhook could not be told", { delivery: id, error: String(error) });
		} finally {
			taken.delete(id);
		}
	};
	return {
		/** One round: sends everything that is due and not under way; resolves to how many, once they have ended. */
		async tick(): Promise<number> {
			if (closing.signal.aborted) return 0;
			const now = clock.now();
			const waiting = await store.read((reader) =>
				reader.findBy("webhook_deliveries", "state", "pending"),
			);
			const due = waiting
				.filter((row) => !taken.has(row.id) && isDue(row, now))
				.sort((one, other) => one.nextAt - other.nextAt);
			for (const { id } of due) taken.add(id);
			// An owner with slow receivers waits in a queue of its own, and keeps no one else waiting.
			await Promise.all(
				due.map((row) => queueOf(row.owner).add(() => all.add(() => perform(row)))),
			);
			return due.length;
		},
		/** Lets go of what is under way: it stays pending, and the next process sends it again. */
		async close(): Promise<void> {
			closing.abort();
			await Promise.all([...ownerQueues.values()].map((queue) => queue.onIdle()));
		},
	};
}

/** A clock that went back makes no one wait longer. */
function isDue({ nextAt, updatedAt }: WebhookDeliveryRow, now: number): boolean {
	return nextAt <= now || now < updatedAt;
}

async function attempt(deps: WebhookServices, id: string, closing: AbortSignal): Promise<void> {
	if (closing.aborted) return;
	const { store, clock, texts, send, baseUrl } = deps;
	const { delivery, hook, visibility } = await store.read(async (reader) => {
		const delivery = await reader.get("webhook_deliveries", id);
		const hook = delivery && (await reader.get("webhooks", delivery.webhookId));
		const visibility = hook && (await visibilityOf(reader, hook, clock.now()));
		return { delivery, hook, visibility };
	});
	if (delivery?.state !== "pending" || !isDue(delivery, clock.now())) return;
	const text = hook && (await texts.get(hook));
	// Its webhook is gone.
	if (!hook || !text) return store.transaction((tx) => tx.delete("webhook_deliveries", id));
	if (visibility === "nothing") return silence(deps, hook);
	const outcome = await send({
		url: text.url,
		secrets: signingSecrets(text, clock.now()),
		eventId: delivery.eventId,
		body: toEventBody(delivery, baseUrl()),
		signal: closing,
	});
	// No one knows whether it arrived.
	if (closing.aborted && outcome.failure !== undefined) return;
	const kept = await store.transaction((tx) => noteAttempt(deps, tx, { id, outcome }));
	if (kept && outcome.failure === undefined) await renew(deps, kept);
}

/** The credential that made the webhook has ended. */
function silence({ store, clock }: WebhookServices, { id }: WebhookRow): Promise<void> {
	const change = { reason: "credential_ended", now: clock.now() };
	return store.transaction(async (tx) => {
		const hook = await tx.get("webhooks", id);
		if (hook) await pauseWebhook(tx, hook, change);
	});
}

/** The webhook as it is now; undefined when it, or what was sent, is gone meanwhile. */
async function noteAttempt(
	{ clock, random }: WebhookServices,
	tx: StoreTransaction,
	{ id, outcome }: { readonly id: string; readonly outcome: WebhookOutcome },
): Promise<WebhookRow | undefined> {
	const row = await tx.get("webhook_deliveries", id);
	const hook = row && (await tx.get("webhooks", row.webhookId));
	if (!row || !hook) return undefined;
	const now = clock.now();
	const { lastAttempts, attempts } = row;
	const { retryAfterMs = 0, ...shown } = outcome;
	const latest = [{ at: now, ...shown }, ...lastAttempts].slice(0, WEBHOOK_LIMITS.attemptsShownMax);
	const noted = { ...row, attempts: attempts + 1, lastAttempts: latest, updatedAt: now };
	if (outcome.failure === undefined) {
		await tx.put("webhook_deliveries", { ...noted, state: "delivered", deliveredAt: now });
		const { failingSince: _, ...rest } = hook;
		const healthy = { ...rest, failedAttempts: 0, deliveredAt: now };
		await tx.put("webhooks", healthy);
		return healthy;
	}
	await tx.put("webhook_deliveries", afterFailure(noted, { now, random, retryAfterMs }));
	return noteFailure(tx, hook, { outcome, now });
}

/** `retryAfterMs` is how long its receiver asks to be left alone. */
function afterFailure(
	row: WebhookDeliveryRow,
	{ now, random, retryAfterMs }: { now: number; random: Random; retryAfterMs: number },
): WebhookDeliveryRow {
	if (row.state !== "pending") return row;
	const delayMs = WEBHOOK_LIMITS.retryDelaysMs[row.tries];
	if (delayMs === undefined) return { ...row, state: "failed" };
	const [byte = 0] = random.bytes(1);
	const jitter = 1 + WEBHOOK_LIMITS.jitterShare * (byte / 127.5 - 1);
	const waitMs = Math.max(Math.round(delayMs * jitter), retryAfterMs);
	return { ...row, tries: row.tries + 1, nextAt: now + waitMs };
}

async function noteFailure(
	tx: StoreTransaction,
	hook: WebhookRow,
	{ outcome, now }: { readonly outcome: WebhookOutcome; readonly now: number },
): Promise<WebhookRow> {
	const { failingSince = now } = hook;
	const failing = { ...hook, failedAttempts: hook.failedAttempts + 1, failingSince };
	const isLost =
		failing.failedAttempts >= WEBHOOK_LIMITS.failedAttemptsMax &&
		now - failingSince >= WEBHOOK_LIMITS.failingMsMin;
	const reason = outcome.httpStatus === 410 ? "gone" : "deliveries_failed";
	if (hook.status === "active" && (isLost || reason === "gone")) {
		return pauseWebhook(tx, failing, { reason, now });
	}
	await tx.put("webhooks", failing);
	return failing;
}

/** What is in use is kept: text and row live a year from their last use. */
async function renew({ store, texts, clock }: WebhookServices, hook: WebhookRow) {
	if (hook.expiresAt - clock.now() > WEBHOOK_LIMITS.renewedMs) return;
	const text = await texts.get(hook);
	if (!text) return;
	const expiresAt = await texts.put(hook.documentId, text);
	const isMeant = await store.transaction(async (tx) => {
		const row = await tx.get("webhooks", hook.id);
		if (row?.documentId !== hook.documentId) return false;
		await tx.put("webhooks", { ...row, expiresAt });
		return true;
	});
	// Changed or erased meanwhile: what was just written belongs to nothing.
	if (!isMeant) await texts.forget(hook.documentId);
}

interface WebhookMessage {
	readonly url: string;
	/** `whsec_…`; each of them signs. */
	readonly secrets: readonly string[];
	/** The same however often one event is sent: receivers recognize repetitions by it. */
	readonly eventId: string;
	readonly body: string;
	readonly signal?: AbortSignal | undefined;
}

/** What became of one attempt; nothing of what the receiver wrote is kept. */
export interface WebhookOutcome {
	readonly httpStatus?: number | undefined;
	/** Absent when it was taken. */
	readonly failure?: WebhookFailure | undefined;
	/** How long the receiver asks to be left alone. */
	readonly retryAfterMs?: number | undefined;
}

/** Sends one message once, signed as Standard Webhooks say; never throws for what the receiver does. */
export type SendWebhook = ReturnType<typeof createWebhookSender>;

const FAILURE_OF: Readonly<Partial<Record<ErrorCode, WebhookFailure>>> = {
	INVALID_ARGUMENT: "address_refused",
	UPSTREAM: "redirect_or_size",
};

/** The address is judged again each time it is asked; the egress must be that for addresses that callers name. */
export function createWebhookSender({
	egress,
	clock,
}: {
	readonly egress: Egress;
	readonly clock: Pick<Clock, "now">;
}) {
	return async (message: WebhookMessage): Promise<WebhookOutcome> => {
		const { url, secrets, eventId, body, signal } = message;
		const at = new Date(clock.now());
		const signatures = secrets.map((secret) => new Webhook(secret).sign(eventId, at, body));
		try {
			const response = await egress.request({
				method: "POST",
				url,
				headers: {
					"Content-Type": "application/json",
					"User-Agent": "tollgraph-webhooks",
					"webhook-id": eventId,
					"webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
					"webhook-signature": signatures.join(" "),
				},
				body,
				timeoutMs: WEBHOOK_LIMITS.sendTimeoutMs,
				signal,
			});
			const { status: httpStatus, ok } = response;
			if (ok) return { httpStatus };
			const bounds = { now: clock.now(), maxMs: WEBHOOK_LIMITS.retryAfterMaxMs };
			return { httpStatus, failure: "status", retryAfterMs: readRetryAfterMs(response, bounds) };
		} catch (error) {
			const code = error instanceof ServiceError ? error.code : undefined;
			return { failure: (code && FAILURE_OF[code]) ?? "unreachable" };
		}
	};
}
