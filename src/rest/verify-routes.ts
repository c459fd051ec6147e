import { z } from "zod";
import {
	claimEvidenceSchema,
	claimPartSchema,
	gateSchema,
	VERIFY_TEXT_LIMITS,
	verificationSchema,
	verifyClaimFields,
	verifyClaimOutput,
} from "../../skills/verify/verify.js";
import { replyComponent, requestComponent, toDataReply, toReply } from "../contract/contract.js";
import type { PaidRoute } from "./route.js";
import { VERIFY_CLAIM_EXAMPLE } from "./verify-claim-example.js";

const nothing = z.strictObject({});

replyComponent("VerificationGate", gateSchema);
replyComponent("VerifiedPart", claimPartSchema);
replyComponent("ClaimEvidence", claimEvidenceSchema);
replyComponent("Verification", verificationSchema);

/** One claim against the evidence of the graphs. Spec: Endpoints, paid operations. */
export const VERIFICATION_ROUTES: Readonly<Record<"verify.claim", PaidRoute>> = {
	"verify.claim": {
		kind: "paid",
		operationId: "verify.claim",
		summary: "Verify a claim",
		description: `Takes a claim of up to ${VERIFY_TEXT_LIMITS.claimChars} characters apart, finds the cited sentences that bear on it, and says for each whether it supports or refutes it and why; then whether sources are independent and the claim is of today. Five gates, each with its reason. Paid per call, for a verdict only: NOT_ENOUGH_EVIDENCE and NOT_CHECKABLE cost nothing. Kept for its owner for 24 hours, unless the account keeps no text.`,
		path: nothing,
		query: nothing,
		body: requestComponent("ClaimVerificationRequest", z.strictObject(verifyClaimFields)),
		reply: toReply("ClaimVerificationReply", verifyClaimOutput),
		example: {
			body: { claim: VERIFY_CLAIM_EXAMPLE.data.claim },
			reply: toDataReply(VERIFY_CLAIM_EXAMPLE.data, VERIFY_CLAIM_EXAMPLE.meta),
		},
	},
};
