export {
	createWebhookDispatch,
	createWebhookSender,
	type WebhookDispatch,
} from "./webhook-dispatch.js";
export { recordJobEnd, recordPause, recordRunEnd } from "./webhook-events.js";
export { createWebhookTexts } from "./webhook-record.js";
export {
	createWebhookDeliveries,
	createWebhooks,
	deliveriesOf,
	type WebhookParts,
	type Webhooks,
	webhooksOf,
} from "./webhook-service.js";
export {
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
} from "./webhook-wire.js";
