import type { InvariantGuard } from "../../payments/audit/audit.js";
import type { PrepaidCharge } from "../../payments/mpp/mpp.js";
import {
	createChallenge,
	fingerprintOf,
	type JobOpening,
	type OnchainMethod,
	type PaymentMethod,
	type PricedAdmission,
	type Quote,
} from "../../payments/payments.js";
import { howToBuy } from "../../payments/spt/spt.js";
import type { Store } from "../../store/store.js";
import {
	type Call,
	type Caller,
	type Credential,
	type IdentifyOptions,
	LIMITS,
	type PriceList,
	type Skill,
} from "../contract/contract.js";
import { type Clock, type Micros, ServiceError } from "../kernel/kernel.js";
import { admitFromBalance } from "./balance-admission.js";
import { priceOfCall } from "./call-price.js";
import { admitPrepaid, openPrepaid } from "./prepaid-admission.js";

/** Leave to work: the price is held, was paid before, or is zero. */
export type Admission = { readonly kind: "free"; readonly quote: Quote } | PricedAdmission;

export interface AdmitRequest {
	readonly skill: Skill;
	readonly input: unknown;
	readonly payer: Caller | undefined;
	readonly call: Pick<
		Call,
		"credential" | "payment" | "idempotencyKey" | "quoteId" | "resourceUrl"
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
export interface Cashier {
	/** Throws UNAUTHENTICATED for a credential nobody issued, NOT_FOUND for a subject without an account. */
	identify(credential: Credential, options?: IdentifyOptions): Promise<Caller>;
	/**
	 * Who pays: a payment's wallet, else the credential's owner. Throws UNAUTHENTICATED for a credential nobody issued,
	 * PAYMENT_REJECTED for a payment that cannot be read.
	 */
	payerOf(call: Pick<Call, "credential" | "payment">): Promise<Caller | undefined>;
	/** Reserves the price before any work starts, so that a caller who cannot pay costs us nothing. Throws PaymentRequired. */
	admit(request: AdmitRequest): Promise<Admission>;
}

export interface CashierDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly prices: PriceList;
	readonly methods: readonly PaymentMethod[];
	readonly guard: InvariantGuard;
	/** Undefined while no chain is configured. */
	readonly onchain?: OnchainMethod | undefined;
	readonly redeemQuote?: RedeemQuote | undefined;
	/** The balance as a method of the "Payment" scheme. */
	readonly prepaid?: PrepaidCharge | undefined;
}

export function createCashier(deps: CashierDeps): Cashier {
	const { methods, guard, onchain } = deps;
	return {
		identify: (credential, options) => identifyOwner(deps, credential, options),

		async payerOf({ credential, payment }) {
			const own = credential && (await identifyOwner(deps, credential, { opens: true }));
			if (!payment) return own;
			const wallet = requireOnchain(onchain).identify(payment);
			return { ...wallet, keepsNoText: own?.keepsNoText, ...(own && { shown: own }) };
		},

		async admit(request) {
			const { payer, call, skill, input, job } = request;
			const { quote, fingerprint } = quoteOf(deps, request);
			if (quote.amountMicros === 0n) return { kind: "free", quote };
			if (!payer) throw createChallenge(quote, offersOf(deps, quote));
			if (!guard.isSelling()) throw notSelling();
			if (call.payment) {
				return requireOnchain(onchain).admit({
					payment: call.payment,
					quote,
					fingerprint,
					graphIds: skill.graphsOf(input),
					idempotencyKey: call.idempotencyKey,
					settlesFirst:
						skill.capture !== "onResult" || quote.amountMicros >= LIMITS.settleFirstMicros,
					job,
				});
			}
			const method = methodOf(methods, payer.rail);
			const fromBalance = (call: AdmitRequest["call"]) =>
				admitFromBalance({ ...deps, method }, { ...request, call, payer, quote, fingerprint });
			const use = openPrepaid(deps.prepaid, call.credential, quote);
			return use ? admitPrepaid(use, call, fromBalance) : fromBalance(call);
		},
	};
}

/** Every way to pay for this, as a caller without a credential is told. */
export function offersOf(
	{ methods, onchain }: Pick<CashierDeps, "methods" | "onchain">,
	quote: Quote,
) {
	return [
		...(onchain?.offers(quote) ?? []),
		...methods.flatMap((method) => method.offer(quote) ?? []),
		...(onchain ? [{ continuation: howToBuy(quote.amountMicros), accepts: [], headers: {} }] : []),
	];
}

function identifyOwner(
	{ store, methods }: CashierDeps,
	credential: Credential,
	options?: IdentifyOptions,
): Promise<Caller> {
	const method = methods.find((candidate) => candidate.accepts(credential));
	if (!method)
		throw new ServiceError("UNAUTHENTICATED", "This kind of credential is not accepted here.");
	return method.identify(store, credential, options);
}

function requireOnchain(onchain: OnchainMethod | undefined): OnchainMethod {
	if (onchain) return onchain;
	throw new ServiceError(
		"PAYMENT_REJECTED",
		"Payments on a chain are not accepted here; GET /v1/payments/methods lists what is.",
	);
}

function methodOf(methods: readonly PaymentMethod[], rail: string): PaymentMethod {
	const method = methods.find((candidate) => candidate.rail === rail);
	if (!method) throw new ServiceError("INTERNAL", `The payment rail "${rail}" is not configured.`);
	return method;
}

function quoteOf(
	{ prices, redeemQuote }: CashierDeps,
	{ skill, input, call }: AdmitRequest,
): { readonly quote: Quote; readonly fingerprint: string } {
	const { operationId } = skill;
	const fingerprint = fingerprintOf(operationId, input);
	const { resourceUrl, quoteId } = call;
	const listed = priceOfCall(prices, skill, input);
	const amountMicros =
		quoteId !== undefined && redeemQuote
			? redeemQuote(quoteId, { operationId, fingerprint })
			: listed.amountMicros;
	const { billingType } = listed;
	const description = skill.title;
	return {
		quote: { operationId, amountMicros, billingType, resourceUrl, description, fingerprint },
		fingerprint,
	};
}

function notSelling(): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		"The ledger's self-check failed, so nothing is sold until the operator has looked at it. Free operations go on.",
	);
}
