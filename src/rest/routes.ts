import {
	OPERATION_ADDRESSES,
	OPERATION_ROWS,
	type Operation,
	type OperationId,
} from "../contract/contract.js";
import { OPERATIONS } from "../service/service.js";
import { ACCOUNT_KEY_ROUTES } from "./account-key-routes.js";
import { ACCOUNT_OPENING_ROUTE, ACCOUNT_ROUTES } from "./account-routes.js";
import { CATALOG_ROUTES } from "./catalog-routes.js";
import { CHAT_SESSION_ROUTES } from "./chat-routes.js";
import { CITATION_ROUTE } from "./citation-route.js";
import { DEEP_DIVE_PLAN_ROUTE } from "./deep-dive-plan-route.js";
import { DEEP_DIVE_ROUTES } from "./deep-dive-routes.js";
import { DISCOVERY_ROUTES } from "./discovery-routes.js";
import { EXPERT_ROUTES } from "./expert-routes.js";
import { FEEDBACK_ROUTES } from "./feedback-routes.js";
import { OFFER_ROUTES } from "./offer-routes.js";
import { OVERVIEW_ROUTES } from "./overview-routes.js";
import { PAID_ROUTES } from "./paid-routes.js";
import { PAYMENT_ROUTES } from "./payment-routes.js";
import type { PaidRoute } from "./route.js";
import { SCHEDULE_ROUTES } from "./schedule-routes.js";
import { ROUTING_ROUTES } from "./search-routing.js";
import { SOURCE_ROUTES } from "./source-routes.js";
import { SPT_PURCHASE_ROUTES } from "./spt-purchase-routes.js";
import { SPT_ROUTES } from "./spt-routes.js";
import { WEBHOOK_ROUTES } from "./webhook-routes.js";

const ROUTES_HERE: Readonly<Partial<Record<OperationId, Operation>>> = {
	...Object.fromEntries(Object.entries(PAID_ROUTES).map(([id, route]) => [id, toPaid(route)])),
	...OFFER_ROUTES,
	...CATALOG_ROUTES,
	...OVERVIEW_ROUTES,
	...ROUTING_ROUTES,
	"research.deep_dive.plan": DEEP_DIVE_PLAN_ROUTE,
	...DISCOVERY_ROUTES,
	...EXPERT_ROUTES,
	...SOURCE_ROUTES,
	"citations.format": CITATION_ROUTE,
	...SPT_ROUTES,
	"accounts.open": ACCOUNT_OPENING_ROUTE,
	...ACCOUNT_ROUTES,
	...ACCOUNT_KEY_ROUTES,
	...FEEDBACK_ROUTES,
	...SCHEDULE_ROUTES,
	...CHAT_SESSION_ROUTES,
	...DEEP_DIVE_ROUTES,
	...WEBHOOK_ROUTES,
	...SPT_PURCHASE_ROUTES,
	...PAYMENT_ROUTES,
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
