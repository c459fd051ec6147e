import { z } from "zod";
import { LIMITS } from "../../src/contract/contract.js";
import { type Egress, readJson, ServiceError } from "../../src/kernel/kernel.js";
import {
	type Facilitator,
	isSameAddress,
	type SettlementTerms,
	type SettleOutcome,
	type TransferAuthorization,
} from "../onchain/onchain.js";
import { findRefusal, toExactPayload, toRefusal } from "./exact-payload.js";

interface RemoteFacilitatorDeps {
	readonly egress: Egress;
	/** Without a trailing slash; `/verify` and `/settle` are asked below it. */
	readonly url: string;
	/** Sent as a bearer token. */
	readonly token?: string | undefined;
}

const verifyReply = z.object({
	isValid: z.boolean(),
	invalidReason: z.string().optional(),
	payer: z.string().optional(),
});

const settleReply = z.object({
	success: z.boolean(),
	errorReason: z.string().optional(),
	payer: z.string().optional(),
	transaction: z.string().optional(),
	network: z.string().optional(),
	amount: z.string().optional(),
});

/** What a server says of a request that it did not look at. */
const NOT_TAKEN = new Set([400, 401, 403, 404, 405, 413, 415, 422, 429]);

/** A facilitator behind a URL, in the wire form of x402 v2. What it says is checked, never taken on trust. */
export function createRemoteFacilitator(deps: RemoteFacilitatorDeps): Facilitator {
	return {
		kind: "remote",

		async verify(terms, authorization) {
			const { status, body } = await post(deps, "verify", terms, authorization);
			const reply = verifyReply.safeParse(body);
			if (!reply.success || (reply.data.isValid && status !== 200)) throw failed("verify", status);
			const { isValid, invalidReason, payer } = reply.data;
			if (!isValid) return toRefusal(findRefusal(invalidReason) ?? "invalid_payload");
			if (payer !== undefined && !isSameAddress(payer, authorization.from)) {
				throw new ServiceError("UPSTREAM", "The facilitator verified somebody else's payment.");
			}
			return { kind: "valid" };
		},

		async settle(terms, authorization) {
			const answer = await post(deps, "settle", terms, authorization).catch(toNoAnswer);
			if ("kind" in answer) return answer;
			const reply = settleReply.safeParse(answer.body);
			if (reply.success) return toOutcome(reply.data, terms, authorization);
			if (NOT_TAKEN.has(answer.status)) {
				const message = `The facilitator refused to look at it (status ${answer.status}).`;
				return { kind: "not_taken", message };
			}
			return unknown(`The facilitator answered with status ${answer.status} and no verdict.`);
		},
	};
}

async function post(
	{ egress, url, token }: RemoteFacilitatorDeps,
	verb: "verify" | "settle",
	terms: SettlementTerms,
	authorization: TransferAuthorization,
): Promise<{ readonly status: number; readonly body: unknown }> {
	const { payload, requirements } = toExactPayload(terms, authorization);
	const response = await egress.request({
		method: "POST",
		url: `${url}/${verb}`,
		headers: {
			"Content-Type": "application/json",
			...(token !== undefined && { Authorization: `Bearer ${token}` }),
		},
		body: JSON.stringify({
			x402Version: 2,
			paymentPayload: payload,
			paymentRequirements: requirements,
		}),
		timeoutMs: verb === "verify" ? LIMITS.verifyTimeoutMs : LIMITS.settleTimeoutMs,
	});
	const text = await response.text();
	return { status: response.status, body: readJson(text) };
}

function toOutcome(
	reply: z.infer<typeof settleReply>,
	terms: SettlementTerms,
	authorization: TransferAuthorization,
): SettleOutcome {
	const { success, errorReason } = reply;
	const transaction = HASH.test(reply.transaction ?? "") ? (reply.transaction ?? "") : "";
	if (success && transaction !== "") {
		return {
			kind: "settled",
			transactionHash: transaction,
			network: reply.network ?? terms.network,
			payer: reply.payer ?? authorization.from,
			...(reply.amount !== undefined && { amount: reply.amount }),
		};
	}
	const reason = success ? undefined : findRefusal(errorReason);
	if (reason) return toRefusal(reason);
	// Words that are not known here may stand for a transaction under way.
	const message = success
		? "The facilitator says it settled, and names no transaction."
		: "The facilitator did not say whether the payment was settled.";
	return unknown(message, transaction);
}

function unknown(message: string, transactionHash = ""): SettleOutcome {
	return { kind: "unknown", message, ...(transactionHash && { transactionHash }) };
}

/** Anything else in its place would be kept and shown as if it were one. */
const HASH = /^0x[0-9a-f]{64}$/i;

const NEVER_REACHED = new Set([
	// Our own way out refused the address.
	"INVALID_ARGUMENT",
	"ECONNREFUSED",
	"ENOTFOUND",
	"EAI_AGAIN",
	"UND_ERR_CONNECT_TIMEOUT",
]);

/** A connection that never came about settles nothing; any other silence may hide a settlement. */
function toNoAnswer(error: unknown): SettleOutcome {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		const { code } = cause as { code?: unknown };
		if (typeof code === "string" && NEVER_REACHED.has(code)) {
			return notSent("The facilitator cannot be reached.");
		}
	}
	return unknown("The facilitator gave no answer in time.");
}

function notSent(message: string): SettleOutcome {
	return { kind: "not_sent", message };
}

function failed(verb: string, status: number): ServiceError {
	return new ServiceError(
		"UPSTREAM",
		`The facilitator could not ${verb} the payment (status ${status}); send it again shortly.`,
	);
}
