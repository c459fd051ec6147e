import type { OperationId } from "../core/operations.js";

/** Where an operation answers; `{name}` in a path is a parameter. */
export interface OperationAddress {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	readonly path: string;
}

/** Method and path of every operation, named once: routes, OpenAPI and the offerings all read this table. Spec: Endpoints. */
export const OPERATION_ADDRESSES: Readonly<Record<OperationId, OperationAddress>> = {
	"graphs.search": { method: "POST", path: "/v1/graphs/{graph_id}/search" },
	"search.domain": { method: "POST", path: "/v1/search/domain" },
	"search.report": { method: "POST", path: "/v1/search/report" },
	"search.expert": { method: "POST", path: "/v1/search/expert" },
	health: { method: "GET", path: "/v1/health" },
	"spt.validate": { method: "GET", path: "/v1/spt/validate" },
	offerings: { method: "GET", path: "/v1/offerings" },
	"research.pricing": { method: "GET", path: "/v1/research/pricing" },
	"research.offerings": { method: "GET", path: "/v1/research/offerings" },
	"graphs.catalog": { method: "GET", path: "/v1/graphs/catalog" },
	"graphs.detail": { method: "GET", path: "/v1/graphs/{graph_id_or_slug}" },
	"graphs.readme": { method: "GET", path: "/v1/graphs/{graph_id_or_slug}/readme" },
	"catalog.okf": { method: "GET", path: "/v1/catalog.okf" },
	"readmes.index": { method: "GET", path: "/v1/readmes/index.md" },
	graph_slice: { method: "GET", path: "/v1/graph-slice" },
	"experts.search": { method: "GET", path: "/v1/experts/search" },
	"search.route": { method: "POST", path: "/v1/search/route" },
	"quotes.create": { method: "POST", path: "/v1/quotes" },
	"quotes.get": { method: "GET", path: "/v1/quotes/{quote_id}" },
	"receipts.get": { method: "GET", path: "/v1/receipts/{receipt_id}" },
	"receipts.verify": { method: "POST", path: "/v1/receipts/verify" },
	"payments.methods": { method: "GET", path: "/v1/payments/methods" },
	"payments.get": { method: "GET", path: "/v1/payments/{payment_id}" },
	ready: { method: "GET", path: "/v1/ready" },
	version: { method: "GET", path: "/v1/version" },
	errors: { method: "GET", path: "/v1/errors" },
	"schemas.get": { method: "GET", path: "/v1/schemas/{name}" },
	changelog: { method: "GET", path: "/v1/changelog" },
	"catalog.jsonld": { method: "GET", path: "/v1/catalog.jsonld" },
	"spt.purchase": { method: "POST", path: "/v1/spt" },
	"spt.top_up": { method: "POST", path: "/v1/spt/top-up" },
	"spt.balance": { method: "GET", path: "/v1/spt/balance" },
	"spt.ledger": { method: "GET", path: "/v1/spt/ledger" },
	"spt.rotate": { method: "POST", path: "/v1/spt/rotate" },
	"spt.delegations.create": { method: "POST", path: "/v1/spt/delegations" },
	"spt.delegations.list": { method: "GET", path: "/v1/spt/delegations" },
	"spt.delegations.revoke": { method: "DELETE", path: "/v1/spt/delegations/{delegation_id}" },
	"spt.refund": { method: "POST", path: "/v1/spt/refund" },
	"spt.revoke": { method: "DELETE", path: "/v1/spt" },
	"account.keys.list": { method: "GET", path: "/v1/account/keys" },
	"account.keys.create": { method: "POST", path: "/v1/account/keys" },
	"account.keys.change": { method: "PATCH", path: "/v1/account/keys/{key_id}" },
	"account.keys.rotate": { method: "POST", path: "/v1/account/keys/{key_id}/rotate" },
	"account.keys.revoke": { method: "DELETE", path: "/v1/account/keys/{key_id}" },
	"account.connection_tokens.list": { method: "GET", path: "/v1/account/connection-tokens" },
	"account.connection_tokens.create": { method: "POST", path: "/v1/account/connection-tokens" },
	"account.connection_tokens.revoke": {
		method: "DELETE",
		path: "/v1/account/connection-tokens/{token_id}",
	},
};
