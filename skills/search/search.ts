export { createNameSuggestions, type Suggestion } from "./name-suggestions.js";
export { createQueryRouting, type RoutingRequest } from "./query-routing.js";
export { searchAndAnswer, toConceptFilter, toEvidence } from "./search-answer.js";
