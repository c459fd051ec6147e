import { type Micros, toIsoDay } from "../../src/kernel/kernel.js";
import type { LedgerTransaction, ReceiptRow, Store } from "../../store/store.js";

/** What a report adds up by. */
export const REPORT_KEYS = ["day", "skill", "graph", "payer", "rail"] as const;
export type ReportKey = (typeof REPORT_KEYS)[number];

export interface ReportSpan {
	/** UTC days, `YYYY-MM-DD`, both included; open at an end that is not given. */
	readonly from?: string | undefined;
	readonly to?: string | undefined;
}

export interface ReportSums {
	/** Delivered calls; the free ones among them were paid by the plan. */
	readonly calls: number;
	readonly freeCalls: number;
	readonly grossMicros: Micros;
	readonly refundedMicros: Micros;
}

type ReportLine = ReportSums & { readonly key: string };

const NOTHING: ReportSums = { calls: 0, freeCalls: 0, grossMicros: 0n, refundedMicros: 0n };

/** Adds up receipts and refunds of a span; a refund counts on its own day, under the skill, graph, payer and rail of its receipt. */
export async function createLedgerReport(
	store: Store,
	{ by, span }: { by: ReportKey; span: ReportSpan },
) {
	const rows = await store.read((reader) => reader.list("refunds"));
	const refundedIds = new Set(rows.map(({ ref }) => ref));
	const refundedReceipts = new Map<string, ReceiptRow>();
	const isIn = (at: number) => isWithin(toIsoDay(at), span);
	const groups = new Map<string, ReportSums>();
	let [soldMicros, refundedMicros] = [0n, 0n];

	const addReceipt = (receipt: ReceiptRow) => {
		if (refundedIds.has(receipt.id)) refundedReceipts.set(receipt.id, receipt);
		if (!isIn(receipt.at)) return;
		const { amountMicros } = receipt;
		if (receipt.billingType === "prepaid") soldMicros += amountMicros;
		else {
			const freeCalls = amountMicros === 0n ? 1 : 0;
			const sums = { ...NOTHING, calls: 1, freeCalls, grossMicros: amountMicros };
			add(groups, keyOf(receipt, by, receipt.at), sums);
		}
	};
	const addRefund = (posting: LedgerTransaction) => {
		if (!isIn(posting.at)) return;
		const amountMicros = amountOf(posting);
		const receipt = refundedReceipts.get(posting.ref);
		if (!receipt) refundedMicros += amountMicros;
		else {
			const sums = { ...NOTHING, refundedMicros: amountMicros };
			add(groups, keyOf(receipt, by, posting.at), sums);
		}
	};
	for await (const { postings, receipts } of store.history()) {
		receipts.forEach(addReceipt);
		for (const posting of postings) if (posting.kind === "refund") addRefund(posting);
	}

	const lines = [...groups].map(([key, sums]) => ({ key, ...sums }));
	return {
		/** Days in order, else the highest gross first. */
		lines: lines.sort(by === "day" ? byKey : byGross),
		total: lines.reduce<ReportSums>(sum, NOTHING),
		/** Balance that was bought in advance: it becomes gross when a call captures it. */
		prepaid: { soldMicros, refundedMicros },
	};
}

export function netOf({ grossMicros, refundedMicros }: ReportSums): Micros {
	return grossMicros - refundedMicros;
}

function keyOf(receipt: ReceiptRow, by: ReportKey, at: number): string {
	switch (by) {
		case "day":
			return toIsoDay(at);
		case "skill":
			return receipt.operationId;
		case "graph":
			return graphKeyOf(receipt.graphIds ?? []);
		case "payer":
			return receipt.owner;
		case "rail":
			return receipt.rail;
	}
}

/** A call over several graphs cannot be divided between them: it has a line of its own. */
function graphKeyOf(graphIds: readonly string[]): string {
	return graphIds.length === 0 ? "all graphs" : [...graphIds].sort().join(" + ");
}

/** What left the revenue or the balance it was in. */
function amountOf({ entries }: LedgerTransaction): Micros {
	let amount = 0n;
	for (const { amountMicros } of entries) if (amountMicros > 0n) amount += amountMicros;
	return amount;
}

function isWithin(day: string, { from, to }: ReportSpan): boolean {
	return (from === undefined || day >= from) && (to === undefined || day <= to);
}

function add(groups: Map<string, ReportSums>, key: string, sums: ReportSums): void {
	groups.set(key, sum(groups.get(key) ?? NOTHING, sums));
}

function sum(one: ReportSums, other: ReportSums): ReportSums {
	return {
		calls: one.calls + other.calls,
		freeCalls: one.freeCalls + other.freeCalls,
		grossMicros: one.grossMicros + other.grossMicros,
		refundedMicros: one.refundedMicros + other.refundedMicros,
	};
}

function byKey(one: ReportLine, other: ReportLine): number {
	return one.key < other.key ? -1 : 1;
}

function byGross(one: ReportLine, other: ReportLine): number {
	if (one.grossMicros === other.grossMicros) return byKey(one, other);
	return one.grossMicros > other.grossMicros ? -1 : 1;
}
