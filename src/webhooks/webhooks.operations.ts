import { z } from "zod";
import {
	ownerOperation,
	pageQueryUpTo,
	replyComponent,
	requestComponent,
	type Services,
} from "../contract/contract.js";
import {
	type DeliveryWire,
	deliveryIdField,
	deliverySchema,
	secretRotationInput,
	WEBHOOK_LIMITS,
	webhookChangeInput,
	webhookIdField,
	webhookOrderInput,
	webhookRemovedSchema,
	webhookSchema,
	webhookSecretFields,
	webhookTestSchema,
} from "./webhook-wire.js";

const WEBHOOK_ID = "whk_01kg9yz3v0f6x2m8q4t7w1ab2c";
const DELIVERY_ID = "dlv_8kq4t7w1ab2c0f6x2m9yz3v5n7";
const EVENT_ID = "evt_2m9yz3v5n78kq4t7w1ab2c0f6x";

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
const change = { query: nothing, callsPerMinute: WEBHOOK_LIMITS.changesPerMinute };
const example = { params: { wid: WEBHOOK_ID } };

const orderBody = requestComponent("WebhookOrder", webhookOrderInput);
const changeBody = requestComponent("WebhookChange", webhookChangeInput);
const rotationBody = requestComponent("WebhookSecretRotation", secretRotationInput);
const data = replyComponent("Webhook", webhookSchema);
const withSecret = replyComponent("WebhookWithSecret", webhookSchema.extend(webhookSecretFields));
replyComponent("WebhookDelivery", deliverySchema);

/** Events of jobs and briefings, sent to addresses that their owners name. */
export const webhooksList = ownerOperation({
	id: "webhooks.list",
	at: "GET /v1/webhooks",
	summary: "Webhooks",
	description:
		"Of this account or token, without their secrets. A key that does not manage the account sees those it made.",
	callsPerMinute: WEBHOOK_LIMITS.readsPerMinute,
	isList: true,
	data: replyComponent("WebhookList", z.object({ items: z.array(webhookSchema) })),
	answer: (services: Services, request) => services.webhooks.list(request.caller),
});

export const webhooksCreate = ownerOperation({
	id: "webhooks.create",
	at: "POST /v1/webhooks",
	...change,
	summary: "Make a webhook",
	description: `Sends events as Standard Webhooks say: webhook-id, webhook-timestamp and webhook-signature (v1, HMAC-SHA256), at least once, again for a day while they are not taken. Bodies carry ids and links, never results. At most ${WEBHOOK_LIMITS.perOwnerMax} of one owner.`,
	body: orderBody,
	status: 201,
	data: withSecret,
	answer: ({ webhooks }: Services, { caller, body }) => webhooks.create(caller, body),
	example: {
		body: { url: "https://agents.example.com/hooks/research", description: "Research desk" },
	},
});

export const webhooksChange = ownerOperation({
	id: "webhooks.change",
	at: "PATCH /v1/webhooks/{wid}",
	...change,
	summary: "Change or pause a webhook",
	description:
		"What is left out stays. What waits when it is paused is skipped, and can be sent again once it is resumed.",
	params: path,
	body: changeBody,
	data,
	answer: ({ webhooks }: Services, { caller, params: { wid }, body }) =>
		webhooks.change(caller, wid, body),
	example: { ...example, body: { status: "paused" } },
});

export const webhooksDelete = ownerOperation({
	id: "webhooks.delete",
	at: "DELETE /v1/webhooks/{wid}",
	...change,
	summary: "Delete a webhook",
	description: "With its secret and its deliveries; nothing more is sent.",
	params: path,
	data: replyComponent("WebhookRemoved", webhookRemovedSchema),
	answer: ({ webhooks }: Services, { caller, params: { wid } }) => webhooks.remove(caller, wid),
	example,
});

export const webhooksTest = ownerOperation({
	id: "webhooks.test",
	at: "POST /v1/webhooks/{wid}/test",
	...change,
	summary: "Send a test event",
	description:
		'A signed event of the type "webhook.test", once and at once, to a paused webhook too; the answer says what became of it.',
	callsPerMinute: WEBHOOK_LIMITS.testsPerMinute,
	params: path,
	data: replyComponent("WebhookTest", webhookTestSchema),
	answer: ({ webhooks }: Services, { caller, params: { wid }, signal }) =>
		webhooks.test(caller, wid, signal),
	example,
});

export const webhooksRotateSecret = ownerOperation({
	id: "webhooks.rotate_secret",
	at: "POST /v1/webhooks/{wid}/rotate-secret",
	...change,
	summary: "New secret for a webhook",
	description:
		"Told once. For the overlap events carry two signatures, so that receivers change over without losing any.",
	params: path,
	body: rotationBody,
	data: withSecret,
	answer: ({ webhooks }: Services, { caller, params: { wid }, body }) =>
		webhooks.rotate(caller, wid, body.overlap_seconds),
	example: { ...example, body: { overlap_seconds: 3_600 } },
});

export const webhooksDeliveries = ownerOperation({
	id: "webhooks.deliveries",
	at: "GET /v1/webhooks/{wid}/deliveries",
	summary: "Deliveries of a webhook",
	description: `What was sent and what waits, newest first, for seven days; the last ${WEBHOOK_LIMITS.deliveriesKeptMax}.`,
	callsPerMinute: WEBHOOK_LIMITS.readsPerMinute,
	params: path,
	query: z.strictObject(
		pageQueryUpTo(WEBHOOK_LIMITS.deliveriesMax, WEBHOOK_LIMITS.deliveriesDefault),
	),
	isList: true,
	data: replyComponent("WebhookDeliveryList", z.object({ items: z.array(deliverySchema) })),
	answer: ({ webhooks }: Services, { caller, params: { wid }, query }) =>
		webhooks.deliveries(caller, wid, query),
	example: { ...example, query: { limit: "20" }, data: { items: [DELIVERY] } },
});

export const webhooksRedeliver = ownerOperation({
	id: "webhooks.redeliver",
	at: "POST /v1/webhooks/{wid}/deliveries/{did}/redeliver",
	...change,
	summary: "Send a delivery again",
	description:
		"Under the same webhook-id, from the first attempt on. A webhook that is paused has to be resumed first.",
	params: deliveryPath,
	status: 202,
	data: deliverySchema,
	answer: ({ webhooks }: Services, { caller, params: { wid, did } }) =>
		webhooks.redeliver(caller, wid, did),
	example: {
		params: { wid: WEBHOOK_ID, did: DELIVERY_ID },
		data: {
			...DELIVERY,
			status: "pending",
			next_attempt_at: "2026-11-30T12:10:00.000Z",
		},
	},
});
