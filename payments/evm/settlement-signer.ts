import type { FacilitatorEvmSigner } from "@x402/evm";
import { LIMITS } from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import type { Hex, SettleOptions } from "../onchain/onchain.js";
import { type GetEvmClient, isRevert } from "./evm-client.js";
import type { EvmWallet } from "./evm-wallet.js";

export interface SettlementSignerDeps extends Partial<SettleOptions> {
	readonly getClient: GetEvmClient;
	readonly wallet: EvmWallet;
}

/** What @x402/evm works with for one payment, and what it does not tell: whether the chain was read, what was signed. */
export interface SettlementSigner extends FacilitatorEvmSigner {
	/** Throws UPSTREAM when any of its questions went unanswered. */
	throwIfUnread(): void;
	/** True when any of its questions went unanswered. */
	isUnread(): boolean;
	/** Hash of the transaction that was signed, and perhaps sent. */
	signedHash(): Hex | undefined;
}

export async function createSettlementSigner(
	deps: SettlementSignerDeps,
): Promise<SettlementSigner> {
	const { wallet, onBroadcast } = deps;
	const [client, address, { encodeFunctionData, concatHex }] = await Promise.all([
		deps.getClient(),
		wallet.address(),
		import("viem"),
	]);
	let unread: unknown;
	let signedHash: Hex | undefined;
	const note = (error: unknown): never => {
		if (!isRevert(error)) unread ??= error;
		throw error;
	};
	const noteCode = (error: unknown): undefined => {
		unread ??= error;
	};
	/** Asked for several times in one verification. */
	const codes = new Map<Hex, Promise<Hex | undefined>>();
	return {
		getAddresses: () => [address],
		// A payer's contract is asked about its signature: no more of the node's time than we would pay for.
		readContract: (args) =>
			client.readContract({ ...args, gas: LIMITS.settleGasMax } as typeof args).catch(note),
		verifyTypedData: (args) => client.verifyTypedData(args as never).catch(note),
		// It must not reject: @x402/evm asks for the asset's code in the background and may never look at the answer.
		getCode({ address: asked }) {
			const code = codes.get(asked) ?? client.getCode({ address: asked }).catch(noteCode);
			codes.set(asked, code);
			return code;
		},

		async writeContract({ address: to, abi, functionName, args, dataSuffix }) {
			const call = encodeFunctionData({ abi, functionName, args: [...args] });
			const data = dataSuffix ? concatHex([call, dataSuffix]) : call;
			const onSigned = async (hash: Hex) => {
				await onBroadcast?.(hash);
				signedHash = hash;
			};
			return wallet.send({ to, data, onSigned }).catch(note);
		},

		sendTransaction() {
			// Wallets that do not exist yet are not deployed at our expense.
			throw new ServiceError("PAYMENT_REJECTED", "The wallet's contract is not deployed yet.");
		},

		waitForTransactionReceipt: ({ hash }) => wallet.receiptOf(hash),

		throwIfUnread() {
			if (unread === undefined) return;
			throw new ServiceError("UPSTREAM", "The chain cannot be read just now; pay again shortly.", {
				cause: unread,
			});
		},
		isUnread: () => unread !== undefined,
		signedHash: () => signedHash,
	};
}
