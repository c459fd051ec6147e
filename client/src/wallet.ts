/** Payers that sign a transfer (EIP-3009) for each call: x402 version 2, and MPP's evm charge. The wallet needs no coins for fees. */
import { keccak256, stringToHex } from "viem";
import { ClientError } from "./errors.js";
import type { Payer, PaymentDemand, PaymentOffer } from "./payers.js";
import {
	continuationsOf,
	decodeBase64Json,
	encodeBase64Json,
	isRecord,
	recordIn,
} from "./reply.js";

/** What signs: an account of viem, or a wallet client that has one. */
export type Wallet =
	| TypedDataSigner
	| {
			readonly account?: { readonly address: string } | undefined;
			signTypedData(data: never): Promise<string>;
	  };

interface TypedDataSigner {
	readonly address: string;
	signTypedData(data: never): Promise<string>;
}

/** A token in which amounts may be paid. It must be worth a US dollar and have six decimals. */
export interface PayableAsset {
	/** CAIP-2, e.g. `eip155:8453`. */
	readonly network: string;
	/** Address of its contract. */
	readonly asset: string;
}

export interface WalletOptions {
	/** Tokens that may be paid in; USDC on the larger networks by default. */
	readonly assets?: readonly PayableAsset[];
	/** Epoch milliseconds. */
	readonly now?: () => number;
}

/** USDC of Circle, by network. Any other token could have another worth or other decimals than the server says. */
const USDC: readonly PayableAsset[] = [
	{ network: "eip155:1", asset: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" },
	{ network: "eip155:8453", asset: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" },
	{ network: "eip155:84532", asset: "0x036cbd53842c5426634e7929541ec2318f3dcf7e" },
	{ network: "eip155:43114", asset: "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e" },
	{ network: "eip155:137", asset: "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359" },
	{ network: "eip155:42161", asset: "0xaf88d065e77c8cc2239327c5edb3a432268e5831" },
	{ network: "eip155:143", asset: "0x754704bc059f8c67012fed69bc8a327a5aafb603" },
	{ network: "eip155:42220", asset: "0xceba9300f2b948710d2653dd7b07f33a8b32118c" },
	{ network: "eip155:1329", asset: "0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392" },
];

/** No signature is good for longer, whatever the server asks for. */
const VALID_S_MOST = 600;
/** Clocks differ: it is valid from a moment ago. */
const VALID_SINCE_S = 600;

/** What one transfer moves, as the server asks for it and the token's contract reads it. */
interface Terms extends PayableAsset {
	readonly amount: bigint;
	readonly payTo: string;
	readonly name: string;
	readonly version: string;
}

interface Window {
	readonly nonce: string;
	/** Epoch seconds. */
	readonly validAfter: number;
	readonly validBefore: number;
}

/** Pays by x402, version 2. */
export function x402(wallet: Wallet, { assets = USDC, now = Date.now }: WalletOptions = {}): Payer {
	return {
		identity: {},
		offer(demand) {
			const required = decodeBase64Json(demand.headers.get("PAYMENT-REQUIRED"));
			const all =
				isRecord(required) && Array.isArray(required["accepts"]) ? required["accepts"] : [];
			const accepted = all.filter(isRecord).find((one) => {
				const terms = readAccepted(one);
				return terms !== undefined && isPayable(assets, terms);
			});
			const terms = accepted && readAccepted(accepted);
			if (!accepted || !terms) throw notAcceptable("x402", demand);
			const seconds = Number(accepted["maxTimeoutSeconds"]);
			return toOffer(terms, async () => {
				const nowS = Math.floor(now() / 1_000);
				const validForS = Math.min(VALID_S_MOST, seconds > 0 ? seconds : VALID_S_MOST);
				const window = {
					nonce: randomNonce(),
					validAfter: nowS - VALID_SINCE_S,
					validBefore: nowS + validForS,
				};
				const payload = await signTransfer(wallet, terms, window);
				const { resource } = required as { readonly resource?: unknown };
				return {
					"PAYMENT-SIGNATURE": encodeBase64Json({ x402Version: 2, resource, accepted, payload }),
				};
			});
		},
	};
}

function readAccepted(accepted: Readonly<Record<string, unknown>>): Terms | undefined {
	const { scheme, network, asset, amount, payTo } = accepted;
	const { name, version } = recordIn(accepted, "extra");
	return scheme === "exact" ? toTerms({ network, asset, amount, payTo, name, version }) : undefined;
}

/** Pays by MPP (`Authorization: Payment`), method evm. */
export function mpp(wallet: Wallet, { assets = USDC, now = Date.now }: WalletOptions = {}): Payer {
	return {
		identity: {},
		offer(demand) {
			for (const challenge of readChallenges(demand.headers.get("WWW-Authenticate") ?? "")) {
				const terms = readCharge(challenge, demand);
				if (terms && isPayable(assets, terms))
					return chargeOffer(wallet, { challenge, terms, now });
			}
			throw notAcceptable("mpp", demand);
		},
	};
}

type Challenge = Readonly<Record<string, string>>;

function chargeOffer(
	wallet: Wallet,
	{ challenge, terms, now }: { challenge: Challenge; terms: Terms; now: () => number },
): PaymentOffer {
	return toOffer(terms, async () => {
		const expiresS = Math.floor(Date.parse(challenge["expires"] ?? "") / 1_000);
		const mostS = Math.floor(now() / 1_000) + VALID_S_MOST;
		// The nonce binds the payment to this challenge, and so to this one call.
		const nonce = keccak256(stringToHex(`${challenge["id"]}${challenge["realm"]}`));
		const validBefore = Number.isNaN(expiresS) ? mostS : Math.min(expiresS, mostS);
		const { signature, authorization } = await signTransfer(wallet, terms, {
			nonce,
			validAfter: 0,
			validBefore,
		});
		const credential = {
			challenge,
			payload: { type: "authorization", signature, ...authorization },
			source: `did:pkh:${terms.network}:${authorization.from}`,
		};
		const encoded = encodeBase64Json(credential);
		return {
			Authorization: `Payment ${encoded.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`,
		};
	});
}

const CHALLENGE = /(?:^|,)\s*Payment\s+((?:[\w-]+="(?:[^"\\]|\\.)*"(?:\s*,\s*(?=[\w-]+="))?)+)/gi;
const PARAMETER = /([\w-]+)="((?:[^"\\]|\\.)*)"/g;

/** The members of the scheme "Payment" in a list of challenges. */
function readChallenges(header: string): readonly Challenge[] {
	return [...header.matchAll(CHALLENGE)].map(([, parameters = ""]) =>
		Object.fromEntries(
			[...parameters.matchAll(PARAMETER)].map(([, name = "", value = ""]) => [
				name,
				value.replace(/\\(.)/g, "$1"),
			]),
		),
	);
}

/** The challenge does not say what the token's signatures are made over; the answer's body does. */
function readCharge(challenge: Challenge, { body }: PaymentDemand): Terms | undefined {
	const request = decodeBase64Json(challenge["request"]);
	if (challenge["method"] !== "evm" || challenge["intent"] !== "charge" || !isRecord(request))
		return undefined;
	const details = recordIn(request, "methodDetails");
	const stated = continuationsOf(body).find(({ type }) => type === "mpp") ?? {};
	return toTerms({
		network: `eip155:${details["chainId"]}`,
		asset: request["currency"],
		amount: request["amount"],
		payTo: request["recipient"],
		name: (stated as Record<string, unknown>)["asset_name"],
		version: (stated as Record<string, unknown>)["asset_version"],
	});
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Undefined where a field is not what it must be: what is signed is what was checked. */
function toTerms(fields: Readonly<Record<keyof Terms, unknown>>): Terms | undefined {
	const { network, asset, amount, payTo, name, version } = fields;
	const texts = [network, asset, amount, payTo, name, version];
	if (!texts.every((text) => typeof text === "string")) return undefined;
	const isGood =
		/^eip155:\d{1,15}$/.test(String(network)) &&
		ADDRESS.test(String(asset)) &&
		ADDRESS.test(String(payTo)) &&
		/^\d{1,30}$/.test(String(amount));
	return isGood ? ({ ...fields, amount: BigInt(String(amount)) } as Terms) : undefined;
}

function isPayable(assets: readonly PayableAsset[], { network, asset }: PayableAsset): boolean {
	return assets.some(
		(one) => one.network === network && one.asset.toLowerCase() === asset.toLowerCase(),
	);
}

/** Of a token with six decimals a unit is a micro-USD. */
function toOffer({ amount }: Terms, sign: PaymentOffer["sign"]): PaymentOffer {
	return { amountMicros: amount, sign };
}

const TYPES = {
	TransferWithAuthorization: [
		{ name: "from", type: "address" },
		{ name: "to", type: "address" },
		{ name: "value", type: "uint256" },
		{ name: "validAfter", type: "uint256" },
		{ name: "validBefore", type: "uint256" },
		{ name: "nonce", type: "bytes32" },
	],
};

async function signTransfer(
	wallet: Wallet,
	terms: Terms,
	{ nonce, validAfter, validBefore }: Window,
) {
	const from = "address" in wallet ? wallet.address : wallet.account?.address;
	if (from === undefined) throw new TypeError("The wallet client has no account.");
	const { network, asset, amount, payTo, name, version } = terms;
	const [chainId, window] = [Number(network.slice("eip155:".length)), [validAfter, validBefore]];
	const [after, before] = window.map(BigInt);
	const data = {
		domain: { name, version, chainId, verifyingContract: asset },
		types: TYPES,
		primaryType: "TransferWithAuthorization",
		message: { from, to: payTo, value: amount, validAfter: after, validBefore: before, nonce },
	};
	const signature = await wallet.signTypedData(data as never);
	return {
		signature,
		authorization: {
			from,
			to: payTo,
			value: String(amount),
			validAfter: String(validAfter),
			validBefore: String(validBefore),
			nonce,
		},
	};
}

function randomNonce(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(32));
	return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function notAcceptable(rail: string, { body }: PaymentDemand): ClientError {
	return new ClientError(
		"NO_ACCEPTABLE_OFFER",
		`The server asks for no payment by ${rail} in a token that this payer may pay in; name it in "assets" if it is one.`,
		{ status: 402, continuations: continuationsOf(body) },
	);
}
