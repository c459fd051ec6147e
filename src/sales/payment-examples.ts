import type { SignedReceipt } from "./signed-receipts.js";

/** A quote as it would be read back. */
export const EXAMPLE_QUOTE = {
	quote_id: "qte_eyJvIjoic2VhcmNoLmRvbWFpbiJ9.c2lnbmF0dXJlc2lnbmF0dQ",
	status: "valid",
	operation: "search.domain",
	amount_usd: "0.50",
	billing_type: "per_call",
	request_hash: "aWqmYnmKXJfQ0qMPl3kWoyUBpZMTJwPVlGSkIu1pfE8",
	expires_at: "2026-01-31T12:10:00.000Z",
	resource: { method: "POST", url: "https://api.example.org/v1/search/domain" },
	pay: [{ type: "spt", instructions: "Send a Shared Payment Token in the header X-Pay-SPT." }],
} as const;

/** What a receipt of a call paid by token says. */
export const EXAMPLE_RECEIPT: SignedReceipt = {
	iss: "https://api.example.org",
	environment: "live",
	receipt_id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
	operation: "graphs.search",
	billing_type: "per_call",
	amount_usd: "0.50",
	rail: "spt",
	request_hash: "aWqmYnmKXJfQ0qMPl3kWoyUBpZMTJwPVlGSkIu1pfE8",
	graph_ids: ["agent-payments"],
	at: "2026-01-31T12:00:00.000Z",
	payer: "tok_01kg9yz3v0f6x2m8q4t7w1ab2c",
	settlement: null,
};
