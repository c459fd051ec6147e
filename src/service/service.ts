export { createDiscovery } from "./discovery.js";
export type { FreeOperations, SptValidation } from "./free-operations.js";
export { createHealth, type HealthDeps } from "./health.js";
export { INTERFACE_VERSION } from "./interface-guide.js";
export { toOfferings, toPricing, toResearchOfferings } from "./offerings.js";
export type { OwnerOperations } from "./owner-operations.js";
export type { ResearchParts } from "./research-parts.js";
export { createServedDocuments } from "./served-documents.js";
export type { Service } from "./service-interface.js";
