import express, { type Request, type RequestHandler, type Router } from "express";
import type { ServedDocument } from "../contract/contract.js";
import { sendDocument, toDocument } from "../http/http.js";
import { type Clock, createPerRevision, notFound } from "../kernel/kernel.js";
import type { PageFrame } from "./page-frame.js";
import { addPages, type PageDeps } from "./page-router.js";
import { type DashboardUser, renderDashboard, renderSignIn } from "./pages/dashboard.js";
import { addReportPages, type ReportPageDeps } from "./report-pages.js";

export { createPageFrame } from "./page-frame.js";

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
	frame,
	callRates,
	demoSpt,
}: {
	readonly service: PageDeps["service"] & ReportPageDeps["service"];
	readonly clock: Clock;
	readonly frame: PageDeps["frame"];
	readonly callRates: ReportPageDeps["callRates"];
	/** Changes with the catalog. */
	readonly revision: () => unknown;
	/** A token that pays with paper money; undefined where money is real. */
	readonly demoSpt: PageDeps["demoSpt"];
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
	router.get(["/favicon.ico", "/favicon.svg"], (req, res) => sendDocument(req, res, ICON));
	router.get(
		"/",
		inMarkdown(() => documents("llms")),
	);
	addPages(router, { service, demoSpt, clock, revision, frame });
	addReportPages(router, { service, frame, callRates });
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

/** The pages of the owner's dashboard, for the transport of operators: it decides who sees them. */
export function createDashboardPages({ assets, site }: Pick<PageFrame, "assets" | "site">) {
	return {
		policy: assets.policy,
		/** Undefined where there is no such part. */
		section: async (name: string, user: DashboardUser) => renderDashboard(await site(), name, user),
		signIn: async (problem?: string) => renderSignIn(await site(), problem),
	};
}

const API_CATALOG_TYPE =
	'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** JSON unless Markdown is asked for by name: a client that takes anything gets what the contract says. */
function prefersMarkdown(req: Request): boolean {
	return req.accepts(["application/json", "text/markdown"]) === "text/markdown";
}

function createSecurityText({ info }: PageDeps["service"], clock: Clock): RequestHandler {
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

function createServerCard(
	{ info }: PageDeps["service"],
	kind: "card" | "registry",
): RequestHandler {
	return (req, res) => {
		const mcpUrl = info.mcpUrl();
		if (mcpUrl === null) throw notFound("This service has no MCP address.");
		const card = toServerCard({ baseUrl: info.baseUrl(), mcpUrl, version: info.version }, kind);
		sendDocument(req, res, toDocument("application/json", JSON.stringify(card)));
	};
}

/** A bridge with its toll gate; browsers go by the media type, not by the name they asked for. */
const ICON = toDocument(
	"image/svg+xml",
	'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30"><rect width="30" height="30" rx="6" fill="#141d1f"/><g transform="translate(0 4)" fill="none"><path stroke="#75898a" d="M15 4 3 17M15 4 8.5 17M15 4l6.5 13M15 4l12 13"/><path stroke="#e9f0ee" stroke-width="2" d="M2 17h26M15 4v16"/><circle cx="15" cy="4" r="3" fill="#dfa42b"/><circle cx="4" cy="17" r="2.4" fill="#57c7a0"/><circle cx="26" cy="17" r="2.4" fill="#57c7a0"/></g></svg>',
);
