export { toConceptFilter } from "./concept-filters.js";
export { createNameSuggestions, type Suggestion } from "./name-suggestions.js";
export { createQueryRouting, type RoutingRequest } from "./query-routing.js";
export { searchAndAnswer, toEvidence } from "./search-answer.js";
