import type { LocalAccount } from "viem";
import { LIMITS } from "../../src/contract/contract.js";
import { type Clock, ServiceError, unavailable } from "../../src/kernel/kernel.js";
import {
	chainIdOf,
	type EarlierTransfers,
	type Hex,
	type SettleOutcome,
	type Treasury,
} from "../onchain/onchain.js";
import {
	type EvmRpc,
	type GetEvmClient,
	isOutOfGas,
	loadTokenAbi,
	TooMuchGas,
} from "./evm-client.js";
import { toRefusal } from "./exact-payload.js";
import type { SendingTurns } from "./sending-turns.js";

interface EvmWalletDeps {
	readonly rpc: EvmRpc;
	readonly getClient: GetEvmClient;
	readonly network: string;
	readonly privateKey: Hex;
	readonly clock: Clock;
	/** How often a receipt is asked for. */
	readonly pollIntervalMs: number;
	/** Of all that send with the key; by default this process alone does. */
	readonly turns?: SendingTurns | undefined;
}

interface ContractCall {
	readonly to: Hex;
	readonly data: Hex;
	/** Called with the hash of the signed transaction before it is sent, and with its nonce. */
	readonly onSigned: (transactionHash: Hex, nonce: number) => Promise<void>;
	/** Earlier transactions for the same purpose: at most one of them and this one is carried out. */
	readonly replaces?: EarlierTransfers | undefined;
}

interface TransactionReceipt {
	readonly status: "success" | "reverted";
	readonly logs: readonly never[];
}

export type EvmWallet = ReturnType<typeof createEvmWallet>;

/** One key that sends transactions; shared by everything that sends with it, because their nonces are one sequence. */
export function createEvmWallet(deps: EvmWalletDeps) {
	const { getClient, privateKey, clock, pollIntervalMs } = deps;
	const getAccount = once(async () => {
		const { privateKeyToAccount } = await import("viem/accounts");
		return privateKeyToAccount(privateKey);
	});
	const sequence = createNonceSequence(deps.rpc, deps.turns);
	return {
		address: async (): Promise<Hex> => (await getAccount()).address,

		/** Resolves with the hash once the node accepted it, or of a replaced one that was executed. Throws TooMuchGas or viem's revert error before signing. */
		async send({ to, data, onSigned, replaces }: ContractCall): Promise<Hex> {
			const [client, account] = await Promise.all([getClient(), getAccount()]);
			const end = replaces && (await findEnd(deps, account.address, replaces));
			if (end?.hash) return end.hash;
			const [gas, current] = await Promise.all([
				client.estimateGas({ account: account.address, to, data }).catch(orTooMuch),
				client.estimateFeesPerGas(),
			]);
			if (gas > LIMITS.settleGasMax) throw new TooMuchGas();
			const replaced = end?.isOver === false ? replaces : undefined;
			const fees = replaced ? await outbid(deps.rpc, current, replaced) : current;
			const sign = (nonce: number) =>
				signTransaction(account, {
					chainId: chainIdOf(deps.network),
					type: "eip1559",
					to,
					data,
					nonce,
					// The state may have moved by the time it is mined.
					gas: atMost(LIMITS.settleGasMax, (gas * 12n) / 10n),
					maxFeePerGas: fees.maxFeePerGas,
					maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
				});
			return sequence.send({ address: account.address, sign, onSigned, nonce: replaced?.nonce });
		},

		/** Waits until the transaction is in a block, and sends it again when the node drops it. Throws UPSTREAM when that takes longer than LIMITS.settleTimeoutMs. */
		async receiptOf(hash: Hex): Promise<TransactionReceipt> {
			const client = await getClient();
			const deadlineMs = clock.monotonicMs() + LIMITS.settleTimeoutMs;
			for (let looks = 1; ; looks += 1) {
				const receipt = await client.getTransactionReceipt({ hash }).catch(ignoreMissing);
				if (receipt) {
					sequence.forget(hash, "mined");
					return receipt as unknown as TransactionReceipt;
				}
				if (clock.monotonicMs() > deadlineMs) {
					sequence.forget(hash, "lost");
					throw tooSlow(hash);
				}
				if (looks % LOOKS_PER_RESEND === 0) await sequence.resend(hash);
				await new Promise<void>((done) => {
					clock.after(pollIntervalMs, done);
				});
			}
		},
	};
}

/** Nodes drop what waits for long; asked for less often than the receipt. */
const LOOKS_PER_RESEND = 5;

function orTooMuch(error: unknown): never {
	throw isOutOfGas(error) ? new TooMuchGas() : error;
}

function atMost(most: bigint, value: bigint): bigint {
	return value < most ? value : most;
}

/** Where one of these was carried out, it is the one; where their nonce went to another, they never will be. */
async function findEnd(
	{ rpc, getClient }: EvmWalletDeps,
	address: Hex,
	{ hashes, nonce }: EarlierTransfers,
): Promise<{ readonly isOver: boolean; readonly hash?: Hex }> {
	const used = Number(await rpc.get("eth_getTransactionCount", [address, "latest"]));
	if (used <= nonce) return { isOver: false };
	const client = await getClient();
	for (const hash of hashes as readonly Hex[]) {
		const receipt = await client.getTransactionReceipt({ hash }).catch(ignoreMissing);
		if (receipt?.status === "success") return { isOver: true, hash };
	}
	return { isOver: true };
}

/** A node takes a second transaction of the same nonce only for a higher fee: a tenth more at most of them. */
async function outbid(rpc: EvmRpc, fees: Fees, { hashes }: EarlierTransfers): Promise<Fees> {
	let { maxFeePerGas, maxPriorityFeePerGas } = fees;
	for (const hash of hashes) {
		const sent = (await rpc.get("eth_getTransactionByHash", [hash])) as Record<
			string,
			string
		> | null;
		const more = (name: string) => (BigInt(sent?.[name] ?? 0) * 5n) / 4n;
		if (more("maxFeePerGas") > maxFeePerGas) maxFeePerGas = more("maxFeePerGas");
		const priority = more("maxPriorityFeePerGas");
		if (priority > maxPriorityFeePerGas) maxPriorityFeePerGas = priority;
	}
	return { maxFeePerGas, maxPriorityFeePerGas };
}

interface Fees {
	readonly maxFeePerGas: bigint;
	readonly maxPriorityFeePerGas: bigint;
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

interface Sending {
	readonly address: Hex;
	readonly sign: (nonce: number) => ReturnType<typeof signTransaction>;
	/** Called before the transaction is sent. */
	readonly onSigned: (hash: Hex, nonce: number) => Promise<void>;
	/** This nonce and no other: whatever was sent with it before can then not be carried out as well. */
	readonly nonce?: number | undefined;
}

/**
 * The transactions of one key, numbered one after the other; a number is used up only by one that the node took. Under a
 * lock; viem's nonce manager leaves a gap when a transaction fails before it is sent.
 */
function createNonceSequence(rpc: EvmRpc, turns?: SendingTurns) {
	let last: Promise<unknown> = Promise.resolve();
	let following: number | undefined;
	const waiting = new Map<Hex, Hex>();

	const isKnown = async (hash: Hex) => Boolean(await rpc.get("eth_getTransactionByHash", [hash]));

	const sendOne = async ({ address, sign, onSigned, nonce: fixed }: Sending) => {
		following ??= Number(await rpc.get("eth_getTransactionCount", [address, "pending"]));
		const nonce = fixed ?? following;
		const { raw, hash } = await sign(nonce);
		await onSigned(hash, nonce);
		waiting.set(hash, raw);
		const reply = await rpc.ask("eth_sendRawTransaction", [raw]).catch((error: unknown) => {
			// The node may have taken it: ask again where the sequence stands before the next one.
			following = undefined;
			throw error;
		});
		if (reply.kind === "result") {
			following = fixed === undefined ? nonce + 1 : undefined;
			return { hash };
		}
		following = undefined;
		const isOurs = /already known|already imported/i.test(reply.message) || (await isKnown(hash));
		if (isOurs) return { hash };
		waiting.delete(hash);
		return { hash, refusal: reply.message };
	};

	/** Another process sent with this key, or the node dropped its pool: the second nonce is right. */
	const send = async (sending: Sending) => {
		const first = await sendOne(sending);
		const isStale = /nonce|replacement|underpriced/i.test(first.refusal ?? "");
		const sent = isStale && sending.nonce === undefined ? await sendOne(sending) : first;
		if (sent.refusal === undefined) return sent.hash;
		throw new ServiceError("UPSTREAM", `The chain did not take the transaction: ${sent.refusal}.`);
	};

	return {
		/** Throws UPSTREAM when the node does not take it. */
		send(sending: Sending): Promise<Hex> {
			// Its wait counts from here, behind others of this process as well.
			const deadlineMs = turns?.deadlineMs() ?? 0;
			const sent = last.then(() => {
				if (!turns?.isShared) return send(sending);
				return turns.take(sending.address, deadlineMs, () => {
					following = undefined;
					return send(sending);
				});
			});
			last = sent.catch(() => undefined);
			return sent;
		},
		/** Sends the same bytes again where the node has dropped them. */
		async resend(hash: Hex): Promise<void> {
			const raw = waiting.get(hash);
			if (raw === undefined || (await isKnown(hash))) return;
			await rpc.ask("eth_sendRawTransaction", [raw]);
		},
		/** What was sent is at an end, or is no longer waited for; then the node says where the sequence stands. */
		forget(hash: Hex, how: "mined" | "lost"): void {
			waiting.delete(hash);
			// Later transactions would wait behind a nonce gap.
			if (how === "lost") following = undefined;
		},
	};
}

/** Pays back from the address that was paid, `payTo`. Throws UNAVAILABLE when the key at hand is another's. */
export function createTreasury({ wallet, payTo }: { wallet: EvmWallet; payTo: Hex }): Treasury {
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
				if (signed) return unknownOutcome(signed);
				if (isShort(error)) return toRefusal("insufficient_funds");
				throw error;
			}
		},
	};
}

function unknownOutcome(transactionHash: Hex): SettleOutcome {
	const message = "The refund was sent, and whether it was carried out is not known yet.";
	return { kind: "unknown", message, transactionHash };
}

function isShort(error: unknown): boolean {
	return error instanceof Error && /exceeds balance/.test(error.message);
}

function notOurs(payTo: Hex): ServiceError {
	return unavailable(
		`Refunds come from ${payTo}, and the key in <data>/keys/settler-key is another's; send this refund from your own wallet.`,
		{ retryable: false },
	);
}
