import { readFileSync } from "node:fs";
import { join } from "node:path";
import express, { type Request, type RequestHandler, type Router } from "express";
import type { ServedDocument } from "../contract/contract.js";
import { sendDocument, toDocument } from "../http/http.js";
import { type Clock, createPerRevision, notFound } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import {
	catalogEntries,
	renderLlmsFullText,
	renderLlmsText,
	renderRobots,
	renderSecurityText,
	renderSitemap,
	toApiCatalog,
	toServerCard,
} from "./site-documents.js";

/** Pages and documents for readers, crawlers and language models; all free. */

const MARKDOWN = "text/markdown; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";

export function createWebRouter({
	service,
	clock,
	revision,
	packageRoot,
}: {
	readonly service: Service;
	readonly clock: Clock;
	/** Changes with the catalog. */
	readonly revision: () => unknown;
	readonly packageRoot: string;
}): Router {
	const { info, free } = service;
	const base = () => info.baseUrl();
	const documents = createPerRevision<ServedDocument>(
		() => [revision(), base()],
		(name) => {
			if (name === "llms") return toDocument(MARKDOWN, renderLlmsText(service));
			if (name === "llms-full") return toDocument(MARKDOWN, renderLlmsFullText(service));
			if (name === "sitemap") {
				return toDocument("application/xml", renderSitemap(base(), catalogEntries(service)));
			}
			if (name === "robots") return toDocument(TEXT, renderRobots(base()));
			const catalog = toApiCatalog(base(), { mcpUrl: info.mcpUrl() });
			return toDocument(API_CATALOG_TYPE, JSON.stringify(catalog));
		},
	);
	const serve =
		(name: string): RequestHandler =>
		(req, res) =>
			sendDocument(req, res, documents(name));
	const inMarkdown =
		(answer: (req: Request) => ServedDocument): RequestHandler =>
		(req, res, next) => {
			res.vary("Accept");
			if (!prefersMarkdown(req)) return next();
			return sendDocument(req, res, answer(req));
		};

	const router = express.Router({ caseSensitive: true, strict: true });
	router.get("/llms.txt", serve("llms"));
	router.get("/llms-full.txt", serve("llms-full"));
	router.get("/robots.txt", serve("robots"));
	router.get("/sitemap.xml", serve("sitemap"));
	router.get("/.well-known/api-catalog", serve("api-catalog"));
	router.get(SERVER_CARDS, createServerCard(service, "card"));
	router.get("/server.json", createServerCard(service, "registry"));
	router.get("/.well-known/security.txt", createSecurityText(service, clock));
	router.get("/docs", (req, res) => {
		res.setHeader("Content-Security-Policy", DOCS_POLICY);
		sendDocument(req, res, DOCS_PAGE);
	});
	router.get("/docs/rapidoc-min.js", createDocsScript(packageRoot));
	router.get(["/favicon.ico", "/favicon.svg"], (req, res) => sendDocument(req, res, ICON));
	router.get(
		"/",
		inMarkdown(() => documents("llms")),
	);
	router.get(
		"/v1/graphs/catalog",
		inMarkdown(() => free.readmesIndex()),
	);
	router.get(
		"/v1/graphs/:name",
		inMarkdown((req) => free.graphReadme(String(req.params["name"]))),
	);
	return router;
}

const API_CATALOG_TYPE =
	'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** JSON unless Markdown is asked for by name: a client that takes anything gets what the contract says. */
function prefersMarkdown(req: Request): boolean {
	return req.accepts(["application/json", "text/markdown"]) === "text/markdown";
}

function createSecurityText({ info }: Service, clock: Clock): RequestHandler {
	return (req, res) => {
		if (info.contact === undefined) {
			throw notFound("The operator has named no contact for security reports.");
		}
		const options = { contact: info.contact, now: clock.now() };
		sendDocument(req, res, toDocument(TEXT, renderSecurityText(info.baseUrl(), options)));
	};
}

/** Where clients look for the card: the address of the extension's draft, and the two that they tried before. */
const SERVER_CARDS = [
	"/mcp/server-card",
	"/.well-known/mcp/server-card",
	"/.well-known/mcp/server-card.json",
];

function createServerCard({ info }: Service, kind: "card" | "registry"): RequestHandler {
	return (req, res) => {
		const mcpUrl = info.mcpUrl();
		if (mcpUrl === null) throw notFound("This service has no MCP address.");
		const card = toServerCard({ baseUrl: info.baseUrl(), mcpUrl, version: info.version }, kind);
		sendDocument(req, res, toDocument("application/json", JSON.stringify(card)));
	};
}

/** Three nodes and their edges; browsers go by the media type, not by the name they asked for. */
const ICON = toDocument(
	"image/svg+xml",
	'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 13 8 3l5 10z" fill="none" stroke="#246"/><g fill="#246"><circle cx="8" cy="3" r="2.5"/><circle cx="3" cy="13" r="2.5"/><circle cx="13" cy="13" r="2.5"/></g></svg>',
);

/** Scripts from here alone, none in the page; the viewer sets styles on its own elements. */
const DOCS_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self' 'unsafe-inline'",
	"connect-src 'self'",
	"img-src 'self' data:",
	"base-uri 'none'",
	"form-action 'self'",
	"frame-ancestors 'none'",
].join("; ");

/** `/docs`: the interface to read and try, from one page and one script of this server. */
const DOCS_PAGE = toDocument(
	"text/html; charset=utf-8",
	`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tollgraph: interface</title>
<script type="module" src="/docs/rapidoc-min.js"></script>
</head>
<body>
<rapi-doc spec-url="/openapi.json" render-style="read" theme="light" load-fonts="false"
 show-header="false" allow-authentication="true" allow-server-selection="false" persist-auth="false"
 schema-description-expanded="true" use-path-in-nav-bar="true"></rapi-doc>
<noscript>This page needs JavaScript; the description itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
</body>
</html>
`,
);

/** The viewer's script, read at the first request. */
function createDocsScript(packageRoot: string): RequestHandler {
	let script: ServedDocument | undefined;
	return (req, res) => {
		script ??= toDocument(
			"text/javascript; charset=utf-8",
			readFileSync(join(packageRoot, "vendor", "rapidoc", "rapidoc-min.js")),
		);
		sendDocument(req, res, script);
	};
}
