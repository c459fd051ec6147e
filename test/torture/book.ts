import type { Credential } from "../../src/core/credential.js";
import type { SkillId } from "../../src/core/operations.js";

/** What one attempt came to, as its caller knows it. */
export type Reply =
	/** The answer arrived, with the receipt of what it cost. */
	| { readonly kind: "delivered"; readonly receiptId: string | null; readonly isReplay: boolean }
	/** No answer, and word that nothing was charged. */
	| { readonly kind: "not charged" }
	| { readonly kind: "refused"; readonly code: string }
	/** No word: it may have been charged, or not. */
	| { readonly kind: "unknown"; readonly why: "crash" | "stopped" | "left" };

/** Money put at a caller's disposal, acknowledged. */
export interface Purse {
	readonly owner: string;
	readonly rail: "spt" | "plan";
	readonly credential: Credential;
	readonly creditedMicros: bigint;
}

/** One thing a caller wants, however often it has to ask. No two orders ask the same. */
export interface Order {
	readonly query: string;
	readonly fingerprint: string;
	readonly skillId: SkillId;
	readonly purse: Purse;
	readonly idempotencyKey: string | undefined;
	readonly replies: Reply[];
}

/** What the callers know between them: nothing here ever lay on the simulated disk. */
export interface Book {
	readonly purses: Purse[];
	readonly orders: Order[];
	/** Receipts that somebody holds. */
	acknowledged(): ReadonlySet<string>;
	record(order: Order, reply: Reply): void;
	/** How often each reply came. */
	readonly counts: ReadonlyMap<string, number>;
}

export function createBook(onReply: (order: Order, reply: Reply) => void): Book {
	const acknowledged = new Set<string>();
	const counts = new Map<string, number>();
	return {
		purses: [],
		orders: [],
		counts,
		acknowledged: () => acknowledged,
		record(order, reply) {
			order.replies.push(reply);
			onReply(order, reply);
			const name = nameOf(reply);
			counts.set(name, (counts.get(name) ?? 0) + 1);
			if (reply.kind === "delivered" && reply.receiptId !== null) acknowledged.add(reply.receiptId);
		},
	};
}

export function nameOf(reply: Reply): string {
	if (reply.kind === "delivered") return reply.isReplay ? "replayed" : "delivered";
	if (reply.kind === "refused") return `refused ${reply.code}`;
	return reply.kind === "unknown" ? `unknown ${reply.why}` : reply.kind;
}

/** Whether asking again could bring anything new. */
export function isDecided(reply: Reply | undefined): boolean {
	if (!reply || reply.kind === "unknown") return false;
	if (reply.kind !== "refused") return true;
	return !RETRYABLE.has(reply.code);
}

const RETRYABLE: ReadonlySet<string> = new Set([
	"IDEMPOTENCY_IN_FLIGHT",
	"SETTLEMENT_UNKNOWN",
	"UPSTREAM",
	"SKILL_FAILURE",
]);
