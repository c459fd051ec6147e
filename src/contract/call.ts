import type { AccountAccess } from "./account-access.js";
import type { Credential, Payment } from "./credential.js";
import type { PaidOperationId } from "./operations.js";
import type { CostWire } from "./wire.js";

export type TransportName = "rest" | "a2a" | "mcp" | "internal";

/** One request, free of the protocol that carried it. */
export interface Call {
	/** What is bought; every transport's own name for it ends here. */
	readonly operationId: PaidOperationId;
	readonly rawInput: unknown;
	readonly credential: Credential | undefined;
	/** Pays for this call alone; wins over what the credential could pay. */
	readonly payment?: Payment | undefined;
	/** A quote the caller holds; its price stands until it expires. */
	readonly quoteId?: string | undefined;
	/** Caller's retry key (D4); the A2A messageId counts as one. */
	readonly idempotencyKey: string | undefined;
	readonly requestId: string;
	readonly transport: TransportName;
	/** Absolute address of the resource being bought, for challenges that name it. */
	readonly resourceUrl: string;
	readonly signal: AbortSignal;
}

/**
 * Who calls and pays. `owner` is stable, opaque and safe to store, never a secret: it names the ledger accounts `cust:<owner>`
 * and `held:<owner>`, and what is kept for the caller.
 */
export interface Caller {
	readonly owner: string;
	readonly rail: string;
	/** How much of an account the credential opens; for accounts only. */
	readonly access?: AccountAccess | undefined;
	/** The account behind the credential agreed on zero retention, whatever pays. */
	readonly keepsNoText?: boolean | undefined;
	/** Whose credential was sent along with the payment of a wallet. */
	readonly shown?: Omit<Caller, "shown"> | undefined;
}

/** What leaves the pipeline: the result, and what it cost. */
export interface CallResult {
	readonly output: unknown;
	/** False when there was nothing to pay for. */
	readonly isAnswer: boolean;
	readonly cost: CostWire;
	readonly caller: Caller;
	/** Milliseconds by stage, for Server-Timing. */
	readonly timings: Readonly<Record<string, number>>;
	/** Where the money moved, for payments on a chain. */
	readonly settlement?: SettlementWire | undefined;
	/** Receipt headers of the rail (`PAYMENT-RESPONSE`, `Payment-Receipt`), for HTTP transports. */
	readonly paymentHeaders?: Readonly<Record<string, string>> | undefined;
	/** An HTTP transport calls it once the whole answer was handed to the connection. */
	readonly onDelivered?: () => void;
	/** An HTTP transport calls it instead when the connection closed before. */
	readonly onAbandoned?: () => void;
}

/** One settlement as receipts tell it; `network` in CAIP-2 form. */
export interface SettlementWire {
	readonly network: string;
	readonly transaction: string;
	readonly payer: string;
	readonly payment_id: string;
}

/** Runs one call for one caller: nothing is delivered without a capture, nothing is captured without delivery. */
export type Invoke = (call: Call) => Promise<CallResult>;
