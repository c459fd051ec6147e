import { type Clock, toIsoDay } from "../../../src/kernel/kernel.js";
import type { Graph, GraphCatalog } from "../../../src/knowledge/knowledge.js";
import type { HybridSearch } from "../../../src/search/search.js";
import { extractClaims } from "./claim-extraction.js";
import { CLAIM_LIMITS } from "./claim-limits.js";
import { examinePart, type PartExamination } from "./part-examination.js";
import { judgePart } from "./part-verdict.js";
import type { StanceJudge, Verification } from "./verification.js";
import { toVerification } from "./verification-report.js";

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

export function createClaimVerifier(deps: ClaimVerifierDeps): ClaimVerifier {
	const { search, catalog, clock, judges = [] } = deps;
	return {
		async verify({ claim, asOf = toIsoDay(clock.now()), graphs = catalog.list(), signal }) {
			const atoms = extractClaims(claim);
			const checkable = atoms.filter(({ kind }) => kind === "checkable");
			const examined: PartExamination[] = [];
			for (const [part, atom] of checkable.slice(0, CLAIM_LIMITS.partsMax).entries()) {
				signal.throwIfAborted();
				examined.push(
					await examinePart({ search, judges }, { claim: atom, part, graphs, asOf, signal }),
				);
			}
			const judged = examined.map((part) => judgePart(part, asOf));
			const method = judges.at(-1)?.method ?? "rules";
			return toVerification({ claim, asOf, atoms, examined, judged, method });
		},
	};
}
