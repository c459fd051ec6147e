export { currentCall, withinCall } from "./call-scope.js";
export {
	type Clock,
	nextUtcMonth,
	pause,
	systemClock,
	toIsoDay,
	toIsoMonth,
	toIsoTime,
	tryAgain,
	wait,
} from "./clock.js";
export {
	ERROR_CODES,
	type ErrorCode,
	type ErrorDetail,
	invalidArgument,
	invalidSetting,
	isRetryable,
	notFound,
	ServiceError,
	type ServiceErrorOptions,
	unavailable,
} from "./errors.js";
export {
	afterPolling,
	createEventLoopThrottle,
	createTurns,
	inTurns,
	nextTurn,
	type Spend,
} from "./event-loop.js";
export {
	createIds,
	type IdKind,
	type Ids,
	parseGraphId,
	type Random,
	siblingId,
	systemRandom,
	timeOfId,
	toIdLetters,
} from "./ids.js";
export {
	decodeJson,
	findJsonFault,
	isRecord,
	parseStrictJson,
	readJson,
	sharedJsonOf,
	shareJson,
	toCanonicalJson,
} from "./json.js";
export { type Logger, scrubSecrets, stackOf, stderrLogger } from "./logger.js";
export { createPerRevision, memoize, memoizeByObject } from "./memoize.js";
export { formatUsd, type Micros, parseUsd, toUsdNumber } from "./money.js";
export {
	type Egress,
	type Mailer,
	type MailMessage,
	type OutboundRequest,
	readRetryAfterMs,
} from "./outbound.js";
export { PACKAGE_ROOT, SOFTWARE_VERSION } from "./package-info.js";
export {
	createSealedText,
	createSecret,
	everyHashOf,
	everyPepperOf,
	firstPepperOf,
	hashesOf,
	hashSecret,
	isSameSecret,
	isWellFormedSecret,
	keyIdOf,
	keysFor,
	newestMark,
	openBytes,
	type Pepper,
	type SealedText,
	sealBytes,
	stableHash,
} from "./secrets.js";
export { createShardedMap, type ShardedMap } from "./sharded-map.js";
export { createTurnQueue, type TurnQueue } from "./turn-queue.js";
export { toCsv, visibleJson, visibleJsonText, visibleText } from "./visible-text.js";
