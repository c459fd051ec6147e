import {
	type Filter,
	type Happening,
	type Item,
	type Mark,
	type Model,
	type SoldOperation,
	yearOf,
} from "./explorer-model.js";
import { Price, toWebAddress } from "./parts.js";

/** Lists of the explorer, as the server sends them and as the browser goes on with them. */

/** What each operation that is sold shows more of. */
export const OFFERS: Readonly<
	Record<SoldOperation, { readonly title: string; readonly about: string }>
> = {
	"graphs.search": { title: "Ask the graph", about: "Concepts that answer a question" },
	"graphs.nodes.list": { title: "Name concepts", about: "Up to 50 with their summaries" },
	"graphs.node": { title: "Read a concept", about: "Its whole text and all of its sources" },
	"graphs.neighbors": { title: "Neighbors of a concept", about: "Up to 50 that it is linked with" },
	"graphs.subgraph": {
		title: "Surroundings of a concept",
		about: "Up to 200 concepts and the links between them",
	},
	"graphs.timeline": { title: "Dated events", about: "Up to 50, the newest first" },
};

const SHAPES: Readonly<Record<Mark, readonly [style: string, path: string]>> = {
	graph: ["c-ink", "M6 1a5 5 0 1 0 0 10A5 5 0 1 0 6 1Z"],
	concept: ["s1", "M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 1 0 0-9Z"],
	kind: [
		"c-ink",
		"M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 1 0 0-9Zm0 2a2.5 2.5 0 1 1 0 5 2.5 2.5 0 1 1 0-5Z",
	],
	topic: ["s4", "M6 0 12 6 6 12 0 6Z"],
	source: ["s3", "M1 1h10v10H1Z"],
	host: ["s5", "M6 0 12 11H0Z"],
	paid: ["c-toll", ""],
};

/** The same shape and color as in the drawing. */
export function Shape({ mark }: { readonly mark: Mark }) {
	const [style, path] = SHAPES[mark];
	return (
		<svg class={`shape ${style}`} viewBox="0 0 12 12" aria-hidden="true">
			{mark === "paid" ? (
				<circle
					{...{ cx: 6, cy: 6, r: 4.6, fill: "none" }}
					stroke="currentColor"
					stroke-dasharray="2 1.6"
					stroke-width="1.4"
				/>
			) : (
				<path fill-rule="evenodd" d={path} />
			)}
		</svg>
	);
}

export const MARK_NAMES: Readonly<Record<Item["mark"], string>> = {
	graph: "Graph",
	concept: "Concept",
	kind: "Kind of concept",
	topic: "Topic",
	source: "Source",
	host: "Publisher",
};

export type SortKey = "name" | "what" | "date" | "links";

const ROWS_MAX = 100;
const ORDER: readonly Item["mark"][] = ["graph", "concept", "kind", "topic", "source", "host"];

interface ItemsProps {
	readonly items: readonly Item[];
	readonly paid: ReadonlyMap<string, number>;
	readonly prices: Readonly<Record<SoldOperation, string>>;
	readonly marks: ReadonlySet<string>;
	/** In the browser only. */
	readonly live?: {
		readonly sort: { readonly by: SortKey; readonly isDown: boolean } | undefined;
		readonly onSort: (by: SortKey) => void;
		readonly onShow: (item: Item) => void;
	};
}

/** What the drawing shows, row by row. */
export function Items({ items, paid, prices, marks, live }: ItemsProps) {
	const rows = sorted(items, live?.sort);
	const beyond = marks.has("paid")
		? items.reduce((sum, { id }) => sum + (paid.get(id) ?? 0), 0)
		: 0;
	return (
		<>
			<p class="muted" aria-live="polite">
				{Math.min(rows.length, ROWS_MAX)} of {rows.length} shown
				{beyond > 0 &&
					`; ${beyond.toLocaleString("en-US")} concepts beyond the toll are counted at their kind`}
				.
			</p>
			<section
				class="card card-flush table-wrap explorer-table"
				tabIndex={0}
				aria-label="What the drawing shows"
			>
				<table class="tbl tbl-compact tbl-6">
					<thead>
						<tr>
							{HEADS.map(([by, name, style]) => (
								<Head key={by} by={by} name={name} style={style} live={live} />
							))}
							<th scope="col" class="r">
								Price
							</th>
							{live && (
								<th scope="col">
									<span class="vh">Show</span>
								</th>
							)}
						</tr>
					</thead>
					<tbody>
						{rows.slice(0, ROWS_MAX).map((item) => (
							<tr key={item.id}>
								<th scope="row">
									<span class="mark">
										<Shape mark={item.mark} />
										<bdi>{item.name}</bdi>
									</span>
								</th>
								<td>
									<bdi>{item.mark === "concept" ? item.kind : MARK_NAMES[item.mark]}</bdi>
								</td>
								<td class="r">{newestOf(item)}</td>
								<td class="r">{item.links.size}</td>
								<td class="r">
									<ItemPrice
										item={item}
										paid={marks.has("paid") ? (paid.get(item.id) ?? 0) : 0}
										usd={prices["graphs.nodes.list"]}
									/>
								</td>
								{live && (
									<td>
										<button
											class="btn btn-sm btn-quiet"
											type="button"
											aria-label={`Show ${item.name} in the drawing`}
											onClick={() => live.onShow(item)}
										>
											Show
										</button>
									</td>
								)}
							</tr>
						))}
					</tbody>
				</table>
			</section>
		</>
	);
}

const HEADS = [
	["name", "Name", undefined],
	["what", "What it is", undefined],
	["date", "Newest date", "r"],
	["links", "Links", "r"],
] as const;

function Head({
	by,
	name,
	style,
	live,
}: {
	readonly by: SortKey;
	readonly name: string;
	readonly style: string | undefined;
	readonly live: ItemsProps["live"];
}) {
	const direction = live?.sort?.by === by ? live.sort.isDown : undefined;
	return (
		<th
			scope="col"
			class={style}
			aria-sort={direction === undefined ? undefined : direction ? "descending" : "ascending"}
		>
			{live ? (
				<button class="sort" type="button" onClick={() => live.onSort(by)}>
					{name}
				</button>
			) : (
				name
			)}
		</th>
	);
}

/** A kind says what naming its concepts costs; all else is seen already. */
function ItemPrice({
	item,
	paid,
	usd,
}: {
	readonly item: Item;
	readonly paid: number;
	readonly usd: string;
}) {
	if (item.isBought) return <span class="badge badge-pass">Bought</span>;
	if (paid === 0) return <Price usd="0.00" />;
	return (
		<span class="beyond">
			{paid.toLocaleString("en-US")} beyond <Price usd={usd} />
		</span>
	);
}

export const newestOf = ({ dates }: Item): string => [...dates].sort().at(-1) ?? "";

function sorted(
	items: readonly Item[],
	sort: NonNullable<ItemsProps["live"]>["sort"],
): readonly Item[] {
	const usual = [...items].sort(
		(one, other) => ORDER.indexOf(one.mark) - ORDER.indexOf(other.mark),
	);
	if (!sort) return usual;
	const keyOf: Readonly<Record<SortKey, (item: Item) => string | number>> = {
		name: ({ name }) => name.toLowerCase(),
		what: ({ mark, kind }) => (mark === "concept" ? kind : MARK_NAMES[mark]).toLowerCase(),
		date: newestOf,
		links: ({ links }) => links.size,
	};
	const key = keyOf[sort.by];
	const way = sort.isDown ? -1 : 1;
	return usual.sort((one, other) => {
		const [a, b] = [key(one), key(other)];
		return a < b ? -way : a > b ? way : 0;
	});
}

const HAPPENINGS_MAX = 100;

/** Dated events of the items that are shown: how many in each year, and each of them. */
export function Happenings({
	model,
	items,
	filter: { from, to },
}: {
	readonly model: Model;
	readonly items: readonly Item[];
	readonly filter: Filter;
}) {
	const shown = new Set(items.map(({ id }) => id));
	const found = [...model.happenings.values()]
		.filter(({ item, date }) => shown.has(item) && yearOf(date) >= from && yearOf(date) <= to)
		.sort((one, other) => (one.date < other.date ? 1 : one.date > other.date ? -1 : 0));
	if (found.length === 0) return <p class="muted">Nothing that is shown has a date.</p>;
	return (
		<>
			<Years happenings={found} />
			<p class="muted" aria-live="polite">
				{Math.min(found.length, HAPPENINGS_MAX)} of {found.length} events shown.
			</p>
			<section
				class="card card-flush table-wrap explorer-table"
				tabIndex={0}
				aria-label="Dated events"
			>
				<table class="tbl tbl-compact tbl-6">
					<thead>
						<tr>
							<th scope="col">Date</th>
							<th scope="col">What happened</th>
							<th scope="col">Concept</th>
							<th scope="col">Source or detail</th>
						</tr>
					</thead>
					<tbody>
						{found.slice(0, HAPPENINGS_MAX).map((one) => (
							<tr key={`${one.date} ${one.what} ${one.item} ${one.detail}`}>
								<th scope="row">
									<time dateTime={one.date}>{one.date}</time>
								</th>
								<td>{one.what}</td>
								<td>
									<bdi>{model.items.get(one.item)?.name}</bdi>
								</td>
								<td>
									<Address url={one.url} text={one.detail} />
								</td>
							</tr>
						))}
					</tbody>
				</table>
			</section>
		</>
	);
}

/** A link where it leads to a page of the web, else the text alone. */
export function Address({ url, text }: { readonly url: string; readonly text: string }) {
	const address = toWebAddress(url);
	if (!address) return <bdi>{text}</bdi>;
	return (
		<a href={address.href} rel="noopener nofollow">
			<bdi>{text}</bdi>
		</a>
	);
}

const CHART = { width: 960, height: 90, base: 70 } as const;

function Years({ happenings }: { readonly happenings: readonly Happening[] }) {
	const counts = new Map<number, number>();
	for (const { date } of happenings) counts.set(yearOf(date), (counts.get(yearOf(date)) ?? 0) + 1);
	const years = [...counts.keys()];
	const [first, last] = [Math.min(...years), Math.max(...years)];
	const most = Math.max(...counts.values());
	const step = CHART.width / (last - first + 1);
	const labels = [...new Set([first, Math.round((first + last) / 2), last])];
	const xOf = (year: number) => (year - first + 0.5) * step;
	return (
		<section class="chart-box" tabIndex={0} aria-label="Events by year">
			<svg
				class="chart"
				viewBox={`0 0 ${CHART.width} ${CHART.height}`}
				role="img"
				aria-label={`Events by year, from ${first} to ${last}; the table below has each of them.`}
			>
				<path class="axis" d={`M0 ${CHART.base}H${CHART.width}`} />
				{[...counts].map(([year, count]) => {
					const height = Math.max(2, (CHART.base - 8) * (count / most));
					const width = Math.min(28, step * 0.7);
					return (
						<rect
							key={year}
							class="s1"
							x={xOf(year) - width / 2}
							y={CHART.base - height}
							width={width}
							height={height}
						/>
					);
				})}
				{labels.map((year) => (
					<text key={year} x={xOf(year)} y={CHART.height - 4} text-anchor="middle">
						{year}
					</text>
				))}
			</svg>
		</section>
	);
}
