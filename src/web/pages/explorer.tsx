import {
	countAllPaid,
	countMarks,
	countPaid,
	createModel,
	type ExplorerData,
	type Filter,
	type Mark,
	type Model,
	SOLD_OPERATIONS,
	selectItems,
} from "./explorer-model.js";
import { Happenings, Items, OFFERS, Shape } from "./explorer-parts.js";
import { TokenField } from "./graph.js";
import { type PageHead, renderPage, type Site } from "./layout.js";
import { hostOf, Icon, Price } from "./parts.js";

export interface ExplorerContent {
	readonly data: ExplorerData;
	readonly filter: Filter;
	/** The filter as it was sent. */
	readonly sent: URLSearchParams;
	readonly hasDemoToken: boolean;
}

type Shown = ExplorerContent & { readonly model: Model; readonly path: string };

/** `/graphs/{slug}/explore`: find and filter, the drawing, what is chosen, and the same as lists. */
export function renderExplorer(site: Site, content: ExplorerContent): string {
	const { data } = content;
	const { slug, title } = data.graph;
	const path = `/graphs/${slug}/explore`;
	const head: PageHead = {
		title: `Explorer of ${title}`,
		description: `The graph ${title} drawn: concepts, topics, sources and publishers that are free to see, and how much lies beyond the toll.`,
		path,
		section: "Graphs",
		scripts: ["explorer.js"],
	};
	const shown: Shown = { ...content, model: createModel(data, hostOf), path };
	const layout = site.assets.find("explorer-layout.js").address;
	return renderPage(
		site,
		head,
		<div data-explorer={`${path}.json`} data-layout={layout}>
			<div class="scene">
				<Tools {...shown} />
				<Drawing {...shown} />
				<Drawer {...shown} />
			</div>
			<Lists {...shown} />
		</div>,
	);
}

const SHOWN: readonly (readonly [Exclude<Mark, "graph">, string])[] = [
	["concept", "Concepts"],
	["kind", "Kinds"],
	["topic", "Topics"],
	["source", "Sources"],
	["host", "Publishers"],
	["paid", "Paid concepts"],
];

function Tools({ data, model, filter, sent, path, hasDemoToken }: Shown) {
	const { slug, title } = data.graph;
	const counts = countMarks(model);
	return (
		<section class="scene-tools stack" aria-label="Find and filter">
			<header class="stack-2">
				<nav class="crumbs" aria-label="Breadcrumb">
					<ol>
						<li>
							<a href={`/graphs/${slug}`}>{title}</a>
						</li>
						<li aria-current="page">Explorer</li>
					</ol>
				</nav>
				<h1 class="h-panel">Explorer of {title}</h1>
			</header>
			<form id="explorer-filter" method="get" action={path} class="stack">
				<div class="field">
					<label for="find">Find in what is free</label>
					<input
						id="find"
						name="q"
						type="search"
						autocomplete="off"
						placeholder="A word of a name"
						defaultValue={sent.get("q") ?? ""}
					/>
				</div>
				<fieldset>
					<legend>Show</legend>
					{SHOWN.map(([mark, name]) => (
						<label key={mark} class="check">
							<input
								type="checkbox"
								name="show"
								value={mark}
								defaultChecked={filter.marks.has(mark)}
							/>
							<Shape mark={mark} />
							{name}
							<span class="count" data-count-of={mark}>
								{(counts.get(mark) ?? 0).toLocaleString("en-US")}
							</span>
						</label>
					))}
				</fieldset>
				<Choice name="kind" label="Kind of concept" given={data.kinds} chosen={filter.kind} />
				<Choice name="tag" label="Topic" given={data.tags} chosen={filter.tag} />
				<fieldset class="years">
					<legend>Dated from, to (year)</legend>
					<input
						{...{ name: "from", "aria-label": "From year", placeholder: "any" }}
						{...{ inputMode: "numeric", pattern: "\\d{4}", maxLength: 4 }}
						defaultValue={sent.get("from") ?? ""}
					/>
					<input
						{...{ name: "to", "aria-label": "To year", placeholder: "any" }}
						{...{ inputMode: "numeric", pattern: "\\d{4}", maxLength: 4 }}
						defaultValue={sent.get("to") ?? ""}
					/>
				</fieldset>
				<p class="row">
					<button class="btn btn-sm no-js" type="submit">
						Filter
					</button>
					<a class="btn btn-sm btn-quiet" href={path}>
						Show all
					</a>
				</p>
			</form>
			<p class="small muted">
				Filled marks are free to see. Dotted rings are concepts beyond the toll: how many there are,
				not what they say.
			</p>
			<form id="explorer-pay" class="needs-js" noValidate>
				<TokenField hasDemoToken={hasDemoToken} />
			</form>
			<p class="small muted needs-js">
				In the drawing arrows walk to neighbors, Enter opens, + and − zoom, 0 shows all.
			</p>
		</section>
	);
}

function Choice({
	name,
	label,
	given,
	chosen,
}: {
	readonly name: string;
	readonly label: string;
	readonly given: ExplorerData["kinds"];
	readonly chosen: string;
}) {
	if (given.length === 0) return null;
	return (
		<div class="field">
			<label for={`f-${name}`}>{label}</label>
			<select id={`f-${name}`} name={name}>
				<option value="">All</option>
				{given.map((one) => (
					<option key={one.name} value={one.name} selected={one.name === chosen}>
						{one.name} ({one.count})
					</option>
				))}
			</select>
		</div>
	);
}

function Drawing({ data }: Shown) {
	return (
		<div class="scene-view">
			{/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: arrow keys must reach it in a screen reader, too. */}
			<canvas
				id="scene"
				class="needs-js"
				tabIndex={0}
				role="application"
				aria-label={`Drawing of ${data.graph.title}. Arrow keys walk from mark to mark; the same marks are in the list below.`}
				aria-describedby="scene-say"
			/>
			<div class="state no-js">
				<p>The drawing needs a script. The lists below have the same content.</p>
			</div>
			<p id="scene-say" class="scene-say" role="status" />
			<div class="scene-ctl needs-js">
				{ZOOMS.map(([zoom, name, icon]) => (
					<button
						key={zoom}
						class="btn btn-sm btn-icon"
						type="button"
						data-zoom={zoom}
						aria-label={name}
					>
						<Icon name={icon} />
					</button>
				))}
			</div>
		</div>
	);
}

const ZOOMS = [
	["1.3", "Zoom in", "plus"],
	["0.77", "Zoom out", "minus"],
	["fit", "Show all", "fit"],
] as const;

/** What stands there until something is chosen: how much there is, and what each way to more costs. */
function Drawer({ data, model }: Shown) {
	const paid = countAllPaid(model);
	const { nodes, edges, sources } = data.totals;
	const number = (value: number) => value.toLocaleString("en-US");
	return (
		<section class="drawer" id="drawer" tabIndex={-1} aria-label="Chosen mark">
			<div class="stack" id="drawer-body">
				<h2>{data.graph.title}</h2>
				<p>
					{number(nodes - paid)} of {number(nodes)} concepts are shown for nothing; {number(paid)}{" "}
					lie beyond the toll, with {number(edges)} links and {number(sources)} sources in all.
				</p>
				<h3>What shows more</h3>
				<dl class="facts">
					{SOLD_OPERATIONS.map((id) => (
						<div key={id}>
							<dt>
								<a href={`/docs/${id}?graph_id=${data.graph.id}`}>{OFFERS[id].title}</a>
							</dt>
							<dd>
								<Price usd={data.prices[id]} />
							</dd>
						</div>
					))}
				</dl>
				<p class="small muted needs-js">Choose a mark to see what can be shown of it.</p>
			</div>
		</section>
	);
}

function Lists({ data, model, filter }: Shown) {
	const items = [...selectItems(model, filter)];
	return (
		<div class="wrap wrap-wide">
			<section class="section" aria-labelledby="h-list">
				<h2 id="h-list">The same, as a list</h2>
				<div id="explorer-list" class="stack-2">
					<Items items={items} paid={countPaid(model)} prices={data.prices} marks={filter.marks} />
				</div>
			</section>
			<section class="section" aria-labelledby="h-time">
				<div class="section-head">
					<div>
						<h2 id="h-time">Timeline</h2>
						<p>What is dated of the concepts that are shown, the newest first.</p>
					</div>
					<p class="row small">
						<a href={`/docs/graphs.timeline?graph_id=${data.graph.id}`}>All dated events</a>
						<Price usd={data.prices["graphs.timeline"]} />
					</p>
				</div>
				<div id="explorer-timeline" class="stack">
					<Happenings model={model} items={items} filter={filter} />
				</div>
			</section>
		</div>
	);
}
