import { type Continuation, PaymentRequired } from "../../payments/payments.js";
import type { ServiceError } from "../kernel/kernel.js";
import { type Meta, MPP, X402 } from "./payment-meta.js";

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
