/** Payments as calls carry them over this protocol, and what asks for them: in `_meta`, never in headers. */

import { type Continuation, PaymentRequired } from "../../payments/payments.js";
import {
	type Credential,
	LIMITS,
	type Payment,
	prepaidTokenOf,
	readPaymentCredential,
} from "../contract/contract.js";
import { type CallRates, createTokenBucket, toCredentialKey, toRateRefusal } from "../http/http.js";
import { type Clock, invalidArgument, ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import type { Exchange } from "./exchange.js";

/** Names of the x402 transport for this protocol (x402 v2, transports: MCP). */
const X402 = {
	required: "x402/payment-required",
	payment: "x402/payment",
	response: "x402/payment-response",
} as const;

/** Names of the "Payment" scheme in this protocol. */
const MPP = {
	required: "org.paymentauth/payment-required",
	credential: "org.paymentauth/credential",
	receipt: "org.paymentauth/receipt",
} as const;

export type Meta = Readonly<Record<string, unknown>>;

/** What pays for one call: a payment that settles on a chain, or a prepaid balance and so whose it is. */
export interface ShownPayment {
	readonly payment?: Payment;
	readonly credential?: Credential;
}

/**
 * The one payment in a call's `_meta`, decoded and not judged; undefined where none is. Throws INVALID_ARGUMENT for one
 * that cannot be read and for two at once.
 */
function readPayment(meta: Meta | undefined): ShownPayment | undefined {
	const x402 = meta?.[X402.payment];
	const mpp = meta?.[MPP.credential];
	if (x402 === undefined) return mpp === undefined ? undefined : fromMpp(mpp);
	if (mpp === undefined) return { payment: fromX402(x402) };
	throw invalidArgument(
		`The call carries two payments; send exactly one of "${X402.payment}" and "${MPP.credential}" in "_meta".`,
	);
}

function fromX402(payload: unknown): Payment {
	const version = (payload as { readonly x402Version?: unknown } | null)?.x402Version;
	if (version === 1 || version === 2) return { scheme: "x402", version, payload };
	throw invalidArgument(
		`"${X402.payment}" in "_meta" must be an x402 payment payload, a JSON object whose x402Version is 1 or 2.`,
	);
}

function fromMpp(value: unknown): ShownPayment {
	const payload = readPaymentCredential(value);
	if (!payload) {
		throw invalidArgument(
			`"${MPP.credential}" in "_meta" must be a credential of the "Payment" scheme, a JSON object with "challenge" and "payload".`,
		);
	}
	const token = prepaidTokenOf(payload);
	if (token === undefined) return { payment: { scheme: "mpp", payload } };
	return { credential: { scheme: "spt", token, challenge: payload.challenge } };
}

/** How the payment of a call ended, as each protocol reports it; undefined where nothing was paid for the call by itself. */
export function receiptMetaOf(headers: Readonly<Record<string, string>> = {}): Meta | undefined {
	const x402 = headers["PAYMENT-RESPONSE"] ?? headers["X-PAYMENT-RESPONSE"];
	const { "Payment-Receipt": mpp } = headers;
	if (x402 === undefined && mpp === undefined) return undefined;
	return {
		...(x402 !== undefined && { [X402.response]: decode(x402, "base64") }),
		...(mpp !== undefined && { [MPP.receipt]: decode(mpp, "base64url") }),
	};
}

function decode(header: string, encoding: "base64" | "base64url"): unknown {
	return JSON.parse(Buffer.from(header, encoding).toString("utf8"));
}

const PAYMENT_REQUIRED = 402;

/** A refusal that a payment in `_meta` can mend, in the words of each protocol that may mend it. */
export interface Demand {
	/** The x402 demand, which clients look for in the first text; undefined where nothing settles on a chain. */
	readonly x402: Meta | undefined;
	readonly meta: Meta;
}

/** Undefined for every other refusal. `failed` is what became of a payment the call came with. */
export function demandOf(error: ServiceError, failed: Meta | undefined): Demand | undefined {
	if (!(error instanceof PaymentRequired)) return undefined;
	const { offers } = error.challenge;
	const asked = offers.find(({ x402 }) => x402)?.x402;
	const x402 = asked && {
		...asked,
		error: error.message,
		...(failed?.[X402.response] !== undefined && { [X402.response]: failed[X402.response] }),
	};
	const challenges = offers.flatMap(({ mpp }) => mpp ?? []);
	return {
		x402,
		meta: {
			...(x402 && { [X402.required]: x402 }),
			...(challenges.length > 0 && {
				[MPP.required]: { httpStatus: PAYMENT_REQUIRED, challenges },
			}),
		},
	};
}

/**
 * The error envelope as it is true over this protocol: payments are named by their place in `_meta` instead of headers, and
 * ways of paying that this address does not take are left out.
 */
export function toToolEnvelope(body: Meta, takesPayments: boolean): Meta {
	// Version 1 of x402 is asked for in bodies of HTTP; here its payloads answer the demand of version 2.
	const { accepts: _, x402Version: _version, continuations, ...envelope } = body;
	if (!Array.isArray(continuations)) return envelope;
	const ways = continuations as readonly Continuation[];
	return {
		...envelope,
		continuations: ways.flatMap((way) => {
			const place = PLACES[way.type];
			if (place === undefined) return [way];
			if (!takesPayments) return [];
			return [place === BY_HEADER ? way : { ...withoutHeaders(way), ...place }];
		}),
	};
}

const BY_HEADER = "header";
/** Ways to pay that only some addresses take, and where the payment then stands. */
const PLACES: Readonly<Record<string, typeof BY_HEADER | Meta>> = {
	x402: {
		meta: X402.payment,
		instructions: `Sign an EIP-3009 transfer as "${X402.required}" asks and call the tool again with the payload in _meta["${X402.payment}"].`,
	},
	mpp: {
		meta: MPP.credential,
		instructions: `Answer the challenge "evm" of "${MPP.required}" with an EIP-3009 authorization and call the tool again with the credential in _meta["${MPP.credential}"].`,
	},
	spt: BY_HEADER,
};

function withoutHeaders({ header: _, alternative_header: __, ...way }: Continuation): Meta {
	return way;
}

/**
 * The payment of a call, counted before anybody judges it. Throws INVALID_ARGUMENT for one that cannot be read, or that
 * stands where none is taken: nothing runs then. Throws RATE_LIMITED when one address sends more than it could mean.
 */
export type PaymentGate = ReturnType<typeof createPaymentGate>;

export function createPaymentGate(clock: Clock, perMinute: number = LIMITS.paymentsPerMinute) {
	const keysMax = LIMITS.rateLimitedCallersMax;
	const takeFrom = createTokenBucket({ clock, perMinute, keysMax });
	return (exchange: Exchange, meta: Meta | undefined): ShownPayment | undefined => {
		if (meta?.[X402.payment] === undefined && meta?.[MPP.credential] === undefined)
			return undefined;
		if (!exchange.takesPayments) {
			throw invalidArgument(
				"This address takes no payments call by call, so this one was left alone and nothing was run; call again without it, and the account whose credential you showed pays.",
			);
		}
		const shown = readPayment(meta);
		takeFrom(exchange.address);
		if (shown?.credential && exchange.credential) {
			throw invalidArgument(
				`The call is paid with a prepaid token in "_meta", and its request shows another credential; send exactly one of them.`,
			);
		}
		return shown;
	};
}

/** Does the work that a prepaid token in `_meta` is to pay for. Throws what it throws, and RATE_LIMITED after too many guesses. */
export type TokenWatch = ReturnType<typeof createTokenWatch>;

/** Tokens in `_meta` are counted as those in headers are: a wrong one is a guess. */
export function createTokenWatch({
	callRates: { take, end },
	service,
}: {
	readonly callRates: Pick<CallRates, "take" | "end">;
	readonly service: Pick<Service, "identify">;
}) {
	return async <T>(
		{ address }: Pick<Exchange, "address">,
		token: Credential | undefined,
		work: () => Promise<T>,
	): Promise<T> => {
		if (!token) return work();
		const credentialKey = toCredentialKey(token);
		const caller = { address, credentialKey, isPolling: false, isInside: true };
		const levels = await take(caller, () => service.identify(token));
		const full = levels.find((level) => !level.isLetIn);
		if (full) throw toRateRefusal(full);
		try {
			return await work();
		} catch (error) {
			const isRefused = error instanceof ServiceError && error.code === "UNAUTHENTICATED";
			end(caller, { isRefused, hasLeft: false });
			throw error;
		}
	};
}
