import { OPERATION_ADDRESSES, PAID_OPERATION_IDS, type Skill } from "../contract/contract.js";
import { formatUsd, toIsoTime } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { GUIDE_PATHS } from "./pages/guide.js";

export interface CatalogEntry {
	readonly id: string;
	readonly slug: string;
	readonly title: string;
	readonly type: string;
	readonly description: string;
	readonly updated: string;
}

type TextSource = Pick<Service, "free" | "info" | "prices" | "skills">;

/** The graphs on sale as pages list them. */
export function catalogEntries({ free }: Pick<Service, "free">): readonly CatalogEntry[] {
	return (free.graphsCatalog() as { readonly items: readonly CatalogEntry[] }).items;
}

/** `/llms.txt`: where a language model finds what, each with a line on what it is for. */
export function renderLlmsText(service: TextSource): string {
	const base = service.info.baseUrl();
	const link = (title: string, path: string, note: string) =>
		`- [${title}](${base}${path}): ${note}`;
	return [
		"# tollgraph",
		"",
		"> Curated knowledge graphs, sold call by call to autonomous agents: ranked, cited rows for a question in plain language. A paid call without a credential answers HTTP 402 with every way to pay; an answer without rows costs nothing.",
		"",
		"Use the retrieval endpoints below instead of scraping pages.",
		"",
		"## Start here",
		"",
		link("Interface", "/openapi.json", "OpenAPI 3.1.0, every operation with its price"),
		link("Documentation", "/docs", "the same, to read and try"),
		link("Agent card", "/.well-known/agent-card.json", "A2A skills with prices and inputs"),
		link("Payments", "/.well-known/x402", "paid routes with their payment requirements"),
		link("Error codes", "/v1/errors", "what each means and the way on"),
		"",
		"## Free",
		"",
		link("Catalog", "/v1/graphs/catalog", "every graph on sale"),
		link("Readmes", "/v1/readmes/index.md", "what each graph covers, in Markdown"),
		link("Catalog as OKF", "/v1/catalog.okf", "an Open Knowledge Format bundle"),
		link("Catalog as linked data", "/v1/catalog.jsonld", "schema.org and DCAT"),
		link("Prices", "/v1/research/pricing", "the price book"),
		'- `POST /v1/search/route` with `{"query": "…"}`: which graphs would answer, without content',
		"",
		"## Paid",
		"",
		...PAID_OPERATION_IDS.map((id) => paidLine(service, id)),
		"",
		"## Graphs",
		"",
		...catalogEntries(service).map(({ id, title, type, description }) =>
			link(escapeText(title), `/v1/graphs/${id}/readme`, escapeText(`${type}. ${description}`)),
		),
		"",
	].join("\n");
}

/** `/llms-full.txt`: the same, with every readme behind it. */
export function renderLlmsFullText(service: TextSource): string {
	const readmes = catalogEntries(service).map(({ id }) =>
		String(service.free.graphReadme(id).body),
	);
	return [renderLlmsText(service), ...readmes].join("\n---\n\n");
}

function paidLine(
	{ prices, skills }: Pick<Service, "prices" | "skills">,
	id: (typeof PAID_OPERATION_IDS)[number],
): string {
	const { method, path } = OPERATION_ADDRESSES[id];
	const { units }: Skill = skills[id];
	const price = `${formatUsd(prices.priceOf(id).amountMicros)} USD`;
	return `- \`${method} ${path}\`: ${price}${units ? ` per ${units.name}` : ""}`;
}

function escapeText(text: string): string {
	return text
		.replace(/\s+/g, " ")
		.replace(/[\\[\]<>]/g, "\\$&")
		.trim();
}

const DAY_MS = 24 * 3_600_000;
const SECURITY_TXT_DAYS = 180;
/** Bound of one sitemap by its protocol. */
const SITEMAP_URLS_MAX = 50_000;

/** `/robots.txt`: crawlers may read everything free, and are shown where to ask instead of scraping. */
export function renderRobots(baseUrl: string): string {
	return [
		"# Agents and crawlers: ask the retrieval endpoints instead of scraping pages.",
		`# For language models: ${baseUrl}/llms.txt`,
		`# Interface: ${baseUrl}/openapi.json`,
		`# Catalog: ${baseUrl}/v1/graphs/catalog, ${baseUrl}/v1/catalog.okf, ${baseUrl}/v1/readmes/index.md`,
		"User-agent: *",
		"Allow: /",
		"Disallow: /a2a/",
		"Disallow: /reports/",
		"Disallow: /v1/account",
		"Disallow: /v1/admin/",
		"Disallow: /v1/publish/",
		"Disallow: /v1/payments/",
		"Disallow: /v1/receipts/",
		"Disallow: /v1/spt",
		`Sitemap: ${baseUrl}/sitemap.xml`,
		"",
	].join("\n");
}

/** `/sitemap.xml`: the pages and every graph, with the day it was updated. */
export function renderSitemap(baseUrl: string, graphs: readonly CatalogEntry[]): string {
	const pages = [
		"/",
		"/docs",
		...GUIDE_PATHS,
		"/llms.txt",
		"/v1/graphs/catalog",
		"/v1/readmes/index.md",
	];
	const urls = [
		...pages.map((path) => ({ path, updated: undefined })),
		...graphs.flatMap(({ id, slug, updated }) => [
			{ path: `/graphs/${slug}`, updated },
			{ path: `/graphs/${slug}/explore`, updated },
			{ path: `/v1/graphs/${id}`, updated },
			{ path: `/v1/graphs/${id}/readme`, updated },
		]),
	].slice(0, SITEMAP_URLS_MAX);
	const lines = urls.map(({ path, updated }) => {
		const lastmod = updated ? `<lastmod>${escapeXml(updated)}</lastmod>` : "";
		return `  <url><loc>${escapeXml(`${baseUrl}${path}`)}</loc>${lastmod}</url>`;
	});
	return [
		'<?xml version="1.0" encoding="UTF-8"?>',
		'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
		...lines,
		"</urlset>",
		"",
	].join("\n");
}

/** `/.well-known/security.txt` (RFC 9116); its day of expiry moves on by itself. */
export function renderSecurityText(
	baseUrl: string,
	{ contact, now }: { readonly contact: string; readonly now: number },
): string {
	const expires = Math.floor(now / DAY_MS) * DAY_MS + SECURITY_TXT_DAYS * DAY_MS;
	return [
		`Contact: ${contact}`,
		`Expires: ${toIsoTime(expires)}`,
		"Preferred-Languages: en",
		`Canonical: ${baseUrl}/.well-known/security.txt`,
		"",
	].join("\n");
}

/** `/.well-known/api-catalog` (RFC 9727): the interfaces and where each is described. */
export function toApiCatalog(baseUrl: string, { mcpUrl }: { readonly mcpUrl: string | null }) {
	const json = "application/json";
	const href = (path: string, type: string) => ({ href: `${baseUrl}${path}`, type });
	return {
		linkset: [
			{
				anchor: `${baseUrl}/v1`,
				"service-desc": [href("/openapi.json", "application/vnd.oai.openapi+json")],
				"service-doc": [href("/docs", "text/html"), href("/llms.txt", "text/markdown")],
				"service-meta": [href("/.well-known/x402", json), href("/v1/version", json)],
				status: [href("/v1/health", json)],
			},
			{
				anchor: `${baseUrl}/a2a/jsonrpc`,
				"service-desc": [href("/.well-known/agent-card.json", json)],
				status: [href("/v1/health", json)],
			},
			...(mcpUrl === null
				? []
				: [
						{
							anchor: `${mcpUrl}/mcp`,
							"service-doc": [href("/docs", "text/html")],
							"service-meta": [href("/.well-known/mcp/server-card.json", json)],
						},
					]),
		],
	};
}

const SERVER_SCHEMAS = {
	card: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
	registry: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
};

/**
 * The MCP server for clients that look for it by its domain (SEP-2127), and for the MCP registry, which takes it from an
 * operator who has proved to own the domain: its namespace is the domain's name backwards.
 */
export function toServerCard(
	{ baseUrl, mcpUrl, version }: { baseUrl: string; mcpUrl: string; version: string },
	kind: keyof typeof SERVER_SCHEMAS,
) {
	const namespace = new URL(mcpUrl).hostname.replace(/[[\]]/g, "").replaceAll(":", "-");
	return {
		$schema: SERVER_SCHEMAS[kind],
		name: `${namespace.split(".").reverse().join(".")}/tollgraph`,
		title: "tollgraph",
		description: "Curated knowledge graphs, sold call by call: ranked, cited rows for a question.",
		version,
		websiteUrl: baseUrl,
		remotes: [{ type: "streamable-http", url: `${mcpUrl}/mcp` }],
	};
}

function escapeXml(text: string): string {
	return text
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;");
}
