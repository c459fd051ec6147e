import { toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Hex, SettlementTerms } from "../../payments/onchain/facilitator.js";
import type { OpenedOnchain } from "../../src/app/onchain.js";
import type { Purse } from "./book.js";
import { type Signed, toPayment } from "./wallet.js";

/** A wallet with a real key and money on the local chain. */
export interface PayingAccount {
	readonly purse: Purse;
	sign(options: { readonly value: bigint; readonly url: string }): Promise<Signed>;
}

const EACH_MICROS = 5_000_000_000n;
const VALID_SECONDS = 120;
const TRANSFER = {
	TransferWithAuthorization: [
		{ name: "from", type: "address" },
		{ name: "to", type: "address" },
		{ name: "value", type: "uint256" },
		{ name: "validAfter", type: "uint256" },
		{ name: "validBefore", type: "uint256" },
		{ name: "nonce", type: "bytes32" },
	],
} as const;
const MINT = "0x40c10f19";

export async function newAccounts(
	{ terms, demoWallet }: OpenedOnchain,
	count: number,
): Promise<readonly PayingAccount[]> {
	const accounts = Array.from({ length: count }, () => newAccount(terms));
	for (const { purse } of accounts) {
		await mint(demoWallet?.rpc_url ?? "", terms, purse.address ?? "0x");
	}
	return accounts;
}

function newAccount(terms: SettlementTerms): PayingAccount {
	const account = privateKeyToAccount(generatePrivateKey());
	const address = account.address.toLowerCase() as Hex;
	const owner = `${terms.network}:${address}`;
	const [, chainId] = terms.network.split(":");
	const domain = {
		name: terms.assetName,
		version: terms.assetVersion,
		chainId: Number(chainId),
		verifyingContract: terms.asset,
	};
	return {
		purse: { owner, rail: "x402", credential: undefined, address, creditedMicros: 0n },
		async sign({ value, url }) {
			const validBefore = Math.floor(Date.now() / 1_000) + VALID_SECONDS;
			const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)));
			const message = { from: address, to: terms.payTo, value, validAfter: 0, validBefore, nonce };
			const signature = await account.signTypedData({
				domain,
				types: TRANSFER,
				primaryType: "TransferWithAuthorization",
				message: { ...message, validAfter: 0n, validBefore: BigInt(validBefore) },
			});
			const authorization = { ...message, signature };
			return { authorization, payment: toPayment(authorization, 2, { terms, url }) };
		},
	};
}

/** The chain's first account may mint. */
async function mint(rpcUrl: string, { asset }: SettlementTerms, address: Hex): Promise<void> {
	const call = async (method: string, params: readonly unknown[]) => {
		const response = await fetch(rpcUrl, {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
		});
		const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
		if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
		return result;
	};
	const word = (value: bigint) => value.toString(16).padStart(64, "0");
	const [minter] = (await call("eth_accounts", [])) as string[];
	const data = `${MINT}${word(BigInt(address))}${word(EACH_MICROS)}`;
	await call("eth_sendTransaction", [{ from: minter, to: asset, data, gas: "0x30d40" }]);
}
