import { createChallenge, type Quote } from "../../payments/challenge.js";
import type { InvariantGuard } from "../../payments/invariants.js";
import type { ReleaseReason } from "../../payments/ledger.js";
import type { Payer, PaymentMethod } from "../../payments/payment-method.js";
import type { PriceList } from "../../payments/price-list.js";
import { toReceipt } from "../../payments/receipt.js";
import type { HoldRow, ReceiptRow, Store } from "../../store/store.js";
import type { Clock } from "../core/clock.js";
import type { Credential } from "../core/credential.js";
import { ServiceError } from "../core/errors.js";
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
	| {
			readonly kind: "held";
			readonly hold: HoldRow;
			readonly payer: Payer;
			readonly fingerprint: string;
	  }
	| { readonly kind: "replayed"; readonly receipt: ReceiptRow; readonly payer: Payer };

export interface AdmitRequest {
	readonly skill: Skill;
	readonly input: unknown;
	readonly payer: Payer | undefined;
	readonly idempotencyKey: string | undefined;
	readonly resourceUrl: string;
}

/** Everything the pipeline does with money, in the order it happens. */
export interface Cashier {
	/** Throws UNAUTHENTICATED for a credential nobody issued. */
	identify(credential: Credential): Promise<Payer>;
	/** Holds the price before any work starts, so that a caller who cannot pay costs us nothing. Throws PaymentRequired. */
	admit(request: AdmitRequest): Promise<Admission>;
	/** Durable before the first byte leaves. */
	capture(admission: Extract<Admission, { kind: "held" }>): Promise<ReceiptRow>;
	/** Never fails a caller: what cannot be released now expires. */
	release(hold: HoldRow, reason: ReleaseReason): Promise<void>;
	balance(payer: Payer): Promise<bigint>;
}

export interface CashierDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly prices: PriceList;
	readonly methods: readonly PaymentMethod[];
	readonly guard: InvariantGuard;
}

export function createCashier({ store, clock, prices, methods, guard }: CashierDeps): Cashier {
	const methodOf = (rail: string): PaymentMethod => {
		const method = methods.find((candidate) => candidate.rail === rail);
		if (!method)
			throw new ServiceError("INTERNAL", `The payment rail "${rail}" is not configured.`);
		return method;
	};

	return {
		identify(credential) {
			const method = methods.find((candidate) => candidate.accepts(credential));
			if (!method)
				throw new ServiceError("UNAUTHENTICATED", "This kind of credential is not accepted here.");
			return store.read((reader) => method.identify(reader, credential));
		},

		async admit(request) {
			const quote = quoteOf(prices, request);
			if (quote.amountMicros === 0n) return { kind: "free", quote };
			const { payer } = request;
			if (!payer)
				throw createChallenge(
					quote,
					methods.flatMap((method) => method.offer(quote) ?? []),
				);
			if (!guard.isSelling()) throw notSelling();
			const admitted = await hold(
				{ store, clock, method: methodOf(payer.rail) },
				{ ...request, payer, quote },
			);
			return "hold" in admitted
				? { kind: "held", payer, ...admitted }
				: { kind: "replayed", payer, receipt: await getReceipt(store, admitted.receiptId) };
		},

		capture: ({ hold: held, fingerprint }) =>
			store.transaction(async (tx) => {
				const captured = await methodOf(held.rail).capture(tx, held);
				const receipt = toReceipt(held, captured, { fingerprint, at: clock.now() });
				await tx.put("receipts", receipt);
				await finishAttempt(tx, held.idempotencyId, receipt.id);
				return receipt;
			}),

		async release(held, reason) {
			const released = store.transaction((tx) => methodOf(held.rail).release(tx, held, reason), {
				durability: "deferred",
			});
			// A stopped store answers every later call itself; the hold is released at the next start.
			await released.catch(() => undefined);
		},

		balance: (payer) => store.read((reader) => methodOf(payer.rail).balance(reader, payer)),
	};
}

function quoteOf(prices: PriceList, { skill, resourceUrl }: AdmitRequest): Quote {
	const operationId = OPERATION_OF_SKILL[skill.id];
	return { operationId, ...prices.priceOf(operationId), resourceUrl, description: skill.title };
}

type Held = { readonly hold: HoldRow; readonly fingerprint: string };
type PaidBefore = { readonly receiptId: string };

/** One transaction judges the idempotency key and holds the price: neither is seen without the other. */
function hold(
	{ store, clock, method }: { store: Store; clock: Clock; method: PaymentMethod },
	request: AdmitRequest & { readonly payer: Payer; readonly quote: Quote },
): Promise<Held | PaidBefore> {
	const { payer, quote, skill, input, idempotencyKey } = request;
	const fingerprint = fingerprintOf(quote.operationId, input);
	const id =
		idempotencyKey === undefined
			? undefined
			: idempotencyIdOf(payer.owner, quote.operationId, idempotencyKey);
	const work = async (
		tx: Parameters<Parameters<Store["transaction"]>[0]>[0],
	): Promise<Held | PaidBefore> => {
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
		return { hold: held, fingerprint };
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
