import {
	OPERATION_ADDRESSES,
	OPERATION_ROWS,
	type Operation,
	type OperationId,
} from "../contract/contract.js";
import { OPERATIONS } from "../service/service.js";
import { CATALOG_ROUTES } from "./catalog-routes.js";
import { CHAT_SESSION_ROUTES } from "./chat-routes.js";
import { CITATION_ROUTE } from "./citation-route.js";
import { EXPERT_ROUTES } from "./expert-routes.js";
import { OVERVIEW_ROUTES } from "./overview-routes.js";
import { PAID_ROUTES } from "./paid-routes.js";
import type { PaidRoute } from "./route.js";
import { ROUTING_ROUTES } from "./search-routing.js";
import { SOURCE_ROUTES } from "./source-routes.js";

const ROUTES_HERE: Readonly<Partial<Record<OperationId, Operation>>> = {
	...Object.fromEntries(Object.entries(PAID_ROUTES).map(([id, route]) => [id, toPaid(route)])),
	...CATALOG_ROUTES,
	...OVERVIEW_ROUTES,
	...ROUTING_ROUTES,
	...EXPERT_ROUTES,
	...SOURCE_ROUTES,
	"citations.format": CITATION_ROUTE,
	...CHAT_SESSION_ROUTES,
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
