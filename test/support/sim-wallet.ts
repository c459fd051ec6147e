import type { Hex, TransferAuthorization } from "../../payments/onchain/facilitator.js";
import { digest, type SimChain, signatureOf } from "./sim-chain.js";

export interface SignOptions {
	readonly value: bigint;
	readonly to?: Hex;
	/** Epoch seconds; now by default. */
	readonly validAfter?: number;
	/** Seconds from now. */
	readonly validForS?: number;
	readonly nonce?: Hex;
}

/** An agent's wallet on the simulated chain: it signs, it never sends. */
export interface SimWallet {
	readonly address: Hex;
	/** As receipts and ledger accounts name it. */
	readonly owner: string;
	sign(options: SignOptions): TransferAuthorization;
	/** Value of the PAYMENT-SIGNATURE header (x402 v2). */
	v2(authorization: TransferAuthorization, changes?: Readonly<Record<string, unknown>>): string;
	/** Value of the X-PAYMENT header (x402 v1). */
	v1(authorization: TransferAuthorization, changes?: Readonly<Record<string, unknown>>): string;
}

export function createSimWallet(
	chain: SimChain,
	{
		name,
		now,
		balance = 0n,
	}: { name: string /** Epoch milliseconds. */; now: () => number; balance?: bigint },
): SimWallet {
	const { terms } = chain;
	const address = digest(`wallet ${name}`).slice(0, 42) as Hex;
	let signed = 0;
	if (balance > 0n) chain.mint(address, balance);
	return {
		address,
		owner: `${terms.network}:${address}`,
		sign({ value, to = terms.payTo, validAfter, validForS = 300, nonce }) {
			signed += 1;
			const nowS = Math.floor(now() / 1_000);
			const unsigned = {
				from: address,
				to,
				value,
				validAfter: validAfter ?? nowS - 600,
				validBefore: nowS + validForS,
				nonce: nonce ?? digest(`nonce ${name} ${signed}`),
			};
			return { ...unsigned, signature: signatureOf(unsigned) };
		},
		v2: (authorization, changes) => encode(toV2Payload(chain, authorization, changes)),
		v1: (authorization, changes) => encode(toV1Payload(authorization, changes)),
	};
}

/** The x402 v2 payload of an authorization, as a client builds it from the challenge. */
export function toV2Payload(
	{ terms }: Pick<SimChain, "terms">,
	authorization: TransferAuthorization,
	changes: Readonly<Record<string, unknown>> = {},
) {
	return {
		x402Version: 2,
		accepted: {
			scheme: "exact",
			network: terms.network,
			amount: String(authorization.value),
			asset: terms.asset,
			payTo: terms.payTo,
			maxTimeoutSeconds: 300,
			extra: { name: terms.assetName, version: terms.assetVersion },
		},
		payload: toPayload(authorization),
		...changes,
	};
}

/** The x402 v1 payload of an authorization. */
export function toV1Payload(
	authorization: TransferAuthorization,
	changes: Readonly<Record<string, unknown>> = {},
) {
	return {
		x402Version: 1,
		scheme: "exact",
		network: "base-sepolia",
		payload: toPayload(authorization),
		...changes,
	};
}

function toPayload({ signature, ...authorization }: TransferAuthorization) {
	return {
		signature,
		authorization: {
			...authorization,
			value: String(authorization.value),
			validAfter: String(authorization.validAfter),
			validBefore: String(authorization.validBefore),
		},
	};
}

function encode(payload: object): string {
	return Buffer.from(JSON.stringify(payload)).toString("base64");
}
