import type { CallSample } from "./call-samples.js";
import { type PageHead, renderPage, type Site } from "./layout.js";
import { Icon, Price, Samples } from "./parts.js";

/** A graph as the list of all shows it. */
export interface ListedGraph {
	readonly id: string;
	readonly slug: string;
	readonly title: string;
	readonly type: string;
	readonly description: string;
	readonly updated: string;
	readonly topics: readonly string[];
	readonly nodes: number;
	readonly evidence: number;
	readonly price_usd: string;
}

export interface PriceRow {
	readonly title: string;
	readonly usd: string;
	/** What the amount is for, where that is not one call. */
	readonly per?: string | undefined;
}

export interface HomeContent {
	readonly graphs: readonly ListedGraph[];
	readonly prices: readonly PriceRow[];
	readonly operationCount: number;
	/** The least that a question to a graph costs. */
	readonly questionUsd: string;
	readonly samples: readonly CallSample[];
	readonly rails: readonly { readonly title: string; readonly start: string }[];
}

/** What is sold here, from what price, and how an agent pays for it. */
export function renderHome(site: Site, content: HomeContent): string {
	const { graphs, questionUsd } = content;
	const count = (of: (graph: ListedGraph) => number) =>
		graphs.reduce((sum, graph) => sum + of(graph), 0).toLocaleString("en-US");
	const [concepts, citations] = [count(({ nodes }) => nodes), count(({ evidence }) => evidence)];
	const inAll = `${graphs.length} knowledge ${graphs.length === 1 ? "graph" : "graphs"}, ${concepts} concepts, ${citations} citations.`;
	const head: PageHead = {
		title: "tollgraph: curated knowledge, sold call by call",
		description: `${inAll} A question costs ${questionUsd} USD; no answer, no charge.`,
		path: "/",
		section: "Graphs",
		linkedData: toLinkedData(site, graphs),
	};
	return renderPage(
		site,
		head,
		<>
			<Hero {...content} inAll={inAll} />
			<PriceBook {...content} />
			<HowToPay {...content} />
			<GraphList graphs={graphs} />
		</>,
	);
}

function toLinkedData({ baseUrl }: Site, graphs: readonly ListedGraph[]) {
	return {
		"@context": "https://schema.org",
		"@type": "DataCatalog",
		name: "tollgraph",
		url: `${baseUrl}/`,
		dataset: graphs.map(({ slug, title, description, updated, topics }) => ({
			"@type": "Dataset",
			name: title,
			description,
			url: `${baseUrl}/graphs/${slug}`,
			dateModified: updated,
			keywords: topics,
		})),
	};
}

function Hero({ graphs, questionUsd, inAll }: HomeContent & { readonly inAll: string }) {
	const [first] = graphs;
	return (
		<div class="wrap wrap-wide hero split split-hero">
			<div>
				<h1>Curated knowledge, paid for by the call.</h1>
				<p class="lead">
					{inAll} Your agent asks in plain language, sees the price, pays, and gets rows it can
					cite. A question costs <strong>{questionUsd} USD</strong>. No answer, no charge.
				</p>
				<div class="row">
					{first && (
						<a class="btn btn-pay" href={`/graphs/${first.slug}#ask`}>
							Ask a question <span class="num">{questionUsd} USD</span>
						</a>
					)}
					<a class="btn" href="#graphs">
						See the graphs
					</a>
				</div>
			</div>
			<figure class="crossing">
				<Crossing />
				<ol>
					<li>
						<span class="n">1</span>
						<code>{`POST /v1/graphs/${first?.id ?? "{graph}"}/search`}</code>
						<span class="muted">no account</span>
					</li>
					<li>
						<span class="n">2</span>
						<span>
							<strong>402</strong> Payment Required
						</span>
						<Price usd={questionUsd} />
					</li>
					<li>
						<span class="n">3</span>
						<code>X-Pay-SPT: spt_…</code>
						<span class="muted">or x402, MPP, API key</span>
					</li>
					<li>
						<span class="n">4</span>
						<span>
							<strong>200</strong> rows with their sources
						</span>
						<span class="badge badge-pass">and a receipt</span>
					</li>
				</ol>
			</figure>
		</div>
	);
}

const Crossing = () => (
	<svg
		viewBox="0 0 496 148"
		role="img"
		aria-label="A call crosses in four steps: ask, price, pay, answer."
	>
		<g class="br">
			<path
				class="br-c"
				d="M150 30L54 104M150 30L78 104M150 30L102 104M150 30L126 104M150 30L174 104M150 30L198 104M150 30L222 104M150 30L246 104M346 30L250 104M346 30L274 104M346 30L298 104M346 30L322 104M346 30L370 104M346 30L394 104M346 30L418 104M346 30L442 104"
			/>
			<path class="br-d" d="M0 104H496M150 26V122M346 26V122" />
			<circle class="br-top" cx="150" cy="30" r="5" />
			<circle class="br-top" cx="346" cy="30" r="5" />
			<path class="br-w" d="M0 122H496" />
			<circle class="br-a" cx="40" cy="104" r="9" />
			<circle class="br-p" cx="150" cy="104" r="11" />
			<circle class="br-g" cx="346" cy="104" r="11" />
			<circle class="br-g" cx="456" cy="104" r="9" />
		</g>
		<g class="br-t">
			<text x="40" y="141">
				ask
			</text>
			<text x="150" y="141">
				price
			</text>
			<text x="346" y="141">
				pay
			</text>
			<text x="456" y="141">
				answer
			</text>
		</g>
	</svg>
);

function PriceBook({ prices, operationCount }: HomeContent) {
	return (
		<section class="wrap wrap-wide section" aria-labelledby="h-price">
			<div class="section-head">
				<div>
					<h2 id="h-price">What a call costs</h2>
					<p>The amount is in every 402, in the agent card and on every button.</p>
				</div>
				<a href="/docs">All {operationCount} operations</a>
			</div>
			<ul class="pricebook">
				{prices.map(({ title, usd, per }) => (
					<li key={title}>
						<span>
							{title}
							{per && <span class="muted"> per {per}</span>}
						</span>
						<Price usd={usd} />
					</li>
				))}
			</ul>
		</section>
	);
}

function HowToPay({ samples, rails }: HomeContent) {
	return (
		<section class="wrap wrap-wide section" aria-labelledby="h-pay">
			<div class="section-head">
				<div>
					<h2 id="h-pay">How an agent pays</h2>
					<p>One request. With a token it answers. Without one the 402 lists every way to pay.</p>
				</div>
			</div>
			<div class="split">
				<div>
					<Samples id="pay" label="Ways to call" samples={samples}>
						<div class="then">
							<span>
								<strong>Then:</strong> 200 with rows
							</span>
							<span>
								Cost in <code>X-Cost-USD</code>
							</span>
							<span>
								Receipt in <code>X-Receipt-Id</code>
							</span>
						</div>
					</Samples>
				</div>
				<dl class="facts card">
					{rails.map(({ title, start }) => (
						<div key={title}>
							<dt>{title}</dt>
							<dd>{start}</dd>
						</div>
					))}
				</dl>
			</div>
		</section>
	);
}

function GraphList({ graphs }: Pick<HomeContent, "graphs">) {
	const kinds = new Map<string, number>();
	for (const { type } of graphs) kinds.set(type, (kinds.get(type) ?? 0) + 1);
	return (
		<section class="wrap wrap-wide section" id="graphs" aria-labelledby="h-graphs" data-filter>
			<div class="section-head">
				<div>
					<h2 id="h-graphs">Graphs</h2>
					<p>Two rows of each are free to read before anything is paid.</p>
				</div>
				<p class="muted small" data-count aria-live="polite">
					{graphs.length} of {graphs.length} shown
				</p>
			</div>
			<div class="row tools needs-js">
				<search class="search">
					<label class="vh" for="q">
						Search the graphs
					</label>
					<Icon name="find" />
					<input id="q" type="search" placeholder="Topic, standard, owner" autocomplete="off" />
				</search>
				<fieldset class="filters">
					<legend class="vh">Kind of graph</legend>
					<Chip kind="" name="All" count={graphs.length} />
					{[...kinds].map(([kind, count]) => (
						<Chip key={kind} kind={kind} name={toTitle(kind)} count={count} />
					))}
				</fieldset>
			</div>
			<div class="graphs">
				{graphs.map((graph) => (
					<GraphRow key={graph.id} {...graph} />
				))}
			</div>
			<div class="state" data-none hidden>
				<Icon name="box" />
				<h3>No graph has these words in its description</h3>
				<p>
					The routing operation looks inside the graphs and is free: it names the graphs that would
					answer your question.
				</p>
				<a class="btn btn-sm" href="/docs#search.route">
					Route a question, free
				</a>
			</div>
		</section>
	);
}

export const toTitle = (kind: string): string =>
	kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll("_", " ").replaceAll("-", " ");

function Chip({
	kind,
	name,
	count,
}: {
	readonly kind: string;
	readonly name: string;
	readonly count: number;
}) {
	return (
		<button class="chip" type="button" data-kind={kind} aria-pressed={kind === ""}>
			{name} <span class="num">{count}</span>
		</button>
	);
}

function GraphRow(graph: ListedGraph) {
	const { slug, title, type, description, updated, topics, nodes, evidence, price_usd } = graph;
	return (
		<article class="g-row" data-item={topics.join(" ")} data-type={type}>
			<div>
				<h3>
					<a href={`/graphs/${slug}`}>{title}</a>
				</h3>
				<p class="kind">{toTitle(type)}</p>
			</div>
			<p class="desc">{description}</p>
			<p class="meta">
				<span>{nodes.toLocaleString("en-US")} concepts</span>
				<span>{evidence.toLocaleString("en-US")} citations</span>
				<span>updated {updated}</span>
			</p>
			<Price usd={price_usd} />
		</article>
	);
}
