import type { CallSample } from "./call-samples.js";
import { type ListedGraph, toTitle } from "./home.js";
import { type PageHead, renderPage, type Site } from "./layout.js";
import { toSafeHtml } from "./markdown.js";
import { Bars, EvidenceRow, Icon, Price, type RowWire, Samples } from "./parts.js";

export interface GraphContent {
	readonly graph: ListedGraph & {
		readonly version: string;
		readonly example_queries: readonly string[];
		readonly curator: { readonly name: string; readonly note: string } | null;
		readonly freshness: {
			readonly newest_evidence: string | null;
			readonly oldest_evidence: string | null;
			readonly stale_nodes: number;
		};
	};
	readonly about: string;
	readonly license: string | undefined;
	readonly contact: string | undefined;
	readonly stats: {
		readonly edges: number;
		readonly sources: number;
		readonly trust: Readonly<Record<string, number>>;
	};
	readonly kinds: readonly { readonly name: string; readonly count: number }[];
	/** The most frequent first; `more` are those that are left out. */
	readonly hosts: readonly { readonly host: string; readonly documents: number }[];
	readonly moreHosts: number;
	readonly preview: { readonly query: string; readonly rows: readonly RowWire[] } | "indexing";
	readonly samples: readonly CallSample[];
	/** Whether a click fetches a token that pays with paper money. */
	readonly hasDemoToken: boolean;
}

/** One graph: how fresh it is, the form that asks it, two rows free, and what is in it. */
export function renderGraph(site: Site, content: GraphContent): string {
	const { graph, license } = content;
	const path = `/graphs/${graph.slug}`;
	const head: PageHead = {
		title: `${graph.title}: a knowledge graph on tollgraph`,
		description: graph.description,
		path,
		section: "Graphs",
		scripts: ["ask.js"],
		linkedData: {
			"@context": "https://schema.org",
			"@type": "Dataset",
			name: graph.title,
			description: graph.description,
			url: `${site.baseUrl}${path}`,
			dateModified: graph.updated,
			version: graph.version,
			keywords: graph.topics,
			isAccessibleForFree: false,
			...(license !== undefined && { license }),
			...(graph.curator && { creator: { "@type": "Organization", name: graph.curator.name } }),
			includedInDataCatalog: { "@type": "DataCatalog", name: "tollgraph", url: `${site.baseUrl}/` },
		},
	};
	return renderPage(
		site,
		head,
		<div class="wrap wrap-wide">
			<nav class="crumbs" aria-label="Breadcrumb">
				<ol>
					<li>
						<a href="/#graphs">Graphs</a>
					</li>
					<li aria-current="page">{graph.title}</li>
				</ol>
			</nav>
			<div class="split section">
				<div class="stack-5">
					<Title {...content} />
					<Ask {...content} />
					<Preview {...content} />
					<Contents {...content} />
					<Sources {...content} />
					<About {...content} />
				</div>
				<Facts {...content} />
			</div>
		</div>,
	);
}

function Title({ graph }: GraphContent) {
	const { stale_nodes: stale } = graph.freshness;
	return (
		<header class="stack">
			<h1>{graph.title}</h1>
			<p class="lead">{graph.description}</p>
			<p class="row small">
				{stale === 0 ? (
					<span class="badge badge-pass">
						<span class="dot" />
						Fresh: no concept is past its date
					</span>
				) : (
					<span class="badge badge-toll">
						<span class="dot" />
						{stale} of {graph.nodes} concepts are past their date
					</span>
				)}
				<span class="muted">
					Updated {graph.updated}, version {graph.version}
				</span>
			</p>
		</header>
	);
}

/** With a script the form asks and pays; without one the samples say how. */
function Ask({ graph, samples, hasDemoToken }: GraphContent) {
	const [example = ""] = graph.example_queries;
	return (
		<section id="ask" class="stack" aria-label="Ask">
			<form class="gate needs-js" data-ask={graph.id} data-usd={graph.price_usd} noValidate>
				<div class="q stack">
					<div class="field">
						<label for="ask-q">Ask this graph</label>
						<textarea
							id="ask-q"
							name="query"
							required
							maxLength={2000}
							aria-describedby="ask-e ask-p"
							defaultValue={example}
						/>
						<p class="err" id="ask-e" hidden>
							<Icon name="warning" />
							<span />
						</p>
					</div>
					<TokenField hasDemoToken={hasDemoToken} />
				</div>
				<div class="toll">
					<Price usd={graph.price_usd} isLarge />
					<p id="ask-p">
						Paid when rows come back. Where the graph has no answer you pay nothing and its owner
						sees what was missing.
					</p>
					<button class="btn btn-pay" type="submit">
						Pay and ask
					</button>
				</div>
			</form>
			<div class="no-js">
				<p>This form needs a script. The same call from a program:</p>
				<Samples id="ask-call" label="Ways to ask" samples={samples} />
			</div>
			{graph.example_queries.length > 0 && (
				<div class="row small filters">
					<span class="muted">It answers:</span>
					{graph.example_queries.map((query) => (
						<button key={query} type="button" class="chip needs-js" data-example={query}>
							{query}
						</button>
					))}
					<ul class="no-js">
						{graph.example_queries.map((query) => (
							<li key={query}>{query}</li>
						))}
					</ul>
				</div>
			)}
			<section id="answer" class="stack" aria-live="polite" />
		</section>
	);
}

/** The credential stays in the page: it is sent to this server alone, with the call. */
export function TokenField({ hasDemoToken }: { readonly hasDemoToken: boolean }) {
	return (
		<div class="field">
			<label for="ask-token">Token or API key that pays</label>
			<div class="row">
				<input
					id="ask-token"
					type="password"
					autocomplete="off"
					spellcheck={false}
					aria-describedby="ask-token-h"
				/>
				{hasDemoToken && (
					<button class="btn btn-sm" type="button" data-demo-token>
						Use the demo token
					</button>
				)}
			</div>
			<p class="hint" id="ask-token-h">
				Begins with spt_ or sk_. It is kept in this page until you close it and sent to this server
				alone.
			</p>
		</div>
	);
}

function Preview({ preview }: GraphContent) {
	const isIndexing = preview === "indexing";
	if (!isIndexing && preview.rows.length === 0) return null;
	return (
		<section aria-labelledby="h-pre">
			<div class="section-head">
				<div>
					<h2 id="h-pre">Two rows, free</h2>
					{!isIndexing && <p>What a paid answer looks like, for “{preview.query}”</p>}
				</div>
				<Price usd="0.00" />
			</div>
			{isIndexing ? (
				<div class="state">
					<Icon name="box" />
					<h3>This graph is being indexed</h3>
					<p>Its rows are here in a moment; load the page again.</p>
				</div>
			) : (
				<div class="card card-flush">
					{preview.rows.map((row, at) => (
						<EvidenceRow key={row.name} row={row} rank={at + 1} />
					))}
				</div>
			)}
		</section>
	);
}

function Contents({ graph, kinds }: GraphContent) {
	return (
		<section class="stack" aria-labelledby="h-in">
			<h2 id="h-in">What is in it</h2>
			<div class="two">
				<div class="stack-2">
					<h3>Concepts by kind</h3>
					<Bars items={kinds} />
				</div>
				<div class="stack-2">
					<h3>Topics</h3>
					<ul class="filters">
						{graph.topics.map((topic) => (
							<li key={topic} class="chip">
								{topic}
							</li>
						))}
					</ul>
				</div>
			</div>
		</section>
	);
}

function Sources({ hosts, moreHosts, stats }: GraphContent) {
	if (hosts.length === 0) return null;
	return (
		<section class="stack" aria-labelledby="h-src">
			<h2 id="h-src">Sources</h2>
			<section class="card card-flush table-wrap" tabIndex={0} aria-label="Sources by host">
				<table class="tbl">
					<thead>
						<tr>
							<SortHead name="Host" />
							<SortHead name="Documents" isNumber sort="descending" />
							<SortHead name="Share" isNumber />
						</tr>
					</thead>
					<tbody>
						{hosts.map(({ host, documents }) => (
							<tr key={host}>
								<th scope="row">{host}</th>
								<td class="r">{documents}</td>
								<td class="r">{Math.round((100 * documents) / Math.max(1, stats.sources))} %</td>
							</tr>
						))}
					</tbody>
				</table>
			</section>
			{moreHosts > 0 && <p class="muted small">And {moreHosts} hosts with fewer documents.</p>}
		</section>
	);
}

function SortHead({
	name,
	isNumber = false,
	sort,
}: {
	readonly name: string;
	readonly isNumber?: boolean;
	readonly sort?: "ascending" | "descending";
}) {
	return (
		<th scope="col" class={isNumber ? "r" : undefined} aria-sort={sort}>
			<button class="sort" type="button">
				{name}
			</button>
		</th>
	);
}

function About({ about, graph }: GraphContent) {
	if (about.trim() === "") return null;
	return (
		<section class="prose" aria-labelledby="h-read">
			<h2 id="h-read">From its owner</h2>
			<div dangerouslySetInnerHTML={{ __html: toSafeHtml(about) }} />
			{graph.curator && <p class="muted">{graph.curator.note}</p>}
		</section>
	);
}

function Facts({ graph, stats, license, contact }: GraphContent) {
	const { newest_evidence: newest, oldest_evidence: oldest } = graph.freshness;
	const facts: readonly (readonly [string, string | number | null | undefined])[] = [
		["Kind", toTitle(graph.type)],
		["Concepts", graph.nodes.toLocaleString("en-US")],
		["Links", stats.edges.toLocaleString("en-US")],
		["Citations", graph.evidence.toLocaleString("en-US")],
		["Sources", stats.sources.toLocaleString("en-US")],
		["Newest source", newest],
		["Oldest source", oldest],
		["Reviewed by a person", `${stats.trust["human-reviewed"] ?? 0} of ${graph.nodes}`],
		["Owner", graph.curator?.name],
		["License", license],
		["Contact", contact],
	];
	const address = `/v1/graphs/${graph.id}`;
	return (
		<aside class="sticky stack" aria-label="Facts">
			<dl class="card facts">
				<div>
					<dt>Price of a question</dt>
					<dd>
						<Price usd={graph.price_usd} />
					</dd>
				</div>
				<div>
					<dt>Preview, statistics</dt>
					<dd>
						<Price usd="0.00" />
					</dd>
				</div>
				{facts.map(([name, value]) =>
					value === null || value === undefined ? null : (
						<div key={name}>
							<dt>{name}</dt>
							<dd>{value}</dd>
						</div>
					),
				)}
			</dl>
			<p>
				<a class="btn" href={`/graphs/${graph.slug}/explore`}>
					Explore the graph
				</a>
			</p>
			<p class="row small">
				<a href={`${address}/readme`}>Readme in Markdown</a>
				<a href={`${address}/stats`}>Statistics</a>
				<a href={`${address}/croissant.jsonld`}>Croissant</a>
			</p>
		</aside>
	);
}
