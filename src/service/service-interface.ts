import type { PresentedToken } from "../../payments/spt/spt.js";
import type { Writer } from "../../skills/answers/answers.js";
import type { BrandReports } from "../../skills/brands/brands.js";
import type {
	FreeSchedules,
	ScheduleService,
	Schedules,
} from "../../skills/briefings/briefings.js";
import type {
	ChatRoom,
	ChatSessionParts,
	ChatSessions,
	StagedTurns,
} from "../../skills/chat/chat.js";
import type {
	DeepDiveOperations,
	DeepDivePlanRequest,
	FindEarlierQuestion,
} from "../../skills/deep-dive/deep-dive.js";
import type { Dossiers } from "../../skills/dossiers/dossiers.js";
import type {
	Consultations,
	ExpertDirectory,
	MatchedExpert,
} from "../../skills/experts/experts.js";
import type { FeedDirectory, Feeds } from "../../skills/feeds/feeds.js";
import type { GraphPageRequest } from "../../skills/graphs/graphs.js";
import type { RoutingRequest, Suggestion } from "../../skills/search/search.js";
import type { AccountOperations, Feedback, OpenAccount, SptScope } from "../accounts/accounts.js";
import type { ResultIds } from "../artifacts/artifacts.js";
import type {
	ArtifactRepository,
	Call,
	Caller,
	Credential,
	IdentifyOptions,
	Invoke,
	Json,
	PageRequest,
	PriceList,
	ServedDocument,
	ServiceInfo,
	Services,
	SkillCatalog,
} from "../contract/contract.js";
import type { OperationRates } from "../http/http.js";
import type { JobWire } from "../jobs/jobs.js";
import type { Ids } from "../kernel/kernel.js";
import type { PaymentOperations, PaymentRecords, Purchases, SoldStreams } from "../sales/sales.js";
import type { WebhookParts, Webhooks } from "../webhooks/webhooks.js";
import type { Discovery } from "./discovery.js";
import type { SptValidation } from "./offers.operations.js";

/** Use cases: what transports may ask of the server. They see this file, the challenge and the price list. */

export interface Service {
	readonly info: ServiceInfo;
	readonly skills: SkillCatalog;
	readonly prices: PriceList;
	readonly invoke: Invoke;
	/** Throws PaymentRequired for a call that only asks for the price. */
	readonly demand: (call: Call) => Promise<void>;
	/** Skills that answer piece by piece. */
	readonly streams: SoldStreams;
	/** What operations run on. */
	readonly services: Services;
	readonly free: FreeOperations;
	readonly owner: OwnerOperations;
	readonly purchases: Purchases;
	/** What one address may ask for nothing, over all transports together. */
	readonly rates: OperationRates;
	/**
	 * Who a credential belongs to, charging nothing; throws UNAUTHENTICATED for one no one issued, NOT_FOUND for a subject
	 * without an account.
	 */
	readonly identify: (credential: Credential, options?: IdentifyOptions) => Promise<Caller>;
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
	graphCroissant(idOrSlug: string): ServedDocument;
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

/** What somebody who showed a credential may ask, paying nothing; each returns the `data` of the envelope. */
export interface OwnerOperations extends AccountOperations {
	/** What the token has left, what it may pay for and until when. */
	sptBalance(caller: Caller): Promise<Json>;
	/** Its postings, newest first. Throws RATE_LIMITED while too many such questions wait already. */
	sptLedger(caller: Caller, page: PageRequest, signal: AbortSignal): Promise<Json>;
	/** A new secret, shown once; the one that asked is worth nothing from then on. */
	sptRotate(holder: PresentedToken): Promise<Json>;
	sptDelegate(
		holder: PresentedToken,
		order: SptScope & { readonly amount_usd: string },
	): Promise<Json>;
	sptDelegations(holder: PresentedToken): Promise<Json>;
	sptRevokeDelegation(holder: PresentedToken, childId: string): Promise<Json>;
	/** What is left goes back to the wallet that bought the token. */
	sptRefund(holder: PresentedToken, reason: string | undefined): Promise<Json>;
	sptRevoke(holder: PresentedToken): Promise<Json>;
	readonly paymentRecords: PaymentRecords;
	readonly feedback: Feedback;
	readonly dossiers: Dossiers;
	readonly brandReports: BrandReports;
	readonly schedules: ScheduleService;
	readonly chats: ChatSessions;
	readonly consultations: Consultations;
	readonly jobs: DeepDiveOperations;
	readonly webhooks: Webhooks;
}

/** What research skills and the operations about their results share; wired once, in the composition root. */
export interface ResearchParts {
	readonly ids: Ids;
	readonly artifacts: ArtifactRepository;
	readonly writer: Writer;
	/** What public sources say of a topic. */
	readonly feeds: Feeds;
	/** Id of the embedding model that searches use; undefined without one. */
	readonly embedder: () => string | undefined;
	/** The id under which a call's result is kept, the same when it is sent again. */
	readonly resultIds: ResultIds;
	/** Where a job stands that was launched. Throws NOT_FOUND. */
	readonly launched: (jobId: string) => Promise<JobWire>;
	/** What an earlier deep dive of a caller asked. Throws NOT_FOUND. */
	readonly earlierQuestion: FindEarlierQuestion;
	/** Subscriptions to briefings. */
	readonly schedules: Schedules;
	/** Who is notified of what happened. */
	readonly webhooks: WebhookParts;
	/** Where chats go on, and what is remembered of them. */
	readonly chats: ChatRoom;
	readonly chatSessions: ChatSessionParts;
	readonly stagedTurns: StagedTurns;
}
