import type {
	ArtifactKind,
	ArtifactRepository,
	Caller,
	Json,
} from "../../src/contract/contract.js";
import { ServiceError, toIsoTime } from "../../src/kernel/kernel.js";

/** Verifications that were paid for, read again while they are kept. Each throws NOT_FOUND alike for what is unknown, somebody else's or past. */
export interface VerificationResults {
	verification(caller: Caller, id: string): Promise<Json>;
	/** schema.org ClaimReview of a verification, as JSON-LD. */
	claimReview(caller: Caller, id: string): Promise<Json>;
	/** Of several claims, or of a text. */
	batch(caller: Caller, id: string): Promise<Json>;
}

export function createVerificationResults(
	artifacts: Pick<ArtifactRepository, "find">,
): VerificationResults {
	const read = async (caller: Caller, kind: ArtifactKind, id: string): Promise<Json> => {
		const kept = await artifacts.find(caller, kind, id);
		if (!kept) throw notThere(id);
		return { ...(kept.data as Json), kept_until: toIsoTime(kept.expiresAt) };
	};
	return {
		verification: (caller, id) => read(caller, "verification", id),
		batch: (caller, id) => read(caller, "verification_batch", id),

		async claimReview(caller, id) {
			const { claim_review: review } = await read(caller, "verification", id);
			if (typeof review !== "object" || review === null) throw notThere(id);
			return review as Json;
		},
	};
}

function notThere(id: string): ServiceError {
	return new ServiceError(
		"NOT_FOUND",
		`No result of yours is kept as "${id}"; results can be read again for a day after they were paid for.`,
	);
}
