import { z } from "zod";
import {
	digitsField,
	LIMITS,
	type OwnerRequest,
	ownerOperation,
	type Services,
} from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import {
	sptBalanceSchema,
	sptDelegationEndSchema,
	sptDelegationListSchema,
	sptDelegationOrderSchema,
	sptDelegationSchema,
	sptEndSchema,
	sptLedgerSchema,
	sptRefundOrderSchema,
	sptRefundSchema,
	sptRotationSchema,
} from "./spt-wire.js";

const ofToken = { scheme: "spt" } as const;
const change = { ...ofToken, callsPerMinute: LIMITS.sptChangesPerMinute };

const TOKEN_ID = "tok_01kg9yz3v0f6x2m8q4t7w1ab2c";
const CHILD_ID = "tok_01kg9yz3v0f6x2m8q4t7w1ab2d";
const SECRET = "spt_test_0123456789abcdefghijklmnopqrstuvwxyz";

const refund = {
	refund_id: "rfd_01kg9yz3v0f6x2m8q4t7w1ab2c",
	amount_usd: "4.50",
	state: "pending",
	destination: `eip155:84532:0x${"a1".repeat(20)}`,
	created_at: "2026-11-30T12:00:00.000Z",
};

/** Who shows the secret, for operations that check it again when they change the token. */
function holderOf({ caller, credential }: Pick<OwnerRequest, "caller" | "credential">) {
	if (credential?.scheme === "spt") return { tokenId: caller.owner, secret: credential.token };
	throw new ServiceError("SCOPE_FORBIDDEN", "This operation is for the holder of a token.");
}

/** What the holder of a Shared Payment Token may do with it. */
export const sptBalance = ownerOperation({
	id: "spt.balance",
	at: "GET /v1/spt/balance",
	summary: "Balance of a Shared Payment Token",
	description: "What the token has left, what is held, its limits, scopes and expiry.",
	...ofToken,
	data: sptBalanceSchema,
	answer: (services: Services, request) => services.sptBalance(request.caller),
});

export const sptLedger = ownerOperation({
	id: "spt.ledger",
	at: "GET /v1/spt/ledger",
	summary: "Entries of a token",
	description:
		"What moved the token's balance, newest first. One question reads a bounded part of the books: a page may be short, or empty, and the list is at its end only when next_cursor is null.",
	...ofToken,
	callsPerMinute: LIMITS.sptLedgerReadsPerMinute,
	query: z.strictObject({
		limit: digitsField(LIMITS.sptLedgerMax)
			.default(LIMITS.sptLedgerDefault)
			.describe("Number of entries wanted"),
		cursor: z.string().min(1).max(200).optional().describe("next_cursor of the page before"),
	}),
	isList: true,
	data: sptLedgerSchema,
	answer: ({ sptLedger }: Services, { caller, query, signal }) => sptLedger(caller, query, signal),
	example: { query: { limit: "20" } },
});

export const sptRotate = ownerOperation({
	id: "spt.rotate",
	at: "POST /v1/spt/rotate",
	summary: "New secret for a token",
	description:
		"The same token and balance under a new secret, shown once. The old secret is worth nothing from then on.",
	...change,
	data: sptRotationSchema,
	answer: (services: Services, request) => services.sptRotate(holderOf(request)),
	example: { data: { token: SECRET, id: TOKEN_ID, balance_usd: "24.50" } },
});

export const sptDelegationsCreate = ownerOperation({
	id: "spt.delegations.create",
	at: "POST /v1/spt/delegations",
	summary: "Delegate a token",
	description: `A child token with balance taken from this one; limits, scopes and expiry are this token's or tighter. It counts as spent on the day it is made. At most ${LIMITS.sptDepthMax} levels deep.`,
	...change,
	body: sptDelegationOrderSchema,
	status: 201,
	data: sptDelegationSchema,
	answer: ({ sptDelegate }: Services, request) => sptDelegate(holderOf(request), request.body),
	example: {
		body: {
			amount_usd: "2.00",
			label: "summarizer",
			max_per_call_usd: "0.50",
			skills: ["graph_search"],
			graphs: ["agent-payments"],
			expires_in_days: 7,
		},
	},
});

export const sptDelegationsList = ownerOperation({
	id: "spt.delegations.list",
	at: "GET /v1/spt/delegations",
	summary: "Delegated tokens",
	description: "Child tokens that are active, oldest first, without their secrets.",
	...change,
	isList: true,
	data: sptDelegationListSchema,
	answer: (services: Services, request) => services.sptDelegations(holderOf(request)),
});

export const sptDelegationsRevoke = ownerOperation({
	id: "spt.delegations.revoke",
	at: "DELETE /v1/spt/delegations/{delegation_id}",
	summary: "Revoke a delegated token",
	description:
		"Stops the child and its own children. What they have left comes back at once, what their open calls hold when those end without an answer.",
	...change,
	params: z.strictObject({ delegation_id: z.string().min(1).max(80).describe("Id of the child") }),
	data: sptDelegationEndSchema,
	answer: ({ sptRevokeDelegation }: Services, request) =>
		sptRevokeDelegation(holderOf(request), request.params.delegation_id),
	example: { params: { delegation_id: CHILD_ID } },
});

export const sptRefund = ownerOperation({
	id: "spt.refund",
	at: "POST /v1/spt/refund",
	summary: "Refund the rest of a token",
	description:
		"Sends what is left back to the wallet that bought the token. Delegated tokens give back to their parent, and those an operator issued are the operator's to refund.",
	...change,
	body: sptRefundOrderSchema,
	data: sptRefundSchema,
	answer: ({ sptRefund }: Services, request) => sptRefund(holderOf(request), request.body.reason),
	example: { body: { reason: "The project has ended." }, data: refund },
});

export const sptRevoke = ownerOperation({
	id: "spt.revoke",
	at: "DELETE /v1/spt",
	summary: "End a token",
	description:
		"The token and those delegated from it pay for nothing from now on. What is left goes back where it came from: the parent token, or the wallet that bought it.",
	...change,
	data: sptEndSchema,
	answer: (services: Services, request) => services.sptRevoke(holderOf(request)),
	example: {
		data: {
			id: TOKEN_ID,
			status: "revoked",
			returned_usd: "0.00",
			refund,
			balance_usd: "0.00",
		},
	},
});
