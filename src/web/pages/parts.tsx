import type { ComponentChildren } from "preact";

/** Parts that several pages show: amounts, rows of evidence, samples of code. */

const ICONS = {
	moon: "M13 9.6A5.4 5.4 0 0 1 6.4 3 5.4 5.4 0 1 0 13 9.6Z",
	find: "M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0Zm-1 3.5 3 3",
	copy: "M7 5.5h5A1.5 1.5 0 0 1 13.5 7v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.5ZM10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2",
	warning: "M8 2.2 14.4 13.4H1.6ZM8 6.6v3M8 11.5v.1",
	save: "M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M3 13.5h10",
	plus: "M8 3.5v9M3.5 8h9",
	minus: "M3.5 8h9",
	fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
	box: "M2.5 5 8 2.2 13.5 5v6L8 13.8 2.5 11ZM2.5 5 8 7.8 13.5 5M8 7.8v6",
} as const;

export const Icon = ({ name }: { readonly name: keyof typeof ICONS }) => (
	<svg class="i" viewBox="0 0 16 16" aria-hidden="true">
		<path d={ICONS[name]} />
	</svg>
);

/** An amount such as "0.50"; "0.00" reads as free. */
export function Price({
	usd,
	isLarge = false,
}: {
	readonly usd: string;
	readonly isLarge?: boolean;
}) {
	const size = isLarge ? " price-lg" : "";
	if (/^0(\.0+)?$/.test(usd)) return <span class={`price price-free${size}`}>Free</span>;
	return (
		<span class={`price${size}`}>
			{usd} <small>USD</small>
		</span>
	);
}

/** Only what leads to a page of the web; anything else is text. */
export function toWebAddress(address: string): URL | undefined {
	const url = URL.canParse(address) ? new URL(address) : undefined;
	return url?.protocol === "https:" || url?.protocol === "http:" ? url : undefined;
}

export const hostOf = (address: string): string =>
	toWebAddress(address)?.host.replace(/^www\./, "") ?? "no address";

export interface EvidenceWire {
	readonly title: string;
	readonly source_url: string;
	readonly published_at?: string | null;
	readonly date_precision?: string | null;
}

export interface RowWire {
	readonly name: string;
	readonly type: string;
	readonly summary: string;
	readonly score: number;
	readonly evidence: readonly EvidenceWire[];
}

/** How much of a day is known of a date, in characters. */
export const CHARS_OF = { day: 10, month: 7, year: 4 } as const;

function Source({ title, source_url, published_at, date_precision }: EvidenceWire) {
	const url = toWebAddress(source_url);
	const chars = CHARS_OF[(date_precision ?? "day") as keyof typeof CHARS_OF] ?? 10;
	return (
		<li>
			{url ? (
				<a href={url.href} rel="noopener nofollow">
					{title}
				</a>
			) : (
				title
			)}
			<span>{hostOf(source_url)}</span>
			{published_at && <time dateTime={published_at}>{published_at.slice(0, chars)}</time>}
		</li>
	);
}

/** One row of an answer: its sentence first, then its sources. */
export function EvidenceRow({ row, rank }: { readonly row: RowWire; readonly rank: number }) {
	const percent = Math.round(100 * Math.min(1, Math.max(0, row.score)));
	return (
		<article class="ev">
			<span class="rank" aria-hidden="true">
				{rank}
			</span>
			<div>
				<h3>{row.name}</h3>
				<p class="row">
					<span class="badge">{row.type}</span>
					<span class="score">
						<Bar percent={percent} series="fg" />
						fits {percent} %
					</span>
				</p>
				<p class="says">{row.summary}</p>
				<ul class="cites">
					{row.evidence.map((one) => (
						<Source key={one.source_url} {...one} />
					))}
				</ul>
			</div>
		</article>
	);
}

const Bar = ({ percent, series }: { readonly percent: number; readonly series: string }) => (
	<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
		<rect class="bg" width="100" height="10" />
		<rect class={series} width={percent} height="10" />
	</svg>
);

/** Shares of a few things, each with its number. */
export function Bars({
	items,
}: {
	readonly items: readonly { readonly name: string; readonly count: number }[];
}) {
	const most = Math.max(1, ...items.map(({ count }) => count));
	return (
		<ul class="bars">
			{items.map(({ name, count }) => (
				<li key={name}>
					<span>{name}</span>
					<Bar percent={(100 * count) / most} series="s1" />
					<span class="v">{count}</span>
				</li>
			))}
		</ul>
	);
}

export interface Sample {
	readonly name: string;
	readonly code: string;
}

/** One example in several languages: tabs with a script, one below the other without. */
export function Samples({
	id,
	label,
	samples,
	children,
}: {
	readonly id: string;
	readonly label: string;
	readonly samples: readonly Sample[];
	readonly children?: ComponentChildren;
}) {
	return (
		<div class="code">
			<div class="bar">
				<div class="tabs" role="tablist" aria-label={label}>
					{samples.map(({ name }, at) => (
						<button
							key={name}
							type="button"
							role="tab"
							id={`${id}-t${at}`}
							aria-controls={`${id}-p${at}`}
							aria-selected={at === 0}
						>
							{name}
						</button>
					))}
				</div>
				<button
					class="btn btn-sm btn-icon btn-quiet needs-js"
					type="button"
					data-copy
					aria-label="Copy this example"
				>
					<Icon name="copy" />
				</button>
			</div>
			{samples.map(({ name, code }, at) => (
				<div
					key={name}
					class="tabpanel"
					role="tabpanel"
					id={`${id}-p${at}`}
					aria-labelledby={`${id}-t${at}`}
				>
					<p class="tab-title" aria-hidden="true">
						<strong>{name}</strong>
					</p>
					<pre tabIndex={0}>
						<code>{code}</code>
					</pre>
				</div>
			))}
			{children}
		</div>
	);
}
