export { extractClaims, toAtomicClaim } from "./claims/claim-extraction.js";
export { type ClaimVerifier, createClaimVerifier } from "./claims/claim-verifier.js";
export { type DateSpan, findDateSpans } from "./claims/date-spans.js";
export { bestTier, findPublisher } from "./claims/source-tiers.js";
export { compareClaim, compareReadings } from "./claims/stance-comparator.js";
export {
	readContext,
	readText,
} from "./claims/text-reading.js";
export type { AtomicClaim } from "./claims/verification.js";
