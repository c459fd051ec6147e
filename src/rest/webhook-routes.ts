import { z } from "zod";
import type { OwnerOperationId } from "../contract/contract.js";
import { digitsField, replyComponent, requestComponent } from "../contract/contract.js";
import {
	type DeliveryWire,
	deliveryIdField,
	deliveryListFields,
	deliverySchema,
	secretRotationInput,
	WEBHOOK_EVENTS,
	WEBHOOK_LIMITS,
	type WebhookWire,
	webhookChangeInput,
	webhookIdField,
	webhookOrderInput,
	webhookRemovedSchema,
	webhookSchema,
	webhookSecretFields,
	webhookTestSchema,
} from "../webhooks/webhooks.js";
import { ownerRoute } from "./define-route.js";
import type { OwnerRoute } from "./route.js";

type WebhookOperationId = Extract<OwnerOperationId, `webhooks.${string}`>;

const WEBHOOK_ID = "whk_01kg9yz3v0f6x2m8q4t7w1ab2c";
const DELIVERY_ID = "dlv_8kq4t7w1ab2c0f6x2m9yz3v5n7";
const EVENT_ID = "evt_2m9yz3v5n78kq4t7w1ab2c0f6x";
const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

const WEBHOOK: WebhookWire = {
	id: WEBHOOK_ID,
	target_masked: "https://agents.example.com/…",
	events: [...WEBHOOK_EVENTS],
	description: "Research desk",
	status: "active",
	reason: null,
	failed_attempts: 0,
	old_secret_until: null,
	created_at: "2026-11-30T12:00:00.000Z",
	last_delivered_at: null,
};

const DELIVERY: DeliveryWire = {
	id: DELIVERY_ID,
	event_id: EVENT_ID,
	type: "job.completed",
	data: {
		job_id: "job_01kg9yz3v0f6x2m8q4t7w1ab2c",
		operation: "research.deep_dive",
		status: "completed",
		stop_reason: "done",
	},
	status: "delivered",
	attempts: 1,
	last_attempts: [{ at: "2026-11-30T12:05:01.000Z", http_status: 204, failure: null }],
	next_attempt_at: null,
	occurred_at: "2026-11-30T12:05:00.000Z",
	delivered_at: "2026-11-30T12:05:01.000Z",
};

const nothing = z.strictObject({});
const path = z.strictObject({ wid: webhookIdField });
const deliveryPath = z.strictObject({ wid: webhookIdField, did: deliveryIdField });
const change = { query: nothing, callsPerMinute: WEBHOOK_LIMITS.changesPerMinute, isList: false };
const example = { path: { wid: WEBHOOK_ID } };

const orderBody = requestComponent("WebhookOrder", webhookOrderInput);
const changeBody = requestComponent("WebhookChange", webhookChangeInput);
const rotationBody = requestComponent("WebhookSecretRotation", secretRotationInput);
const data = replyComponent("Webhook", webhookSchema);
const withSecret = replyComponent("WebhookWithSecret", webhookSchema.extend(webhookSecretFields));
replyComponent("WebhookDelivery", deliverySchema);

/** Events of jobs and briefings, sent to addresses that their owners name. */
export const WEBHOOK_ROUTES: Readonly<Record<WebhookOperationId, OwnerRoute>> = {
	"webhooks.list": ownerRoute({
		operationId: "webhooks.list",
		summary: "Webhooks",
		description:
			"Of this account or token, without their secrets. A key that does not manage the account sees those it made.",
		callsPerMinute: WEBHOOK_LIMITS.readsPerMinute,
		path: nothing,
		query: nothing,
		isList: true,
		data: replyComponent("WebhookList", z.object({ items: z.array(webhookSchema) })),
		answer: ({ webhooks }, { caller }) => webhooks.list(caller),
		example: { data: { items: [WEBHOOK] } },
	}),
	"webhooks.create": ownerRoute({
		...change,
		operationId: "webhooks.create",
		summary: "Make a webhook",
		description: `Sends events as Standard Webhooks say: webhook-id, webhook-timestamp and webhook-signature (v1, HMAC-SHA256), at least once, again for a day while they are not taken. Bodies carry ids and links, never results. At most ${WEBHOOK_LIMITS.perOwnerMax} of one owner.`,
		path: nothing,
		body: orderBody,
		status: 201,
		data: withSecret,
		answer: ({ webhooks }, { caller, body }) => webhooks.create(caller, body),
		example: {
			body: { url: "https://agents.example.com/hooks/research", description: "Research desk" },
			data: { ...WEBHOOK, secret: SECRET },
		},
	}),
	"webhooks.change": ownerRoute({
		...change,
		operationId: "webhooks.change",
		summary: "Change or pause a webhook",
		description:
			"What is left out stays. What waits when it is paused is skipped, and can be sent again once it is resumed.",
		path,
		body: changeBody,
		data,
		answer: ({ webhooks }, { caller, path: { wid }, body }) => webhooks.change(caller, wid, body),
		example: {
			...example,
			body: { status: "paused" },
			data: { ...WEBHOOK, status: "paused", reason: "asked" },
		},
	}),
	"webhooks.delete": ownerRoute({
		...change,
		operationId: "webhooks.delete",
		summary: "Delete a webhook",
		description: "With its secret and its deliveries; nothing more is sent.",
		path,
		data: replyComponent("WebhookRemoved", webhookRemovedSchema),
		answer: ({ webhooks }, { caller, path: { wid } }) => webhooks.remove(caller, wid),
		example: { ...example, data: { id: WEBHOOK_ID, status: "deleted" } },
	}),
	"webhooks.test": ownerRoute({
		...change,
		operationId: "webhooks.test",
		summary: "Send a test event",
		description:
			'A signed event of the type "webhook.test", once and at once, to a paused webhook too; the answer says what became of it.',
		callsPerMinute: WEBHOOK_LIMITS.testsPerMinute,
		path,
		data: replyComponent("WebhookTest", webhookTestSchema),
		answer: ({ webhooks }, { caller, path: { wid }, signal }) => webhooks.test(caller, wid, signal),
		example: {
			...example,
			data: { is_delivered: true, event_id: EVENT_ID, http_status: 204, failure: null },
		},
	}),
	"webhooks.rotate_secret": ownerRoute({
		...change,
		operationId: "webhooks.rotate_secret",
		summary: "New secret for a webhook",
		description:
			"Told once. For the overlap events carry two signatures, so that receivers change over without losing any.",
		path,
		body: rotationBody,
		data: withSecret,
		answer: ({ webhooks }, { caller, path: { wid }, body }) =>
			webhooks.rotate(caller, wid, body.overlap_seconds),
		example: {
			...example,
			body: { overlap_seconds: 3_600 },
			data: { ...WEBHOOK, old_secret_until: "2026-11-30T13:00:00.000Z", secret: SECRET },
		},
	}),
	"webhooks.deliveries": ownerRoute({
		operationId: "webhooks.deliveries",
		summary: "Deliveries of a webhook",
		description: `What was sent and what waits, newest first, for seven days; the last ${WEBHOOK_LIMITS.deliveriesKeptMax}.`,
		callsPerMinute: WEBHOOK_LIMITS.readsPerMinute,
		path,
		query: z.strictObject({
			limit: digitsField(WEBHOOK_LIMITS.deliveriesMax)
				.default(WEBHOOK_LIMITS.deliveriesDefault)
				.describe("Items on a page"),
			...deliveryListFields,
		}),
		isList: true,
		data: replyComponent("WebhookDeliveryList", z.object({ items: z.array(deliverySchema) })),
		answer: ({ webhooks }, { caller, path: { wid }, query }) =>
			webhooks.deliveries(caller, wid, query),
		example: { ...example, query: { limit: "20" }, data: { items: [DELIVERY] } },
	}),
	"webhooks.redeliver": ownerRoute({
		...change,
		operationId: "webhooks.redeliver",
		summary: "Send a delivery again",
		description:
			"Under the same webhook-id, from the first attempt on. A webhook that is paused has to be resumed first.",
		path: deliveryPath,
		status: 202,
		data: deliverySchema,
		answer: ({ webhooks }, { caller, path: { wid, did } }) => webhooks.redeliver(caller, wid, did),
		example: {
			path: { wid: WEBHOOK_ID, did: DELIVERY_ID },
			data: {
				...DELIVERY,
				status: "pending",
				next_attempt_at: "2026-11-30T12:10:00.000Z",
			},
		},
	}),
};
