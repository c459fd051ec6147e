import { z } from "zod";
import {
	createLedgerReport,
	type InvariantGuard,
	netOf,
	REPORT_KEYS,
	type ReportKey,
	type ReportSums,
} from "../../../payments/audit/audit.js";
import type { OnchainParts } from "../../../payments/onchain/onchain.js";
import { isPayout } from "../../../payments/payments.js";
import {
	bookUnexplained,
	type Movement,
	type OpenRequest,
	type Reconciliation,
	type RefundPayouts,
	type RefundRequests,
	type Refunds,
	reconcile,
} from "../../../payments/refunds/refunds.js";
import { exportLedger, type RefundRow, type Store } from "../../../store/store.js";
import { usdField } from "../../accounts/accounts.js";
import {
	type Clock,
	formatUsd,
	type Ids,
	invalidArgument,
	notFound,
	parseUsd,
	ServiceError,
	toIsoTime,
	unavailable,
} from "../../kernel/kernel.js";

export const dayField = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-03-31");
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
	/** Sets aside what an owner is owed and pays it: on the chain with an address, else it was paid by hand. */
	payOwner: z.strictObject({
		owner: z.string().min(1).max(80),
		usd: usdField.optional(),
		/** CAIP-10. */
		to: z.string().max(200).optional(),
		/** Records a transfer that was made by hand. */
		tx: z.string().optional(),
	}),
	decideRefund: z.strictObject({ id: z.string().min(1), grant: z.boolean() }),
	/** The end of the journal by default. */
	anchor: z.strictObject({ sequence: z.coerce.number().int().min(0).optional() }),
	/** `book` books what the chain shows and the ledger lacks to `suspense`. */
	reconcile: z.strictObject({ book: z.boolean().optional() }),
};

type Command<Name extends keyof typeof ledgerCommands> = z.output<(typeof ledgerCommands)[Name]>;

/** What an operator can ask of the books. */
export type LedgerOperator = ReturnType<typeof createLedgerOperator>;

export interface LedgerOperatorDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly guard: InvariantGuard;
	readonly refunds: Refunds;
	readonly refundRequests: RefundRequests;
	readonly refundPayouts: RefundPayouts;
	readonly chainBooks: ChainBooks;
}

export function createLedgerOperator(deps: LedgerOperatorDeps) {
	const { store, guard, refunds, refundRequests, refundPayouts, chainBooks } = deps;
	return {
		verifyLedger: () => verifyLedger(store, guard),
		readAnchor: (request: Command<"anchor">) => readAnchor(deps, request),
		reportLedger: (request: Command<"report">) => reportLedger(store, request),
		/** Lines of JSON, oldest first, each what one transaction left in the books: its postings and receipts. */
		exportLedger: () => exportLedger(store),
		refundReceipt: async ({ receipt_id: receiptId, ...given }: Command<"refundReceipt">) =>
			toRefundWire(await refunds.refundReceipt({ receiptId, ...toTerms(given) })),
		/** What a token has left goes to the wallet that bought it, or back by other means. */
		refundToken: async ({ token_id: tokenId, ...given }: Command<"refundToken">) =>
			toRefundWire(await refunds.refundToken({ tokenId, ...toTerms(given) })),
		listRefunds: async () => ({
			items: (await refunds.list()).filter((row) => !isPayout(row)).map(toRefundWire),
		}),
		/** What owners of graphs are owed and were paid. */
		async listPayouts() {
			const { owners, payouts } = await refunds.listOwed();
			return { owners: owners.map(toOwedWire), payouts: payouts.map(toRefundWire) };
		},
		async payOwner({ owner, usd, to, tx }: Command<"payOwner">) {
			const amountMicros = usd === undefined ? undefined : parseUsd(usd);
			const { id } = await refunds.payOwner({ owner, amountMicros, destination: to });
			return toRefundWire(await refundPayouts.pay({ id, transactionHash: tx }));
		},
		/** What callers asked back and no one has decided yet. */
		listRefundRequests: async () => ({
			items: (await refundRequests.listOpen()).map(toRequestWire),
		}),
		async decideRefund({ id, grant: isGranted }: Command<"decideRefund">) {
			const { request, refund } = await refundRequests.decide(id, { isGranted });
			return {
				id,
				state: request?.state ?? "open",
				refund: refund ? toRefundWire(refund) : null,
			};
		},
		payRefund: async ({ id, tx, again }: Command<"payRefund">) =>
			toRefundWire(await refundPayouts.pay({ id, transactionHash: tx, again })),
		/** Holds the ledger against the chain. Throws UNAVAILABLE when none can be read. */
		async reconcileLedger(request: Command<"reconcile">, onProgress?: OnReconciled) {
			// What became of refunds under way is known first: else the chain would show them unbooked.
			if (chainBooks.isReadable) await refundPayouts.reconcile();
			return chainBooks.reconcile(request, onProgress);
		},
	};
}

function toTerms({ reason, usd }: { reason: string; usd?: string | undefined }) {
	return { reason, ...(usd !== undefined && { amountMicros: parseUsd(usd) }) };
}

/** What is published elsewhere, so that a journal that is older or was rewritten can be told. Throws NOT_FOUND beyond its end. */
async function readAnchor(
	{ store, clock }: Pick<LedgerOperatorDeps, "store" | "clock">,
	{ sequence }: Command<"anchor">,
) {
	const digest = await store.digest(sequence);
	if (digest) return { ...digest, at: toIsoTime(clock.now()) };
	const { sequence: last } = store.health();
	throw notFound(`The journal ends at frame ${last}, before frame ${sequence}.`);
}

/** Reads the whole journal and checks every invariant. */
async function verifyLedger(store: Store, guard: InvariantGuard) {
	const report = await guard.check({ full: true });
	const books = await store.read(async (reader) => ({
		balances: await reader.balances(),
		holds: await reader.list("holds"),
		open: [
			...(await reader.findBy("payments", "state", "settling")),
			...(await reader.findBy("payments", "state", "unknown")),
		],
		refunds: await reader.list("refunds"),
	}));
	let sum = 0n;
	for (const amount of books.balances.values()) sum += amount;
	return {
		status: report.status,
		/** Null when the journal cannot be read. */
		transactions: report.journal?.transactions ?? null,
		frames: report.journal?.frames ?? null,
		/** Of all entries; anything but 0.00 is a breach. */
		sum_usd: formatUsd(sum),
		open_holds: books.holds.length,
		/** Payments on a chain whose outcome is not known yet. */
		open_payments: books.open.length,
		pending_refunds: books.refunds.filter(({ state }) => state !== "paid").length,
		failures: report.failures,
	};
}

export type LedgerReportWire = Awaited<ReturnType<typeof reportLedger>>;

/** Throws INVALID_ARGUMENT for an unknown key or day. */
async function reportLedger(store: Store, { by, from, to }: Command<"report">) {
	const key = parseKey(by);
	const span = { from: from && parseDay(from), to: to && parseDay(to) };
	const { lines, total, prepaid } = await createLedgerReport(store, { by: key, span });
	return {
		by: key,
		from: from ?? null,
		to: to ?? null,
		rows: lines.map((line) => ({ key: line.key, ...toSums(line) })),
		total: toSums(total),
		/** Balance bought in advance, and what of it went back: no revenue before a call captures it. */
		prepaid: {
			sold_usd: formatUsd(prepaid.soldMicros),
			refunded_usd: formatUsd(prepaid.refundedMicros),
		},
	};
}

export type ReportSumsWire = ReturnType<typeof toSums>;

function toSums(sums: ReportSums) {
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
	throw invalidArgument(
		`A report adds up by ${REPORT_KEYS.join(", ")}, not by "${text.slice(0, 40)}".`,
	);
}

export function parseDay(text: string): string {
	const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
	if (!Number.isNaN(ms) && toIsoTime(ms).startsWith(text)) return text;
	throw invalidArgument(`"${text.slice(0, 40)}" is no day; write it like "2026-03-31".`);
}

export type RefundWire = ReturnType<typeof toRefundWire>;

function toRefundWire(row: RefundRow) {
	return {
		id: row.id,
		ref: row.ref,
		owner: row.owner,
		amount_usd: formatUsd(row.amountMicros),
		reason: row.reason,
		state: row.state,
		/** Null for a refund to a balance, or by other means. */
		destination: row.destination ?? null,
		transaction: row.transactionHash ?? null,
		created_at: toIsoTime(row.createdAt),
		paid_at: row.paidAt === undefined ? null : toIsoTime(row.paidAt),
	};
}

function toOwedWire(row: {
	readonly owner: string;
	readonly owedMicros: bigint;
	readonly pendingMicros: bigint;
	readonly paidMicros: bigint;
}) {
	return {
		owner: row.owner,
		/** Below zero where a refund came after the payout: it is set off against later revenue. */
		owed_usd: formatUsd(row.owedMicros),
		/** Set aside, and not paid yet. */
		pending_usd: formatUsd(row.pendingMicros),
		paid_usd: formatUsd(row.paidMicros),
	};
}

function toRequestWire(row: OpenRequest) {
	return {
		id: row.id,
		receipt_id: row.receiptId,
		owner: row.owner,
		reason: row.reason,
		created_at: toIsoTime(row.createdAt),
	};
}

/** The ledger beside the chain. */
export type ChainBooks = ReturnType<typeof createChainBooks>;
export type ReconciliationWire = Awaited<ReturnType<ChainBooks["reconcile"]>>;

/** Progress in blocks of the chain. */
type OnReconciled = (progress: { readonly done: number; readonly total: number }) => void;

interface ChainBooksDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly onchain?: Pick<OnchainParts, "terms" | "chain"> | undefined;
}

export function createChainBooks(deps: ChainBooksDeps) {
	const { terms, chain } = deps.onchain ?? {};
	let isRunning = false;
	let latest: ReconciliationState | undefined;
	const note = (status: ReconciliationState["status"], found?: Reconciliation) => {
		latest = {
			status,
			checked_at: toIsoTime(deps.clock.now()),
			ledger_only: found?.ledgerOnly.length ?? 0,
			chain_only: found?.chainOnly.length ?? 0,
			differing: found?.differing.length ?? 0,
		};
	};
	return {
		/** How the last comparison of this process ended. */
		latest: () => latest,
		isReadable: terms !== undefined && chain !== undefined,
		/** One at a time. Throws UNAVAILABLE when no chain can be read, RATE_LIMITED while another one runs. */
		async reconcile(request: Command<"reconcile">, onProgress?: OnReconciled) {
			if (!terms || !chain) {
				throw unavailable(
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
				const found = await reconcile({ ...deps, chain, terms, onProgress }).catch((error) => {
					note("failed");
					throw error;
				});
				note(toWire(found).status, found);
				const booked = request.book ? await bookAll(deps, terms.network, found.chainOnly) : 0;
				const { network, asset, payTo: pay_to } = terms;
				return { ...toWire(found), network, asset, pay_to, booked };
			} finally {
				isRunning = false;
			}
		},
	};
}

/** What came of holding the ledger against the chain: numbers of movements. */
export interface ReconciliationState {
	readonly status: "ok" | "differs" | "failed";
	readonly checked_at: string;
	readonly ledger_only: number;
	readonly chain_only: number;
	readonly differing: number;
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
		differing: differing.map((one) => ({
			...toMovement(one),
			ledger_usd: formatUsd(one.ledgerMicros),
		})),
		/** Unbooked yet, and a payment or refund whose outcome is open explains it. */
		open: open.map(toMovement),
		chain_balance_usd: formatUsd(found.chainBalanceMicros),
		ledger_balance_usd: formatUsd(found.ledgerBalanceMicros),
	};
}

/** `ledger_usd` where both sides know it and differ. */
export type MovementWire = ReturnType<typeof toMovement> & { readonly ledger_usd?: string };

function toMovement(movement: Movement) {
	return {
		transaction: movement.transactionHash,
		direction: movement.direction,
		amount_usd: formatUsd(movement.amountMicros),
		at: toIsoTime(movement.at),
		/** The other address; for bookings what they refer to. */
		counterparty: movement.counterparty,
	};
}
