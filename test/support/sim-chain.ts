import { createHash } from "node:crypto";
import type {
	AuthorizationState,
	ChainReader,
	ChainTransfer,
	Hex,
	RefusalReason,
	SettlementTerms,
	TransferAuthorization,
	Treasury,
} from "../../payments/onchain/facilitator.js";
import { ServiceError } from "../../src/kernel/errors.js";

export const SIM_TERMS: SettlementTerms = {
	network: "eip155:84532",
	asset: "0x5bd2ae5a3b7e0d6a1c7f2f7a3c1b0f9e8d7c6b5a",
	assetName: "USDC",
	assetVersion: "2",
	payTo: "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
};

/** A transfer; several may share a transaction. */
export interface SimTransaction {
	readonly hash: Hex;
	readonly logIndex: number;
	readonly from: Hex;
	readonly to: Hex;
	readonly value: bigint;
	/** Absent for plain transfers. */
	readonly nonce?: Hex | undefined;
	readonly at: number;
}

/** A chain with one asset, in memory: balances, nonces that are used or cancelled, transactions. It survives our crashes. */
export interface SimChain extends ChainReader {
	readonly terms: SettlementTerms;
	readonly transactions: readonly SimTransaction[];
	mint(address: Hex, value: bigint): void;
	/** Why the authorization would fail now; undefined when it would go through. */
	judge(authorization: TransferAuthorization): RefusalReason | undefined;
	/** Executes it, by anyone who calls; throws where `judge` names a reason. */
	execute(authorization: TransferAuthorization): SimTransaction;
	/** Executes several in one transaction, as any stranger can. */
	executeTogether(authorizations: readonly TransferAuthorization[]): readonly SimTransaction[];
	/** The payer withdraws a nonce. */
	cancel(from: Hex, nonce: Hex): void;
	transfer(from: Hex, to: Hex, value: bigint): SimTransaction;
	/** How often money moved by this nonce: 0 or 1. */
	timesSettled(from: Hex, nonce: Hex): number;
	/** While set, the chain cannot be read. */
	isUnreadable: boolean;
	/** Transactions that readers do not see yet, as behind a lagging node. */
	hidesLatest: boolean;
}

export function createSimChain({
	now,
	terms = SIM_TERMS,
}: {
	/** Epoch milliseconds, real or virtual. */
	now: () => number;
	terms?: SettlementTerms;
}): SimChain {
	const balances = new Map<string, bigint>();
	const used = new Map<string, SimTransaction | "canceled">();
	const transactions: SimTransaction[] = [];
	/** Time of the newest block a node shows: of one before the hidden transaction, if any. */
	const headOf = (hidden: SimTransaction | undefined) =>
		hidden ? Math.min(now(), hidden.at - 1) : now();
	const keyOf = (from: Hex, nonce: Hex) => `${from}|${nonce}`.toLowerCase();
	const holds = (address: string) => balances.get(address.toLowerCase()) ?? 0n;
	const assertReadable = () => {
		if (chain.isUnreadable) throw new Error("The chain cannot be read.");
	};

	const move = (from: Hex, to: Hex, value: bigint, nonce?: Hex): SimTransaction => {
		if (holds(from) < value) throw new Error("insufficient_funds");
		balances.set(from.toLowerCase(), holds(from) - value);
		balances.set(to.toLowerCase(), holds(to) + value);
		const hash = digest(`transaction ${transactions.length} ${from} ${nonce ?? ""}`);
		const transaction = { hash, logIndex: 0, from, to, value, nonce, at: now() };
		transactions.push(transaction);
		return transaction;
	};

	const chain: SimChain = {
		terms,
		transactions,
		isUnreadable: false,
		hidesLatest: false,
		mint(address, value) {
			balances.set(address.toLowerCase(), holds(address) + value);
		},
		judge(authorization) {
			const { from, value, nonce, validAfter, validBefore } = authorization;
			if (authorization.signature !== signatureOf(authorization)) return "invalid_signature";
			if (used.has(keyOf(from, nonce))) return "nonce_used";
			if (now() < validAfter * 1_000) return "not_yet_valid";
			if (now() >= validBefore * 1_000) return "expired";
			return holds(from) < value ? "insufficient_funds" : undefined;
		},
		execute(authorization) {
			const reason = chain.judge(authorization);
			if (reason) throw new Error(reason);
			const { from, to, value, nonce } = authorization;
			const transaction = move(from, to, value, nonce);
			used.set(keyOf(from, nonce), transaction);
			return transaction;
		},
		executeTogether(authorizations) {
			const made = authorizations.map((authorization) => chain.execute(authorization));
			return made.map((transaction, logIndex) => {
				const one = { ...transaction, hash: made[0]?.hash ?? transaction.hash, logIndex };
				transactions[transactions.indexOf(transaction)] = one;
				used.set(keyOf(one.from, one.nonce ?? "0x"), one);
				return one;
			});
		},
		cancel(from, nonce) {
			if (!used.has(keyOf(from, nonce))) used.set(keyOf(from, nonce), "canceled");
		},
		transfer: (from, to, value) => move(from, to, value),
		timesSettled: (from, nonce) =>
			transactions.filter(
				(made) => made.nonce && keyOf(made.from, made.nonce) === keyOf(from, nonce),
			).length,
		async stateOf(_terms, { from, to, value, nonce }): Promise<AuthorizationState> {
			assertReadable();
			const use = used.get(keyOf(from, nonce));
			const latest = transactions.at(-1);
			// A node that lags shows the time of a block before the latest one.
			const headMs = headOf(chain.hidesLatest ? latest : undefined);
			const isHidden = chain.hidesLatest && use === latest;
			if (use === undefined || isHidden) return { kind: "unused", headMs };
			if (use === "canceled") return { kind: "canceled" };
			if (use.to.toLowerCase() !== to.toLowerCase() || use.value !== value)
				throw new ServiceError("UPSTREAM", "The authorization was used for another transfer.", {
					retryable: false,
				});
			return { kind: "settled", transactionHash: use.hash, logIndex: use.logIndex };
		},
		async balanceOf(_terms, address) {
			assertReadable();
			return holds(address);
		},
		async *transfers({ payTo }): AsyncIterable<ChainTransfer> {
			assertReadable();
			const isOurs = (address: Hex) => address.toLowerCase() === payTo.toLowerCase();
			for (const [index, { hash, nonce: _nonce, ...moved }] of transactions.entries()) {
				if (!isOurs(moved.from) && !isOurs(moved.to)) continue;
				yield { ...moved, transactionHash: hash, blockNumber: BigInt(index + 1) };
			}
		},
	};
	return chain;
}

/** A wallet of ours on the simulated chain, for refunds; a nonce is used up by what was carried out. */
export function createSimTreasury(chain: SimChain): Treasury {
	const carriedOut: Hex[] = [];
	return {
		address: chain.terms.payTo,
		async transfer(terms, to, value, { onBroadcast, earlier }) {
			const { network, payTo } = terms;
			const before = carriedOut[earlier?.nonce ?? -1];
			if (before && earlier?.hashes.includes(before)) {
				return { kind: "settled", transactionHash: before, network, payer: payTo };
			}
			if ((await chain.balanceOf(terms, terms.payTo)) < value) {
				return { kind: "refused", reason: "insufficient_funds", message: "The wallet is empty." };
			}
			const { hash } = chain.transfer(terms.payTo, to, value);
			await onBroadcast(hash, carriedOut.push(hash) - 1);
			return { kind: "settled", transactionHash: hash, network, payer: payTo };
		},
	};
}

export function digest(text: string): Hex {
	return `0x${createHash("sha256").update(text).digest("hex")}`;
}

/** Stands for an EIP-712 signature: as long as one, and over every field of the authorization. */
export function signatureOf(authorization: Omit<TransferAuthorization, "signature">): Hex {
	const { from, to, value, validAfter, validBefore, nonce } = authorization;
	const text = [from, to, value, validAfter, validBefore, nonce].join("|").toLowerCase();
	return `${digest(text)}${digest(`${text}|v`).slice(2)}1b`;
}
