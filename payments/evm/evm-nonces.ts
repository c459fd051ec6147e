import { ServiceError } from "../../src/kernel/kernel.js";
import type { Hex } from "../onchain/onchain.js";
import type { EvmRpc } from "./evm-rpc.js";

export interface SignedTransaction {
	readonly raw: Hex;
	readonly hash: Hex;
}

export interface Sending {
	readonly address: Hex;
	readonly sign: (nonce: number) => Promise<SignedTransaction>;
	/** Called before the transaction is sent. */
	readonly onSigned: (hash: Hex, nonce: number) => Promise<void>;
	/** This nonce and no other: whatever was sent with it before can then not be carried out as well. */
	readonly nonce?: number | undefined;
}

/** The transactions of one key, numbered one after the other; a number is used up only by one that the node took. */
export interface NonceSequence {
	/** Throws UPSTREAM when the node does not take it. */
	send(sending: Sending): Promise<Hex>;
	/** Sends the same bytes again where the node has dropped them. */
	resend(hash: Hex): Promise<void>;
	/** What was sent is at an end, or is no longer waited for; then the node says where the sequence stands. */
	forget(hash: Hex, how: "mined" | "lost"): void;
}

/** Under a lock. viem's nonce manager leaves a gap when a transaction fails before it is sent. */
export function createNonceSequence(rpc: EvmRpc): NonceSequence {
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

	/** Somebody else sent with this key, or the node forgot what it had: the second number is right. */
	const send = async (sending: Sending) => {
		const first = await sendOne(sending);
		const isStale = /nonce|replacement|underpriced/i.test(first.refusal ?? "");
		const sent = isStale && sending.nonce === undefined ? await sendOne(sending) : first;
		if (sent.refusal === undefined) return sent.hash;
		throw new ServiceError("UPSTREAM", `The chain did not take the transaction: ${sent.refusal}.`);
	};

	return {
		send(sending) {
			const sent = last.then(() => send(sending));
			last = sent.catch(() => undefined);
			return sent;
		},
		async resend(hash) {
			const raw = waiting.get(hash);
			if (raw === undefined || (await isKnown(hash))) return;
			await rpc.ask("eth_sendRawTransaction", [raw]);
		},
		forget(hash, how) {
			waiting.delete(hash);
			// Later ones would wait behind a number that nobody fills.
			if (how === "lost") following = undefined;
		},
	};
}
