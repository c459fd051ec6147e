import { type SettlementTerms, toV1Network } from "../../payments/onchain/onchain.js";
import { type Json, LIMITS } from "../contract/contract.js";
import { formatUsd } from "../kernel/kernel.js";
import type { PaymentServices } from "./payment-services.js";

/** Every configured way to pay, with what a client needs to use it; nothing else is listed. */
export function toPaymentMethods({
	environment,
	rails,
	terms,
}: Pick<PaymentServices, "environment" | "rails" | "terms">): Json {
	const describe: Readonly<Record<string, () => Json>> = {
		x402: () => describeX402(terms),
		mpp: () => describeMpp(terms),
		spt: () => describeSpt(terms !== undefined),
		plan: describePlan,
	};
	return {
		currency: "USD",
		environment,
		items: rails.map((rail) => ({ rail, ...describe[rail]?.() })),
	};
}

function chainOf(terms: SettlementTerms | undefined): Json {
	if (!terms) return {};
	const { network, asset, assetName, assetVersion, payTo } = terms;
	return {
		scheme: "exact",
		network,
		network_v1: toV1Network(network) ?? null,
		asset: { address: asset, name: assetName, version: assetVersion, decimals: 6 },
		pay_to: payTo,
	};
}

function describeX402(terms: SettlementTerms | undefined): Json {
	const versions = terms && toV1Network(terms.network) ? [2, 1] : [2];
	return {
		title: "x402: one signed transfer pays one call",
		versions,
		...chainOf(terms),
		request_headers: versions.map((version) => (version === 2 ? "PAYMENT-SIGNATURE" : "X-PAYMENT")),
		challenge: "The 402 carries PAYMENT-REQUIRED (version 2) and accepts (version 1).",
		reply_headers: versions.map((version) =>
			version === 2 ? "PAYMENT-RESPONSE" : "X-PAYMENT-RESPONSE",
		),
		how_to_start: "Send the request unpaid, sign what its 402 asks for, send it again.",
		limits: {
			authorization_valid_seconds_max: LIMITS.authorizationTtlMs / 1000,
			settled_before_the_work_from_usd: formatUsd(LIMITS.settleFirstMicros),
			header_bytes_max: LIMITS.credentialHeaderChars,
		},
	};
}

function describeMpp(terms: SettlementTerms | undefined): Json {
	return {
		title: "Machine Payments Protocol: the Payment authentication scheme",
		...chainOf(terms),
		request_headers: ["Authorization: Payment"],
		challenge: "The 402 carries WWW-Authenticate: Payment with method evm, intent charge.",
		reply_headers: ["Payment-Receipt"],
		how_to_start: "Send the request unpaid, answer one of its Payment challenges, send it again.",
		limits: { authorization_valid_seconds_max: LIMITS.authorizationTtlMs / 1000 },
	};
}

function describeSpt(canBuy: boolean): Json {
	return {
		title: "Shared Payment Token: a prepaid bearer balance",
		request_headers: ["X-Pay-SPT", "Authorization: Bearer", "Authorization: Payment"],
		how_to_start: canBuy
			? "Buy one with a single payment on the chain: POST /v1/spt with the amount; or have the operator issue one."
			: "The operator issues tokens; GET /v1/spt/validate tells what one has left.",
		limits: { balance_usd_max: formatUsd(LIMITS.sptMaxMicros) },
	};
}

function describePlan(): Json {
	return {
		title: "Free plan: an account with an API key, then its prepaid balance",
		request_headers: ["X-API-Key", "Authorization: Bearer"],
		how_to_start: "The operator creates accounts and their keys.",
		limits: {
			free_calls_per_month: LIMITS.freeCallsPerMonth,
			free_calls_per_day: LIMITS.freeCallsPerDay,
			free_call_usd_max: formatUsd(LIMITS.freeCallMaxMicros),
		},
	};
}
