import { z } from "zod";
import {
	createLedgerReport,
	type InvariantGuard,
	netOf,
	REPORT_KEYS,
	type ReportKey,
	type ReportSums,
} from "../../payments/audit/audit.js";
import type { OnchainParts } from "../../payments/onchain/onchain.js";
import {
	bookUnexplained,
	type Difference,
	type Movement,
	type Reconciliation,
	type RefundPayouts,
	type Refunds,
	reconcile,
} from "../../payments/refunds/refunds.js";
import { exportLedger, type RefundRow, type Store } from "../../store/store.js";
import { usdField } from "../accounts/accounts.js";
import {
	type Clock,
	formatUsd,
	type Ids,
	parseUsd,
	ServiceError,
	toIsoTime,
} from "../kernel/kernel.js";

const dayField = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-03-31");
const refundFields = { reason: z.string().min(1).max(500), usd: usdField.optional() };

/** What the operator's commands about the books take. */
export const ledgerCommands = {
	/** UTC days, both included. */
	report: z.strictObject({ by: z.string(), from: dayField.optional(), to: dayField.optional() }),
	refundReceipt: z.strictObject({ receipt_id: z.string().min(1), ...refundFields }),
	refundToken: z.strictObject({ token_id: z.string().min(1), ...refundFields }),
	payRefund: z.strictObject({
		id: z.string().min(1),
		/** Records what was paid by hand. */
		tx: z.string().optional(),
		again: z.boolean().optional(),
	}),
	/** `book` books what the chain shows and the ledger lacks to `suspense`. */
	reconcile: z.strictObject({ book: z.boolean().optional() }),
};

type Command<Name extends keyof typeof ledgerCommands> = z.output<(typeof ledgerCommands)[Name]>;

export interface LedgerVerification {
	readonly status: "ok" | "breached";
	/** Null when the journal cannot be read. */
	readonly transactions: number | null;
	readonly frames: number | null;
	/** Sum of all entries; anything but 0.00 is a breach. */
	readonly sum_usd: string;
	readonly open_holds: number;
	/** Payments on a chain whose outcome is not known yet. */
	readonly open_payments: number;
	readonly pending_refunds: number;
	readonly failures: readonly string[];
}

export interface ReportSumsWire {
	readonly calls: number;
	readonly free_calls: number;
	readonly gross_usd: string;
	readonly refunded_usd: string;
	readonly net_usd: string;
}

export interface LedgerReportWire {
	readonly by: ReportKey;
	readonly from: string | null;
	readonly to: string | null;
	readonly rows: readonly (ReportSumsWire & { readonly key: string })[];
	readonly total: ReportSumsWire;
	/** Balance bought in advance, and what of it went back: no revenue before a call captures it. */
	readonly prepaid: { readonly sold_usd: string; readonly refunded_usd: string };
}

export interface RefundWire {
	readonly id: string;
	readonly ref: string;
	readonly owner: string;
	readonly amount_usd: string;
	readonly reason: string;
	readonly state: RefundRow["state"];
	/** Null for a refund to a balance, or by other means. */
	readonly destination: string | null;
	readonly transaction: string | null;
	readonly created_at: string;
	readonly paid_at: string | null;
}

/** What an operator can ask of the books. */
export interface LedgerOperator {
	/** Reads the whole journal and checks every invariant. */
	verifyLedger(): Promise<LedgerVerification>;
	/** Throws INVALID_ARGUMENT for an unknown key or day. */
	reportLedger(request: Command<"report">): Promise<LedgerReportWire>;
	/** Lines of JSON, oldest first, each what one transaction left in the books: its postings and receipts. */
	exportLedger(): AsyncIterable<string>;
	refundReceipt(request: Command<"refundReceipt">): Promise<RefundWire>;
	/** What a token has left goes to the wallet that bought it, or back by other means. */
	refundToken(request: Command<"refundToken">): Promise<RefundWire>;
	listRefunds(): Promise<{ items: readonly RefundWire[] }>;
	payRefund(request: Command<"payRefund">): Promise<RefundWire>;
	/** Holds the ledger against the chain. Throws UNAVAILABLE when none can be read. */
	reconcileLedger(
		request: Command<"reconcile">,
		onProgress?: OnReconciled,
	): Promise<ReconciliationWire>;
}

export interface LedgerOperatorDeps {
	readonly store: Store;
	readonly guard: InvariantGuard;
	readonly refunds: Refunds;
	readonly refundPayouts: RefundPayouts;
	readonly chainBooks: ChainBooks;
}

export function createLedgerOperator(deps: LedgerOperatorDeps): LedgerOperator {
	const { store, guard, refunds, refundPayouts, chainBooks } = deps;
	return {
		verifyLedger: () => verifyLedger(store, guard),
		reportLedger: (request) => reportLedger(store, request),
		exportLedger: () => exportLedger(store),
		refundReceipt: async ({ receipt_id, reason, usd }) =>
			toRefundWire(
				await refunds.refundReceipt({
					receiptId: receipt_id,
					reason,
					...(usd !== undefined && { amountMicros: parseUsd(usd) }),
				}),
			),
		refundToken: async ({ token_id, reason, usd }) =>
			toRefundWire(
				await refunds.refundToken({
					tokenId: token_id,
					reason,
					...(usd !== undefined && { amountMicros: parseUsd(usd) }),
				}),
			),
		listRefunds: async () => ({ items: (await refunds.list()).map(toRefundWire) }),
		payRefund: async ({ id, tx, again }) =>
			toRefundWire(await refundPayouts.pay({ id, transactionHash: tx, again })),
		async reconcileLedger(request, onProgress) {
			// What became of refunds under way is known first: else the chain would show them unbooked.
			if (chainBooks.isReadable) await refundPayouts.reconcile();
			return chainBooks.reconcile(request, onProgress);
		},
	};
}

async function verifyLedger(store: Store, guard: InvariantGuard): Promise<LedgerVerification> {
	const report = await guard.check({ full: true });
	const books = await store.read(async (reader) => ({
		balances: await reader.balances(),
		holds: await reader.list("holds"),
		payments: await reader.list("payments"),
		refunds: await reader.list("refunds"),
	}));
	let sum = 0n;
	for (const amount of books.balances.values()) sum += amount;
	return {
		status: report.status,
		transactions: report.journal?.transactions ?? null,
		frames: report.journal?.frames ?? null,
		sum_usd: formatUsd(sum),
		open_holds: books.holds.length,
		open_payments: books.payments.filter(({ state }) => state === "settling" || state === "unknown")
			.length,
		pending_refunds: books.refunds.filter(({ state }) => state !== "paid").length,
		failures: report.failures,
	};
}

async function reportLedger(
	store: Store,
	{ by, from, to }: Command<"report">,
): Promise<LedgerReportWire> {
	const key = parseKey(by);
	const span = { from: from && parseDay(from), to: to && parseDay(to) };
	const { lines, total, prepaid } = await createLedgerReport(store, { by: key, span });
	return {
		by: key,
		from: from ?? null,
		to: to ?? null,
		rows: lines.map((line) => ({ key: line.key, ...toSums(line) })),
		total: toSums(total),
		prepaid: {
			sold_usd: formatUsd(prepaid.soldMicros),
			refunded_usd: formatUsd(prepaid.refundedMicros),
		},
	};
}

function toSums(sums: ReportSums): ReportSumsWire {
	return {
		calls: sums.calls,
		free_calls: sums.freeCalls,
		gross_usd: formatUsd(sums.grossMicros),
		refunded_usd: formatUsd(sums.refundedMicros),
		net_usd: formatUsd(netOf(sums)),
	};
}

function parseKey(text: string): ReportKey {
	const key = REPORT_KEYS.find((known) => known === text);
	if (key) return key;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`A report adds up by ${REPORT_KEYS.join(", ")}, not by "${text.slice(0, 40)}".`,
	);
}

function parseDay(text: string): string {
	const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
	if (!Number.isNaN(ms) && toIsoTime(ms).startsWith(text)) return text;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${text.slice(0, 40)}" is no day; write it like "2026-03-31".`,
	);
}

function toRefundWire(row: RefundRow): RefundWire {
	return {
		id: row.id,
		ref: row.ref,
		owner: row.owner,
		amount_usd: formatUsd(row.amountMicros),
		reason: row.reason,
		state: row.state,
		destination: row.destination ?? null,
		transaction: row.transactionHash ?? null,
		created_at: toIsoTime(row.createdAt),
		paid_at: row.paidAt === undefined ? null : toIsoTime(row.paidAt),
	};
}

export interface MovementWire {
	readonly transaction: string;
	readonly direction: "in" | "out";
	readonly amount_usd: string;
	readonly at: string;
	/** The other address; for bookings what they refer to. */
	readonly counterparty: string;
	/** Where both sides know it and differ. */
	readonly ledger_usd?: string;
}

export interface ReconciliationWire {
	readonly status: "ok" | "differs";
	readonly network: string;
	readonly asset: string;
	readonly pay_to: string;
	readonly matched: { readonly count: number; readonly in_usd: string; readonly out_usd: string };
	readonly ledger_only: readonly MovementWire[];
	readonly chain_only: readonly MovementWire[];
	readonly differing: readonly MovementWire[];
	/** Unbooked yet, and a payment or refund whose outcome is open explains it. */
	readonly open: readonly MovementWire[];
	readonly booked: number;
	readonly chain_balance_usd: string;
	readonly ledger_balance_usd: string;
}

/** Told in blocks of the chain. */
export type OnReconciled = (progress: { readonly done: number; readonly total: number }) => void;

/** The ledger beside the chain. */
export interface ChainBooks {
	readonly isReadable: boolean;
	/** One at a time. Throws UNAVAILABLE when no chain can be read, RATE_LIMITED while another one runs. */
	reconcile(request: Command<"reconcile">, onProgress?: OnReconciled): Promise<ReconciliationWire>;
}

export interface ChainBooksDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly onchain?: Pick<OnchainParts, "terms" | "chain"> | undefined;
}

export function createChainBooks(deps: ChainBooksDeps): ChainBooks {
	const { terms, chain } = deps.onchain ?? {};
	let isRunning = false;
	return {
		isReadable: terms !== undefined && chain !== undefined,
		async reconcile(request, onProgress) {
			if (!terms || !chain) {
				throw new ServiceError(
					"UNAVAILABLE",
					"There is no chain to hold the ledger against: no network with an RPC address is configured, or the server that runs the demo chain is not running.",
					{ retryable: false },
				);
			}
			if (isRunning) {
				throw new ServiceError(
					"RATE_LIMITED",
					"The ledger is being held against the chain already; ask again when that has ended.",
					{ retryAfterSeconds: 60 },
				);
			}
			isRunning = true;
			try {
				const found = await reconcile({ ...deps, chain, terms, onProgress });
				const booked = request.book ? await bookAll(deps, terms.network, found.chainOnly) : 0;
				return { ...toWire(found), ...namesOf(terms), booked };
			} finally {
				isRunning = false;
			}
		},
	};
}

async function bookAll(
	deps: ChainBooksDeps,
	network: string,
	movements: readonly Movement[],
): Promise<number> {
	let booked = 0;
	for (const movement of movements) {
		if (await bookUnexplained(deps, network, movement)) booked += 1;
	}
	return booked;
}

function namesOf({ network, asset, payTo }: OnchainParts["terms"]) {
	return { network, asset, pay_to: payTo };
}

function toWire(found: Reconciliation) {
	const { matched, ledgerOnly, chainOnly, differing, open } = found;
	const isSame = ledgerOnly.length + chainOnly.length + differing.length === 0;
	return {
		status: isSame ? ("ok" as const) : ("differs" as const),
		matched: {
			count: matched.count,
			in_usd: formatUsd(matched.inMicros),
			out_usd: formatUsd(matched.outMicros),
		},
		ledger_only: ledgerOnly.map(toMovement),
		chain_only: chainOnly.map(toMovement),
		differing: differing.map((one: Difference) => ({
			...toMovement(one),
			ledger_usd: formatUsd(one.ledgerMicros),
		})),
		open: open.map(toMovement),
		chain_balance_usd: formatUsd(found.chainBalanceMicros),
		ledger_balance_usd: formatUsd(found.ledgerBalanceMicros),
	};
}

function toMovement(movement: Movement): MovementWire {
	return {
		transaction: movement.transactionHash,
		direction: movement.direction,
		amount_usd: formatUsd(movement.amountMicros),
		at: toIsoTime(movement.at),
		counterparty: movement.counterparty,
	};
}
