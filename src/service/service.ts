import { OPERATION_ROWS, type Operation } from "../contract/contract.js";
import * as definitions from "./operations.js";

export { createDiscovery, INTERFACE_VERSION } from "./discovery.js";
export { EXAMPLE_REQUEST_ID, exampleReplyOf } from "./example-replies.js";
export { createHealth, type HealthDeps } from "./health.js";
export { toOfferings, toPricing, toResearchOfferings } from "./offerings.js";
export type { SptValidation } from "./offers.operations.js";
export { referTo, toComponentSchemas, toInlineSchema } from "./openapi-schemas.js";
export { createServedDocuments } from "./served-documents.js";
export type {
	FreeOperations,
	OwnerOperations,
	ResearchParts,
	Service,
} from "./service-interface.js";

const definitionOf = new Map<string, Operation>(
	Object.values(definitions).map((operation) => [operation.id, operation]),
);

/** Every operation, in the order of the table. Throws when the table and the definitions differ: `npm run docs` writes both. */
export const OPERATIONS: readonly Operation[] = OPERATION_ROWS.map(([id]) => {
	const operation = definitionOf.get(id);
	if (operation) return operation;
	throw new RangeError(`The operation "${id}" is in the table and has no definition.`);
});
if (Object.keys(definitions).length !== OPERATIONS.length) {
	throw new RangeError("Two operations have one id, or one is not in the table.");
}
