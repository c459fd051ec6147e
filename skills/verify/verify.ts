export { type ClaimVerifier, createClaimVerifier } from "./claims/claim-verifier.js";
export { type DateSpan, findDateSpans } from "./claims/date-spans.js";
export { isDenial } from "./claims/polarity.js";
export { bestTier } from "./claims/source-tiers.js";
export { decideStance, readStances } from "./claims/stance-reading.js";
export { lackingOf, objectToRefutation, objectToSupport, readFacts } from "./claims/vetoes.js";
