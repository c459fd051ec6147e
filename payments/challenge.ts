import type { z } from "zod";
import type {
	BillingType,
	OperationAddress,
	PricedOperationId,
	PurchaseOperationId,
} from "../src/contract/contract.js";
import {
	type ErrorCode,
	formatUsd,
	type Micros,
	ServiceError,
	type ServiceErrorOptions,
} from "../src/kernel/kernel.js";

/** What a request over HTTP carries, for catalogs of paid resources. */
export interface ListedRequest {
	readonly address: OperationAddress;
	/** An input that works, parameters of the path included. */
	readonly example: Readonly<Record<string, unknown>>;
	readonly input: z.ZodType;
	readonly output: z.ZodType;
}

/** Price of one concrete call, before payment. */
export interface Quote {
	readonly operationId: PricedOperationId | PurchaseOperationId;
	readonly amountMicros: Micros;
	readonly billingType: BillingType;
	/** Absolute address of the resource, for challenges that name it. */
	readonly resourceUrl: string;
	readonly description: string;
	/** Hash of operation and canonical input, for challenges that are bound to one request. */
	readonly fingerprint?: string | undefined;
	/** Of requests over HTTP: what their challenge says for catalogs. */
	readonly listed?: ListedRequest | undefined;
	/** The payer has agreed to this very price, and need not be asked. */
	readonly isAgreed?: boolean | undefined;
}

export const CONTINUATION_TYPES = [
	"x402",
	"mpp",
	"spt",
	"spt_purchase",
	"api_key",
	"wait",
	"cheaper_operation",
	"confirm_price",
] as const;

/** A next step that gets the caller an answer; every 402 and 429 carries at least one. */
export interface Continuation {
	readonly type: (typeof CONTINUATION_TYPES)[number];
	readonly instructions: string;
	readonly [field: string]: unknown;
}

/** One x402 v1 payment requirement, as v1 clients parse it: closed network names, no null fields. */
export type X402Requirement = Readonly<Record<string, unknown>>;

/** What a method adds to the 402 of a caller who showed no credential. */
export interface Offer {
	readonly continuation: Continuation;
	/** x402 v1 `accepts` entries of the body; empty for rails that are not x402. */
	readonly accepts: readonly X402Requirement[];
	/** Headers this rail's clients look for (`PAYMENT-REQUIRED`, a `WWW-Authenticate` challenge). */
	readonly headers: Readonly<Record<string, string>>;
	/** The x402 v2 form of the offer, for transports that carry it in a message. */
	readonly x402?: Readonly<Record<string, unknown>>;
	/** The challenge of the "Payment" scheme, for transports that carry it in a message. */
	readonly mpp?: Readonly<Record<string, unknown>>;
}

/** Price and ways to pay it, meaning first; `toHttpChallenge` turns it into headers and a body. */
export interface Challenge {
	readonly quote: Quote | undefined;
	readonly offers: readonly Offer[];
	readonly continuations: readonly Continuation[];
}

export type PaymentErrorCode = Extract<
	ErrorCode,
	| "PAYMENT_REQUIRED"
	| "PAYMENT_REJECTED"
	| "PAYMENT_ALREADY_USED"
	| "INSUFFICIENT_BALANCE"
	| "SPENDING_LIMIT"
	| "QUOTA_EXCEEDED"
>;

/** A refusal that says how to go on: 402 for money, 429 for a quota. */
export class PaymentRequired extends ServiceError {
	declare readonly code: PaymentErrorCode;
	readonly challenge: Challenge;

	constructor(
		code: PaymentErrorCode,
		message: string,
		challenge: Challenge,
		options: ServiceErrorOptions = {},
	) {
		super(code, message, options);
		this.name = "PaymentRequired";
		this.challenge = challenge;
	}
}

/** The refusal of a caller who sent a credential: never the challenge of another rail. */
export function refusePayment(
	code: PaymentErrorCode,
	message: string,
	continuations: readonly Continuation[],
	options?: ServiceErrorOptions,
): PaymentRequired {
	const challenge = { quote: undefined, offers: [], continuations };
	return new PaymentRequired(code, message, challenge, options);
}

/** The refusal of a price above which its payer wants to be asked first; a transport that can ask does so. */
export class PriceNotAgreed extends PaymentRequired {
	/** Says who wants to be asked, and above which price. */
	readonly limit: string;

	constructor(limit: string, amountMicros: Micros) {
		const amount_usd = formatUsd(amountMicros);
		const message = `${limit}; this call costs ${amount_usd} USD. Nothing was run or charged.`;
		const instructions =
			"Call the tool over MCP with a client that lets its user be asked (elicitation, 2026-07-28), raise the limit, or call something cheaper.";
		const continuations = [{ type: "confirm_price", amount_usd, instructions }] as const;
		super("SPENDING_LIMIT", message, { quote: undefined, offers: [], continuations });
		this.name = "PriceNotAgreed";
		this.limit = limit;
	}
}

/** The challenge of a caller who showed nothing: every configured rail makes its offer. */
export function createChallenge(quote: Quote, offers: readonly Offer[]): PaymentRequired {
	return new PaymentRequired(
		"PAYMENT_REQUIRED",
		`This call costs ${formatUsd(quote.amountMicros)} USD. Pay in one of the ways listed in "continuations" and send the same request again.`,
		{ quote, offers, continuations: offers.map((offer) => offer.continuation) },
	);
}

/** Headers and body fields of a refusal for money, beside the error envelope; a quota refusal (429) carries continuations only. */
export function toHttpChallenge({ code, challenge }: PaymentRequired) {
	const { quote, offers, continuations } = challenge;
	if (code === "QUOTA_EXCEEDED") return { headers: {}, body: { continuations } };
	return {
		headers: {
			"Cache-Control": "no-store",
			...Object.assign({}, ...offers.map((offer) => offer.headers)),
			[AUTHENTICATE]: authenticateList(offers),
		},
		body: {
			/** Version of the `accepts` list; the v2 form travels in the PAYMENT-REQUIRED header. */
			x402Version: 1,
			accepts: offers.flatMap((offer) => offer.accepts),
			...(quote && {
				price: {
					amount_usd: formatUsd(quote.amountMicros),
					billing_type: quote.billingType,
				},
			}),
			continuations,
		},
	};
}

const AUTHENTICATE = "WWW-Authenticate";

/** One list of every scheme a caller may answer: the challenges of the offers, then the bearer realm. */
function authenticateList(offers: readonly Offer[]): string {
	const challenges = offers.flatMap((offer) => offer.headers[AUTHENTICATE] ?? []);
	return [...challenges, 'Bearer realm="tollgraph"'].join(", ");
}
