export { batchInput, batchOutput } from "./batch-wire.js";
export { toConceptFilter } from "./concept-filters.js";
export { createGraphSearch } from "./graph-search.js";
export {
	createAllSearch,
	createAnalystSearch,
	createDomainSearch,
	createExpertSearch,
	createReportSearch,
} from "./kind-search.js";
export { createNameSuggestions, type Suggestion } from "./name-suggestions.js";
export { createQueryRouting, type RoutingRequest } from "./query-routing.js";
export { type SearchSkillDeps, searchAndAnswer, toEvidence } from "./search-answer.js";
export { createBatchSearch } from "./search-batch.js";
export {
	ANALYST_EXAMPLE,
	DOMAIN_EXAMPLE,
	EXPERT_EXAMPLE,
	REPORT_EXAMPLE,
	type SearchExample,
	toExampleReply,
} from "./search-examples.js";
