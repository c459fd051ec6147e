import type { Operation } from "../../src/contract/operation.js";
import type { OperationId } from "../../src/contract/operations.js";
import { OPERATIONS } from "../../src/service/service.js";

/** Every operation by its id. */
export const ROUTES = Object.fromEntries(
	OPERATIONS.map((operation) => [operation.id, operation]),
) as Readonly<Record<OperationId, Operation>>;
