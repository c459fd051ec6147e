import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { toCsv, visibleText } from "../../../kernel/visible-text.js";
import { save } from "./save-file.js";

/** A table that sorts, filters and is exported as it is shown; what stands in its cells is text. */

export type Cell = string | number | null;

export interface Column<Row> {
	readonly name: string;
	/** What it sorts, filters and exports by. */
	readonly value: (row: Row) => Cell;
	/** How it looks, where that is not the value itself. */
	readonly show?: (row: Row) => ComponentChildren;
	/** Figures stand right-aligned; texts left. */
	readonly kind?: "figure" | "code" | "text";
	/** What stands below the rows that are shown. */
	readonly total?: (rows: readonly Row[]) => string;
}

export interface TableOf<Row> {
	readonly title: string;
	readonly rows: readonly Row[];
	readonly columns: readonly Column<Row>[];
	readonly keyOf: (row: Row, at: number) => string;
	/** Said where there is no row at all. */
	readonly none: string;
	/** Beside the heading. */
	readonly aside?: ComponentChildren;
	/** Below the table. */
	readonly foot?: ComponentChildren;
	/** What can be done with a row. */
	readonly actions?: ((row: Row) => ComponentChildren) | undefined;
	/** Index of the column that it is sorted by at first, from the greatest on. */
	readonly sortedBy?: number;
	/** Rows that are shown at once; the others are found by the filter. */
	readonly most?: number;
}

const SHOWN = 200;
/** Below this many rows a filter has nothing to do. */
const FILTERED_FROM = 6;

export function DataTable<Row>(props: TableOf<Row>) {
	const { title, rows, columns, none, aside, foot, sortedBy, most = SHOWN } = props;
	const [words, setWords] = useState("");
	const [order, setOrder] = useState({ at: sortedBy ?? -1, isDown: true });
	const found = useMemo(
		() => sortRows(filterRows(rows, columns, words), columns[order.at], order.isDown),
		[rows, columns, words, order],
	);
	const file = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
	return (
		<div class="card card-flush">
			<div class="card-head">
				<h2>{title}</h2>
				<div class="row">
					{aside}
					{rows.length >= FILTERED_FROM && (
						<input
							class="filter"
							type="search"
							aria-label={`Filter: ${title}`}
							placeholder="Filter"
							value={words}
							onInput={(event) => setWords(event.currentTarget.value)}
						/>
					)}
					{rows.length > 0 && (
						<>
							<button
								class="btn btn-sm btn-quiet"
								type="button"
								aria-label={`CSV: ${title}`}
								onClick={() => save(`${file}.csv`, "text/csv", toLines(tableOf(found, columns)))}
							>
								CSV
							</button>
							<button
								class="btn btn-sm btn-quiet"
								type="button"
								aria-label={`JSON: ${title}`}
								onClick={() => save(`${file}.json`, "application/json", toJson(found, columns))}
							>
								JSON
							</button>
						</>
					)}
				</div>
			</div>
			{rows.length === 0 ? (
				<p class="card-body muted">{none}</p>
			) : (
				<Rows {...props} found={found.slice(0, most)} order={order} onOrder={setOrder} />
			)}
			{rows.length > 0 && found.length === 0 && (
				<p class="card-body muted">No row has all of these words.</p>
			)}
			{found.length > most && (
				<p class="card-body small muted">
					{most} of {found.length} rows are shown; the export has all of them.
				</p>
			)}
			{foot && <div class="card-body small muted">{foot}</div>}
		</div>
	);
}

interface Order {
	readonly at: number;
	readonly isDown: boolean;
}

function Rows<Row>({
	title,
	columns,
	keyOf,
	actions,
	found,
	order,
	onOrder,
}: TableOf<Row> & {
	readonly found: readonly Row[];
	readonly order: Order;
	readonly onOrder: (order: Order) => void;
}) {
	const wide = columns.length + (actions ? 1 : 0);
	const width = wide > 5 ? " tbl-6" : wide > 3 ? " tbl-4" : "";
	return (
		<section class="table-wrap" tabIndex={0} aria-label={title}>
			<table class={`tbl tbl-compact tbl-rows${width}`}>
				<thead>
					<tr>
						{columns.map(({ name, kind }, at) => (
							<th
								key={name}
								scope="col"
								class={kind === "figure" ? "r" : undefined}
								aria-sort={
									at === order.at ? (order.isDown ? "descending" : "ascending") : undefined
								}
							>
								<button
									class="sort"
									type="button"
									onClick={() => onOrder({ at, isDown: at === order.at ? !order.isDown : true })}
								>
									{name}
								</button>
							</th>
						))}
						{actions && (
							<th scope="col" class="r">
								<span class="unseen">Actions</span>
							</th>
						)}
					</tr>
				</thead>
				<tbody>
					{found.map((row, place) => (
						<tr key={keyOf(row, place)}>
							{columns.map((column, at) => (
								<CellOf key={column.name} row={row} column={column} isHead={at === 0} />
							))}
							{actions && <td class="r">{actions(row)}</td>}
						</tr>
					))}
				</tbody>
				<Totals columns={columns} rows={found} hasActions={actions !== undefined} />
			</table>
		</section>
	);
}

function CellOf<Row>({
	row,
	column,
	isHead,
}: {
	readonly row: Row;
	readonly column: Column<Row>;
	readonly isHead: boolean;
}) {
	const { value, show, kind } = column;
	const text = visibleText(textOf(value(row)));
	const content = show ? show(row) : kind === "code" ? <code>{text}</code> : text;
	const shown = kind === "figure" ? content : <div class="clip">{content}</div>;
	if (isHead) return <th scope="row">{shown}</th>;
	return <td class={kind === "figure" ? "r" : undefined}>{shown}</td>;
}

function Totals<Row>({
	columns,
	rows,
	hasActions,
}: {
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly hasActions: boolean;
}) {
	if (!columns.some(({ total }) => total) || rows.length === 0) return null;
	return (
		<tfoot>
			<tr>
				<th scope="row">Total</th>
				{columns.slice(1).map(({ name, total, kind }) => (
					<td key={name} class={kind === "figure" ? "r" : undefined}>
						{total?.(rows)}
					</td>
				))}
				{hasActions && <td />}
			</tr>
		</tfoot>
	);
}

const textOf = (value: Cell): string => (value === null ? "" : String(value));

function filterRows<Row>(
	rows: readonly Row[],
	columns: readonly Column<Row>[],
	text: string,
): readonly Row[] {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length === 0) return rows;
	return rows.filter((row) => {
		const all = columns.map(({ value }) => textOf(value(row)).toLowerCase()).join("\n");
		return words.every((word) => all.includes(word));
	});
}

function sortRows<Row>(
	rows: readonly Row[],
	column: Column<Row> | undefined,
	isDown: boolean,
): readonly Row[] {
	if (!column) return rows;
	const sign = isDown ? -1 : 1;
	return [...rows].sort((one, other) => sign * compare(column.value(one), column.value(other)));
}

function compare(one: Cell, other: Cell): number {
	const [a, b] = [Number(one ?? ""), Number(other ?? "")];
	const areFigures = one !== "" && other !== "" && !Number.isNaN(a) && !Number.isNaN(b);
	return areFigures ? a - b : textOf(one).localeCompare(textOf(other));
}

function tableOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
	return [
		columns.map(({ name }) => name),
		...rows.map((row) => columns.map(({ value }) => textOf(value(row)))),
	];
}

const toLines = (table: readonly (readonly string[])[]): string =>
	toCsv(table)
		.map((line) => `${line}\r\n`)
		.join("");

function toJson<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
	const objects = rows.map((row) =>
		Object.fromEntries(columns.map(({ name, value }) => [name, value(row)])),
	);
	return `${JSON.stringify(objects, undefined, "\t")}\n`;
}
