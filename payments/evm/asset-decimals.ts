import { ServiceError } from "../../src/kernel/kernel.js";
import type { Facilitator, Hex } from "../onchain/onchain.js";
import type { GetEvmClient } from "./evm-client.js";

const DECIMALS = [
	{
		type: "function",
		name: "decimals",
		stateMutability: "view",
		inputs: [],
		outputs: [{ name: "", type: "uint8" }],
	},
] as const;

/**
 * Amounts are counted in millionths of a dollar: before the first payment is verified the asset itself is asked whether
 * it counts so too. Payments in any other are refused, with UNAVAILABLE.
 */
export function requireSixDecimals(facilitator: Facilitator, getClient: GetEvmClient): Facilitator {
	let read: Promise<number> | undefined;
	const readDecimals = async (address: Hex) => {
		const client = await getClient();
		return client.readContract({ address, abi: DECIMALS, functionName: "decimals" });
	};
	const assertSix = async (asset: Hex) => {
		read ??= readDecimals(asset).catch((error: unknown) => {
			read = undefined;
			throw error;
		});
		const decimals = await read;
		if (decimals === 6) return;
		throw new ServiceError(
			"UNAVAILABLE",
			`The asset ${asset} has ${decimals} decimals, and payments are counted with 6: configure another one.`,
			{ retryable: false },
		);
	};
	return {
		...facilitator,
		async verify(terms, authorization) {
			await assertSix(terms.asset);
			return facilitator.verify(terms, authorization);
		},
	};
}
