import compression from "compression";
import type { Request, Response, Router } from "express";
import { LRUCache } from "lru-cache";
import {
	LIMITS,
	OPERATION_ADDRESSES,
	type Operation,
	type ServedDocument,
	type Services,
	type Skill,
} from "../contract/contract.js";
import { sendDocument, toDocument } from "../http/http.js";
import { type Clock, formatUsd, PACKAGE_ROOT, ServiceError, toIsoDay } from "../kernel/kernel.js";
import type { Graph } from "../knowledge/knowledge.js";
import { exampleReplyOf, INTERFACE_VERSION, type Service } from "../service/service.js";
import type { PageAssets } from "./page-assets.js";
import { type SampledCall, samplesOf, toAddress } from "./pages/call-samples.js";
import { findOperation } from "./pages/capabilities.js";
import { type GraphContent, renderGraph } from "./pages/graph.js";
import { findChapter, renderChapter, renderGuide } from "./pages/guide.js";
import { type HomeContent, type ListedGraph, renderHome } from "./pages/home.js";
import type { Site } from "./pages/layout.js";
import {
	type OperationContent,
	type PriceOf,
	renderOperation,
	renderOperations,
} from "./pages/operations.js";
import { hostOf } from "./pages/parts.js";

export interface PageDeps {
	readonly service: Service & { readonly services: Pick<Services, "catalog"> };
	readonly assets: PageAssets;
	readonly clock: Clock;
	/** Changes with the catalog and the prices. */
	readonly revision: () => unknown;
	/** A token that pays with paper money; undefined where money is real. */
	readonly demoSpt: () => Promise<string | undefined>;
}

/** Pages for people, on a router of others. What takes more than showing is done by operations, as anybody may call them. */
export function addPages(router: Router, deps: PageDeps): void {
	const { service, assets, demoSpt } = deps;
	const { info } = service;
	const send = createPageSender(deps);
	router.use(["/assets", "/graphs", "/docs", "/guide"], compression());
	router.use("/assets", assets.serve);
	const compress = compression();
	router.get("/", (req, res, next) => {
		res.vary("Accept");
		if (!prefersPage(req)) return next();
		compress(req, res, () => undefined);
		return send(req, res, "/", (site) => renderHome(site, homeOf(deps)));
	});
	router.get("/graphs/:name", (req, res) => {
		const graph = service.services.catalog.getNamed(req.params.name);
		const { slug } = graph.record;
		if (req.params.name !== slug) return res.redirect(301, `/graphs/${slug}`);
		return send(req, res, `/graphs/${slug}`, async (site) => {
			const content = await contentOf(deps, graph);
			const page = renderGraph(site, content);
			return content.preview === "indexing" ? { page, isProvisional: true } : page;
		});
	});
	router.get("/docs", (req, res) =>
		send(req, res, "/docs", (site) => renderOperations(site, priceOfIn(service))),
	);
	router.get("/docs/demo-token", async (req, res) => {
		// A page of somebody else must not be given it, paper money or not.
		const isOwn = req.headers["sec-fetch-site"] === "same-origin";
		const token = info.profile === "demo" && isOwn ? await demoSpt() : undefined;
		if (token === undefined) throw new ServiceError("NOT_FOUND", "There is no demo token here.");
		res.setHeader("Cache-Control", "no-store");
		res.json({ token });
	});
	router.get("/docs/:id", (req, res, next) => {
		const operation = findOperation(req.params.id);
		if (!operation) return next();
		return send(req, res, `/docs/${operation.id}`, (site) =>
			renderOperation(site, operationOf(service, operation)),
		);
	});
	router.get("/guide", (req, res) => send(req, res, "/guide", renderGuide));
	router.get("/guide/:chapter", (req, res, next) => {
		const chapter = findChapter(req.params.chapter);
		if (!chapter) return next();
		return send(req, res, `/guide/${chapter.slug}`, (site) =>
			renderChapter(site, PACKAGE_ROOT, chapter),
		);
	});
}

/** A page for those that ask for one by name, as browsers do. */
function prefersPage(req: Request): boolean {
	return req.accepts(["application/json", "text/html"]) === "text/html";
}

const PAGES_KEPT = 400;
/** How long a page may show that parts were ready, or not. */
const STATUS_MS = 2_000;

type Rendered = string | { readonly page: string; readonly isProvisional: true };

/** Renders each page once for what it shows: rendering one takes as long as a paid search. */
function createPageSender(deps: PageDeps) {
	const { assets, clock, revision } = deps;
	const pages = new LRUCache<string, Promise<ServedDocument>>({ max: PAGES_KEPT });
	const readSite = createSiteReader(deps);
	return async (
		req: Request,
		res: Response,
		path: string,
		render: (site: Site) => Rendered | Promise<Rendered>,
	): Promise<void> => {
		const site = await readSite();
		const key = [revision(), site.baseUrl, site.status, toIsoDay(clock.now()), path].join(" ");
		const known = pages.get(key) ?? make();
		res.setHeader("Content-Security-Policy", assets.policy);
		sendDocument(req, res, await known);

		function make(): Promise<ServedDocument> {
			const made = (async () => {
				const rendered = await render(site);
				if (typeof rendered !== "string") pages.delete(key);
				const page = typeof rendered === "string" ? rendered : rendered.page;
				return toDocument("text/html; charset=utf-8", page);
			})();
			pages.set(key, made);
			made.catch(() => pages.delete(key));
			return made;
		}
	};
}

/** What stands on every page, as it is now. */
export function createSiteReader({
	service,
	assets,
	clock,
}: Pick<PageDeps, "service" | "assets" | "clock">): () => Promise<Site> {
	const status = createStatus(service, clock);
	return async () => ({
		assets,
		baseUrl: service.info.baseUrl(),
		version: service.info.version,
		interfaceVersion: INTERFACE_VERSION,
		isDemo: service.info.profile === "demo",
		status: await status(),
	});
}

function createStatus({ free }: Service, clock: Clock): () => Promise<Site["status"]> {
	let known: { readonly atMs: number; readonly status: Promise<Site["status"]> } | undefined;
	const ask = async (): Promise<Site["status"]> => {
		const { status } = await free.health();
		return status === "ok" || status === "degraded" ? status : "failing";
	};
	return () => {
		const now = clock.monotonicMs();
		if (!known || now - known.atMs > STATUS_MS) {
			known = { atMs: now, status: ask().catch(() => "failing" as const) };
		}
		return known.status;
	};
}

/** One of each capability, the cheapest first: what a stranger compares. */
const SHOWN_PRICES = [
	"graphs.search",
	"answer.create",
	"verify.claim",
	"human_agents.consult",
	"intelligence.dossier",
	"graphs.export",
	"research.chat",
	"research.deep_dive",
	"brand_intelligence",
] as const;

function homeOf({ service }: PageDeps): HomeContent {
	const { free, prices, skills } = service;
	const graphs = (free.graphsCatalog() as unknown as { readonly items: readonly ListedGraph[] })
		.items;
	const [first] = graphs;
	const questionUsd = formatUsd(prices.priceOf("graphs.search").amountMicros);
	const rails = free.payments.methods() as unknown as {
		readonly items: readonly { readonly title: string; readonly how_to_start: string }[];
	};
	return {
		graphs,
		prices: SHOWN_PRICES.map((id) => {
			const { title, units }: Skill = skills[id];
			const usd = formatUsd(prices.priceOf(id).amountMicros);
			return { title, usd, per: units?.name };
		}),
		operationCount: Object.keys(OPERATION_ADDRESSES).length,
		questionUsd,
		samples: samplesOf(searchOf(service, first?.id ?? "your-graph", questionUsd)),
		rails: rails.items.map(({ title, how_to_start: start }) => {
			const [name = title, what = start] = title.split(": ");
			return { title: name, start: what };
		}),
	};
}

/** A question to a graph that it answers. */
function searchOf(
	{ info, services }: PageDeps["service"],
	graphId: string,
	usd: string,
): SampledCall {
	const graph = services.catalog.list().find(({ record }) => record.id === graphId);
	const body = { query: graph?.record.exampleQueries[0] ?? "What is this graph about?", limit: 3 };
	return {
		baseUrl: info.baseUrl(),
		mcpUrl: info.mcpUrl(),
		method: "POST",
		path: `/v1/graphs/${graphId}/search`,
		body,
		credential: "token",
		usd,
		agent: { name: "search_graph", input: { graph_id: graphId, ...body } },
	};
}

const priceOfIn =
	({ prices, skills }: Service): PriceOf =>
	(operation) => {
		if (operation.kind === "purchase") return { usd: formatUsd(LIMITS.sptMinMicros) };
		if (operation.kind !== "paid") return { usd: "0.00" };
		const usd = formatUsd(prices.priceOf(operation.id).amountMicros);
		return { usd, per: skills[operation.id].units?.name };
	};

function operationOf(service: PageDeps["service"], operation: Operation): OperationContent {
	const { info, free, services } = service;
	const priceOf = priceOfIn(service);
	const { usd } = priceOf(operation);
	const { example, kind, method } = operation;
	const body = "body" in operation && operation.body ? { ...example.body } : undefined;
	const tool = kind === "paid" ? operation.agent?.name : undefined;
	const call: SampledCall = {
		baseUrl: info.baseUrl(),
		mcpUrl: info.mcpUrl(),
		method,
		path: toAddress(operation.path, example),
		body,
		credential: CREDENTIALS[kind],
		usd: usd === "0.00" ? undefined : usd,
		agent: tool === undefined ? undefined : { name: tool, input: { ...example.params, ...body } },
	};
	const rails = free.payments.methods() as unknown as {
		readonly items: readonly { readonly rail: string }[];
	};
	return {
		operation,
		priceOf,
		call,
		samples: samplesOf(call),
		hasDemoToken: info.profile === "demo",
		takesWallet: kind === "paid" && rails.items.some(({ rail }) => rail === "x402"),
		graphs: services.catalog.list().map(({ record: { id, title } }) => ({ id, title })),
		exampleReply: exampleReplyOf(operation),
	};
}

const CREDENTIALS = {
	paid: "token",
	owner: "key",
	purchase: undefined,
	data: undefined,
	document: undefined,
} as const;

const HOSTS_MAX = 12;

async function contentOf({ service }: PageDeps, graph: Graph): Promise<GraphContent> {
	const { free, info } = service;
	const { id, about, license, contact } = graph.record;
	const [stats, schema, preview] = await Promise.all([
		free.graphStats(id),
		free.graphSchema(id),
		previewOf(service, id),
	]);
	const detail = free.graphDetail(id) as unknown as GraphContent["graph"];
	const { node_types: types } = schema as unknown as {
		readonly node_types: readonly { readonly type: string; readonly count: number }[];
	};
	const hosts = hostsOf(graph);
	return {
		graph: detail,
		...{ about, license, contact },
		stats: stats as unknown as GraphContent["stats"],
		kinds: types.map(({ type, count }) => ({ name: type, count })),
		hosts: hosts.slice(0, HOSTS_MAX),
		moreHosts: Math.max(0, hosts.length - HOSTS_MAX),
		preview,
		samples: samplesOf(searchOf(service, id, detail.price_usd)),
		hasDemoToken: info.profile === "demo",
	};
}

/** A graph that is not indexed yet, or too many previews at once, leave the page without its free rows. */
async function previewOf({ free }: Service, id: string): Promise<GraphContent["preview"]> {
	try {
		return (await free.graphPreview(id)) as unknown as GraphContent["preview"];
	} catch (error) {
		if (error instanceof ServiceError && error.retryable) return "indexing";
		throw error;
	}
}

/** How many documents each host of a graph's sources has, the most first. */
function hostsOf(graph: Graph): GraphContent["hosts"] {
	const addresses = new Set(
		graph.concepts.flatMap(({ evidence }) => evidence.map(({ sourceUrl }) => sourceUrl)),
	);
	const counts = new Map<string, number>();
	for (const address of addresses) {
		const host = hostOf(address);
		counts.set(host, (counts.get(host) ?? 0) + 1);
	}
	return [...counts]
		.map(([host, documents]) => ({ host, documents }))
		.sort((one, other) => other.documents - one.documents || (one.host < other.host ? -1 : 1));
}
