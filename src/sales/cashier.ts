import type { InvariantGuard } from "../../payments/audit/audit.js";
import {
	createChallenge,
	fingerprintOf,
	isPayment,
	type JobOpening,
	type ListedRequest,
	type Offer,
	type PaymentMethod,
	type PaymentProof,
	type PricedAdmission,
	PriceNotAgreed,
	type Quote,
} from "../../payments/payments.js";
import { howToBuy } from "../../payments/spt/spt.js";
import {
	type Call,
	type Caller,
	type Credential,
	type IdentifyOptions,
	OPERATION_ADDRESSES,
	type PriceList,
	type Skill,
	type SkillCatalog,
} from "../contract/contract.js";
import {
	formatUsd,
	invalidArgument,
	type Micros,
	ServiceError,
	unavailable,
} from "../kernel/kernel.js";
import { priceOfCall } from "./call-price.js";

/** Leave to work: the price is held, was paid before, or is zero. */
export type Admission = { readonly kind: "free"; readonly quote: Quote } | PricedAdmission;

export interface AdmitRequest {
	readonly skill: Skill;
	readonly input: unknown;
	readonly payer: Caller | undefined;
	readonly call: Pick<
		Call,
		| "credential"
		| "payment"
		| "idempotencyKey"
		| "quoteId"
		| "maxPriceMicros"
		| "isPriceAgreed"
		| "resourceUrl"
		| "transport"
	>;
	/** For work that outlives the call: then it is launched, not held. */
	readonly job?: JobOpening | undefined;
}

/** The price of a quote the caller holds. Throws INVALID_ARGUMENT for one that is unknown, expired or of another request. */
export type RedeemQuote = (
	quoteId: string,
	request: { readonly operationId: string; readonly fingerprint: string },
) => Micros;

/** Everything the pipeline does with money, in the order it happens. */
export type Cashier = ReturnType<typeof createCashier>;

interface CashierServices {
	readonly prices: PriceList;
	/** In the order in which they are offered and asked. */
	readonly methods: readonly PaymentMethod[];
	readonly guard: InvariantGuard;
	readonly redeemQuote?: RedeemQuote | undefined;
	/** Whether tokens can be bought, which takes a chain. */
	readonly isForSale: () => boolean;
}

/** What opens calls. */
export interface OpenCallDeps {
	readonly skills: SkillCatalog;
	readonly cashier: Cashier;
}

export function createCashier(deps: CashierServices) {
	const { methods, guard } = deps;
	/** Throws UNAUTHENTICATED for an unknown credential, NOT_FOUND for a subject without an account. */
	const identify = async (credential: Credential, options?: IdentifyOptions) =>
		methodOf(methods, credential).identify(credential, options);
	return {
		identify,

		/** A payment's wallet, else the credential's owner. Throws UNAUTHENTICATED, or PAYMENT_REJECTED for an unreadable payment. */
		async payerOf({
			credential,
			payment,
		}: Pick<Call, "credential" | "payment">): Promise<Caller | undefined> {
			const own = credential && (await identify(credential, { opens: true }));
			if (!payment) return own;
			const wallet = await methodOf(methods, payment).identify(payment);
			return { ...wallet, keepsNoText: own?.keepsNoText, ...(own && { shown: own }) };
		},

		/** Reserves the price before any work starts, so that a caller who cannot pay costs us nothing. Throws PaymentRequired. */
		async admit(request: AdmitRequest): Promise<Admission> {
			const { payer, call, skill, input, job } = request;
			const quote = quoteOf(deps, request);
			if (quote.amountMicros === 0n) return { kind: "free", quote };
			const proof = call.payment ?? call.credential;
			if (!payer || !proof) {
				const listed = call.transport === "rest" ? toListedRequest(skill) : undefined;
				throw createChallenge(quote, offersOf(deps, { ...quote, listed }));
			}
			assertAffordable(quote, call);
			const method = methodOf(methods, proof);
			if (!guard.isSelling())
				throw unavailable(
					"The ledger's self-check failed, so nothing is sold until the operator has looked at it. Free operations go on.",
				);
			return method.admit({
				proof,
				payer,
				quote,
				fingerprint: quote.fingerprint,
				graphIds: skill.graphsOf(input),
				capture: skill.capture,
				idempotencyKey: call.idempotencyKey,
				job,
			});
		},
	};
}

/** Throws SPENDING_LIMIT for a price above what the caller said it pays for this call. */
function assertAffordable(
	{ amountMicros, isAgreed }: Quote,
	{ maxPriceMicros: most }: Pick<Call, "maxPriceMicros">,
): void {
	if (most === undefined || amountMicros <= most || isAgreed) return;
	throw new PriceNotAgreed(
		`The caller pays at most ${formatUsd(most)} USD without being asked`,
		amountMicros,
	);
}

/** Throws INVALID_ARGUMENT for a token beside a payment, either of which would pay, unless the token pays for what comes later. */
export function refuseTwoPayers(
	{ renews }: Pick<Skill, "renews">,
	{ credential, payment }: Pick<Call, "credential" | "payment">,
): void {
	if (!payment || credential?.scheme !== "spt" || renews) return;
	throw invalidArgument(
		"The request carries a Shared Payment Token and a payment that settles on a chain, and either would pay for it; send exactly one.",
	);
}

/** Every way to pay for this, as offered to a caller without a credential. */
export function offersOf(
	{ methods, isForSale }: Pick<CashierServices, "methods" | "isForSale">,
	quote: Quote,
): readonly Offer[] {
	return [
		...methods.flatMap((method) => method.offers(quote)),
		...(isForSale()
			? [{ continuation: howToBuy(quote.amountMicros), accepts: [], headers: {} }]
			: []),
	];
}

function methodOf(methods: readonly PaymentMethod[], proof: PaymentProof): PaymentMethod {
	const method = methods.find(({ schemes }) => schemes.includes(proof.scheme));
	if (method) return method;
	if (!isPayment(proof))
		throw new ServiceError("UNAUTHENTICATED", "This kind of credential is not accepted here.");
	throw new ServiceError(
		"PAYMENT_REJECTED",
		"Payments on a chain are not accepted here; GET /v1/payments/methods lists what is.",
	);
}

/** What catalogs read of the operation; undefined where it is not on sale, and so has no example. */
export function toListedRequest(skill: Skill): ListedRequest | undefined {
	if (skill.isOffered?.() === false) return undefined;
	const { operationId, exampleInput: example, input, output } = skill;
	return { address: OPERATION_ADDRESSES[operationId], example, input, output };
}

function quoteOf(
	{ prices, redeemQuote }: CashierServices,
	{ skill, input, call }: AdmitRequest,
): Quote & { readonly fingerprint: string } {
	const { operationId, title: description } = skill;
	const fingerprint = fingerprintOf(operationId, input);
	const { resourceUrl, quoteId, isPriceAgreed: isAgreed } = call;
	const listed = priceOfCall(prices, skill, input);
	const amountMicros =
		quoteId !== undefined && redeemQuote
			? redeemQuote(quoteId, { operationId, fingerprint })
			: listed.amountMicros;
	const { billingType } = listed;
	const terms = { operationId, amountMicros, billingType, resourceUrl, description, fingerprint };
	return { ...terms, ...(isAgreed && { isAgreed }) };
}
