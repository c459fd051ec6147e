import { z } from "zod";
import { fingerprintOf, type Quote, type QuotedTerms } from "../../payments/payments.js";
import {
	findSkillId,
	type Json,
	LIMITS,
	OPERATION_ADDRESSES,
	OPERATION_OF_SKILL,
	PAID_OPERATION_IDS,
	type PaidOperationId,
	parseInput,
	SKILL_IDS,
	type Skill,
	toRequestPath,
} from "../contract/contract.js";
import {
	formatUsd,
	invalidArgument,
	notFound,
	type ServiceError,
	toIsoTime,
} from "../kernel/kernel.js";
import { priceOfCall } from "./call-price.js";
import type { RedeemQuote } from "./cashier.js";
import type { PaymentServices } from "./payment-services.js";
import type { quoteRequestSchema } from "./payment-wire.js";

type QuoteServices = Pick<
	PaymentServices,
	"seal" | "info" | "skills" | "prices" | "offersOf" | "clock"
>;
type QuoteRequest = z.infer<typeof quoteRequestSchema>;

/** Prices of concrete calls, promised until they expire. Stateless: a quote survives a restart and takes no room. */
export function createQuotes(deps: QuoteServices) {
	const { seal, skills, prices, clock } = deps;
	return {
		/** Throws INVALID_ARGUMENT for an input the operation would refuse, NOT_FOUND for what it would not find. */
		async create(request: QuoteRequest): Promise<Json> {
			const skill: Skill = skills[operationOf(request)];
			const { input } = parseInput(z.object({ input: skill.input }), { input: request.input });
			await skill.prepare?.(input);
			const { operationId } = skill;
			const terms: QuotedTerms = {
				operationId,
				...priceOfCall(prices, skill, input),
				fingerprint: fingerprintOf(operationId, input),
				path: toRequestPath(OPERATION_ADDRESSES[operationId], input as Json).resource,
				expiresAt: clock.now() + LIMITS.quoteTtlMs,
			};
			return toWire(deps, seal.seal(terms), terms);
		},
		/** The quote behind an id, expired or not. Throws NOT_FOUND. */
		get(id: string): Json {
			const terms = seal.open(id);
			if (terms) return toWire(deps, id, terms);
			throw notFound(
				"This is no quote of this service; POST /v1/quotes makes one for a concrete call.",
			);
		},
	};
}

/** What a quote is worth when it is redeemed. The price book may have changed since; the quoted price stands. */
export function createRedeemQuote({
	seal,
	clock,
}: Pick<PaymentServices, "seal" | "clock">): RedeemQuote {
	return (quoteId, { operationId, fingerprint }) => {
		const terms = seal.open(quoteId);
		if (!terms) throw refused("is none of this service's");
		if (terms.operationId !== operationId || terms.fingerprint !== fingerprint) {
			throw refused(`is for another request (${terms.operationId} with another input, or route)`);
		}
		if (terms.expiresAt <= clock.now()) {
			throw refused(`expired at ${toIsoTime(terms.expiresAt)}`);
		}
		return terms.amountMicros;
	};
}

function refused(reason: string): ServiceError {
	return invalidArgument(
		`The quote in "X-Quote-Id" ${reason}; ask for a new one with POST /v1/quotes, or leave the header out and pay the listed price.`,
	);
}

function operationOf({ operation, skill }: QuoteRequest): PaidOperationId {
	const skillId = skill === undefined ? undefined : findSkillId(skill);
	const found = operation ?? (skillId && OPERATION_OF_SKILL[skillId]);
	if (found && (operation === undefined || skill === undefined)) return found;
	throw invalidArgument(
		`Name what to quote by exactly one of "operation" (${PAID_OPERATION_IDS.join(", ")}) and "skill" (${SKILL_IDS.join(", ")}).`,
	);
}

function toWire({ info, skills, offersOf, clock }: QuoteServices, id: string, terms: QuotedTerms) {
	const operation = terms.operationId as PaidOperationId;
	const resourceUrl = `${info.baseUrl()}${terms.path}`;
	const { amountMicros } = terms;
	const billingType = terms.billingType as Quote["billingType"];
	const description = skills[operation].title;
	const isValid = terms.expiresAt > clock.now();
	const offers = isValid && amountMicros > 0n;
	const { fingerprint } = terms;
	const quote = {
		operationId: operation,
		amountMicros,
		billingType,
		resourceUrl,
		description,
		fingerprint,
	};
	return {
		quote_id: id,
		status: isValid ? "valid" : "expired",
		operation,
		amount_usd: formatUsd(amountMicros),
		billing_type: billingType,
		request_hash: terms.fingerprint,
		expires_at: toIsoTime(terms.expiresAt),
		resource: { method: OPERATION_ADDRESSES[operation].method, url: resourceUrl },
		pay: offers ? offersOf(quote).map(({ continuation }) => continuation) : [],
	};
}
