/** Buys one call: asks what it costs, holds that against the limits, pays once however often it is sent, and counts what was charged. */
import type { Address, PaidOperationId } from "./address.js";
import { toAddress } from "./address.js";
import type { Budget, Reservation } from "./budget.js";
import { ClientError, throwIfAborted } from "./errors.js";
import { formatUsd, parseUsd, readUsd } from "./money.js";
import type { Payer, PaymentOffer } from "./payers.js";
import { costOf, invalidReply, isRecord, isSettled, type Reply, recordIn } from "./reply.js";
import type { components } from "./schema.js";
import { newTrace, type Outgoing, type Trace, type Transport } from "./send.js";

export type Quote = components["schemas"]["Quote"];

export interface CallOptions {
	readonly signal?: AbortSignal | undefined;
	/** USD; the call is refused, and nothing is sent that could be charged, where its price is higher. */
	readonly maxPrice?: string | undefined;
	/** Of the whole call, over all its retries; a new one by default. The same one again is not charged again. */
	readonly idempotencyKey?: string | undefined;
	/** Added to those of the client. */
	readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Shop {
	readonly transport: Transport;
	readonly payer: Payer | undefined;
	readonly budget: Budget;
	/** Micro-USD. */
	readonly maxPrice: bigint | undefined;
}

/** A call that was paid for. */
export interface Bought {
	/** Its answer; of a stream a response that is read as it comes. */
	readonly answer: Reply | Response;
	readonly reservation: Reservation;
	/** What was sent, to be sent again where the answer breaks off. */
	readonly outgoing: Outgoing;
}

/** How an answer is fetched: whole, or as a stream. */
export type Exchange = Transport["send"] | Transport["open"];

interface Order {
	readonly address: Address;
	readonly input: object;
	readonly options: CallOptions;
	readonly exchange: Exchange;
}

/** Headers of every request that is free. */
export function toOutgoing({ payer }: Shop, address: Address, options: CallOptions): Outgoing {
	const { method, path, body, kind } = address;
	return {
		method,
		path,
		body,
		headers: { ...options.headers, ...payer?.identity },
		// What its owner changes may not be changed twice.
		isRepeatable: method === "GET" || kind !== "owner",
		signal: options.signal,
	};
}

/** The price of a call that is not made; it is asked without saying who asks. Throws as the call itself would. */
export async function quoteOf(
	transport: Transport,
	id: PaidOperationId,
	{ input, signal }: { readonly input: object; readonly signal: AbortSignal | undefined },
): Promise<{ readonly quote: Quote; readonly micros: bigint }> {
	const address = toAddress("quotes.create", { operation: id, input });
	const outgoing = { ...address, headers: {}, isRepeatable: true, signal };
	const { body } = await transport.send(outgoing, newTrace()).catch(nothingCharged);
	const quote = recordIn(body, "data");
	const micros = readUsd(quote["amount_usd"]);
	if (micros === undefined || typeof quote["quote_id"] !== "string") {
		throw invalidReply("The server's quote has no price.", { chargedUsd: "0.00" });
	}
	return { quote: quote as unknown as Quote, micros };
}

/** Throws PRICE_ABOVE_MAX and BUDGET_EXCEEDED before anything is sent that could be charged. */
export async function order(shop: Shop, asked: Order): Promise<Bought> {
	const { address, options } = asked;
	const plain = toOutgoing(shop, address, options);
	const outgoing = {
		...plain,
		isRepeatable: true,
		headers: { ...plain.headers, "Idempotency-Key": options.idempotencyKey ?? crypto.randomUUID() },
	};
	return shop.payer?.offer
		? payByWallet(shop, asked, outgoing, shop.payer.offer)
		: payByBalance(shop, asked, outgoing);
}

async function payByBalance(shop: Shop, asked: Order, outgoing: Outgoing): Promise<Bought> {
	const { address, input, options } = asked;
	const max = maxPriceOf(shop, options);
	const isAsked = (max !== undefined || shop.budget.isLimited) && address.kind !== "purchase";
	const { signal } = options;
	const quoted = isAsked
		? await quoteOf(shop.transport, address.id as PaidOperationId, { input, signal })
		: undefined;
	const price = quoted?.micros ?? 0n;
	assertPrice(price, max);
	const reservation = await shop.budget.reserve(price);
	const headers = { ...outgoing.headers, ...(quoted && { "X-Quote-Id": quoted.quote.quote_id }) };
	const paid = { ...outgoing, headers };
	return settle(asked, { outgoing: paid, reservation, price, isWallet: false });
}

/** The first request pays nothing, and is answered with what is asked for; it may be free. */
async function payByWallet(
	shop: Shop,
	asked: Order,
	outgoing: Outgoing,
	offerFor: NonNullable<Payer["offer"]>,
): Promise<Bought> {
	const { options, exchange } = asked;
	const first = await exchange(outgoing, newTrace(), true).catch(nothingCharged);
	if (first instanceof Response || first.status !== 402) {
		return { answer: first, reservation: await shop.budget.reserve(0n), outgoing };
	}
	const offer = offerFor({ headers: first.headers, body: first.body });
	const price = offer.amountMicros;
	assertPrice(price, maxPriceOf(shop, options));
	const reservation = await shop.budget.reserve(price);
	const signed = await sign(offer, options.signal).catch(async (error) => {
		await reservation.count(0n);
		throw error;
	});
	const paid = { ...outgoing, headers: { ...outgoing.headers, ...signed } };
	return settle(asked, { outgoing: paid, reservation, price, isWallet: true });
}

async function sign(offer: PaymentOffer, signal: AbortSignal | undefined) {
	throwIfAborted(signal);
	const signed = await offer.sign().catch((cause: unknown) => {
		throw new ClientError("NOT_SIGNED", "The wallet did not sign the payment.", { cause });
	});
	throwIfAborted(signal);
	return signed;
}

interface Payment {
	readonly outgoing: Outgoing;
	readonly reservation: Reservation;
	readonly price: bigint;
	readonly isWallet: boolean;
}

/** Sends what is paid for, and counts what that cost. */
async function settle({ address, exchange }: Order, payment: Payment): Promise<Bought> {
	const { outgoing, reservation, price, isWallet } = payment;
	const trace = newTrace();
	try {
		const answer = await exchange(outgoing, trace);
		if (!(answer instanceof Response)) assertShape(address, answer);
		// What a job costs is known at its end.
		if (address.kind !== "job") await reservation.count(chargedFor(answer, payment));
		return { answer, reservation, outgoing };
	} catch (error) {
		const charged = chargedAfter(error, trace, { isWallet, kind: address.kind });
		await reservation.count(charged ?? price);
		if (error instanceof ClientError) {
			error.chargedUsd = charged === undefined ? undefined : formatUsd(charged);
		}
		throw error;
	}
}

/** What left a wallet is gone, whatever the answer says of its price. */
function chargedFor(answer: Reply | Response, { price, isWallet }: Payment): bigint {
	const { headers } = answer;
	if (isWallet && isSettled(headers)) return price;
	return costOf(answer instanceof Response ? { headers, body: undefined } : answer) ?? price;
}

/** Micro-USD; undefined where no one told us. */
function chargedAfter(
	error: unknown,
	{ sent, isAnswered, isLost }: Trace,
	{ isWallet, kind }: { readonly isWallet: boolean; readonly kind: Address["kind"] },
): bigint | undefined {
	if (sent === 0) return 0n;
	if (isLost || !(error instanceof ClientError)) return undefined;
	if (error.code !== "ABORTED") return readUsd(error.chargedUsd);
	// A balance is not charged for a result whose caller leaves before it; streams and jobs go on without their caller.
	const isReleased = !isWallet && kind === "paid" && sent === 1 && !isAnswered;
	return isReleased ? 0n : undefined;
}

/** Throws INVALID_REPLY for an answer of another type than the operation's. */
export function assertShape({ isJson, id }: Address, { body, status }: Reply): void {
	if (!isJson || isRecord(body) || (body === undefined && status === 204)) return;
	throw invalidReply(`The server's answer to ${id} is no JSON object.`, { status });
}

function maxPriceOf({ maxPrice }: Shop, options: CallOptions): bigint | undefined {
	return options.maxPrice === undefined ? maxPrice : parseUsd(options.maxPrice, "maxPrice");
}

function assertPrice(price: bigint, max: bigint | undefined): void {
	if (max === undefined || price <= max) return;
	throw new ClientError(
		"PRICE_ABOVE_MAX",
		`This call costs ${formatUsd(price)} USD, more than the ${formatUsd(max)} USD that it may.`,
	);
}

/** A request that carries no payment costs nothing, whatever became of it. */
function nothingCharged(error: unknown): never {
	if (error instanceof ClientError) error.chargedUsd = "0.00";
	throw error;
}
