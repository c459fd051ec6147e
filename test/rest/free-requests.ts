import { createQuoteSeal } from "../../payments/price-list.js";
import type { FreeOperationId } from "../../src/contract/operations.js";
import { OPERATION_ADDRESSES } from "../../src/contract/operations.js";
import { CAPTURED_PAYMENT, TEST_PEPPER, WALLET_RECEIPT } from "../service/payment-parts.js";

const seal = createQuoteSeal(TEST_PEPPER);

const BODIES: Readonly<Record<string, object>> = {
	"quotes.create": { operation: "search.domain", input: { query: "retries" } },
	"receipts.verify": { jws: "no.receipt.atall" },
	"search.route": { query: "retries" },
	"research.deep_dive.plan": { query: "retries" },
	"experts.match": { question: "retries" },
	"citations.format": { trend_ids: ["web-payments:concepts.http-402"] },
	"brands.resolve": { name: "HTTP" },
	"research.schedules.preview": { topic: "retries" },
};
const NAMES: Readonly<Record<string, string>> = {
	graph_id_or_slug: "web-payments",
	quote_id: seal.seal({
		operationId: "search.domain",
		amountMicros: 500_000n,
		billingType: "per_call",
		fingerprint: "x",
		path: "/v1/search/domain",
		expiresAt: 0,
	}),
	receipt_id: WALLET_RECEIPT.id,
	name: "Evidence",
	agent_id: "api-desk",
	analyst: "standards-analyst",
	host: "www.rfc-editor.org",
	brand: "no-brand",
	payment_id: CAPTURED_PAYMENT.id,
	feed_id: "fred:UNRATE",
};
const QUERIES: Readonly<Record<string, string>> = {
	graph_slice: "?graph_id=web-payments",
	"experts.search": "?q=retries",
	"search.suggest": "?q=pay",
	"supplemental.suggest": "?q=inflation",
	"supplemental.feeds.list": "?limit=200",
	"research.schedules.confirm": "?token=no-link",
	"research.schedules.confirm_page": "?token=no-link",
	"research.schedules.unsubscribe": "?token=no-link",
	"research.schedules.unsubscribe_page": "?token=no-link",
};

/** Statuses other than 200: the two graphs here have no analyst and no brand, and no one was mailed a link. */
export const STATUS_OF: Readonly<Record<string, number>> = {
	"analysts.get": 404,
	"brands.get": 404,
	"research.schedules.confirm": 404,
	"research.schedules.unsubscribe": 404,
};

/** A request that the free operation takes, at a server's address. */
export function freeRequest(baseUrl: string, id: FreeOperationId): Request {
	const { method, path } = OPERATION_ADDRESSES[id];
	const named = path.replace(/\{(\w+)\}/, (_, name) => NAMES[name] ?? "");
	const body = BODIES[id];
	return new Request(`${baseUrl}${named}${QUERIES[id] ?? ""}`, {
		method,
		headers: {
			"Content-Type": "application/json",
			...(id === "spt.validate" && { "X-Pay-SPT": "spt_good" }),
		},
		...(body && { body: JSON.stringify(body) }),
	});
}
