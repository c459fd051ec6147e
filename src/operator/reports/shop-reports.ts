import { z } from "zod";
import { createLedgerReport, type InvariantGuard, netOf } from "../../../payments/audit/audit.js";
import { custAccount, heldAccount } from "../../../payments/payments.js";
import type { HoldRow, LedgerTransaction, Store } from "../../../store/store.js";
import { digitsField, isOpenJob } from "../../contract/contract.js";
import {
	type Clock,
	formatUsd,
	invalidArgument,
	toIsoDay,
	toIsoTime,
} from "../../kernel/kernel.js";
import type { CallMeter } from "../../sales/sales.js";
import { dayField, parseDay } from "./ledger-operator.js";

const spanFields = { from: dayField.optional(), to: dayField.optional() };
const PAGE = 50;
const PAGE_MAX = 500;

/** What the reports on the shop take; days are of UTC, both included. */
export const reportCommands = {
	usage: z.strictObject(spanFields),
	refusals: z.strictObject(spanFields),
	movements: z.strictObject({
		...spanFields,
		/** One side of the movement, e.g. `cust:tok_…`, `rev:per_call`; or all of an owner's by its id. */
		account: z.string().min(1).max(200).optional(),
		kind: z.string().min(1).max(20).optional(),
		ref: z.string().min(1).max(200).optional(),
		limit: digitsField(PAGE_MAX).default(PAGE),
		cursor: z.string().max(80).optional(),
	}),
};

export interface ReportDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly guard: InvariantGuard;
	readonly meter: Pick<CallMeter, "countsOf" | "latency" | "reasonsOf">;
}

/** What an owner looks at every day. */
export function createShopReports(deps: ReportDeps) {
	const { store, meter } = deps;
	return {
		getOverview: () => overview(deps),
		/** How many saw a price, paid, and came back. Calls that named no payer are challenges; what the books hold is exact. */
		async reportUsage({ from, to }: z.output<typeof reportCommands.usage>) {
			const span = { from: from && parseDay(from), to: to && parseDay(to) };
			const counts = await meter.countsOf(span);
			const { lines, total } = await createLedgerReport(store, { by: "payer", span });
			const paying = lines.filter(({ grossMicros }) => grossMicros > 0n);
			return {
				from: from ?? null,
				to: to ?? null,
				challenged_calls: counts.challenged,
				refused_calls: counts.refused,
				failed_calls: counts.failed,
				delivered_calls: total.calls,
				free_calls: total.freeCalls,
				paid_calls: total.calls - total.freeCalls,
				payers: paying.length,
				repeat_payers: paying.filter(({ calls, freeCalls }) => calls - freeCalls > 1).length,
			};
		},
		/** Calls that had no result, by the code of their error. */
		async reportRefusals({ from, to }: z.output<typeof reportCommands.refusals>) {
			const span = { from: from && parseDay(from), to: to && parseDay(to) };
			return { from: from ?? null, to: to ?? null, items: await meter.reasonsOf(span) };
		},
		/** What is set aside for calls and jobs under way, the oldest first. */
		async listHolds() {
			const rows = await store.read((reader) => reader.list("holds"));
			return { items: [...rows].sort((one, other) => one.createdAt - other.createdAt).map(toHold) };
		},
		listMovements: (request: z.output<typeof reportCommands.movements>) =>
			movements(store, reportCommands.movements.parse(request)),
	};
}

async function overview({ store, clock, guard, meter }: ReportDeps) {
	const day = toIsoDay(clock.now());
	const span = { from: day, to: day };
	const [counts, report] = await Promise.all([
		meter.countsOf(span),
		createLedgerReport(store, { by: "day", span }),
	]);
	const { total } = report;
	const open = await store.read(async (reader) => ({
		jobs: (await reader.list("jobs")).filter(({ state }) => isOpenJob(state)).length,
		refunds: (await reader.list("refunds")).filter(({ state }) => state !== "paid").length,
		requests: (await reader.list("refund_requests")).filter(({ state }) => state === "open").length,
		balances: await reader.balances(),
	}));
	return {
		day,
		net_usd: formatUsd(netOf(total)),
		gross_usd: formatUsd(total.grossMicros),
		refunded_usd: formatUsd(total.refundedMicros),
		delivered_calls: total.calls,
		challenged_calls: counts.challenged,
		refused_calls: counts.refused,
		failed_calls: counts.failed,
		/** Of the latest calls of this process. */
		latency: meter.latency(),
		/** What customers have paid in advance and not spent. */
		liability_usd: formatUsd(sumOf(open.balances, /^(cust|held):/)),
		open_jobs: open.jobs,
		open_refunds: open.refunds,
		refund_requests: open.requests,
		ledger: guard.latest().status,
	};
}

function toHold(row: HoldRow) {
	return {
		id: row.id,
		owner: row.owner,
		rail: row.rail,
		operation: row.operationId,
		amount_usd: formatUsd(row.amountMicros),
		graph_ids: row.graphIds ?? [],
		job_id: row.jobId ?? null,
		created_at: toIsoTime(row.createdAt),
		expires_at: toIsoTime(row.expiresAt),
	};
}

function sumOf(balances: ReadonlyMap<string, bigint>, pattern: RegExp): bigint {
	let sum = 0n;
	for (const [account, amount] of balances) if (pattern.test(account)) sum += amount;
	return sum;
}

type MovementQuestion = z.output<typeof reportCommands.movements>;

/** One page, newest first; the journal is read through, and no more than a page of it is held. */
async function movements(store: Store, request: MovementQuestion) {
	const { limit, cursor } = request;
	if (cursor !== undefined && !/^txn_[0-9a-z]+$/.test(cursor)) {
		throw invalidArgument('"cursor" is none of this list; take it from "next" of the page before.');
	}
	const isWanted = toFilter(request);
	let latest: LedgerTransaction[] = [];
	let found = 0;
	for await (const posting of postingsUntil(store, cursor)) {
		if (!isWanted(posting)) continue;
		found += 1;
		latest.push(posting);
		if (latest.length > 2 * limit) latest = latest.slice(-limit);
	}
	const items = latest.slice(-limit).reverse().map(toMovement);
	return { items, next: found > limit ? (items.at(-1)?.id ?? null) : null };
}

/** In the order of the journal, up to the one that the page before ended with. */
async function* postingsUntil(store: Store, lastId: string | undefined) {
	for await (const { postings } of store.history()) {
		for (const posting of postings) {
			if (posting.id === lastId) return;
			yield posting;
		}
	}
}

function toFilter({ account, kind, ref, ...span }: MovementQuestion) {
	const from = span.from === undefined ? "" : parseDay(span.from);
	const to = span.to === undefined ? "9999" : parseDay(span.to);
	const names = account && [account, custAccount(account), heldAccount(account)];
	const isIn = ({ at }: LedgerTransaction) => toIsoDay(at) >= from && toIsoDay(at) <= to;
	const isOf = ({ entries }: LedgerTransaction) =>
		!names || entries.some((entry) => names.includes(entry.account));
	return (posting: LedgerTransaction): boolean =>
		(kind ?? posting.kind) === posting.kind &&
		(ref ?? posting.ref) === posting.ref &&
		isIn(posting) &&
		isOf(posting);
}

function toMovement({ id, at, kind, ref, memo, entries }: LedgerTransaction) {
	return {
		id,
		at: toIsoTime(at),
		kind,
		ref,
		memo: memo ?? null,
		entries: entries.map(({ account, amountMicros }) => ({
			account,
			amount_usd: formatUsd(amountMicros),
		})),
	};
}
