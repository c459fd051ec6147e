/** Ways to pay. A balance pays by who calls; a wallet answers a 402 with a payment for one call. */
import { invalidArgument } from "./errors.js";

/** What a server asks for in a 402. */
export interface PaymentDemand {
	readonly headers: Headers;
	/** Its JSON, of any shape. */
	readonly body: unknown;
}

/** A payment that a wallet is ready to make; nothing is signed yet. */
export interface PaymentOffer {
	/** What leaves the wallet, in micro-USD: what will be signed, whatever else the server says. */
	readonly amountMicros: bigint;
	/** Signs it, and gives the headers that carry it. Called once for a call at most. */
	sign(): Promise<Readonly<Record<string, string>>>;
}

/** Pays for calls; `spt`, `apiKey`, `x402` and `mpp` make some. */
export interface Payer {
	/** Headers that say who calls; they go with every request. */
	readonly identity: Readonly<Record<string, string>>;
	/** Of wallets: the payment to make for what is asked. Throws NO_ACCEPTABLE_OFFER. */
	readonly offer?: (demand: PaymentDemand) => PaymentOffer;
}

const PRINTABLE = /^[\x21-\x7e]+$/;

/** Pays from a Shared Payment Token (`spt_…`). */
export function spt(token: string): Payer {
	return ofHeader("X-Pay-SPT", token, "A Shared Payment Token");
}

/** Pays from the account of an API key (`sk_…`): free calls first, then its balance. */
export function apiKey(key: string): Payer {
	return ofHeader("X-API-Key", key, "An API key");
}

function ofHeader(name: string, secret: string, what: string): Payer {
	if (typeof secret === "string" && PRINTABLE.test(secret)) return { identity: { [name]: secret } };
	throw invalidArgument(`${what} is a text without spaces.`);
}
