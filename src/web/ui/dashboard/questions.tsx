import { useState } from "preact/hooks";
import { DataTable } from "./data-table.js";
import { Shown, useLoad } from "./loading.js";
import { countOf } from "./money.js";
import { count, lastDays, type PartProps, SpanChips, state, time, usd } from "./part.js";

/** What could not be answered, and what was refused. */

export interface Gap {
	readonly question: string;
	readonly graph_id: string | null;
	readonly questions: number;
	readonly callers: number;
	readonly unpaid_usd: string;
	readonly last_at: string;
}

export interface GapReport {
	readonly questions: number;
	readonly groups: number;
	readonly unpaid_usd: string;
	readonly items: readonly Gap[];
	readonly not_grouped: number;
}

export interface RefusalReport {
	readonly items: readonly {
		readonly code: string;
		readonly ending: string;
		readonly calls: number;
	}[];
}

export function Unanswered({ report }: { readonly report: GapReport }) {
	return (
		<DataTable<Gap>
			title="Asked, not answered"
			aside={<span class="muted small">what to write next</span>}
			rows={report.items}
			columns={[
				{ name: "Question", value: ({ question }) => question },
				{ name: "Nearest graph", value: ({ graph_id }) => graph_id, kind: "code" },
				count("Asked", ({ questions }) => questions),
				count("Callers", ({ callers }) => callers, false),
				usd("Would earn, USD", ({ unpaid_usd }) => unpaid_usd),
				time("Last asked", ({ last_at }) => last_at),
			]}
			keyOf={({ question }, at) => `${at} ${question}`}
			none="Every question was answered."
			foot={
				report.groups > report.items.length &&
				`${report.items.length} of ${report.groups} groups of questions are shown; all of them together were asked ${report.questions} times.`
			}
		/>
	);
}

const REASONS: Readonly<Record<string, string>> = {
	PAYMENT_REQUIRED: "The price was shown (402)",
	INSUFFICIENT_BALANCE: "The balance was too low",
	SPENDING_LIMIT: "A limit of the payer was reached",
	PAYMENT_REJECTED: "The payment was refused",
	PAYMENT_ALREADY_USED: "The payment was used before",
	UNAUTHENTICATED: "The credential is not known",
	SCOPE_FORBIDDEN: "The credential may not do that",
	RATE_LIMITED: "Too many requests",
	NOT_FOUND: "There is no such thing",
	INVALID_ARGUMENT: "The request was not valid",
	UNAVAILABLE: "The service was not ready",
	UPSTREAM: "Another service failed",
	INTERNAL: "Our own failure",
	SETTLEMENT_UNKNOWN: "What became of the payment was not known",
	FREE_LIMIT: "The free calls were used up",
};

export function Refusals({ report }: { readonly report: RefusalReport }) {
	return (
		<DataTable<RefusalReport["items"][number]>
			title="Calls without a result, by reason"
			rows={report.items}
			columns={[
				{ name: "Reason", value: ({ code }) => REASONS[code] ?? code },
				{ name: "Code", value: ({ code }) => code, kind: "code" },
				state("Ended as", ({ ending }) => ending),
				count("Calls", ({ calls }) => calls),
			]}
			keyOf={({ code }) => code}
			none="No call was refused in these days."
		/>
	);
}

export function UnansweredPart({ admin }: PartProps) {
	const [days, setDays] = useState(30);
	const loaded = useLoad(() => {
		const { from, to } = lastDays(days);
		return admin.ask<GapReport>("/gaps", { query: { since: from, until: to, limit: "500" } });
	}, [days]);
	return (
		<div class="parts">
			<SpanChips days={days} onChange={setDays} />
			<Shown of={loaded}>{(report) => <Unanswered report={report} />}</Shown>
		</div>
	);
}

interface Usage {
	readonly challenged_calls: number;
	readonly paid_calls: number;
	readonly free_calls: number;
	readonly refused_calls: number;
	readonly failed_calls: number;
	readonly payers: number;
	readonly repeat_payers: number;
}

export function RefusalsPart({ admin }: PartProps) {
	const [days, setDays] = useState(30);
	const loaded = useLoad(async () => {
		const query = lastDays(days);
		const [usage, report] = await Promise.all([
			admin.ask<Usage>("/usage", { query }),
			admin.ask<RefusalReport>("/refusals", { query }),
		]);
		return { usage, report };
	}, [days]);
	return (
		<div class="parts">
			<SpanChips days={days} onChange={setDays} />
			<Shown of={loaded}>
				{({ usage, report }) => (
					<>
						<dl class="stats">
							{toStats(usage).map(([name, value]) => (
								<div class="stat" key={name}>
									<dt>{name}</dt>
									<dd>{countOf(value)}</dd>
								</div>
							))}
						</dl>
						<Refusals report={report} />
					</>
				)}
			</Shown>
		</div>
	);
}

const toStats = (usage: Usage): readonly (readonly [string, number])[] => [
	["Saw a price", usage.challenged_calls],
	["Paid", usage.paid_calls],
	["Refused", usage.refused_calls],
	["Failed, ours", usage.failed_calls],
	["Payers", usage.payers],
	["Came back", usage.repeat_payers],
];
