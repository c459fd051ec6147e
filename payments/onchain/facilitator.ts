/** The ports behind which a chain lies: who verifies and settles, and who looks. Both are injected. */

export type Hex = `0x${string}`;

/** What a payment to us must say; one network and one asset per deployment, with six decimals (1 USD = 1,000,000 units). */
export interface SettlementTerms {
	/** CAIP-2, e.g. `eip155:84532`. */
	readonly network: string;
	readonly asset: Hex;
	/** EIP-712 domain of the asset. */
	readonly assetName: string;
	readonly assetVersion: string;
	readonly payTo: Hex;
}

/** An EIP-3009 `transferWithAuthorization`, from whichever envelope. Times are epoch seconds, as it is signed. */
export interface TransferAuthorization {
	readonly from: Hex;
	readonly to: Hex;
	readonly value: bigint;
	readonly validAfter: number;
	readonly validBefore: number;
	/** 32 bytes. */
	readonly nonce: Hex;
	readonly signature: Hex;
}

/** Why a payment is refused, one meaning each; envelopes translate them into their protocol's words. */
export const REFUSALS = [
	"insufficient_funds",
	"invalid_signature",
	"expired",
	"not_yet_valid",
	"nonce_used",
	"network_mismatch",
	"invalid_amount",
	"wrong_recipient",
	"settlement_failed",
	"invalid_payload",
] as const;
export type RefusalReason = (typeof REFUSALS)[number];

export type Verification =
	| { readonly kind: "valid" }
	| { readonly kind: "refused"; readonly reason: RefusalReason; readonly message: string };

export type SettleOutcome =
	/** What the facilitator says; it is checked against what was asked. */
	| {
			readonly kind: "settled";
			readonly transactionHash: string;
			readonly network: string;
			readonly payer: string;
			/** Atomic units, where the facilitator says them. */
			readonly amount?: string | undefined;
	  }
	| { readonly kind: "refused"; readonly reason: RefusalReason; readonly message: string }
	/** It refused the request itself, which proves nothing: some send the payment all the same. */
	| { readonly kind: "not_taken"; readonly message: string }
	/** It was certainly not sent. */
	| { readonly kind: "not_sent"; readonly message: string }
	/** It was, or may have been, sent to the chain, and how that ended is not known. */
	| { readonly kind: "unknown"; readonly message: string; readonly transactionHash?: string };

export interface SettleOptions {
	/** Called with the transaction's hash before its receipt is awaited; settling continues once it resolves. */
	readonly onBroadcast: (transactionHash: string) => Promise<void>;
}

/** Verifies and settles payments: in this process, or behind a URL. Rejects when it cannot be reached or answers nonsense. */
export interface Facilitator {
	readonly kind: "local" | "remote";
	verify(terms: SettlementTerms, authorization: TransferAuthorization): Promise<Verification>;
	settle(
		terms: SettlementTerms,
		authorization: TransferAuthorization,
		options: SettleOptions,
	): Promise<SettleOutcome>;
}

/** What became of an authorization, read from the chain itself. */
export type AuthorizationState =
	/** As of the chain's newest block, whose time in epoch milliseconds `headMs` is: a node may lag. */
	| { readonly kind: "unused"; readonly headMs: number }
	| { readonly kind: "settled"; readonly transactionHash: string; readonly logIndex: number }
	/** Its payer withdrew it: the nonce is used up and no money moved. */
	| { readonly kind: "canceled" };

/** Looks at the chain; absent where no RPC is configured. Rejects when the chain cannot be read. */
export interface ChainReader {
	/** Throws, and not retryably, when what used the authorization's nonce moved anything but `value` to `to`. */
	stateOf(
		terms: SettlementTerms,
		authorization: Pick<TransferAuthorization, "from" | "to" | "value" | "nonce">,
	): Promise<AuthorizationState>;
	/** Balance of the asset, in atomic units. */
	balanceOf(terms: SettlementTerms, address: Hex): Promise<bigint>;
	/** Every transfer of the asset to `payTo` and from it, oldest first. */
	transfers(terms: SettlementTerms, span?: TransferSpan): AsyncIterable<ChainTransfer>;
}

export interface TransferSpan {
	/** Epoch milliseconds; leaves out the years of a public chain before there was anything of ours on it. */
	readonly sinceMs?: number;
	/** Reported after each window, in blocks. */
	readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
}

export interface ReadProgress {
	readonly done: number;
	readonly total: number;
}

export interface ChainTransfer {
	readonly transactionHash: string;
	/** Place of its event in the block: one transaction may hold several transfers. */
	readonly logIndex: number;
	readonly from: Hex;
	readonly to: Hex;
	readonly value: bigint;
	readonly blockNumber: bigint;
	/** Epoch milliseconds. */
	readonly at: number;
}

/** Sends the asset from our own wallet, for refunds; absent where its key is not at hand. */
export interface Treasury {
	readonly address: Hex;
	transfer(
		terms: SettlementTerms,
		to: Hex,
		value: bigint,
		options: TransferOptions,
	): Promise<SettleOutcome>;
}

export interface TransferOptions {
	/** As for settlements; `nonce` numbers the transactions of our key. */
	readonly onBroadcast: (transactionHash: string, nonce?: number) => Promise<void>;
	/** Signed for the same purpose before: at most one of these and the new one is carried out. */
	readonly earlier?: EarlierTransfers | undefined;
}

export interface EarlierTransfers {
	readonly hashes: readonly string[];
	readonly nonce: number;
}

/** Everything that stands between the service and one chain; made from the settings, or by the demo chain. */
export interface OnchainParts {
	readonly terms: SettlementTerms;
	readonly facilitator: Facilitator;
	readonly chain?: ChainReader | undefined;
	readonly treasury?: Treasury | undefined;
	/** A funded wallet to try things with; only ever on the demo chain. */
	readonly demoWallet?: DemoWallet | undefined;
	/** Ends what was started for it. */
	close(): Promise<void>;
}

export interface DemoWallet {
	readonly address: Hex;
	readonly private_key: Hex;
	readonly rpc_url: string;
	readonly network: string;
	readonly asset: Hex;
}
