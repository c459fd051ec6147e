import { useState } from "preact/hooks";
import { Dialog } from "./change-dialog.js";
import { DataTable } from "./data-table.js";
import { ImportDialog } from "./import-dialog.js";
import { Shown, useLoad } from "./loading.js";
import { Actions, Button, count, lastDays, type PartProps, time, usd } from "./part.js";

/** Graphs and prices. */

interface GraphRow {
	readonly id: string;
	readonly title: string;
	readonly type: string;
	readonly version: string;
	readonly nodes: number;
	readonly calls: number;
	readonly net_usd: string;
}

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
	const price = ({ id }: GraphRow) =>
		change({
			title: `Price of ${id}`,
			words:
				"What any question to this graph alone costs from now on. Quotes that were made keep their price.",
			verb: "Set the price",
			rehearses: false,
			fields: [
				{
					name: "price",
					label: "Price of a call, USD",
					hint: "Empty: what the price book says",
					isAmount: true,
					isOptional: true,
				},
			],
			toOrder: ({ price: amount = "" }) => ({
				method: "POST",
				path: `/graphs/${encodeURIComponent(id)}/prices`,
				body: { price: amount },
			}),
			onDone: loaded.reload,
		});
	const remove = ({ id, nodes }: GraphRow) =>
		change({
			title: `Take ${id} off sale`,
			words: `Its ${nodes} concepts are no longer sold. Rolling it back brings it back, until another graph of its id is removed.`,
			verb: "Take it off sale",
			isStop: true,
			rehearses: false,
			toOrder: () => ({ method: "DELETE", path: `/graphs/${encodeURIComponent(id)}` }),
			onDone: loaded.reload,
		});
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
						actions={(row) => (
							<Actions>
								<Button
									label="Versions"
									of={row.id}
									onClick={() => setOpened({ kind: "versions", id: row.id })}
								/>
								{admin.may("owner") && (
									<Button label="Price" of={row.id} onClick={() => price(row)} />
								)}
								{admin.may("editor") && (
									<Button label="Remove" of={row.id} isStop onClick={() => remove(row)} />
								)}
							</Actions>
						)}
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

interface Version {
	readonly number: number;
	readonly at: string;
	readonly cause: string;
	readonly nodes: number;
	readonly release?: { readonly label: string };
}

function Versions({
	admin,
	change,
	id,
	onClose,
}: PartProps & { readonly id: string; readonly onClose: () => void }) {
	const address = `/graphs/${encodeURIComponent(id)}`;
	const loaded = useLoad(() => admin.ask<{ items: readonly Version[] }>(`${address}/versions`));
	const rollBack = ({ number, nodes }: Version) =>
		change({
			title: `Roll ${id} back to version ${number}`,
			words: `Version ${number} with ${nodes} concepts is put on sale again, as a new version; what is on sale now is kept.`,
			verb: `Put version ${number} on sale`,
			rehearses: false,
			toOrder: () => ({ method: "POST", path: `${address}/rollback`, body: { to: number } }),
			onDone: () => undefined,
		});
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
													onClick={() => rollBack(row)}
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
			{ readonly price_usd: string; readonly configured_usd: string; readonly billing_type: string }
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
				body: { prices: { ...differing(book), [row.id]: amount } },
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

/** All that differs from the configuration, which is what a new version consists of. */
const differing = ({ prices }: PriceBook): Readonly<Record<string, string>> =>
	Object.fromEntries(
		Object.entries(prices)
			.filter(([, { price_usd, configured_usd }]) => price_usd !== configured_usd)
			.map(([id, { price_usd }]) => [id, price_usd]),
	);
