import {
	OPERATION_ADDRESSES,
	OPERATION_ROWS,
	type Operation,
	type OperationId,
} from "../contract/contract.js";
import { OPERATIONS } from "../service/service.js";
import { BRAND_ROUTES } from "./brand-routes.js";
import { CONSULTATION_ROUTES, EXPERT_READING_ROUTES } from "./consult-routes.js";
import { KEPT_DOSSIER_ROUTES } from "./dossier-routes.js";
import { EXPERT_ROUTES } from "./expert-routes.js";
import { FREE_FEED_ROUTES } from "./feed-routes.js";
import { PAID_ROUTES } from "./paid-routes.js";
import type { PaidRoute } from "./route.js";
import { VERIFICATION_RESULT_ROUTES } from "./verify-text-routes.js";

const ROUTES_HERE: Readonly<Partial<Record<OperationId, Operation>>> = {
	...Object.fromEntries(Object.entries(PAID_ROUTES).map(([id, route]) => [id, toPaid(route)])),
	...EXPERT_ROUTES,
	...EXPERT_READING_ROUTES,
	...CONSULTATION_ROUTES,
	...BRAND_ROUTES,
	...FREE_FEED_ROUTES,
	...VERIFICATION_RESULT_ROUTES,
};

function toPaid({
	operationId: id,
	path: params,
	pricePer,
	priceBy,
	example,
	...route
}: PaidRoute) {
	const { path: exampleParams, ...others } = example;
	return {
		...route,
		id,
		...OPERATION_ADDRESSES[id],
		params,
		units: pricePer === undefined ? undefined : { name: pricePer },
		pricedBy: priceBy,
		example: { ...others, ...(exampleParams && { params: exampleParams }) },
	} as unknown as Operation;
}

const DEFINED = new Map<string, Operation>(
	OPERATIONS.map((operation) => [operation.id, operation]),
);

/** Every operation: router and OpenAPI document are made from this table, so they cannot differ. */
export const ROUTES = Object.fromEntries(
	OPERATION_ROWS.map(([id]) => [id, DEFINED.get(id) ?? ROUTES_HERE[id]]),
) as Readonly<Record<OperationId, Operation>>;
