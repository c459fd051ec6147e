import { type Micros, toIsoDay } from "../../src/kernel/kernel.js";
import type { LedgerTransaction, ReceiptRow, Store } from "../../store/store.js";
import { isPayout, isShareAccount, OPERATOR, ownerOf, splitMicros } from "../payments.js";

/** What a report adds up by. */
export const REPORT_KEYS = ["day", "skill", "graph", "payer", "rail", "owner"] as const;
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
	let total = NOTHING;
	const count = (parts: ReadonlyMap<string, Micros>, toSums: (micros: Micros) => ReportSums) => {
		let whole = 0n;
		for (const [key, micros] of parts) {
			whole += micros;
			add(groups, key, toSums(micros));
		}
		total = sum(total, toSums(whole));
	};

	const whole = (receipt: ReceiptRow, at: number) =>
		new Map([[keyOf(receipt, by, at), receipt.amountMicros]]);
	const chargedParts =
		by === "owner" ? chargedByOwner : (receipt: ReceiptRow) => whole(receipt, receipt.at);
	const addReceipt = (receipt: ReceiptRow) => {
		if (refundedIds.has(receipt.id)) refundedReceipts.set(receipt.id, receipt);
		if (!isIn(receipt.at)) return;
		const { amountMicros } = receipt;
		if (receipt.billingType === "prepaid") soldMicros += amountMicros;
		else {
			const freeCalls = amountMicros === 0n ? 1 : 0;
			count(chargedParts(receipt), (grossMicros) => ({
				...NOTHING,
				calls: 1,
				freeCalls,
				grossMicros,
			}));
		}
	};
	const addRefund = (posting: LedgerTransaction) => {
		// A payout is of revenue that was counted when it came in.
		if (!isIn(posting.at) || isPayout(posting)) return;
		const amountMicros = amountOf(posting);
		const receipt = refundedReceipts.get(posting.ref);
		if (!receipt) refundedMicros += amountMicros;
		else {
			const parts =
				by === "owner"
					? refundedByOwner(posting, amountMicros)
					: whole({ ...receipt, amountMicros }, posting.at);
			count(parts, (micros) => ({ ...NOTHING, refundedMicros: micros }));
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
		/** A call whose revenue has several owners is one call. */
		total,
		/** Balance that was bought in advance: it becomes gross when a call captures it. */
		prepaid: { soldMicros, refundedMicros },
	};
}

export function netOf({ grossMicros, refundedMicros }: ReportSums): Micros {
	return grossMicros - refundedMicros;
}

const chargedByOwner = ({ amountMicros, owners = OPERATOR_ALONE }: ReceiptRow) =>
	splitMicros(amountMicros, owners);
const OPERATOR_ALONE = [{ owner: OPERATOR, basisPoints: 10_000 }];

/** Whose share a refund took back; the rest was the operator's. */
function refundedByOwner({ entries }: LedgerTransaction, amountMicros: Micros) {
	const parts = new Map<string, Micros>();
	let rest = amountMicros;
	for (const { account, amountMicros: micros } of entries) {
		const owner = ownerOf(account);
		if (owner === undefined) continue;
		parts.set(owner, -micros);
		rest += micros;
	}
	return rest === 0n ? parts : parts.set(OPERATOR, rest);
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
		case "owner":
			return OPERATOR;
	}
}

/** A call over several graphs cannot be divided between them: it has a line of its own. */
function graphKeyOf(graphIds: readonly string[]): string {
	return graphIds.length === 0 ? "all graphs" : [...graphIds].sort().join(" + ");
}

/** What left the revenue or the balance it was in. */
function amountOf({ entries }: LedgerTransaction): Micros {
	let amount = 0n;
	for (const { account, amountMicros } of entries) {
		if (amountMicros > 0n && !isShareAccount(account)) amount += amountMicros;
	}
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
