import type { ChainReader, Facilitator, Hex, SettlementTerms, Treasury } from "./facilitator.js";

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
