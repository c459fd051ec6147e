import { type Clock, type Micros, toIsoTime } from "../kernel/kernel.js";
import type { Credential, Payment } from "./credential.js";
import { LIMITS } from "./limits.js";
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
	/** Most that the caller pays for this call without being asked. */
	readonly maxPriceMicros?: Micros | undefined;
	/** The payer was asked and has agreed to the price of the quote. */
	readonly isPriceAgreed?: boolean | undefined;
	/** Caller's retry key (D4); the A2A messageId counts as one. */
	readonly idempotencyKey: string | undefined;
	readonly requestId: string;
	/** `traceparent` as the caller sent it (W3C Trace Context), well formed or not. */
	readonly traceParent?: string | undefined;
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
	readonly onAbandoned?: (how: Abandonment) => void;
}

/** How an answer ended whose connection closed before all of it was handed over. */
export interface Abandonment {
	/** No byte of it was written, and nothing of it stays here to be read: certain, not supposed. */
	readonly isLost: boolean;
}

/** One settlement as receipts state it; `network` in CAIP-2 form. */
export interface SettlementWire {
	readonly network: string;
	readonly transaction: string;
	readonly payer: string;
	readonly payment_id: string;
}

/** Runs one call for one caller: nothing is delivered without a capture, nothing is captured without delivery. */
export type Invoke = (call: Call) => Promise<CallResult>;

/** What a credential may pay for; empty means every operation, every graph. */
export interface AccessScope {
	/** Skills, or operations by their ids. */
	readonly skills: readonly string[];
	readonly graphs: readonly string[];
}

/** How a credential is looked at. */
export interface IdentifyOptions {
	/** Whether an identity token whose subject has no account opens one; a mere look never does. */
	readonly opens?: boolean | undefined;
}

/** What a credential opens: an account, and how much of it. */
export interface AccountAccess {
	readonly accountId: string;
	/** API key or connection token it was shown with; absent for a subject of an identity provider. */
	readonly keyId?: string | undefined;
	/** Stands for an identity token's subject and what it grants, as `keyId` does for a key. */
	readonly grantId?: string | undefined;
	/** What an identity token grants by itself, absent where that is everything; keys have theirs in their rows. */
	readonly scope?: AccessScope | undefined;
	/** Whether it may change the account and its keys. */
	readonly isManager: boolean;
	/** Shown by a secret that was replaced since: for the rest of its overlap it pays, and does nothing else. */
	readonly isReplaced?: boolean | undefined;
	/** Whether a hash of each query is kept instead of its text. */
	readonly keepsNoText: boolean;
}

/** Wallets are named by CAIP-10 account ids, which have colons; ids of ours have none. */
export function isWallet(owner: string): boolean {
	return owner.includes(":");
}

/** What distinguishes callers of one account where what they did is kept. */
export function grantIdOf(access: AccountAccess | undefined): string | undefined {
	return access?.keyId ?? access?.grantId;
}

/** Whether a caller may see again what was done under a grant: anyone who manages the account sees all, others their own. */
export function maySeeAgain(
	access: AccountAccess | undefined,
	grantId: string | undefined,
): boolean {
	return access === undefined || access.isManager || grantIdOf(access) === grantId;
}

/** Owns nothing: who shows no credential, and is shown what an unguessable id opens. */
export const ANONYMOUS: Caller = { owner: "nobody", rail: "none" };

/** Whether text of a caller's may be kept: neither who pays nor the account beside it agreed on zero retention. */
export function keepsText({
	keepsNoText,
	access,
}: Pick<Caller, "keepsNoText" | "access">): boolean {
	return !keepsNoText && !access?.keepsNoText;
}

/** Whether what was kept for an owner is a caller's: made under a grant the caller may look into. */
export function isTheirs(
	{ owner, access }: Pick<Caller, "owner" | "access">,
	kept: KeptFor,
): boolean {
	return kept.owner === owner && maySeeAgain(access, kept.grantId);
}

/**
 * The same, and what a wallet paid for, and what no one had to pay for, is opened by its id: there is no session it could
 * belong to.
 */
export function mayRead(caller: Pick<Caller, "owner" | "access">, kept: KeptFor): boolean {
	return isWallet(kept.owner) || isTheirs(caller, kept);
}

interface KeptFor {
	readonly owner: string;
	readonly grantId?: string | undefined;
}

/** Until when a result can be read again; null for anyone who is no one in particular or has zero retention. */
export function keptUntil(
	clock: Clock,
	{ caller }: { readonly caller?: Caller | undefined },
): string | null {
	return caller && keepsText(caller) ? toIsoTime(clock.now() + LIMITS.artifactTtlMs) : null;
}
