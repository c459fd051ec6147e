import type { OnchainParts } from "../../payments/onchain/onchain.js";
import { createExpertDirectory, type ExpertDirectory } from "../../skills/experts/experts.js";
import type { RunBounded } from "../../skills/graphs/graphs.js";
import { type ClaimVerifier, createClaimVerifier } from "../../skills/verify/verify.js";
import type { KeyFolder } from "../accounts/accounts.js";
import { createBoundedWork, READING_LIMITS, type SkillServices } from "../contract/contract.js";
import type { Clock, Egress, Ids, Logger, Random } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import type { Purchases } from "../sales/sales.js";
import type { GraphRouter, HybridSearch } from "../search/search.js";
import type { FreeOperations, OwnerOperations, ResearchParts } from "../service/service.js";
import type { Settings } from "../settings/settings.js";

/** The one typed context: each operation takes what it needs of it by `Pick<Services, …>`. */
declare module "../contract/services.js" {
	interface SkillServices {
		readonly catalog: GraphCatalog;
		readonly search: HybridSearch & GraphRouter;
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
	readonly ids: Ids;
	readonly isServing: boolean;
	readonly slack: Egress | undefined;
	readonly callerEgress: Egress | undefined;
	readonly onchain: OnchainParts | undefined;
}
