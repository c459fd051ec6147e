import { z } from "zod";
import {
	digitsField,
	LIMITS,
	type OwnerOperationId,
	type OwnerRequest,
} from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import { ownerRoute } from "./define-route.js";
import type { OwnerRoute } from "./route.js";
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
} from "./spt-schemas.js";

export type SptOwnerOperationId = Extract<OwnerOperationId, `spt.${string}`>;

const nothing = z.strictObject({});
const scheme = "spt";
const callsPerMinute = LIMITS.sptChangesPerMinute;

const TOKEN_ID = "tok_01kg9yz3v0f6x2m8q4t7w1ab2c";
const CHILD_ID = "tok_01kg9yz3v0f6x2m8q4t7w1ab2d";
const SECRET = "spt_test_0123456789abcdefghijklmnopqrstuvwxyz";

const terms = {
	id: CHILD_ID,
	label: "summarizer",
	balance_usd: "2.00",
	held_usd: "0.00",
	expires_at: "2026-12-31T00:00:00.000Z",
	max_per_call_usd: "0.50",
	max_per_day_usd: "1.00",
	skills: ["graph_search"],
	graphs: ["agent-payments"],
};

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
export const SPT_ROUTES: Readonly<Record<SptOwnerOperationId, OwnerRoute>> = {
	"spt.balance": ownerRoute({
		operationId: "spt.balance",
		summary: "Balance of a Shared Payment Token",
		description: "What the token has left, what is held, its limits, scopes and expiry.",
		scheme,
		path: nothing,
		query: nothing,
		isList: false,
		data: sptBalanceSchema,
		answer: (owner, { caller }) => owner.sptBalance(caller),
		example: {
			data: {
				...terms,
				id: TOKEN_ID,
				environment: "test",
				spent_today_usd: "0.50",
				parent_id: null,
			},
		},
	}),
	"spt.ledger": ownerRoute({
		operationId: "spt.ledger",
		summary: "Entries of a token",
		description:
			"What moved the token's balance, newest first. One question reads a bounded part of the books: a page may be short, or empty, and the list is at its end only when next_cursor is null.",
		scheme,
		callsPerMinute: LIMITS.sptLedgerReadsPerMinute,
		path: nothing,
		query: z.strictObject({
			limit: digitsField(LIMITS.sptLedgerMax)
				.default(LIMITS.sptLedgerDefault)
				.describe("Number of entries wanted"),
			cursor: z.string().min(1).max(200).optional().describe("next_cursor of the page before"),
		}),
		isList: true,
		data: sptLedgerSchema,
		answer: (owner, { caller, query, signal }) => owner.sptLedger(caller, query, signal),
		example: {
			query: { limit: "20" },
			data: {
				items: [
					{
						id: "txn_01kg9yz3v0f6x2m8q4t7w1ab2c",
						at: "2026-11-30T12:00:00.000Z",
						kind: "authorise",
						balance_change_usd: "-0.50",
						held_change_usd: "0.50",
						ref: "hold_01kg9yz3v0f6x2m8q4t7w1ab2c",
						memo: null,
					},
				],
			},
		},
	}),
	"spt.rotate": ownerRoute({
		operationId: "spt.rotate",
		summary: "New secret for a token",
		description:
			"The same token and balance under a new secret, shown once. The old secret is worth nothing from then on.",
		scheme,
		callsPerMinute,
		path: nothing,
		query: nothing,
		isList: false,
		data: sptRotationSchema,
		answer: (owner, request) => owner.sptRotate(holderOf(request)),
		example: { data: { token: SECRET, id: TOKEN_ID, balance_usd: "24.50" } },
	}),
	"spt.delegations.create": ownerRoute({
		operationId: "spt.delegations.create",
		summary: "Delegate a token",
		description: `A child token with balance taken from this one; limits, scopes and expiry are this token's or tighter. It counts as spent on the day it is made. At most ${LIMITS.sptDepthMax} levels deep.`,
		scheme,
		callsPerMinute,
		path: nothing,
		query: nothing,
		body: sptDelegationOrderSchema,
		isList: false,
		status: 201,
		data: sptDelegationSchema,
		answer: (owner, request) => owner.sptDelegate(holderOf(request), request.body),
		example: {
			body: {
				amount_usd: "2.00",
				label: "summarizer",
				max_per_call_usd: "0.50",
				skills: ["graph_search"],
				graphs: ["agent-payments"],
				expires_in_days: 7,
			},
			data: {
				token: SECRET,
				...terms,
				created_at: "2026-11-30T12:00:00.000Z",
				parent_id: TOKEN_ID,
				parent_balance_usd: "22.50",
			},
		},
	}),
	"spt.delegations.list": ownerRoute({
		operationId: "spt.delegations.list",
		summary: "Delegated tokens",
		description: "Child tokens that are active, oldest first, without their secrets.",
		scheme,
		callsPerMinute,
		path: nothing,
		query: nothing,
		isList: true,
		data: sptDelegationListSchema,
		answer: (owner, request) => owner.sptDelegations(holderOf(request)),
		example: { data: { items: [{ ...terms, created_at: "2026-11-30T12:00:00.000Z" }] } },
	}),
	"spt.delegations.revoke": ownerRoute({
		operationId: "spt.delegations.revoke",
		summary: "Revoke a delegated token",
		description:
			"Stops the child and its own children. What they have left comes back at once, what their open calls hold when those end without an answer.",
		scheme,
		callsPerMinute,
		path: z.strictObject({ delegation_id: z.string().min(1).max(80).describe("Id of the child") }),
		query: nothing,
		isList: false,
		data: sptDelegationEndSchema,
		answer: (owner, request) =>
			owner.sptRevokeDelegation(holderOf(request), request.path.delegation_id),
		example: {
			path: { delegation_id: CHILD_ID },
			data: {
				id: CHILD_ID,
				status: "revoked",
				returned_usd: "1.50",
				parent_balance_usd: "24.00",
			},
		},
	}),
	"spt.refund": ownerRoute({
		operationId: "spt.refund",
		summary: "Refund the rest of a token",
		description:
			"Sends what is left back to the wallet that bought the token. Delegated tokens give back to their parent, and those an operator issued are the operator's to refund.",
		scheme,
		callsPerMinute,
		path: nothing,
		query: nothing,
		body: sptRefundOrderSchema,
		isList: false,
		data: sptRefundSchema,
		answer: (owner, request) => owner.sptRefund(holderOf(request), request.body.reason),
		example: { body: { reason: "The project has ended." }, data: refund },
	}),
	"spt.revoke": ownerRoute({
		operationId: "spt.revoke",
		summary: "End a token",
		description:
			"The token and those delegated from it pay for nothing from now on. What is left goes back where it came from: the parent token, or the wallet that bought it.",
		scheme,
		callsPerMinute,
		path: nothing,
		query: nothing,
		isList: false,
		data: sptEndSchema,
		answer: (owner, request) => owner.sptRevoke(holderOf(request)),
		example: {
			data: {
				id: TOKEN_ID,
				status: "revoked",
				returned_usd: "0.00",
				refund,
				balance_usd: "0.00",
			},
		},
	}),
};
