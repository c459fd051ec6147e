import type {
	ArtifactKind,
	ArtifactRepository,
	Caller,
	Json,
} from "../../src/contract/contract.js";
import { ServiceError, toIsoTime } from "../../src/kernel/kernel.js";

export type VerificationResults = ReturnType<typeof createVerificationResults>;

/** Paid verifications while they are retained. Unknown ones, those of other callers and expired ones throw the same NOT_FOUND. */
export function createVerificationResults(artifacts: Pick<ArtifactRepository, "find">) {
	const read = async (caller: Caller, kind: ArtifactKind, id: string): Promise<Json> => {
		const kept = await artifacts.find(caller, kind, id);
		if (!kept) throw notThere(id);
		return { ...(kept.data as Json), kept_until: toIsoTime(kept.expiresAt) };
	};
	return {
		verification: (caller: Caller, id: string) => read(caller, "verification", id),
		/** Of several claims, or of a text. */
		batch: (caller: Caller, id: string) => read(caller, "verification_batch", id),
		/** schema.org ClaimReview of a verification, as JSON-LD. */
		async claimReview(caller: Caller, id: string): Promise<Json> {
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
