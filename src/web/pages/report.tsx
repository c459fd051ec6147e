import type { ComponentChildren, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import {
	excerptsOf,
	type Reference,
	type RenderReport,
	type ReportDocument,
	type ReportItem,
	type ReportSection,
	type ReportTable,
	toLine,
	toReferences,
} from "../../../skills/answers/answers.js";
import type { PageAssets } from "../page-assets.js";
import { Icon } from "./parts.js";

/** A report as it is read and printed: the answer, its parts, tables, disputes, gaps, and every source with its address. */
export function ReportView({
	report,
	children,
}: {
	readonly report: ReportDocument;
	/** What can be done with it; not printed. */
	readonly children?: ComponentChildren;
}) {
	const { kind, title, facts, citations } = report;
	const sections = report.sections
		.filter(({ items }) => items.length > 0)
		.map((section, at) => ({ section, id: section.role === "answer" ? "answer" : `s${at + 1}` }));
	return (
		<Paper
			running={`${kind}: ${title}`}
			aside={
				<>
					<Facts facts={facts} />
					<nav class="toc" aria-label="In this report">
						{sections.map(({ section, id }) => (
							<a key={id} href={`#${id}`}>
								{toLine(section.heading)}
							</a>
						))}
						{citations.length > 0 && <a href="#sources">Sources</a>}
					</nav>
				</>
			}
		>
			<header class="stack-2">
				<p class="eyebrow">{kind}</p>
				<h1>{toLine(title)}</h1>
				{children}
			</header>
			{sections.map(({ section, id }) => (
				<Section key={id} section={section} id={id} />
			))}
			{citations.length > 0 && <Sources report={report} />}
		</Paper>
	);
}

/** What is read on the left and known about it on the right; printed it has its title on every page. */
export function Paper({
	running,
	aside,
	children,
}: {
	readonly running: string;
	readonly aside: ComponentChildren;
	readonly children: ComponentChildren;
}) {
	return (
		<div class="wrap wrap-report">
			<div class="report section">
				<p class="running" aria-hidden="true">
					tollgraph, {toLine(running)}
				</p>
				<article class="stack-5">{children}</article>
				<aside class="sticky stack" aria-label="About this report">
					{aside}
				</aside>
			</div>
		</div>
	);
}

export function Facts({ facts }: Pick<ReportDocument, "facts">) {
	return (
		<dl class="card facts">
			{facts.map(([label, value]) => (
				<div key={label}>
					<dt>{label}</dt>
					<dd>{toLine(value)}</dd>
				</div>
			))}
		</dl>
	);
}

function Section({ section, id }: { readonly section: ReportSection; readonly id: string }) {
	const { heading, role, table } = section;
	if (table) {
		return (
			<div class="stack">
				<h2 id={id}>{toLine(heading)}</h2>
				<ComparisonTable name={heading} table={table} />
			</div>
		);
	}
	return (
		<section class={role === "answer" ? "answer" : "stack"} aria-labelledby={id} data-role={role}>
			<h2 id={id} class={role === "answer" ? "vh" : undefined}>
				{toLine(heading)}
			</h2>
			<Body section={section} />
		</section>
	);
}

function Body({ section: { items, role, form } }: { readonly section: ReportSection }) {
	if (role === "dispute") {
		return (
			<>
				{items.map((item) => (
					<Dispute key={item.text} item={item} />
				))}
			</>
		);
	}
	if (role === "gaps") {
		return (
			<ul class="stack-2 plain">
				{items.map((item) => (
					<li key={item.text} class="note note-toll">
						<Icon name="warning" />
						<p>
							<Said item={item} />
						</p>
					</li>
				))}
			</ul>
		);
	}
	if (items.every(isName)) return <Names items={items} />;
	// What is said of one thing follows its name once.
	const texts = items.map((item, at) => (
		<Said key={item.text} item={item} isOfSame={item.lead === items[at - 1]?.lead} />
	));
	if (role === "answer") return <Paragraphs texts={texts} />;
	return (
		<div class={role === "method" ? "prose small" : "prose"}>
			{form === "prose" ? (
				<p>{texts.flatMap((text) => [text, " "])}</p>
			) : (
				<Paragraphs texts={texts} />
			)}
		</div>
	);
}

function Paragraphs({ texts }: { readonly texts: readonly VNode[] }) {
	return (
		<>
			{texts.map((text) => (
				<p key={text.key}>{text}</p>
			))}
		</>
	);
}

const NAME_CHARS = 60;

/** A name with what it is, and no sentence. */
const isName = ({ text, citationIds, note }: ReportItem): boolean =>
	citationIds.length === 0 && note !== undefined && text.length <= NAME_CHARS;

function Names({ items }: Pick<ReportSection, "items">) {
	return (
		<dl class="facts">
			{items.map(({ text, note = "" }) => (
				<div key={text}>
					<dt>{toLine(text)}</dt>
					<dd class="muted">{toLine(note)}</dd>
				</div>
			))}
		</dl>
	);
}

/** A sentence, what carries it, and what is known of it. */
function Said({
	item: { lead, text, citationIds, note },
	isOfSame = false,
}: {
	readonly item: ReportItem;
	readonly isOfSame?: boolean;
}) {
	return (
		<>
			{lead !== undefined && !isOfSame && <strong class="lead-in">{toLine(lead)}</strong>}
			{toLine(text)}
			<Marks ids={citationIds} />
			{note !== undefined && <small class="aside">{toLine(note)}</small>}
		</>
	);
}

function Marks({ ids }: { readonly ids: readonly number[] }) {
	if (ids.length === 0) return null;
	return (
		<sup class="cite">
			{ids.map((n) => (
				<a key={n} href={`#c${n}`} aria-label={`Source ${n}`}>
					{n}
				</a>
			))}
		</sup>
	);
}

function Dispute({ item }: { readonly item: ReportItem }) {
	const { sides = [] } = item;
	if (sides.length === 0)
		return (
			<p>
				<Said item={item} />
			</p>
		);
	return (
		<div class="dispute">
			{sides.map((side) => (
				<div key={side.text}>
					<p>
						<Said item={side} />
					</p>
				</div>
			))}
			<div class="full small">{toLine(item.text)}</div>
		</div>
	);
}

function ComparisonTable({ name, table }: { readonly name: string; readonly table: ReportTable }) {
	const isOfFigures = table.rows.every(({ cells }) =>
		cells.every((cell) => cell === undefined || /^[\d.,%\s-]+$|^undated$/.test(cell.text)),
	);
	const place = isOfFigures ? "r" : undefined;
	return (
		<section class="card card-flush table-wrap" tabIndex={0} aria-label={toLine(name)}>
			<table class={table.columns.length > 2 || !isOfFigures ? "tbl tbl-4" : "tbl"}>
				<thead>
					<tr>
						<th scope="col">
							<span class="vh">Compared</span>
						</th>
						{table.columns.map((column) => (
							<th key={column} scope="col" class={place}>
								{toLine(column)}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{table.rows.map(({ name: row, cells }) => (
						<tr key={row}>
							<th scope="row">{toLine(row)}</th>
							{cells.map((cell, at) => (
								<td key={table.columns[at]} class={place}>
									{cell ? <Said item={cell} /> : "not known"}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

function Sources({ report }: { readonly report: ReportDocument }) {
	return (
		<section class="stack" aria-labelledby="sources">
			<h2 id="sources">Sources</h2>
			<ol class="refs">
				{toReferences(report.citations).map((reference) => (
					<Source key={reference.address} reference={reference} report={report} />
				))}
			</ol>
		</section>
	);
}

function Source({
	reference,
	report,
}: {
	readonly reference: Reference;
	readonly report: ReportDocument;
}) {
	const { title, publisher, date, href, citations } = reference;
	const name = toLine(title);
	const [first, ...others] = citations.map(({ n }) => (
		<span key={n} id={`c${n}`}>
			{n}
		</span>
	));
	return (
		<li>
			<span class="ns">{first}</span>
			<span>
				{href === undefined ? (
					name
				) : (
					<a href={href} rel="nofollow noopener noreferrer">
						{name}
					</a>
				)}{" "}
				<span class="muted">{toLine(publisher)}</span>
			</span>
			<span class="muted num">{toLine(date)}</span>
			{others.length > 0 && <span class="ns also">also {others}</span>}
			{excerptsOf(reference, report).map((excerpt) => (
				<q key={excerpt}>{toLine(excerpt)}</q>
			))}
		</li>
	);
}

/** Reports as files: each one page that needs nothing else, and runs and fetches nothing. */
export function createReportFiles({ read }: Pick<PageAssets, "read">): RenderReport {
	let style: string | undefined;
	return (report) => {
		style ??= read("site.css");
		return `<!doctype html>\n${renderToString(
			<html lang="en">
				<head>
					<meta charset="utf-8" />
					<meta name="viewport" content="width=device-width, initial-scale=1" />
					<meta
						http-equiv="Content-Security-Policy"
						content="default-src 'none'; style-src 'unsafe-inline'"
					/>
					<title>{toLine(report.title)}</title>
					<style dangerouslySetInnerHTML={{ __html: style }} />
				</head>
				<body>
					<main>
						<ReportView report={report} />
					</main>
				</body>
			</html>,
		)}\n`;
	};
}
