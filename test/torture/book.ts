import type { Hex } from "../../payments/onchain/facilitator.js";
import type { Credential } from "../../src/contract/credential.js";
import type { PaidOperationId } from "../../src/contract/operations.js";
import type { Signed } from "./wallet.js";

/** What one attempt came to, as its caller knows it. */
export type Reply =
	/** The answer arrived, with the receipt of what it cost. */
	| { readonly kind: "delivered"; readonly receiptId: string | null; readonly isReplay: boolean }
	/** No answer, and word that nothing was charged, or that what had settled is credited. */
	| { readonly kind: "not charged" }
	| { readonly kind: "credited"; readonly tokenId: string }
	| { readonly kind: "refused"; readonly code: string }
	/** No word: it may have been charged, or not. */
	| { readonly kind: "unknown"; readonly why: "crash" | "stopped" | "left" };

/** Money at a caller's disposal, acknowledged; that of a wallet lies on the chain. */
export interface Purse {
	readonly owner: string;
	readonly rail: "spt" | "plan" | "x402";
	readonly credential: Credential | undefined;
	readonly address: Hex | undefined;
	readonly creditedMicros: bigint;
}

export interface Attempt {
	readonly reply: Reply;
	/** What it was paid with, where that was signed. */
	readonly signed: Signed | undefined;
}

/** One thing a caller wants, however often it has to ask. No two orders ask the same. */
export interface Order {
	readonly query: string;
	readonly fingerprint: string;
	readonly operationId: PaidOperationId;
	readonly priceMicros: bigint;
	readonly purse: Purse;
	readonly idempotencyKey: string | undefined;
	readonly attempts: Attempt[];
}

/** Balance that was bought, or was to be. */
export interface Deal {
	readonly fingerprint: string;
	readonly signed: Signed;
	/** Token that has the money, once its buyer was informed. */
	tokenId: string | undefined;
}

/** What the callers know between them: nothing here ever lay on the simulated disk. */
export interface Book {
	readonly purses: Purse[];
	readonly orders: Order[];
	readonly deals: Deal[];
	/** Tokens whose rest was promised back. */
	readonly refunded: Set<string>;
	/** Everything that wallets signed, by nonce. */
	readonly signatures: Map<string, Signed>;
	/** Receipts that somebody holds. */
	acknowledged(): ReadonlySet<string>;
	record(order: Order, attempt: Attempt): void;
	count(name: string): void;
	/** How often each reply came. */
	readonly counts: ReadonlyMap<string, number>;
}

export function createBook(onReply: (order: Order, reply: Reply) => void): Book {
	const acknowledged = new Set<string>();
	const counts = new Map<string, number>();
	const count = (name: string) => {
		counts.set(name, (counts.get(name) ?? 0) + 1);
	};
	return {
		count,
		purses: [],
		orders: [],
		deals: [],
		refunded: new Set(),
		signatures: new Map(),
		counts,
		acknowledged: () => acknowledged,
		record(order, attempt) {
			const { reply } = attempt;
			order.attempts.push(attempt);
			onReply(order, reply);
			count(nameOf(reply));
			if (reply.kind === "delivered" && reply.receiptId !== null) acknowledged.add(reply.receiptId);
		},
	};
}

export function nameOf(reply: Reply): string {
	if (reply.kind === "delivered") return reply.isReplay ? "replayed" : "delivered";
	if (reply.kind === "refused") return `refused ${reply.code}`;
	return reply.kind === "unknown" ? `unknown ${reply.why}` : reply.kind;
}

/** Whether asking the same again could bring anything new. */
export function isDecided({ kind, ...rest }: Reply): boolean {
	if (kind === "unknown") return false;
	return !("code" in rest && RETRYABLE.has(rest.code));
}

const RETRYABLE: ReadonlySet<string> = new Set([
	"IDEMPOTENCY_IN_FLIGHT",
	"SETTLEMENT_UNKNOWN",
	"UPSTREAM",
	"SKILL_FAILURE",
]);
