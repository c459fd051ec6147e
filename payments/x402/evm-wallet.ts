import type { LocalAccount } from "viem";
import type { Clock } from "../../src/core/clock.js";
import { ServiceError } from "../../src/core/errors.js";
import { LIMITS } from "../../src/core/limits.js";
import { chainIdOf } from "./evm-assets.js";
import type { GetEvmClient } from "./evm-client.js";
import type { EvmRpc } from "./evm-rpc.js";
import type { Hex } from "./facilitator.js";

export interface EvmWalletDeps {
	readonly rpc: EvmRpc;
	readonly getClient: GetEvmClient;
	readonly network: string;
	readonly privateKey: Hex;
	readonly clock: Clock;
	/** How often a receipt is asked for. */
	readonly pollIntervalMs: number;
}

export interface ContractCall {
	readonly to: Hex;
	readonly data: Hex;
	/** Called with the hash of the signed transaction before it is sent. */
	readonly onSigned: (transactionHash: Hex) => Promise<void>;
}

export interface TransactionReceipt {
	readonly status: "success" | "reverted";
	readonly logs: readonly never[];
}

/** One key that sends transactions; shared by everything that sends with it, because their nonces are one sequence. */
export interface EvmWallet {
	address(): Promise<Hex>;
	/**
	 * Signs and sends; resolves with the hash once the node has taken it. Throws viem's error when the call would revert:
	 * then nothing was signed.
	 */
	send(call: ContractCall): Promise<Hex>;
	/** Waits until the transaction is in a block. Throws UPSTREAM when that takes longer than LIMITS.settleTimeoutMs. */
	receiptOf(hash: Hex): Promise<TransactionReceipt>;
}

/**
 * Transactions are numbered one after the other under a lock, and a number is used up only by a transaction the node took.
 * viem's nonce manager leaves a gap when a transaction fails before it is sent, and every later one waits behind it.
 */
export function createEvmWallet(deps: EvmWalletDeps): EvmWallet {
	const { getClient, privateKey, clock, pollIntervalMs } = deps;
	const getAccount = once(async () => {
		const { privateKeyToAccount } = await import("viem/accounts");
		return privateKeyToAccount(privateKey);
	});
	const sequence = createSequence(deps);
	return {
		address: async () => (await getAccount()).address,

		async send({ to, data, onSigned }) {
			const [client, account] = await Promise.all([getClient(), getAccount()]);
			const [gas, fees] = await Promise.all([
				client.estimateGas({ account: account.address, to, data }),
				client.estimateFeesPerGas(),
			]);
			const sign = (nonce: number) =>
				signTransaction(account, {
					chainId: chainIdOf(deps.network),
					type: "eip1559",
					to,
					data,
					nonce,
					// The state may have moved by the time it is mined.
					gas: (gas * 12n) / 10n,
					maxFeePerGas: fees.maxFeePerGas,
					maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
				});
			return sequence.next(account.address, sign, onSigned);
		},

		async receiptOf(hash) {
			const client = await getClient();
			const deadlineMs = clock.monotonicMs() + LIMITS.settleTimeoutMs;
			for (;;) {
				const receipt = await client.getTransactionReceipt({ hash }).catch(ignoreMissing);
				if (receipt) return receipt as unknown as TransactionReceipt;
				if (clock.monotonicMs() > deadlineMs) throw tooSlow(hash);
				await new Promise<void>((done) => {
					clock.after(pollIntervalMs, done);
				});
			}
		},
	};
}

type Sign = (nonce: number) => Promise<{ readonly raw: Hex; readonly hash: Hex }>;

/** Gives out nonces in order. */
function createSequence({ rpc }: EvmWalletDeps) {
	let last: Promise<unknown> = Promise.resolve();
	let nonce: number | undefined;

	const sendOne = async (address: Hex, sign: Sign, onSigned: ContractCall["onSigned"]) => {
		nonce ??= Number(await rpc.get("eth_getTransactionCount", [address, "pending"]));
		const { raw, hash } = await sign(nonce);
		await onSigned(hash);
		const reply = await rpc.ask("eth_sendRawTransaction", [raw]).catch((error: unknown) => {
			// The node may have taken it: ask again where the sequence stands before the next one.
			nonce = undefined;
			throw error;
		});
		if (reply.kind === "result") {
			nonce += 1;
			return { hash };
		}
		nonce = undefined;
		if (/already known|already imported/i.test(reply.message)) return { hash };
		return { refusal: reply.message };
	};

	/** Somebody else sent with this key, or the node forgot what it had: the second number is right. */
	const send = async (address: Hex, sign: Sign, onSigned: ContractCall["onSigned"]) => {
		const first = await sendOne(address, sign, onSigned);
		const isStale = /nonce|replacement|underpriced/i.test(first.refusal ?? "");
		const sent = isStale ? await sendOne(address, sign, onSigned) : first;
		if (sent.hash) return sent.hash;
		throw new ServiceError("UPSTREAM", `The chain did not take the transaction: ${sent.refusal}.`);
	};

	return {
		next(address: Hex, sign: Sign, onSigned: ContractCall["onSigned"]): Promise<Hex> {
			const sent = last.then(() => send(address, sign, onSigned));
			last = sent.catch(() => undefined);
			return sent;
		},
	};
}

async function signTransaction(
	account: LocalAccount,
	transaction: Parameters<LocalAccount["signTransaction"]>[0],
) {
	const { keccak256 } = await import("viem");
	const raw = await account.signTransaction(transaction);
	return { raw, hash: keccak256(raw) };
}

function ignoreMissing(error: unknown): undefined {
	if (error instanceof Error && error.name === "TransactionReceiptNotFoundError") return undefined;
	throw error;
}

function tooSlow(hash: Hex): ServiceError {
	return new ServiceError(
		"UPSTREAM",
		`The transaction ${hash} is in no block after ${LIMITS.settleTimeoutMs / 1_000} s.`,
	);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return () => {
		made ??= make();
		return made;
	};
}
