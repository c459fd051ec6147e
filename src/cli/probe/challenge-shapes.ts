import { z } from "zod";
import { fromV1Network } from "../../../payments/onchain/onchain.js";

/** What x402 clients can parse; where the protocol leaves room, so do we. Source: x402 specifications, versions 1 and 2. */

const CAIP2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;
const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SOLANA_V1: ReadonlySet<string> = new Set(["solana", "solana-devnet"]);

const atomicAmount = z.string().regex(/^\d{1,78}$/, "is no whole number of atomic units");
const extra = z.record(z.string(), z.unknown()).nullish();
const common = {
	scheme: z.string().min(1),
	asset: z.string().min(1),
	payTo: z.string().min(1),
	maxTimeoutSeconds: z.number().positive(),
	extra,
};

export const challengeV2 = z.looseObject({
	x402Version: z.literal(2),
	error: z.string().nullish(),
	resource: z.looseObject({ url: z.string().min(1) }),
	accepts: z
		.array(
			z.looseObject({
				...common,
				network: z.string().regex(CAIP2, "is not in CAIP-2 form"),
				amount: atomicAmount,
			}),
		)
		.min(1),
});

export const challengeV1 = z.looseObject({
	x402Version: z.literal(1),
	accepts: z
		.array(
			z.looseObject({
				...common,
				network: z.string().refine(isV1Network, "is no network that version 1 clients know"),
				maxAmountRequired: atomicAmount,
				resource: z.string().min(1),
				description: z.string(),
			}),
		)
		.min(1),
});

/** One payment requirement of either version, in the words of version 2. */
export interface Requirement {
	readonly version: 1 | 2;
	/** CAIP-2 where it is known. */
	readonly network: string;
	readonly amount: string;
	readonly asset: string;
	readonly payTo: string;
	/** Name of the asset, where told. */
	readonly assetName: string | undefined;
}

export function toRequirements(
	challenge: z.infer<typeof challengeV1> | z.infer<typeof challengeV2>,
): readonly Requirement[] {
	const { x402Version: version, accepts } = challenge;
	return accepts.map((entry) => {
		const { network, asset, payTo } = entry;
		const name = entry.extra?.["name"];
		return {
			version: version === 1 ? 1 : 2,
			network: version === 1 ? (fromV1Network(network) ?? network) : network,
			amount: String(entry[version === 1 ? "maxAmountRequired" : "amount"]),
			asset,
			payTo,
			assetName: typeof name === "string" ? name : undefined,
		};
	});
}

/** Whether an address can be one of the network; networks we do not know are not judged. */
export function isAddressOf(network: string, address: string): boolean {
	if (network.startsWith("eip155:")) return EVM_ADDRESS.test(address) && !/^0x0+$/.test(address);
	if (network.startsWith("solana")) return BASE58_ADDRESS.test(address);
	return true;
}

function isV1Network(name: string): boolean {
	return fromV1Network(name) !== undefined || SOLANA_V1.has(name);
}
