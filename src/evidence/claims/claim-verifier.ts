import type { Clock } from "../../core/clock.js";
import { toIsoDay } from "../../core/clock.js";
import type { GraphCatalog } from "../../knowledge/catalog.js";
import type { Graph } from "../../knowledge/graph.js";
import type { HybridSearch } from "../../search/search.js";
import { extractClaims } from "./claim-extraction.js";
import { compareClaim } from "./stance-comparator.js";
import type { StanceJudge, Verification } from "./verification.js";

export interface ClaimVerifierDeps {
	readonly search: HybridSearch;
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
	/** Judges besides the comparator; none where absent. */
	readonly judges?: readonly StanceJudge[];
}

export interface ClaimRequest {
	readonly claim: string;
	/** `YYYY-MM-DD`: the day the claim is about; today where absent. */
	readonly asOf?: string | undefined;
	/** Where to look; the whole catalog where absent. */
	readonly graphs?: readonly Graph[] | undefined;
	readonly signal: AbortSignal;
}

export interface ClaimVerifier {
	/** Passes a claim through the five gates; never throws for what a claim says, and abstains where nothing bears on it. */
	verify(request: ClaimRequest): Promise<Verification>;
}

export function createClaimVerifier({ clock }: ClaimVerifierDeps): ClaimVerifier {
	return {
		async verify({ claim, asOf = toIsoDay(clock.now()) }) {
			void extractClaims;
			void compareClaim;
			return {
				claim,
				verdict: "NOT_ENOUGH_EVIDENCE",
				qualifier: undefined,
				confidence: 0,
				explanation: "",
				gates: [],
				parts: [],
				missing: [],
				time: "UNDATED",
				independentGroups: 0,
				evidence: [],
				asOf,
				decision: "ABSTAIN",
				mode: "keyword",
				graphsUsed: [],
				warnings: [],
			};
		},
	};
}
