export {
	type CallRates,
	type CountedCaller,
	createCallRates,
	type RateLevel,
	toCredentialKey,
	toRateRefusal,
} from "./call-rates.js";
export { isForwarded, parseTrustedProxies, toCallerAddress } from "./caller-address.js";
export {
	type ErrorReply,
	STATUS_OF,
	toErrorReply,
	toErrorWire,
	toServiceError,
} from "./error-reply.js";
export {
	CONNECTION_PATH,
	connectionTokenOf,
	costHeaders,
	createHeaderReader,
	createRequestId,
	openRequestId,
	readCredential,
	requestIdOf,
	toRequestId,
} from "./headers.js";
export { hasBody, isNoJson, readJsonBody } from "./json-body.js";
export {
	type CallerWatch,
	drained,
	hasLeft,
	isOurFailure,
	reportDelivery,
	watchCaller,
	whileCallerWaits,
} from "./response-end.js";
export { isStillFresh, sendBytes, sendDocument, toDocument, toEtag } from "./send-document.js";
export { createMessageClasses, listen, type MessageClasses, type RunningServer } from "./server.js";
export {
	createOperationRates,
	createTokenBucket,
	createTokenBuckets,
	type OperationRates,
} from "./token-bucket.js";
