import { useMemo, useState } from "preact/hooks";
import type { Admin } from "./admin-api.js";
import { DataTable } from "./data-table.js";
import { DayChart, type DayPoint } from "./day-chart.js";
import { Shown, useLoad } from "./loading.js";
import { countOf, toMicros, toUsd } from "./money.js";
import { count, lastDays, type PartProps, SpanChips, usd } from "./part.js";
import { type GapReport, type RefusalReport, Refusals, Unanswered } from "./questions.js";

/** What was earned, by whom and with what. */

interface Sums {
	readonly calls: number;
	readonly free_calls: number;
	readonly gross_usd: string;
	readonly refunded_usd: string;
	readonly net_usd: string;
}

type RevenueRow = Sums & { readonly key: string };

interface Revenue {
	readonly rows: readonly RevenueRow[];
	readonly total: Sums;
}

interface OverviewWire {
	readonly net_usd: string;
	readonly liability_usd: string;
	readonly open_refunds: number;
	readonly refund_requests: number;
	readonly open_jobs: number;
	readonly latency: {
		readonly calls: number;
		readonly p50_ms: number | null;
		readonly p95_ms: number | null;
		readonly p99_ms: number | null;
	};
	readonly ledger: string;
}

const revenueOf = (admin: Admin, by: string, span: { from: string; to: string }) =>
	admin.ask<Revenue>("/revenue", { query: { by, ...span } });

export function Overview({ admin }: PartProps) {
	const [days, setDays] = useState(30);
	const loaded = useLoad(async () => {
		const span = lastDays(days);
		const [today, byDay, byOperation, byPayer, gaps, refusals] = await Promise.all([
			admin.ask<OverviewWire>("/overview"),
			revenueOf(admin, "day", span),
			revenueOf(admin, "op", span),
			revenueOf(admin, "payer", span),
			admin.ask<GapReport>("/gaps", { query: { since: span.from, until: span.to } }),
			admin.ask<RefusalReport>("/refusals", { query: span }),
		]);
		return { today, byDay, byOperation, byPayer, gaps, refusals, span };
	}, [days]);
	return (
		<div class="parts">
			<SpanChips days={days} onChange={setDays} />
			<Shown of={loaded}>
				{({ today, byDay, byOperation, byPayer, gaps, refusals, span }) => (
					<>
						<SixNumbers today={today} total={byDay.total} gaps={gaps} />
						<EarningsByDay revenue={byDay} span={span} />
						<div class="halves">
							<EarningsBy title="By operation" head="Operation" revenue={byOperation} />
							<EarningsBy title="By payer" head="Payer" revenue={byPayer} />
						</div>
						<Unanswered report={gaps} />
						<Refusals report={refusals} />
					</>
				)}
			</Shown>
		</div>
	);
}

function SixNumbers({
	today,
	total,
	gaps,
}: {
	readonly today: OverviewWire;
	readonly total: Sums;
	readonly gaps: GapReport;
}) {
	const paid = total.calls - total.free_calls;
	const each =
		paid === 0 ? "0.00" : toUsd((toMicros(total.gross_usd) / BigInt(paid) / 10_000n) * 10_000n);
	const { p50_ms, p95_ms, p99_ms } = today.latency;
	const ms = (value: number | null) => (value === null ? "none yet" : `${countOf(value)}`);
	return (
		<dl class="stats">
			<Stat
				name="Earned"
				value={usdOf(total.net_usd)}
				unit="USD"
				note={`today ${usdOf(today.net_usd)} USD`}
			/>
			<Stat
				name="Paid calls"
				value={countOf(paid)}
				note={`${each} USD each, ${countOf(total.free_calls)} free`}
			/>
			<Stat
				name="Unanswered, not charged"
				value={countOf(gaps.questions)}
				note={`would have earned ${usdOf(gaps.unpaid_usd)} USD`}
			/>
			<Stat
				name="Paid in advance, not spent"
				value={usdOf(today.liability_usd)}
				unit="USD"
				note={`${countOf(today.open_jobs)} jobs under way`}
			/>
			<Stat
				name="Refunded"
				value={usdOf(total.refunded_usd)}
				unit="USD"
				note={`${countOf(today.open_refunds)} to pay, ${countOf(today.refund_requests)} asked for`}
			/>
			<Stat
				name="Answer time, 95 %"
				value={ms(p95_ms)}
				{...(p95_ms !== null && { unit: "ms" })}
				note={
					p95_ms === null
						? "of this process"
						: `half below ${ms(p50_ms)} ms, 99 % below ${ms(p99_ms)} ms`
				}
			/>
		</dl>
	);
}

const usdOf = (text: string) => toUsd(toMicros(text));

function Stat({
	name,
	value,
	unit,
	note,
}: {
	readonly name: string;
	readonly value: string;
	readonly unit?: string;
	readonly note: string;
}) {
	return (
		<div class="stat">
			<dt>{name}</dt>
			<dd>
				{value} {unit && <span class="sub">{unit}</span>}
				<br />
				<span class="sub">{note}</span>
			</dd>
		</div>
	);
}

/** Days without a call are days, too. */
function toPoints(
	{ rows }: Revenue,
	{ from, to }: { readonly from: string; readonly to: string },
): readonly DayPoint[] {
	const known = new Map(rows.map((row) => [row.key, row]));
	const points: DayPoint[] = [];
	for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) {
		const day = new Date(at).toISOString().slice(0, 10);
		const row = known.get(day);
		points.push({
			day,
			usd: row ? Number(row.net_usd) : 0,
			calls: row ? row.calls - row.free_calls : 0,
		});
	}
	return points;
}

function EarningsByDay({
	revenue,
	span,
}: {
	readonly revenue: Revenue;
	readonly span: { readonly from: string; readonly to: string };
}) {
	const points = useMemo(() => toPoints(revenue, span), [revenue, span]);
	const { net_usd, calls, free_calls } = revenue.total;
	return (
		<section class="card card-flush" aria-labelledby="by-day">
			<div class="card-head">
				<h2 id="by-day">Earnings by day</h2>
				<ul class="legend plain">
					<li>
						<span class="dot s1" />
						USD earned
					</li>
					<li>
						<span class="dot s2" />
						paid calls
					</li>
				</ul>
			</div>
			<div class="card-body">
				<DayChart
					points={points}
					label={`${net_usd} USD by ${calls - free_calls} paid calls from ${span.from} to ${span.to}; the table below has each day.`}
				/>
				<details>
					<summary>The same as a table</summary>
					<EarningsBy title="Earnings, day by day" head="Day" revenue={revenue} isPlain />
				</details>
			</div>
		</section>
	);
}

function EarningsBy({
	title,
	head,
	revenue,
	isPlain = false,
}: {
	readonly title: string;
	readonly head: string;
	readonly revenue: Revenue;
	readonly isPlain?: boolean;
}) {
	return (
		<DataTable<RevenueRow>
			title={title}
			rows={revenue.rows}
			columns={[
				{ name: head, value: ({ key }) => key, kind: isPlain ? "text" : "code" },
				count("Calls", ({ calls }) => calls),
				...(isPlain ? [usd<RevenueRow>("Refunded, USD", ({ refunded_usd }) => refunded_usd)] : []),
				usd("Earned, USD", ({ net_usd }) => net_usd),
			]}
			keyOf={({ key }) => key}
			none="Nothing was sold in these days."
			sortedBy={isPlain ? 0 : 2}
		/>
	);
}

const KEYS = [
	["op", "By operation", "Operation"],
	["graph", "By graph", "Graph"],
	["payer", "By payer", "Payer"],
	["rail", "By rail", "Rail"],
] as const;

export function Earnings({ admin }: PartProps) {
	const [days, setDays] = useState(30);
	const loaded = useLoad(async () => {
		const span = lastDays(days);
		const [byDay, ...others] = await Promise.all([
			revenueOf(admin, "day", span),
			...KEYS.map(([by]) => revenueOf(admin, by, span)),
		]);
		return { byDay, others, span };
	}, [days]);
	return (
		<div class="parts">
			<SpanChips days={days} onChange={setDays} />
			<Shown of={loaded}>
				{({ byDay, others, span }) => (
					<>
						<EarningsByDay revenue={byDay} span={span} />
						<div class="halves">
							{KEYS.map(([by, title, head], at) => {
								const revenue = others[at];
								return (
									revenue && <EarningsBy key={by} title={title} head={head} revenue={revenue} />
								);
							})}
						</div>
					</>
				)}
			</Shown>
		</div>
	);
}
