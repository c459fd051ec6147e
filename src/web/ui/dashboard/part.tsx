import type { ComponentChildren } from "preact";
import type { Admin } from "./admin-api.js";
import type { Change } from "./change-dialog.js";
import type { Column } from "./data-table.js";
import { sumUsd } from "./money.js";

/** What every part of the dashboard is given and shares. */

export interface PartProps {
	readonly admin: Admin;
	/** Opens the dialog of a change. */
	readonly change: (change: Change) => void;
}

const STATES: Readonly<Record<string, string>> = {
	active: "pass",
	done: "pass",
	completed: "pass",
	paid: "pass",
	ok: "pass",
	on: "pass",
	answered: "pass",
	failed: "stop",
	failing: "stop",
	revoked: "stop",
	suspended: "stop",
	frozen: "stop",
	breached: "stop",
	interrupted: "stop",
	refused: "stop",
	pending: "toll",
	paying: "toll",
	paused: "toll",
	challenged: "toll",
	off: "toll",
};

/** A state in words, with the color of its meaning. */
export function State({ of: state }: { readonly of: string }) {
	const kind = STATES[state];
	return <span class={kind ? `badge badge-${kind}` : "badge"}>{state}</span>;
}

/** A column of amounts, with their sum below. */
export function usd<Row>(name: string, value: (row: Row) => string, hasTotal = true): Column<Row> {
	return {
		name,
		value,
		kind: "figure",
		...(hasTotal && { total: (rows: readonly Row[]) => sumUsd(rows.map(value)) }),
	};
}

/** A column of counts, with their sum below. */
export function count<Row>(
	name: string,
	value: (row: Row) => number,
	hasTotal = true,
): Column<Row> {
	return {
		name,
		value,
		kind: "figure",
		...(hasTotal && {
			total: (rows: readonly Row[]) => String(rows.reduce((sum, row) => sum + value(row), 0)),
		}),
	};
}

/** A column of times, to the second. */
export function time<Row>(name: string, value: (row: Row) => string | null): Column<Row> {
	return {
		name,
		value,
		show: (row) => {
			const at = value(row);
			return at && <time dateTime={at}>{at.slice(0, 19).replace("T", " ")}</time>;
		},
	};
}

export function state<Row>(name: string, value: (row: Row) => string): Column<Row> {
	return { name, value, show: (row) => <State of={value(row)} /> };
}

export function Button({
	label,
	of: what,
	isStop = false,
	onClick,
}: {
	readonly label: string;
	/** What it acts on, for those who do not see the row. */
	readonly of: string;
	readonly isStop?: boolean;
	readonly onClick: () => void;
}) {
	return (
		<button
			class={isStop ? "btn btn-sm btn-stop" : "btn btn-sm"}
			type="button"
			aria-label={`${label}: ${what}`}
			onClick={onClick}
		>
			{label}
		</button>
	);
}

/** What can be done in a part beside what can be done to its rows; nothing for those who may not. */
export function PartAction({
	admin,
	label,
	onClick,
}: Pick<PartProps, "admin"> & { readonly label: string; readonly onClick: () => void }) {
	if (!admin.may("owner")) return null;
	return (
		<div class="row">
			<button class="btn btn-sm" type="button" onClick={onClick}>
				{label}
			</button>
		</div>
	);
}

export const Actions = ({ children }: { readonly children: ComponentChildren }) => (
	<div class="row row-actions">{children}</div>
);

/** The last so many days of UTC, both included. */
export function lastDays(days: number): { readonly from: string; readonly to: string } {
	const dayMs = 86_400_000;
	const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);
	return { from: toDay(Date.now() - (days - 1) * dayMs), to: toDay(Date.now()) };
}

const SPANS = [7, 30, 90] as const;

export function SpanChips({
	days,
	onChange,
}: {
	readonly days: number;
	readonly onChange: (days: number) => void;
}) {
	const { from, to } = lastDays(days);
	return (
		<div class="row row-end">
			<p class="small muted">
				{from} to {to}, UTC
			</p>
			<fieldset class="filters">
				<legend class="unseen">Days</legend>
				{SPANS.map((one) => (
					<button
						key={one}
						class="chip"
						type="button"
						aria-pressed={one === days}
						onClick={() => onChange(one)}
					>
						{one} days
					</button>
				))}
			</fieldset>
		</div>
	);
}
