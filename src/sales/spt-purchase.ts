import type { InvariantGuard } from "../../payments/audit/audit.js";
import type { OnchainMethod, Purchased, SettledFunds } from "../../payments/onchain/onchain.js";
import {
	createChallenge,
	custAccount,
	fingerprintOf,
	type Ledger,
	type ListedRequest,
	PaymentRequired,
	type Quote,
} from "../../payments/payments.js";
import {
	assertAmount,
	getToken,
	type IssuedSpt,
	isSpendable,
	recoverTokens,
	type SptIssuer,
} from "../../payments/spt/spt.js";
import type { Store, StoreTransaction, TokenRow } from "../../store/store.js";
import {
	type SptScope,
	sptOrderSchema,
	sptPurchaseSchema,
	sptTopUpSchema,
	toSptScope,
} from "../accounts/accounts.js";
import {
	type Credential,
	type Json,
	LIMITS,
	OPERATION_ADDRESSES,
	type Payment,
	type PurchaseOperationId,
	type PurchaseReply,
} from "../contract/contract.js";
import {
	type Clock,
	formatUsd,
	invalidArgument,
	type Micros,
	parseUsd,
	ServiceError,
	unavailable,
} from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import type { Cashier } from "./cashier.js";

/** What a purchase brings beside its input. */
export interface PurchaseCall {
	readonly credential: Credential | undefined;
	readonly payment: Payment | undefined;
	readonly idempotencyKey: string | undefined;
	readonly resourceUrl: string;
}

export interface SptOrder extends SptScope {
	readonly amount_usd: string;
	/** Takes along what is left on the wallet's credits and on tokens whose secret never arrived. */
	readonly recover?: boolean | undefined;
}

export interface TopUpOrder {
	readonly amount_usd: string;
}

export interface PurchaseDeps {
	readonly store: Store;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly guard: InvariantGuard;
	readonly catalog: GraphCatalog;
	readonly issueFrom: SptIssuer["issueFrom"];
	readonly identify: Cashier["identify"];
	/** Undefined while no chain is configured. */
	readonly onchain: OnchainMethod | undefined;
}

export type Purchases = ReturnType<typeof createPurchases>;

/** Balance for money that settles on a chain; the price is the amount the caller names. */
export function createPurchases(deps: PurchaseDeps) {
	const { store, ledger, clock, catalog } = deps;
	return {
		/** A new token for the paying wallet. Throws PaymentRequired without a payment, and whatever a payment can fail with. */
		async buySpt(call: PurchaseCall, order: SptOrder): Promise<PurchaseReply> {
			const amountMicros = parseAmount(order.amount_usd);
			const scope = toSptScope({ catalog, now: clock.now() }, order);
			const alongside = async (tx: StoreTransaction, funds: SettledFunds) => {
				const issued = await issue(deps, tx, funds, { ...scope, origin: "purchase" });
				const of = { owner: funds.owner, intoId: issued.id };
				const recoveredMicros = order.recover
					? await recoverTokens(tx, of, { ledger, now: clock.now() })
					: 0n;
				const balanceMicros = await tx.balance(custAccount(issued.id));
				const token = await getToken(tx, issued.id);
				return { value: { ...issued, token, balanceMicros, recoveredMicros }, tokenId: issued.id };
			};
			const bought = await purchase(deps, call, {
				operationId: "spt.purchase",
				amountMicros,
				order,
				alongside,
			});
			const { value } = bought;
			return toReply(bought, {
				...toIssuedWire(value.secret, value.token, value.balanceMicros),
				recovered_usd: formatUsd(value.recoveredMicros),
			});
		},

		/** More balance for the token that is shown. Throws UNAUTHENTICATED, SCOPE_FORBIDDEN for a delegated one. */
		async topUpSpt(call: PurchaseCall, order: TopUpOrder): Promise<PurchaseReply> {
			const amountMicros = parseAmount(order.amount_usd);
			const { owner: tokenId } = await deps.identify(requireSpt(call.credential));
			await store.read(async (reader) => {
				const balanceMicros = await reader.balance(custAccount(tokenId));
				assertRoom(await getToken(reader, tokenId), balanceMicros + amountMicros);
			});
			const bought = await purchase(deps, call, {
				operationId: "spt.top_up",
				amountMicros,
				order: { ...order, token_id: tokenId },
				alongside: (tx, funds) => fill(deps, tx, funds, tokenId),
			});
			return toReply(bought, bought.value);
		},
	};
}

interface PurchaseTerms<T> {
	readonly operationId: PurchaseOperationId;
	readonly amountMicros: Micros;
	/** What the payment buys and nothing else. */
	readonly order: object;
	readonly alongside: (
		tx: StoreTransaction,
		funds: SettledFunds,
	) => Promise<{ readonly value: T; readonly tokenId: string }>;
}

const example = { amount_usd: formatUsd(LIMITS.sptMinMicros) };

/** What catalogs read of a purchase. */
export const LISTED_PURCHASES: Readonly<Record<PurchaseOperationId, ListedRequest>> = {
	"spt.purchase": {
		address: OPERATION_ADDRESSES["spt.purchase"],
		example,
		input: sptOrderSchema,
		output: sptPurchaseSchema,
	},
	"spt.top_up": {
		address: OPERATION_ADDRESSES["spt.top_up"],
		example,
		input: sptTopUpSchema,
		output: sptPurchaseSchema,
	},
};

/** What the challenge of a purchase says it is for. */
export function describeBalance(amountMicros: Micros): string {
	return `${formatUsd(amountMicros)} USD of balance on a Shared Payment Token`;
}

/** Asks for the money, or takes it: settled first, and booked together with what it buys. */
async function purchase<T>(
	{ onchain, guard }: PurchaseDeps,
	{ payment, idempotencyKey, resourceUrl }: PurchaseCall,
	{ operationId, amountMicros, order, alongside }: PurchaseTerms<T>,
): Promise<Purchased<T>> {
	const fingerprint = fingerprintOf(operationId, order);
	const quote: Quote = {
		operationId,
		amountMicros,
		billingType: "prepaid",
		resourceUrl,
		description: describeBalance(amountMicros),
		fingerprint,
	};
	if (!onchain)
		throw new PaymentRequired(
			"PAYMENT_REQUIRED",
			"Tokens are not sold here, because no chain is configured; the operator issues them.",
			{
				quote,
				offers: [],
				continuations: [
					{ type: "spt", instructions: "Ask the operator to issue a Shared Payment Token." },
				],
			},
		);
	if (!payment) {
		const listed = LISTED_PURCHASES[operationId];
		throw createChallenge(quote, onchain.offers({ ...quote, listed }));
	}
	if (!guard.isSelling()) {
		throw unavailable(
			"The ledger's self-check failed, so nothing is sold until the operator has looked at it.",
		);
	}
	const request = { payment, quote, fingerprint, graphIds: [], idempotencyKey, settlesFirst: true };
	return onchain.purchase(request, alongside);
}

interface Issued extends Omit<IssuedSpt, "token"> {
	readonly secret: string;
}

async function issue(
	{ issueFrom }: PurchaseDeps,
	tx: StoreTransaction,
	{ account, owner, amountMicros }: SettledFunds,
	terms: ReturnType<typeof toSptScope> & { readonly origin: "purchase" | "credit" },
): Promise<Issued> {
	const { token, ...issued } = await issueFrom(tx, account, { ...terms, owner, amountMicros });
	return { ...issued, secret: token };
}

/** The money has settled: a token that was stopped meanwhile cannot take it, so a new one does. */
async function fill(
	deps: PurchaseDeps,
	tx: StoreTransaction,
	funds: SettledFunds,
	tokenId: string,
): Promise<{ readonly value: Json; readonly tokenId: string }> {
	const { ledger, clock } = deps;
	const now = clock.now();
	const row = await tx.get("tokens", tokenId);
	if (!row || !(await isSpendable(tx, row, now))) {
		const issued = await issue(deps, tx, funds, { origin: "credit", label: "stopped top-up" });
		const token = await getToken(tx, issued.id);
		const value = toIssuedWire(issued.secret, token, issued.balanceMicros);
		return { value, tokenId: issued.id };
	}
	const from = funds.account.replace(/^cust:/, "");
	const { amountMicros, paymentId } = funds;
	const key = `top-up:${paymentId}`;
	await ledger.transfer(tx, { from, to: tokenId, amountMicros, key, memo: "top-up" });
	if (row.usedAt === undefined) await tx.put("tokens", { ...row, usedAt: now });
	const balance_usd = formatUsd(await tx.balance(custAccount(tokenId)));
	return { value: { id: tokenId, balance_usd, environment: row.environment }, tokenId };
}

function toIssuedWire(secret: string, token: TokenRow, balanceMicros: Micros): Json {
	const { id, environment } = token;
	return { token: secret, id, balance_usd: formatUsd(balanceMicros), environment };
}

function toReply(
	{ settlement, receiptId, headers, delivered }: Omit<Purchased<unknown>, "value">,
	data: Json,
): PurchaseReply {
	return {
		data: { ...data, receipt: { receipt_id: receiptId, ...settlement } },
		headers,
		...(delivered && { onDelivered: delivered }),
	};
}

/** Throws INVALID_ARGUMENT for an amount outside what is sold at once. */
function parseAmount(text: string): Micros {
	const amountMicros = parseUsd(text);
	assertAmount(amountMicros);
	if (amountMicros >= LIMITS.sptMinMicros) return amountMicros;
	throw invalidArgument(`"amount_usd" must be at least ${formatUsd(LIMITS.sptMinMicros)}.`);
}

/** Throws UNAUTHENTICATED unless a token is shown, SCOPE_FORBIDDEN for a credential of another kind. */
function requireSpt(credential: Credential | undefined): Credential {
	if (credential?.scheme === "spt") return credential;
	throw new ServiceError(
		credential ? "SCOPE_FORBIDDEN" : "UNAUTHENTICATED",
		'Send the Shared Payment Token to top up in the header "X-Pay-SPT", beside the payment.',
	);
}

/** Throws before anybody pays for what the token could not take. */
function assertRoom({ parentId }: TokenRow, balanceMicros: Micros): void {
	if (parentId !== undefined) {
		throw new ServiceError(
			"SCOPE_FORBIDDEN",
			`A delegated token takes balance from its parent only; top up ${parentId} and delegate from it.`,
		);
	}
	if (balanceMicros > LIMITS.sptMaxMicros) {
		throw invalidArgument(
			`A token holds at most ${formatUsd(LIMITS.sptMaxMicros)} USD; nothing was charged.`,
		);
	}
}
