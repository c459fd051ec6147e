import { ServiceError } from "../../src/kernel/kernel.js";
import type { Hex, SettleOutcome, Treasury } from "../onchain/onchain.js";
import { loadTokenAbi } from "./evm-client.js";
import type { EvmWallet } from "./evm-wallet.js";
import { toRefusal } from "./exact-payload.js";

/** Pays back from the address that was paid. Throws UNAVAILABLE when the key at hand is another's. */
export function createTreasury({
	wallet,
	payTo,
}: {
	readonly wallet: EvmWallet;
	/** Address that payments go to, and that refunds come from. */
	readonly payTo: Hex;
}): Treasury {
	return {
		address: payTo,
		async transfer(terms, to, value, { onBroadcast, earlier }) {
			const address = await wallet.address();
			if (address.toLowerCase() !== payTo.toLowerCase()) throw notOurs(payTo);
			const { encodeFunctionData } = await import("viem");
			const data = encodeFunctionData({
				abi: await loadTokenAbi(),
				functionName: "transfer",
				args: [to, value],
			});
			let signed: Hex | undefined;
			const onSigned = async (hash: Hex, nonce: number) => {
				await onBroadcast(hash, nonce);
				signed = hash;
			};
			try {
				const call = { to: terms.asset, data, onSigned, replaces: earlier };
				const transactionHash = await wallet.send(call);
				const { status } = await wallet.receiptOf(transactionHash);
				if (status !== "success") return toRefusal("settlement_failed");
				const facts = { transactionHash, network: terms.network, payer: payTo };
				return { kind: "settled", ...facts, amount: String(value) };
			} catch (error) {
				if (signed) return unknown(signed);
				if (isShort(error)) return toRefusal("insufficient_funds");
				throw error;
			}
		},
	};
}

function unknown(transactionHash: Hex): SettleOutcome {
	const message = "The refund was sent, and whether it was carried out is not known yet.";
	return { kind: "unknown", message, transactionHash };
}

function isShort(error: unknown): boolean {
	return error instanceof Error && /exceeds balance/.test(error.message);
}

function notOurs(payTo: Hex): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`Refunds come from ${payTo}, and the key in <data>/keys/settler-key is another's; send this refund from your own wallet.`,
		{ retryable: false },
	);
}
