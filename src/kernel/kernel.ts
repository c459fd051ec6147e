export { toCanonicalJson } from "./canonical-json.js";
export { type Clock, nextUtcMonth, systemClock, toIsoDay, toIsoMonth, toIsoTime } from "./clock.js";
export { toCsv } from "./csv.js";
export type { Egress, OutboundRequest } from "./egress.js";
export {
	ERROR_CODES,
	type ErrorCode,
	type ErrorDetail,
	isRetryable,
	ServiceError,
	type ServiceErrorOptions,
} from "./errors.js";
export { createEventLoopThrottle } from "./event-loop-throttle.js";
export {
	createIds,
	type IdKind,
	type Ids,
	parseGraphId,
	siblingId,
	timeOfId,
	toIdLetters,
} from "./ids.js";
export { invalidSetting } from "./invalid-setting.js";
export { toIpv6Groups } from "./ipv6-groups.js";
export { decodeJson, isRecord, readJson } from "./json-value.js";
export { type Logger, scrubSecrets, stackOf } from "./logger.js";
export type { Mailer, MailMessage } from "./mail.js";
export { memoize, memoizeByObject } from "./memoize.js";
export { formatUsd, type Micros, parseUsd, toUsdNumber } from "./money.js";
export { PACKAGE_ROOT } from "./package-root.js";
export { createPerRevision } from "./per-revision.js";
export { type Random, systemRandom } from "./random.js";
export { readRetryAfterMs } from "./retry-after.js";
export { createSealedText, type SealedText } from "./sealed-text.js";
export { createSecret, hashSecret, isWellFormedSecret } from "./secret.js";
export { createShardedMap, type ShardedMap } from "./sharded-map.js";
export { sharedJsonOf, shareJson } from "./shared-json.js";
export { createSizedCache } from "./sized-cache.js";
export { stderrLogger } from "./stderr-logger.js";
export { parseStrictJson } from "./strict-json.js";
export { createTurnQueue, type TurnQueue } from "./turn-queue.js";
export { createTurns, inTurns, nextTurn, type Spend } from "./turns.js";
export { SOFTWARE_VERSION } from "./version.js";
export { visibleJson, visibleJsonText, visibleText } from "./visible-text.js";
