import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import type { PageAssets } from "../page-assets.js";
import { Icon } from "./parts.js";

/** What stands on every page. */
export interface Site {
	readonly assets: PageAssets;
	readonly baseUrl: string;
	readonly version: string;
	readonly interfaceVersion: string;
	/** Whether it sells for paper money. */
	readonly isDemo: boolean;
	readonly status: "ok" | "degraded" | "failing";
}

export interface PageHead {
	readonly title: string;
	readonly description: string;
	/** Where the page stands, from the root on. */
	readonly path: string;
	/** Which entry of the navigation it belongs to. */
	readonly section?: string | undefined;
	/** Linked data of schema.org. */
	readonly linkedData?: unknown;
	/** Scripts beside that of all pages, by the names of their sources. */
	readonly scripts?: readonly string[];
	/** Styles beside those of all pages, by the names of their sources. */
	readonly styles?: readonly string[];
	/** False where crawlers have nothing to find. */
	readonly isListed?: boolean;
	/** False for pages that only ask or say something: they run nothing at all. */
	readonly hasScripts?: boolean;
}

const SECTIONS = [
	["Graphs", "/"],
	["Playground", "/docs"],
	["Guide", "/guide"],
] as const;

/** A whole page as HTML. */
export function renderPage(site: Site, head: PageHead, content: ComponentChildren): string {
	return `<!doctype html>\n${renderToString(
		<html lang="en">
			<Head site={site} head={head} />
			<body>
				<a class="skip" href="#main">
					Skip to content
				</a>
				<Top site={site} section={head.section} />
				<main id="main" tabIndex={-1}>
					{content}
				</main>
				<Foot site={site} />
				<div class="toasts" role="status" aria-live="polite" />
			</body>
		</html>,
	)}\n`;
}

function Head({ site, head }: { readonly site: Site; readonly head: PageHead }) {
	const { assets, baseUrl } = site;
	const { title, description, path, linkedData, scripts = [], styles = [] } = head;
	const { isListed = true, hasScripts = true } = head;
	const canonical = `${baseUrl}${path}`;
	return (
		<head>
			<meta charset="utf-8" />
			<meta name="viewport" content="width=device-width, initial-scale=1" />
			<title>{title}</title>
			<meta name="description" content={description} />
			{isListed ? (
				<link rel="canonical" href={canonical} />
			) : (
				<meta name="robots" content="noindex" />
			)}
			<meta property="og:title" content={title} />
			<meta property="og:description" content={description} />
			<meta property="og:type" content="website" />
			<meta property="og:url" content={canonical} />
			<meta name="theme-color" content="#fafbfb" media="(prefers-color-scheme: light)" />
			<meta name="theme-color" content="#0d1416" media="(prefers-color-scheme: dark)" />
			<link rel="icon" href="/favicon.svg" type="image/svg+xml" />
			{["site.css", ...styles].map(assets.find).map(({ address, integrity }) => (
				<link key={address} rel="stylesheet" href={address} integrity={integrity} />
			))}
			{hasScripts && (
				<>
					<script dangerouslySetInnerHTML={{ __html: assets.themeScript }} />
					{["site.js", ...scripts].map(assets.find).map(({ address, integrity }) => (
						<script key={address} type="module" src={address} integrity={integrity} />
					))}
				</>
			)}
			{linkedData !== undefined && (
				<script
					type="application/ld+json"
					dangerouslySetInnerHTML={{ __html: toScriptJson(linkedData) }}
				/>
			)}
		</head>
	);
}

/** JSON that ends no script element, whatever it holds. */
export function toScriptJson(value: unknown): string {
	return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function Top({ site, section }: { readonly site: Site; readonly section: string | undefined }) {
	return (
		<header class="top">
			<div class="wrap wrap-wide">
				<a class="brand" href="/">
					<Mark />
					tollgraph
				</a>
				<nav class="nav" aria-label="Main">
					{SECTIONS.map(([name, path]) => (
						<a key={path} href={path} aria-current={name === section ? "page" : undefined}>
							{name}
						</a>
					))}
				</nav>
				<div class="top-end">
					{site.isDemo && (
						<span class="badge badge-toll" title="This server sells for paper money.">
							Demo money
						</span>
					)}
					<button
						class="btn btn-sm btn-icon btn-quiet needs-js"
						type="button"
						data-theme-toggle
						aria-label="Use the dark theme"
					>
						<Icon name="moon" />
					</button>
				</div>
			</div>
		</header>
	);
}

const Mark = () => (
	<svg viewBox="0 0 30 22" fill="none" aria-hidden="true">
		<g class="cable" stroke-width="1.1">
			<path d="M15 4 3 17M15 4 8.5 17M15 4l6.5 13M15 4l12 13" />
		</g>
		<path class="deck" stroke-width="2" stroke-linecap="round" d="M1.5 17h27M15 4v16.5" />
		<circle class="gate" cx="15" cy="4" r="3" />
		<circle class="knot" cx="3" cy="17" r="2.4" />
		<circle class="knot" cx="27" cy="17" r="2.4" />
	</svg>
);

const STATUS = {
	ok: ["badge badge-pass", "All parts answer"],
	degraded: ["badge badge-toll", "Some parts are not ready"],
	failing: ["badge badge-stop", "Something is wrong"],
} as const;

function Foot({ site }: { readonly site: Site }) {
	const [badge, words] = STATUS[site.status];
	return (
		<footer class="foot">
			<div class="wrap wrap-wide foot-grid">
				<LinkList title="For agents" links={FOR_AGENTS} />
				<LinkList title="For people" links={FOR_PEOPLE} />
				<div>
					<h2>Rules</h2>
					<ul class="plain">
						<li>No answer, no charge.</li>
						<li>Errors cost nothing.</li>
						<li>Every paid call has a signed receipt.</li>
					</ul>
				</div>
				<div>
					<h2>Status</h2>
					<p>
						<a class={badge} href="/v1/health">
							<span class="dot" />
							{words}
						</a>
					</p>
					<p class="muted">
						tollgraph {site.version}, interface {site.interfaceVersion}. Nothing on this page comes
						from another host.
					</p>
				</div>
			</div>
		</footer>
	);
}

const FOR_AGENTS = [
	["Agent card", "/.well-known/agent-card.json"],
	["OpenAPI document", "/openapi.json"],
	["llms.txt", "/llms.txt"],
	["Priced routes (x402)", "/.well-known/x402"],
] as const;

const FOR_PEOPLE = [
	["Guide", "/guide"],
	["Playground", "/docs"],
	["Price book", "/v1/research/pricing"],
	["Error codes", "/v1/errors"],
] as const;

function LinkList({
	title,
	links,
}: {
	readonly title: string;
	readonly links: readonly (readonly [string, string])[];
}) {
	return (
		<div>
			<h2>{title}</h2>
			<ul class="plain">
				{links.map(([name, path]) => (
					<li key={path}>
						<a href={path}>{name}</a>
					</li>
				))}
			</ul>
		</div>
	);
}
