export { assertCallerTarget, createCallerEgress } from "./caller-egress.js";
export {
	createConfiguredEgress,
	createHubEgress,
	createOperatorEgress,
	isLoopback,
	MODEL_HUB,
} from "./configured-egress.js";
export { createSmtpMailer } from "./mail.js";
