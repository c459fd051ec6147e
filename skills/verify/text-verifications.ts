import type { CheckedClaimsDeps } from "./checked-claims.js";
import { createBatchVerification } from "./verify-batch.js";
import { createCitationCheck } from "./verify-citation.js";
import { createClaimExtraction } from "./verify-extract.js";
import { createTextVerification } from "./verify-text.js";

/** Every skill that checks more, or less, than one claim against all evidence. */
export function createTextVerifications(deps: CheckedClaimsDeps) {
	return {
		"verify.extract": createClaimExtraction(),
		"verify.text": createTextVerification(deps),
		"verify.citation": createCitationCheck(deps),
		"verify.claims": createBatchVerification(deps),
	};
}
