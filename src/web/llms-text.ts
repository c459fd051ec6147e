import { OPERATION_ADDRESSES, PAID_OPERATION_IDS, type Skill } from "../contract/contract.js";
import { formatUsd } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";

export interface CatalogEntry {
	readonly id: string;
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
