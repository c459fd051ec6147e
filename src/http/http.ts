export {
	type CallRates,
	type CountedRequest,
	createCallRates,
	type RateLevel,
	toCredentialKey,
	toRateRefusal,
} from "./call-rates.js";
export { isForwarded, toCallerAddress } from "./caller-address.js";
export { type CallerWatch, hasLeft, watchCaller, whileCallerWaits } from "./caller-watch.js";
export { costHeaders } from "./cost-headers.js";
export { drained } from "./drained.js";
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
	createHeaderReader,
	openRequestId,
	toRequestId,
} from "./http-request.js";
export { hasBody, isNoJson, readJsonBody } from "./json-body.js";
export { createMessageClasses, type MessageClasses } from "./message-classes.js";
export { createOperationRates, type OperationRates } from "./operation-rates.js";
export { reportDelivery } from "./report-delivery.js";
export { createRequestId, requestIdOf } from "./request-id.js";
export { isStillFresh, sendBytes, sendDocument, toDocument, toEtag } from "./send-document.js";
export { listen, type RunningServer } from "./server.js";
export { isOurFailure } from "./server-fault.js";
export { createTokenBucket, createTokenBuckets } from "./token-bucket.js";
export { parseTrustedProxies } from "./trusted-proxies.js";
