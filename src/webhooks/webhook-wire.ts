import { z } from "zod";
import { visibleText } from "../kernel/kernel.js";

/** How webhooks are kept and sent; units last. */
export const WEBHOOK_LIMITS = {
	/** Webhooks of one owner. */
	perOwnerMax: 10,
	urlChars: 2_000,
	descriptionChars: 200,
	changesPerMinute: 60,
	readsPerMinute: 120,
	/** Test events, by one address. */
	testsPerMinute: 10,
	secretBytes: 32,
	/** How long the secret before a rotation signs beside the new one. */
	overlapSeconds: 86_400,
	overlapSecondsMax: 7 * 86_400,
	/** How often it is looked for what is due. */
	tickIntervalMs: 2_000,
	sendTimeoutMs: 5_000,
	/** Deliveries that are sent at once, and those of one owner among them. */
	sending: 8,
	sendingOfOwner: 2,
	/** Waits after each failed attempt, before jitter: nine attempts in a day; after that a delivery has failed. */
	retryDelaysMs: [
		10_000, 60_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 25_200_000, 25_200_000,
	],
	/** A receiver that asks for a longer wait than ours gets it, up to this. */
	retryAfterMaxMs: 25_200_000,
	/** A wait is longer or shorter by up to this share, so that what failed at once does not come back at once. */
	jitterShare: 0.2,
	/** A webhook is paused after so many failed attempts in a row that lie at least this far apart. */
	failedAttemptsMax: 20,
	failingMsMin: 3_600_000,
	/** Attempts that a delivery lists. */
	attemptsShownMax: 10,
	/** Deliveries of one webhook that are kept: beyond them the oldest goes. */
	deliveriesKeptMax: 500,
	deliveriesKeptMs: 7 * 24 * 3_600_000,
	deliveriesDefault: 20,
	deliveriesMax: 100,
	/** A webhook is kept for so long after its last use. */
	keptMs: 365 * 24 * 3_600_000,
	/** It is kept longer again when less than this is left of its time. */
	renewedMs: 300 * 24 * 3_600_000,
} as const;

/** What travels when webhooks are made, changed and looked at, and what is sent to them (standardwebhooks.com). */

export const WEBHOOK_EVENTS = [
	"job.completed",
	"job.failed",
	"job.cancelled",
	"briefing.delivered",
	"briefing.failed",
	"schedule.paused",
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

const { urlChars, descriptionChars, overlapSeconds, overlapSecondsMax } = WEBHOOK_LIMITS;

export const webhookIdField = z.string().min(1).max(80).describe("Id of the webhook, whk_…");
export const deliveryIdField = z.string().min(1).max(80).describe("Id of the delivery, dlv_…");

const urlField = z
	.string()
	.max(urlChars, `must have at most ${urlChars} characters`)
	.describe(
		"Public https address that takes events, on port 443 or 8443; redirects are not followed",
	);
const eventsField = z
	.array(z.enum(WEBHOOK_EVENTS, `must be one of ${WEBHOOK_EVENTS.join(", ")}`))
	.min(1, "must name at least one event")
	.max(WEBHOOK_EVENTS.length, `must name at most ${WEBHOOK_EVENTS.length} events`)
	.refine((events) => new Set(events).size === events.length, "must not name an event twice")
	.describe("Events it is told of");
const descriptionField = z
	.string()
	.max(descriptionChars, `must have at most ${descriptionChars} characters`)
	.transform((text) => visibleText(text).replace(/\s+/g, " ").trim())
	.describe("What it is for, in the owner's words");

export const webhookOrderInput = z.strictObject({
	url: urlField,
	events: eventsField.default([...WEBHOOK_EVENTS]),
	description: descriptionField.optional(),
});
export type WebhookOrder = z.output<typeof webhookOrderInput>;

export const webhookChangeInput = z
	.strictObject({
		url: urlField.optional(),
		events: eventsField.optional(),
		description: descriptionField.nullable().optional().describe("Null for none"),
		status: z
			.enum(["active", "paused"], "must be active or paused")
			.optional()
			.describe("While it is paused, events are listed as skipped and not sent"),
	})
	.refine((change) => Object.keys(change).length > 0, "must change something");
export type WebhookChange = z.output<typeof webhookChangeInput>;

export const secretRotationInput = z.strictObject({
	overlap_seconds: z
		.int("must be a whole number")
		.min(0, "must not be negative")
		.max(overlapSecondsMax, `must be at most ${overlapSecondsMax}`)
		.default(overlapSeconds)
		.describe("How long events carry a signature by the old secret too"),
});

const timeOrNull = z.iso.datetime().nullable();
const FAILURES = ["status", "redirect_or_size", "unreachable", "address_refused"] as const;
export type WebhookFailure = (typeof FAILURES)[number];
const failureField = z
	.enum(FAILURES)
	.nullable()
	.describe(
		"Why it was not taken: a status other than 2xx, a redirect or a reply too long, nobody answered, or an address that is not public; null when it was",
	);
const httpStatusField = z.int().nullable().describe("Status that was answered; null for none");

export const webhookSchema = z.object({
	id: webhookIdField,
	target_masked: z.string().describe("Host of its address; the rest may be a secret"),
	events: z.array(z.enum(WEBHOOK_EVENTS)),
	description: z.string().nullable(),
	status: z.enum(["active", "paused"]),
	reason: z
		.enum(["asked", "deliveries_failed", "gone", "credential_ended"])
		.nullable()
		.describe(
			"Why it is paused: asked for, too many failures in a row, the receiver answered 410, or the key it was made with has ended",
		),
	failed_attempts: z.int().describe("Failed attempts since the last delivery that was taken"),
	old_secret_until: timeOrNull.describe("How long the secret before the last rotation signs too"),
	created_at: z.iso.datetime(),
	last_delivered_at: timeOrNull,
});
export type WebhookWire = z.output<typeof webhookSchema>;

export const webhookSecretFields = {
	secret: z
		.string()
		.describe(
			"Secret that signs its events, whsec_…; told once. Verify with a Standard Webhooks library",
		),
};

const attemptSchema = z.object({
	at: z.iso.datetime(),
	http_status: httpStatusField,
	failure: failureField,
});

export const deliverySchema = z.object({
	id: deliveryIdField,
	event_id: z.string().describe("The webhook-id header: the same however often it is sent"),
	type: z.enum(WEBHOOK_EVENTS),
	data: z.record(z.string(), z.string()).describe("Ids the event is about"),
	status: z
		.enum(["pending", "delivered", "failed", "skipped"])
		.describe("skipped: it happened or waited while the webhook was paused"),
	attempts: z.int(),
	last_attempts: z
		.array(attemptSchema)
		.describe(`The last ${WEBHOOK_LIMITS.attemptsShownMax}, newest first`),
	next_attempt_at: timeOrNull,
	occurred_at: z.iso.datetime(),
	delivered_at: timeOrNull,
});
export type DeliveryWire = z.output<typeof deliverySchema>;

export const webhookTestSchema = z.object({
	is_delivered: z.boolean(),
	event_id: z.string(),
	http_status: httpStatusField,
	failure: failureField,
});

export const webhookRemovedSchema = z.object({
	id: webhookIdField,
	status: z.literal("deleted"),
});
