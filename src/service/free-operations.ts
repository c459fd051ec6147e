import type { FreeSchedules } from "../../skills/briefings/briefings.js";
import type { DeepDivePlanRequest } from "../../skills/deep-dive/deep-dive.js";
import type { ExpertDirectory, MatchedExpert } from "../../skills/experts/experts.js";
import type { FeedDirectory } from "../../skills/feeds/feeds.js";
import type { GraphPageRequest } from "../../skills/graphs/graphs.js";
import type { RoutingRequest, Suggestion } from "../../skills/search/search.js";
import type { OpenAccount } from "../accounts/accounts.js";
import type { Json, ServedDocument } from "../contract/contract.js";
import type { PaymentOperations } from "../sales/sales.js";
import type { Discovery } from "./discovery.js";

/** What spt/validate tells of a token. Unknown, expired and revoked ones look alike. */
export interface SptValidation {
	readonly active: boolean;
	readonly balance_usd: string | null;
	readonly held_usd: string | null;
	readonly expires_at: string | null;
	readonly environment: "live" | "test" | null;
}

/** Every operation no one pays for; each returns the `data` of the envelope or a document. Throws NOT_FOUND, INVALID_ARGUMENT. */
export interface FreeOperations {
	health(): Promise<Json>;
	sptValidate(token: string): Promise<SptValidation>;
	offerings(): Json;
	researchPricing(): Json;
	researchOfferings(): Json;
	/** Every graph, or a page of them. */
	graphsCatalog(page?: GraphPageRequest): Json;
	graphDetail(idOrSlug: string): Json;
	graphReadme(idOrSlug: string): ServedDocument;
	/** Throws RATE_LIMITED as `expertsSearch` does. */
	graphPreview(idOrSlug: string): Promise<Json>;
	graphStats(idOrSlug: string): Promise<Json>;
	graphSchema(idOrSlug: string): Promise<Json>;
	graphVersions(idOrSlug: string): Promise<Json>;
	catalogOkf(): ServedDocument;
	readmesIndex(): ServedDocument;
	graphSlice(graphId: string): ServedDocument;
	/** Throws RATE_LIMITED while too many such searches wait already. */
	expertsSearch(query: string, limit: number, signal: AbortSignal): Promise<Json>;
	/** Throws RATE_LIMITED as `expertsSearch` does. */
	expertsMatch(
		question: string,
		limit: number,
		signal: AbortSignal,
	): Promise<readonly MatchedExpert[]>;
	readonly experts: Pick<ExpertDirectory, "list" | "get" | "questions" | "sources">;
	readonly analysts: { list(): Json; get(name: string): Json };
	suggest(prefix: string, limit: number): Promise<readonly Suggestion[]>;
	/** Throws RATE_LIMITED as `expertsSearch` does. */
	searchRoute(request: RoutingRequest, signal: AbortSignal): Promise<Json>;
	/** Throws RATE_LIMITED as `expertsSearch` does. */
	planDeepDive(request: DeepDivePlanRequest, signal: AbortSignal): Promise<Json>;
	readonly feedDirectory: FeedDirectory;
	readonly scheduleLinks: FreeSchedules;
	readonly payments: PaymentOperations;
	readonly openAccount: OpenAccount;
	readonly discovery: Discovery;
}
