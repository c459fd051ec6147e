export {
	createWebhookDispatch,
	createWebhookSender,
	type WebhookDispatch,
} from "./webhook-dispatch.js";
export { recordJobEnd, recordPause, recordRunEnd } from "./webhook-events.js";
export { createWebhookTexts } from "./webhook-record.js";
export {
	createWebhooks,
	deliveriesOf,
	type WebhookParts,
	type Webhooks,
	webhooksOf,
} from "./webhook-service.js";
export { WEBHOOK_LIMITS } from "./webhook-wire.js";
