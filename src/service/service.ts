export { createDiscovery } from "./discovery.js";
export { createHealth, type HealthDeps } from "./health.js";
export { INTERFACE_VERSION } from "./interface-guide.js";
export { toOfferings, toPricing, toResearchOfferings } from "./offerings.js";
export { referTo, toComponentSchemas, toInlineSchema } from "./openapi-schemas.js";
export { OPERATIONS } from "./operations.js";
export { createServedDocuments } from "./served-documents.js";
export type {
	FreeOperations,
	OwnerOperations,
	ResearchParts,
	Service,
	SptValidation,
} from "./service-interface.js";
