import {
	type Delegations,
	type SptAccounts,
	toBalanceWire,
	toDelegationWire,
	toStatementLine,
} from "../../payments/spt/spt.js";
import { getAnalyst, listAnalysts } from "../../skills/analysts/analysts.js";
import type { RenderReport } from "../../skills/answers/answers.js";
import { createBrandReports } from "../../skills/brands/brands.js";
import type { FreeSchedules } from "../../skills/briefings/briefings.js";
import { createChatSessions } from "../../skills/chat/chat.js";
import { createDeepDiveOperations, createDeepDivePlans } from "../../skills/deep-dive/deep-dive.js";
import { createDossiers } from "../../skills/dossiers/dossiers.js";
import { createConsultations, createExpertDirectory } from "../../skills/experts/experts.js";
import { createFeedDirectory, type Feeds } from "../../skills/feeds/feeds.js";
import {
	createGraphOverviews,
	type GraphPageRequest,
	pageOfGraphs,
	toCatalogItem,
	toGraphDetail,
} from "../../skills/graphs/graphs.js";
import { createNameSuggestions, createQueryRouting } from "../../skills/search/search.js";
import type { RefundRow } from "../../store/store.js";
import {
	type AccountOperations,
	type Feedback,
	type OpenAccount,
	toSptScope,
} from "../accounts/accounts.js";
import { createBoundedWork, type Json, LIMITS, type PriceList } from "../contract/contract.js";
import { createPerRevision, formatUsd, parseUsd, toIsoDay, toIsoTime } from "../kernel/kernel.js";
import type { PaymentOperations, PaymentRecords } from "../sales/sales.js";
import {
	createDiscovery,
	createHealth,
	createServedDocuments,
	type FreeOperations,
	type HealthDeps,
	type OwnerOperations,
	type ResearchParts,
	type SptValidation,
	toOfferings,
	toPricing,
	toResearchOfferings,
} from "../service/service.js";
import type { Wiring } from "./services.js";

/** Wires the free operations; what derives from the catalog is memoized per revision and base address. */
export function createFreeOperations(
	deps: HealthDeps &
		Pick<Wiring, "catalog" | "skills"> & {
			readonly prices: PriceList;
			readonly validateSpt: (token: string) => Promise<SptValidation>;
			readonly payments: PaymentOperations;
			readonly openAccount: OpenAccount;
			readonly schedules: FreeSchedules;
			readonly feeds: Feeds;
		},
): FreeOperations {
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
	// What a roster's profiles answer costs next to nothing and waits for no one.
	const experts = createExpertDirectory({
		catalog,
		search: { find: (request) => freeSearches(() => search.find(request), request.signal) },
	});
	const { details, lists, graphPage } = createListings(deps);
	return {
		health,
		discovery: createDiscovery({ info, catalog, search, health }),
		sptValidate: deps.validateSpt,
		feedDirectory: createFeedDirectory(deps),
		scheduleLinks: deps.schedules,
		payments: deps.payments,
		openAccount: deps.openAccount,
		offerings: () => lists("offerings"),
		researchPricing: () => lists("pricing"),
		researchOfferings: () => lists("tools"),
		graphsCatalog: graphPage,
		graphDetail: (idOrSlug) => details(catalog.getNamed(idOrSlug).record.id),
		graphReadme: (idOrSlug) => documents.readme(catalog.getNamed(idOrSlug)),
		graphPreview: (idOrSlug) => overviews.preview(catalog.getNamed(idOrSlug)),
		graphStats: (idOrSlug) => overviews.stats(catalog.getNamed(idOrSlug)),
		graphSchema: (idOrSlug) => overviews.schema(catalog.getNamed(idOrSlug)),
		graphVersions: (idOrSlug) => overviews.versions(catalog.getNamed(idOrSlug)),
		catalogOkf: documents.catalogOkf,
		readmesIndex: documents.readmesIndex,
		graphCroissant: (idOrSlug) => documents.croissant(catalog.getNamed(idOrSlug)),
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

/** What is listed and stated of graphs and of what is sold. */
function createListings(deps: Parameters<typeof createFreeOperations>[0]) {
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

const REFUND_REASON = "The holder asked for the balance that was not used.";

/** Wires what somebody known may ask. */
export function createOwnerOperations(
	deps: Pick<Wiring, "store" | "clock" | "catalog" | "jobs"> & {
		readonly accounts: SptAccounts;
		readonly delegations: Delegations;
		readonly account: AccountOperations;
		readonly feedback: Feedback;
		readonly paymentRecords: PaymentRecords;
		readonly research: Pick<ResearchParts, "schedules" | "artifacts" | "chatSessions" | "webhooks">;
		readonly renderReport: RenderReport;
	},
): OwnerOperations {
	const { store, clock, catalog, accounts, delegations } = deps;
	const journalReads = createBoundedWork({
		running: LIMITS.journalReadsRunning,
		waiting: LIMITS.journalReadsWaiting,
	});
	return {
		...deps.account,
		feedback: deps.feedback,
		paymentRecords: deps.paymentRecords,
		...createReports(deps),
		schedules: deps.research.schedules.service,
		chats: createChatSessions(deps.research.chatSessions, catalog),
		consultations: createConsultations(deps.research.artifacts),
		jobs: createDeepDiveOperations(deps),
		webhooks: deps.research.webhooks.service,
		sptBalance: async ({ owner }) => toBalanceWire(await accounts.balance(owner)),

		async sptLedger({ owner }, { limit, cursor }, signal) {
			const read = () => store.statement(owner, { limit, cursor });
			const { postings, next = null } = await journalReads(read, signal);
			const items = postings.map((posting) => toStatementLine(owner, posting));
			return { items, next_cursor: next };
		},

		async sptRotate(holder) {
			const { token, balanceMicros } = await accounts.rotate(holder);
			return { token, id: holder.tokenId, balance_usd: formatUsd(balanceMicros) };
		},

		async sptDelegate(holder, order) {
			const scope = toSptScope({ catalog, now: clock.now() }, order);
			const amountMicros = parseUsd(order.amount_usd);
			const { token, state, ...made } = await delegations.create(holder, {
				...scope,
				amountMicros,
			});
			return {
				token,
				...toDelegationWire(state),
				parent_id: holder.tokenId,
				parent_balance_usd: formatUsd(made.parentBalanceMicros),
			};
		},

		sptDelegations: async (holder) => ({
			items: (await delegations.list(holder)).map(toDelegationWire),
		}),

		async sptRevokeDelegation(holder, childId) {
			const { returnedMicros, balanceMicros } = await delegations.revoke(holder, childId);
			return {
				id: childId,
				status: "revoked",
				returned_usd: formatUsd(returnedMicros),
				parent_balance_usd: formatUsd(balanceMicros),
			};
		},

		sptRefund: async (holder, reason) =>
			toRefundWire(await accounts.refund(holder, reason ?? REFUND_REASON)),

		async sptRevoke(holder) {
			const { returnedMicros, refund, balanceMicros } = await accounts.revoke(holder);
			return {
				id: holder.tokenId,
				status: "revoked",
				returned_usd: formatUsd(returnedMicros),
				refund: refund ? toRefundWire(refund) : null,
				balance_usd: formatUsd(balanceMicros),
			};
		},
	};
}

function createReports({
	research: { artifacts },
	renderReport,
}: Pick<Parameters<typeof createOwnerOperations>[0], "research" | "renderReport">) {
	return {
		dossiers: createDossiers(artifacts, renderReport),
		brandReports: createBrandReports(artifacts),
	};
}

function toRefundWire({ id, amountMicros, state, destination, createdAt }: RefundRow) {
	return {
		refund_id: id,
		amount_usd: formatUsd(amountMicros),
		state,
		destination: destination ?? null,
		created_at: toIsoTime(createdAt),
	};
}
