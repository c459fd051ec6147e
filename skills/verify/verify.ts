export { extractClaims } from "./claims/claim-extraction.js";
export { type ClaimVerifier, createClaimVerifier } from "./claims/claim-verifier.js";
export { type DateSpan, findDateSpans } from "./claims/date-spans.js";
export { bestTier, findPublisher } from "./claims/source-tiers.js";
export { readStances } from "./claims/stance-reading.js";
export { lackingOf, objectToRefutation, objectToSupport, readFacts } from "./claims/vetoes.js";
