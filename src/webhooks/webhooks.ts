export { createWebhookDeliveries, deliveriesOf } from "./webhook-deliveries.js";
export { createWebhookDispatch, type WebhookDispatch } from "./webhook-dispatch.js";
export { recordJobEnd, recordPause, recordRunEnd } from "./webhook-events.js";
export { WEBHOOK_LIMITS } from "./webhook-limits.js";
export { createWebhookSender } from "./webhook-sender.js";
export { createWebhooks, type WebhookParts, type Webhooks, webhooksOf } from "./webhook-service.js";
export { createWebhookTexts } from "./webhook-texts.js";
export {
	type DeliveryWire,
	deliveryIdField,
	deliveryListFields,
	deliverySchema,
	secretRotationInput,
	WEBHOOK_EVENTS,
	type WebhookWire,
	webhookChangeInput,
	webhookIdField,
	webhookOrderInput,
	webhookRemovedSchema,
	webhookSchema,
	webhookSecretFields,
	webhookTestSchema,
} from "./webhook-wire.js";
