import type { Express } from "express";
import type { OnchainParts } from "../../payments/onchain/onchain.js";
import type { RenderReport, Writer } from "../../skills/answers/answers.js";
import type { Schedules } from "../../skills/briefings/briefings.js";
import type { StagedTurns } from "../../skills/chat/chat.js";
import { createExpertDirectory, type ExpertDirectory } from "../../skills/experts/experts.js";
import type { RunBounded } from "../../skills/graphs/graphs.js";
import { type ClaimVerifier, createClaimVerifier } from "../../skills/verify/verify.js";
import type { GraphVersions, Store } from "../../store/store.js";
import type { A2a } from "../a2a/a2a.js";
import type { KeyChecks, KeyFolder } from "../accounts/accounts.js";
import {
	type ArtifactRepository,
	createBoundedWork,
	READING_LIMITS,
	type RenderPage,
	type ServiceInfo,
	type SkillCatalog,
	type SkillServices,
} from "../contract/contract.js";
import type { MessageClasses } from "../http/http.js";
import type { Jobs } from "../jobs/jobs.js";
import type { Clock, Egress, Ids, Logger, Pepper, Random } from "../kernel/kernel.js";
import type { GraphCatalog, GraphSnapshots } from "../knowledge/knowledge.js";
import type { Mcp } from "../mcp/mcp.js";
import type {
	ChainBooks,
	CommandRunner,
	Operator,
	Retention,
	TrustedTime,
} from "../operator/operator.js";
import type { Purchases, SoldStreams } from "../sales/sales.js";
import type {
	GraphRouter,
	HybridSearch,
	JudgedSearch,
	PairJudge,
	SearchEngine,
	WordKnowledge,
} from "../search/search.js";
import type {
	FreeOperations,
	OwnerOperations,
	ResearchParts,
	Service,
} from "../service/service.js";
import type { Settings } from "../settings/settings.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { WebhookParts } from "../webhooks/webhooks.js";
import type { Money } from "./money.js";
import type { ProcessWatch } from "./process-watch.js";
import type { SharedGraphs } from "./shared-graphs.js";

/** The one typed context: each operation takes what it needs of it by `Pick<Services, …>`. */
declare module "../contract/services.js" {
	interface SkillServices {
		readonly catalog: GraphCatalog;
		readonly search: HybridSearch & GraphRouter & JudgedSearch & WordKnowledge;
		/** What research skills and the operations about their results share. */
		readonly research: ResearchParts;
		readonly verifier: ClaimVerifier;
		/** Every expert of the catalog; its searches do not wait behind free ones. */
		readonly expertDirectory: ExpertDirectory;
		/** So many exports at a time; the others wait. */
		readonly runExport: RunBounded;
	}
	interface Services extends FreeOperations, OwnerOperations {
		readonly purchases: Purchases;
		readonly free: FreeOperations;
		readonly owner: OwnerOperations;
	}
}

/** What skills run on. */
export function createSkillServices(
	parts: Omit<SkillServices, "verifier" | "expertDirectory" | "runExport">,
): SkillServices {
	return {
		...parts,
		verifier: createClaimVerifier(parts),
		expertDirectory: createExpertDirectory(parts),
		runExport: createBoundedWork({
			running: READING_LIMITS.exportsRunning,
			waiting: READING_LIMITS.exportsWaiting,
		}),
	};
}

/** What is at hand once the data folder and its keys are ours alone. */
export interface OpenPorts {
	readonly settings: Settings;
	readonly clock: Clock;
	readonly random: Random;
	readonly logger: Logger;
	/** Absolute path of the data folder. */
	readonly folder: string;
	readonly keys: KeyFolder;
}

/** What everything is wired from. */
export interface Ports extends OpenPorts {
	/** What the journal knows of the keys. */
	readonly checks: KeyChecks;
	readonly ids: Ids;
	readonly isServing: boolean;
	readonly slack: Egress | undefined;
	readonly callerEgress: Egress | undefined;
	readonly judge: PairJudge | undefined;
	readonly onchain: OnchainParts | undefined;
	/** Put around what is measured. */
	readonly telemetry: Telemetry;
	/** Graphs that all processes on a database sell alike; undefined with a journal. */
	readonly graphVersions: GraphVersions | undefined;
}

/** Every transport on one Express application. */
export interface HttpApp {
	readonly handler: Express;
	/** What a server is to make its requests and responses as. */
	readonly messages: MessageClasses;
	/** True for a proxy that is trusted to say who calls. */
	readonly isProxy: (address: string) => boolean;
}

/** Everything that is wired, by one name each: the parts of the composition root take what they need of it by `Pick<Wiring, …>`. */
export interface Wiring extends Ports {
	readonly store: Store;
	readonly money: Money;
	readonly catalog: GraphCatalog;
	readonly snapshots: GraphSnapshots;
	readonly search: SearchEngine;
	readonly sharedGraphs: SharedGraphs | undefined;
	/** Public base address; known once the server listens. */
	readonly address: { baseUrl: string; processes: number };
	readonly baseUrl: () => string;
	readonly pepper: Pepper;
	readonly info: ServiceInfo;
	readonly skills: SkillCatalog;
	readonly artifacts: ArtifactRepository;
	readonly writer: Writer;
	readonly schedules: Schedules;
	readonly webhooks: WebhookParts;
	readonly stagedTurns: StagedTurns;
	readonly research: ResearchParts;
	readonly jobs: Jobs;
	readonly processes: ProcessWatch;
	readonly retention: Retention;
	readonly time: TrustedTime;
	readonly chainBooks: ChainBooks;
	readonly operator: Operator;
	readonly commands: CommandRunner;
	readonly service: Service;
	readonly streams: SoldStreams;
	readonly a2a: A2a;
	readonly mcp: Mcp;
	readonly http: HttpApp;
	/** Changes with what is on sale. */
	readonly revision: () => string;
	readonly renderPage: RenderPage;
	readonly renderReport: RenderReport;
}
