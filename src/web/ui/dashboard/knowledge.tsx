import { useState } from "preact/hooks";
import { Dialog } from "./change-dialog.js";
import { DataTable } from "./data-table.js";
import {
	type GraphRow,
	priceChange,
	removeChange,
	rollBackChange,
	type Version,
} from "./graph-changes.js";
import { ImportDialog } from "./import-dialog.js";
import { Shown, useLoad } from "./loading.js";
import { Actions, Button, count, lastDays, type PartProps, time, usd } from "./part.js";

/** Graphs and prices. */

export function Graphs({ admin, change }: PartProps) {
	const [opened, setOpened] = useState<
		{ readonly kind: "import" } | { readonly kind: "versions"; readonly id: string }
	>();
	const loaded = useLoad(async () => {
		const [{ items }, revenue] = await Promise.all([
			admin.ask<{ items: readonly Omit<GraphRow, "calls" | "net_usd">[] }>("/graphs"),
			admin.ask<{ rows: readonly { key: string; calls: number; net_usd: string }[] }>("/revenue", {
				query: { by: "graph", ...lastDays(30) },
			}),
		]);
		const earned = new Map(revenue.rows.map((row) => [row.key, row]));
		return items.map((graph): GraphRow => {
			const { calls = 0, net_usd = "0.00" } = earned.get(graph.id) ?? {};
			return { ...graph, calls, net_usd };
		});
	});
	const actionsOf = (row: GraphRow) =>
		row.imported && (
			<GraphActions
				{...{ admin, change, row }}
				onChanged={loaded.reload}
				onVersions={() => setOpened({ kind: "versions", id: row.id })}
			/>
		);
	return (
		<div class="parts">
			{admin.may("editor") && (
				<div class="row">
					<button
						class="btn btn-pay"
						type="button"
						data-import
						onClick={() => setOpened({ kind: "import" })}
					>
						Import a folder
					</button>
				</div>
			)}
			<Shown of={loaded}>
				{(rows) => (
					<DataTable<GraphRow>
						title="Graphs"
						aside={<span class="muted small">calls and earnings of 30 days</span>}
						rows={rows}
						columns={[
							{ name: "Graph", value: ({ title }) => title },
							{ name: "Id", value: ({ id }) => id, kind: "code" },
							{ name: "Kind", value: ({ type }) => type },
							{ name: "Version", value: ({ version }) => version },
							count("Concepts", ({ nodes }) => nodes),
							count("Calls", ({ calls }) => calls),
							usd("Earned, USD", ({ net_usd }) => net_usd),
						]}
						keyOf={({ id }) => id}
						none="Nothing is on sale. Import a folder of Markdown."
						sortedBy={6}
						foot="Only graphs that were imported here can be changed here; the others are read from their own folders."
						actions={actionsOf}
					/>
				)}
			</Shown>
			{opened?.kind === "import" && (
				<ImportDialog admin={admin} onClose={() => setOpened(undefined)} onDone={loaded.reload} />
			)}
			{opened?.kind === "versions" && (
				<Versions
					admin={admin}
					change={(one) => {
						setOpened(undefined);
						change({ ...one, onDone: loaded.reload });
					}}
					id={opened.id}
					onClose={() => setOpened(undefined)}
				/>
			)}
		</div>
	);
}

function GraphActions({
	admin,
	change,
	row,
	onChanged,
	onVersions,
}: PartProps & {
	readonly row: GraphRow;
	readonly onChanged: () => void;
	readonly onVersions: () => void;
}) {
	return (
		<Actions>
			<Button label="Versions" of={row.id} onClick={onVersions} />
			{admin.may("owner") && (
				<Button label="Price" of={row.id} onClick={() => change(priceChange(row, onChanged))} />
			)}
			{admin.may("editor") && (
				<Button
					label="Remove"
					of={row.id}
					isStop
					onClick={() => change(removeChange(row, onChanged))}
				/>
			)}
		</Actions>
	);
}

function Versions({
	admin,
	change,
	id,
	onClose,
}: PartProps & { readonly id: string; readonly onClose: () => void }) {
	const address = `/graphs/${encodeURIComponent(id)}`;
	const loaded = useLoad(() => admin.ask<{ items: readonly Version[] }>(`${address}/versions`));
	return (
		<Dialog title={`Versions of ${id}`} onClose={onClose}>
			<div class="card-body">
				<Shown of={loaded}>
					{({ items }) => (
						<DataTable<Version>
							title="Versions that are kept"
							rows={items}
							columns={[
								count("Version", ({ number }) => number, false),
								time("Made", ({ at }) => at),
								{ name: "By", value: ({ cause }) => cause },
								{ name: "Release", value: ({ release }) => release?.label ?? null },
								count("Concepts", ({ nodes }) => nodes, false),
							]}
							keyOf={({ number }) => String(number)}
							none="No version is kept."
							actions={
								admin.may("editor")
									? (row) =>
											row.number !== items[0]?.number && (
												<Button
													label="Roll back"
													of={`version ${row.number}`}
													onClick={() => change(rollBackChange(id, row, () => undefined))}
												/>
											)
									: undefined
							}
						/>
					)}
				</Shown>
			</div>
			<footer>
				<button class="btn" type="button" onClick={onClose}>
					Close
				</button>
			</footer>
		</Dialog>
	);
}

interface PriceBook {
	readonly version: number;
	readonly versions: readonly {
		readonly version: number;
		readonly at: string;
		readonly by: string;
	}[];
	readonly prices: Readonly<
		Record<
			string,
			{
				readonly price_usd: string;
				readonly configured_usd: string;
				readonly billing_type: string;
				/** True where this version says so itself. */
				readonly is_set: boolean;
			}
		>
	>;
}

interface PriceRow {
	readonly id: string;
	readonly price_usd: string;
	readonly configured_usd: string;
	readonly billing_type: string;
}

export function Prices({ admin, change }: PartProps) {
	const loaded = useLoad(() => admin.look<PriceBook>("/prices"));
	const setPrice = (row: PriceRow, book: PriceBook, etag: string | null) =>
		change({
			title: `Price of ${row.id}`,
			words: `It costs ${row.price_usd} USD; the configuration says ${row.configured_usd} USD. The new price counts at once; quotes that were made keep theirs.`,
			verb: "Set the price",
			rehearses: true,
			fields: [{ name: "usd", label: "New price, USD", value: row.price_usd, isAmount: true }],
			toOrder: ({ usd: amount = "" }) => ({
				method: "PUT",
				path: "/prices",
				body: { prices: { ...setIn(book), [row.id]: amount } },
				// Of two who set prices at once the second one sees the first one's before.
				...(etag !== null && { headers: { "If-Match": etag } }),
			}),
			onDone: loaded.reload,
		});
	return (
		<Shown of={loaded}>
			{({ value: book, etag }) => (
				<div class="parts">
					<DataTable<PriceRow>
						title="Price book"
						aside={<span class="muted small">version {book.version}</span>}
						rows={Object.entries(book.prices).map(([id, row]) => ({ id, ...row }))}
						columns={[
							{ name: "Operation", value: ({ id }) => id, kind: "code" },
							{ name: "Billed", value: ({ billing_type }) => billing_type },
							usd("Configured, USD", ({ configured_usd }) => configured_usd, false),
							usd("Price, USD", ({ price_usd }) => price_usd, false),
						]}
						keyOf={({ id }) => id}
						none="Nothing is sold."
						actions={
							admin.may("owner")
								? (row) => (
										<Button label="Change" of={row.id} onClick={() => setPrice(row, book, etag)} />
									)
								: undefined
						}
					/>
					<DataTable<PriceBook["versions"][number]>
						title="Versions of the price book"
						rows={[...book.versions].reverse()}
						columns={[
							count("Version", ({ version }) => version, false),
							time("Set", ({ at }) => at),
							{ name: "By", value: ({ by }) => by },
						]}
						keyOf={({ version }) => String(version)}
						none="Prices are those of the configuration."
					/>
				</div>
			)}
		</Shown>
	);
}

/** What a new version has to say again; a price that only follows another one goes on following it. */
const setIn = ({ prices }: PriceBook): Readonly<Record<string, string>> =>
	Object.fromEntries(
		Object.entries(prices)
			.filter(([, { is_set }]) => is_set)
			.map(([id, { price_usd }]) => [id, price_usd]),
	);
