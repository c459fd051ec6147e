import type { OpenAccount } from "./account-opening.js";
import type { BrandDirectory } from "./brand-directory.js";
import type { FormatCitations } from "./citations.js";
import type { DeepDivePlanRequest } from "./deep-dive-plans.js";
import type { Discovery } from "./discovery.js";
import type { ExpertDirectory, MatchedExpert } from "./expert-directory.js";
import type { FeedDirectory } from "./feed-directory.js";
import type { GraphPageRequest } from "./graph-listing.js";
import type { Suggestion } from "./name-suggestions.js";
import type { PaymentOperations } from "./payment-operations.js";
import type { RoutingRequest } from "./query-routing.js";
import type { FreeSchedules } from "./schedule-preview.js";
import type { ServedDocument } from "./send-document.js";
import type { Json } from "./service-info.js";
import type { SourceDirectory } from "./source-directory.js";

export type { ServedDocument } from "./send-document.js";

/** What spt/validate tells of a token. Unknown, expired and revoked ones look alike. */
export interface SptValidation {
	readonly active: boolean;
	readonly balance_usd: string | null;
	readonly held_usd: string | null;
	readonly expires_at: string | null;
	readonly environment: "live" | "test" | null;
}

export type { Json } from "./service-info.js";

/** Every operation nobody pays for; each returns the `data` of the envelope or a document. Throws NOT_FOUND, INVALID_ARGUMENT. */
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
	readonly sources: SourceDirectory;
	readonly brands: BrandDirectory;
	readonly feeds: FeedDirectory;
	readonly formatCitations: FormatCitations;
	readonly schedules: FreeSchedules;
	readonly payments: PaymentOperations;
	readonly openAccount: OpenAccount;
	readonly discovery: Discovery;
}
