import type {
	Charged,
	HeldAdmission,
	OnchainMethod,
	Released,
	ReplayedAdmission,
} from "../../payments/admission.js";
import { createChallenge, type Quote } from "../../payments/challenge.js";
import type { InvariantGuard } from "../../payments/invariants.js";
import type { ReleaseReason } from "../../payments/ledger.js";
import type { Payer, PaymentMethod } from "../../payments/payment-method.js";
import type { PriceList } from "../../payments/price-list.js";
import { toReceipt } from "../../payments/receipt.js";
import type { HoldRow, ReceiptRow, Store, StoreTransaction } from "../../store/store.js";
import type { Call } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import type { Credential } from "../core/credential.js";
import { ServiceError } from "../core/errors.js";
import { LIMITS } from "../core/limits.js";
import type { Micros } from "../core/money.js";
import { OPERATION_OF_SKILL } from "../core/operations.js";
import type { Skill } from "../core/skill.js";
import {
	beginAttempt,
	fingerprintOf,
	finishAttempt,
	idempotencyIdOf,
	judgeAttempt,
} from "./idempotency.js";

/** Leave to work: the price is held, was paid before, or is zero. */
export type Admission =
	| { readonly kind: "free"; readonly quote: Quote }
	| HeldAdmission
	| ReplayedAdmission;

export interface AdmitRequest {
	readonly skill: Skill;
	readonly input: unknown;
	readonly payer: Payer | undefined;
	readonly call: Pick<Call, "payment" | "idempotencyKey" | "quoteId" | "resourceUrl">;
}

/** The price of a quote the caller holds. Throws INVALID_ARGUMENT for one that is unknown, expired or of another request. */
export type RedeemQuote = (
	quoteId: string,
	request: { readonly operationId: string; readonly fingerprint: string },
) => Micros;

/** Everything the pipeline does with money, in the order it happens. */
export interface Cashier {
	/** Throws UNAUTHENTICATED for a credential nobody issued. */
	identify(credential: Credential): Promise<Payer>;
	/**
	 * Who pays: a payment's wallet, else the credential's owner. Throws UNAUTHENTICATED for a credential nobody issued,
	 * PAYMENT_REJECTED for a payment that cannot be read.
	 */
	payerOf(call: Pick<Call, "credential" | "payment">): Promise<Payer | undefined>;
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
}

export function createCashier(deps: CashierDeps): Cashier {
	const { store, methods, guard, onchain } = deps;
	return {
		identify: (credential) => identifyOwner(deps, credential),

		async payerOf({ credential, payment }) {
			const own = credential && (await identifyOwner(deps, credential));
			return payment ? requireOnchain(onchain).identify(payment) : own;
		},

		async admit(request) {
			const { payer, call, skill, input } = request;
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
				});
			}
			const method = methodOf(methods, payer.rail);
			const admitted = await hold({ ...deps, method }, { ...request, payer, quote, fingerprint });
			if ("receiptId" in admitted) {
				const receipt = await getReceipt(store, admitted.receiptId);
				return { kind: "replayed", payer, receipt };
			}
			return toHeld({ ...deps, method }, { payer, quote, fingerprint, hold: admitted.hold });
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
	];
}

function identifyOwner({ store, methods }: CashierDeps, credential: Credential): Promise<Payer> {
	const method = methods.find((candidate) => candidate.accepts(credential));
	if (!method)
		throw new ServiceError("UNAUTHENTICATED", "This kind of credential is not accepted here.");
	return store.read((reader) => method.identify(reader, credential));
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
	const operationId = OPERATION_OF_SKILL[skill.id];
	const fingerprint = fingerprintOf(operationId, input);
	const { resourceUrl, quoteId } = call;
	const listed = prices.priceOf(operationId);
	const amountMicros =
		quoteId !== undefined && redeemQuote
			? redeemQuote(quoteId, { operationId, fingerprint })
			: listed.amountMicros;
	const { billingType } = listed;
	return {
		quote: { operationId, amountMicros, billingType, resourceUrl, description: skill.title },
		fingerprint,
	};
}

interface MethodDeps extends CashierDeps {
	readonly method: PaymentMethod;
}

interface HeldBy {
	readonly payer: Payer;
	readonly quote: Quote;
	readonly fingerprint: string;
	readonly hold: HoldRow;
}

function toHeld({ store, clock, method }: MethodDeps, held: HeldBy): HeldAdmission {
	const { payer, quote, fingerprint, hold: row } = held;
	return {
		kind: "held",
		payer,
		quote,
		capture: (): Promise<Charged> =>
			store.transaction(async (tx) => {
				const captured = await method.capture(tx, row);
				const receipt = toReceipt(row, captured, { fingerprint, at: clock.now() });
				await tx.put("receipts", receipt);
				await finishAttempt(tx, row.idempotencyId, receipt.id);
				return { receipt };
			}),
		async release(reason: ReleaseReason): Promise<Released> {
			const released = store.transaction((tx) => method.release(tx, row, reason), {
				durability: "deferred",
			});
			// A stopped store answers every later call itself; the hold is released at the next start.
			await released.catch(() => undefined);
			const balance = store.read((reader) => method.balance(reader, payer));
			return { balanceMicros: await balance.catch(() => undefined) };
		},
	};
}

type Held = { readonly hold: HoldRow };
type PaidBefore = { readonly receiptId: string };

/** One transaction judges the idempotency key and holds the price: neither is seen without the other. */
function hold(
	{ store, clock, method }: MethodDeps,
	request: AdmitRequest & {
		readonly payer: Payer;
		readonly quote: Quote;
		readonly fingerprint: string;
	},
): Promise<Held | PaidBefore> {
	const { payer, quote, fingerprint, skill, input, call } = request;
	const key = call.idempotencyKey;
	const id = key === undefined ? undefined : idempotencyIdOf(payer.owner, quote.operationId, key);
	const work = async (tx: StoreTransaction): Promise<Held | PaidBefore> => {
		const now = clock.now();
		if (id !== undefined) {
			const attempt = await judgeAttempt(tx, { id, fingerprint, now });
			if (attempt.kind === "replay") return { receiptId: attempt.receiptId };
		}
		const held = await method.authorize(tx, payer, {
			quote,
			skillId: skill.id,
			graphIds: skill.graphsOf(input),
			idempotencyId: id,
		});
		if (id !== undefined) await beginAttempt(tx, { id, fingerprint, holdId: held.id, now });
		return { hold: held };
	};
	// A hold that a crash forgets is a hold released; only what outlives the call must be durable first.
	return store.transaction(work, {
		durability: skill.capture === "onResult" ? "deferred" : "durable",
	});
}

async function getReceipt(store: Store, id: string): Promise<ReceiptRow> {
	const receipt = await store.read((reader) => reader.get("receipts", id));
	if (receipt) return receipt;
	throw new ServiceError("INTERNAL", `The receipt ${id} of an earlier call could not be read.`);
}

function notSelling(): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		"The ledger's self-check failed, so nothing is sold until the operator has looked at it. Free operations go on.",
	);
}
