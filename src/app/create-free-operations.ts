import { getAnalyst, listAnalysts } from "../../skills/analysts/analysts.js";
import { createCitations, createSourceDirectory } from "../../skills/articles/articles.js";
import { createBrandDirectory } from "../../skills/brands/brands.js";
import type { FreeSchedules } from "../../skills/briefings/briefings.js";
import { createDeepDivePlans } from "../../skills/deep-dive/deep-dive.js";
import { createExpertDirectory } from "../../skills/experts/experts.js";
import { createFeedDirectory, type Feeds } from "../../skills/feeds/feeds.js";
import {
	createGraphOverviews,
	type GraphPageRequest,
	pageOfGraphs,
	toCatalogItem,
	toGraphDetail,
} from "../../skills/graphs/graphs.js";
import { createNameSuggestions, createQueryRouting } from "../../skills/search/search.js";
import type { OpenAccount } from "../accounts/accounts.js";
import {
	createBoundedWork,
	type Json,
	LIMITS,
	type PriceList,
	type SkillCatalog,
} from "../contract/contract.js";
import { createPerRevision, ServiceError, toIsoDay } from "../kernel/kernel.js";
import type { Graph, GraphCatalog } from "../knowledge/knowledge.js";
import type { PaymentOperations } from "../sales/sales.js";
import {
	createDiscovery,
	createHealth,
	createServedDocuments,
	type FreeOperations,
	type HealthDeps,
	type SptValidation,
	toOfferings,
	toPricing,
	toResearchOfferings,
} from "../service/service.js";

export interface FreeOperationDeps extends HealthDeps {
	readonly catalog: GraphCatalog;
	readonly prices: PriceList;
	readonly skills: SkillCatalog;
	readonly validateSpt: (token: string) => Promise<SptValidation>;
	readonly payments: PaymentOperations;
	readonly openAccount: OpenAccount;
	readonly schedules: FreeSchedules;
	readonly feeds: Feeds;
}

/** Wires the free operations; what derives from the catalog is made once per revision and base address. */
export function createFreeOperations(deps: FreeOperationDeps): FreeOperations {
	const { info, catalog, prices, search } = deps;
	const health = createHealth(deps);
	const documents = createServedDocuments({ info, catalog, prices });
	const suggest = createNameSuggestions({ catalog });
	const routeQuery = createQueryRouting(deps);
	const planDeepDive = createDeepDivePlans(deps);
	const freeSearches = createBoundedWork({
		running: LIMITS.freeSearchesRunning,
		waiting: LIMITS.freeSearchesWaiting,
	});
	const overviews = createGraphOverviews({ ...deps, inTurn: freeSearches });
	// What a roster's profiles answer costs next to nothing and waits for nobody.
	const experts = createExpertDirectory({
		catalog,
		search: { find: (request) => freeSearches(() => search.find(request), request.signal) },
	});
	const { details, lists, graphPage } = createListings(deps);
	return {
		health,
		discovery: createDiscovery({ info, catalog, search, health }),
		sptValidate: deps.validateSpt,
		sources: createSourceDirectory({ catalog }),
		brands: createBrandDirectory({ catalog }),
		feedDirectory: createFeedDirectory(deps),
		formatCitations: createCitations({ catalog, baseUrl: info.baseUrl }),
		scheduleLinks: deps.schedules,
		payments: deps.payments,
		openAccount: deps.openAccount,
		offerings: () => lists("offerings"),
		researchPricing: () => lists("pricing"),
		researchOfferings: () => lists("tools"),
		graphsCatalog: graphPage,
		graphDetail: (idOrSlug) => details(findGraph(catalog, idOrSlug).record.id),
		graphReadme: (idOrSlug) => documents.readme(findGraph(catalog, idOrSlug)),
		graphPreview: (idOrSlug) => overviews.preview(findGraph(catalog, idOrSlug)),
		graphStats: (idOrSlug) => overviews.stats(findGraph(catalog, idOrSlug)),
		graphSchema: (idOrSlug) => overviews.schema(findGraph(catalog, idOrSlug)),
		graphVersions: (idOrSlug) => overviews.versions(findGraph(catalog, idOrSlug)),
		catalogOkf: documents.catalogOkf,
		readmesIndex: documents.readmesIndex,
		graphSlice: (graphId) => documents.slice(catalog.get(graphId)),
		expertsSearch: async (query, limit, signal) => ({
			items: await experts.search(query, limit, signal),
		}),
		expertsMatch: experts.match,
		experts,
		analysts: {
			list: () => lists("analysts"),
			get: (name) => getAnalyst(catalog, name),
		},
		suggest,
		searchRoute: (request, signal) => freeSearches(() => routeQuery(request, signal), signal),
		planDeepDive: (request, signal) => freeSearches(() => planDeepDive(request, signal), signal),
	};
}

/** What is listed and told of graphs and of what is sold. */
function createListings(deps: FreeOperationDeps) {
	const { info, catalog, prices, clock } = deps;
	const today = () => toIsoDay(clock.now());
	const listing = () => ({ baseUrl: info.baseUrl(), prices, today: today() });

	const details = createPerRevision<Json>(
		() => [catalog.revision, info.baseUrl(), today()],
		(id) => toGraphDetail(catalog.get(id), listing()),
	);
	const items = createPerRevision(
		() => [catalog.revision, info.baseUrl()],
		() => catalog.list().map((graph) => toCatalogItem(graph, listing())),
	);
	const lists = createPerRevision<Json>(
		() => [catalog.revision, info.baseUrl()],
		(name) => {
			if (name === "offerings") return toOfferings(deps);
			if (name === "tools") return toResearchOfferings(deps);
			if (name === "analysts") return { items: listAnalysts(catalog) };
			if (name === "pricing") return toPricing(deps);
			return { items: items("graphs") };
		},
	);
	return {
		details,
		lists,
		graphPage: (page: GraphPageRequest = {}): Json => {
			const isWhole = page.limit === undefined && page.cursor === undefined;
			return isWhole ? lists("graphs") : pageOfGraphs(items("graphs"), page);
		},
	};
}

function findGraph(catalog: GraphCatalog, idOrSlug: string): Graph {
	const graph = catalog.find(idOrSlug);
	if (graph) return graph;
	throw new ServiceError(
		"NOT_FOUND",
		`No graph is called "${idOrSlug.slice(0, 80)}"; GET /v1/graphs/catalog lists those on sale.`,
	);
}
