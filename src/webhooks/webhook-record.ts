import { z } from "zod";
import type { DocumentStore, Store, WebhookDeliveryRow, WebhookRow } from "../../store/store.js";
import { type Caller, isTheirs } from "../contract/contract.js";
import {
	type Clock,
	notFound,
	type Random,
	type SealedText,
	ServiceError,
	toIsoTime,
} from "../kernel/kernel.js";
import {
	type DeliveryWire,
	WEBHOOK_LIMITS,
	type WebhookEventType,
	type WebhookFailure,
	type WebhookWire,
} from "./webhook-wire.js";

/** A secret that was replaced pays for the rest of its overlap, and does nothing else. Throws SCOPE_FORBIDDEN. */
export function refuseReplaced({ access }: Caller): void {
	if (!access?.isReplaced) return;
	throw new ServiceError(
		"SCOPE_FORBIDDEN",
		"This key was rotated; look at webhooks and change them with its new secret.",
	);
}

/** Throws NOT_FOUND after one look, alike for unknown ids and those of others, and SCOPE_FORBIDDEN for replaced secrets. */
export async function getWebhook(
	store: Pick<Store, "read">,
	caller: Caller,
	id: string,
): Promise<WebhookRow> {
	refuseReplaced(caller);
	const row = await store.read((reader) => reader.get("webhooks", id));
	if (row && isTheirs(caller, row)) return row;
	throw noWebhook();
}

export function noWebhook(): ServiceError {
	return notFound("No webhook of yours has this id.");
}

/** As its owner sees it: never its secret, and of its address the host alone. */
export function toWebhookWire(row: WebhookRow, description: string | undefined): WebhookWire {
	return {
		id: row.id,
		target_masked: row.masked,
		events: row.events as WebhookEventType[],
		description: description ?? null,
		status: row.status,
		reason: row.status === "paused" ? ((row.reason ?? "asked") as WebhookWire["reason"]) : null,
		failed_attempts: row.failedAttempts,
		old_secret_until: timeOrNull(row.previousUntil),
		created_at: toIsoTime(row.createdAt),
		last_delivered_at: timeOrNull(row.deliveredAt),
	};
}

export function toDeliveryWire(row: WebhookDeliveryRow): DeliveryWire {
	return {
		id: row.id,
		event_id: row.eventId,
		type: row.type as WebhookEventType,
		data: { ...row.data },
		status: row.state,
		attempts: row.attempts,
		last_attempts: row.lastAttempts.map(({ at, httpStatus = null, failure = null }) => ({
			at: toIsoTime(at),
			http_status: httpStatus,
			failure: failure as WebhookFailure | null,
		})),
		next_attempt_at: row.state === "pending" ? toIsoTime(row.nextAt) : null,
		occurred_at: toIsoTime(row.occurredAt),
		delivered_at: timeOrNull(row.deliveredAt),
	};
}

function timeOrNull(at: number | undefined): string | null {
	return at === undefined ? null : toIsoTime(at);
}

/** What of a webhook is secret: where it is, and what signs. */
const stored = z.object({
	url: z.string(),
	secret: z.string(),
	/** The secret before the last rotation, which signs too until then. */
	previous: z.object({ secret: z.string(), until: z.number() }).optional(),
	description: z.string().optional(),
});
export type WebhookText = z.output<typeof stored>;

export type WebhookTexts = ReturnType<typeof createWebhookTexts>;

/** Sealed as a whole: no file reveals an address, a secret or what they are for. */
export function createWebhookTexts({
	documents,
	seal,
	clock,
}: {
	readonly documents: DocumentStore;
	readonly seal: SealedText;
	readonly clock: Clock;
}) {
	return {
		/** Durable before it resolves to when the text will be gone. */
		async put(documentId: string, text: WebhookText): Promise<number> {
			const expiresAt = clock.now() + WEBHOOK_LIMITS.keptMs;
			await documents.put(documentId, seal.seal(JSON.stringify(text)), expiresAt);
			return expiresAt;
		},
		/** Undefined once it is gone. */
		async get({ documentId }: Pick<WebhookRow, "documentId">): Promise<WebhookText | undefined> {
			const text = seal.open((await documents.get(documentId)) ?? "");
			return text === undefined ? undefined : stored.parse(JSON.parse(text));
		},
		/** Durable before it resolves. */
		forget: (documentId: string) => documents.delete(documentId),
	};
}

/** A new secret as Standard Webhooks write them. */
export function newSecret(random: Random): string {
	return `whsec_${Buffer.from(random.bytes(WEBHOOK_LIMITS.secretBytes)).toString("base64")}`;
}

/** The secrets that sign now, the newest first. */
export function signingSecrets({ secret, previous }: WebhookText, now: number): readonly string[] {
	return previous && now < previous.until ? [secret, previous.secret] : [secret];
}
