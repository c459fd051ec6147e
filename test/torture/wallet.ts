import type {
	Hex,
	SettlementTerms,
	TransferAuthorization,
} from "../../payments/onchain/facilitator.js";
import type { Payment } from "../../src/contract/credential.js";
import { SIM_TERMS, signatureOf } from "../support/sim-chain.js";
import type { Dice } from "./dice.js";

/** What a wallet signed once, in the envelope it was sent in. */
export interface Signed {
	readonly authorization: TransferAuthorization;
	readonly payment: Payment;
}

/** Where the callers accepts to buy; version 2 names it in its envelope. */
export const RESOURCE_URL = "http://sim.example/v1/sale";

const VALID_SECONDS = 300;

export function newAddress(dice: Dice): Hex {
	return `0x${Buffer.from(dice.bytes(20)).toString("hex")}`;
}

/** The wallet as its CAIP-10 account, which names its ledger accounts. */
export function ownerOf(address: Hex): string {
	return `${SIM_TERMS.network}:${address}`;
}

export function sign(
	dice: Dice,
	{ from, value, now }: { from: Hex; value: bigint; now: number },
): Signed {
	const unsigned = {
		from,
		to: SIM_TERMS.payTo,
		value,
		validAfter: 0,
		validBefore: Math.floor(now / 1_000) + dice.between(20, VALID_SECONDS),
		nonce: `0x${Buffer.from(dice.bytes(32)).toString("hex")}` as Hex,
	};
	const authorization = { ...unsigned, signature: signatureOf(unsigned) };
	return { authorization, payment: toPayment(authorization, dice.pick([1, 2])) };
}

/** The authorization in the envelope of either version. */
export function toPayment(
	{ signature, ...authorization }: TransferAuthorization,
	version: 1 | 2,
	{ terms = SIM_TERMS, url = RESOURCE_URL }: { terms?: SettlementTerms; url?: string } = {},
): Payment {
	const { network, asset, payTo } = terms;
	const { value, validAfter, validBefore } = authorization;
	const texts = {
		...authorization,
		value: String(value),
		validAfter: String(validAfter),
		validBefore: String(validBefore),
	};
	const inner = { signature, authorization: texts };
	const scheme = "exact";
	const payload =
		version === 1
			? { x402Version: 1, scheme, network: "base-sepolia", payload: inner }
			: {
					x402Version: 2,
					resource: { url },
					accepted: { scheme, network, amount: texts.value, asset, payTo },
					payload: inner,
				};
	return { scheme: "x402", version, payload };
}
