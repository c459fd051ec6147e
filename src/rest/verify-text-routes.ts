import { z } from "zod";
import {
	checkedClaimSchema,
	checkedEvidenceSchema,
	citationCheckFields,
	citationCheckOutput,
	extractFields,
	extractOutput,
	NAMES_ONE_SOURCE,
	namesOneSource,
	textClaimSchema,
	VERIFY_TEXT_LIMITS,
	verificationSchema,
	verifyBatchFields,
	verifyBatchOutput,
	verifyTextFields,
	verifyTextOutput,
} from "../../skills/verify/verify.js";
import type { OwnerOperationId, PaidOperationId } from "../contract/contract.js";
import { replyComponent, requestComponent, toDataReply, toReply } from "../contract/contract.js";
import { ownerRoute } from "./define-route.js";
import type { OwnerRoute, PaidRoute } from "./route.js";
import { VERIFY_CLAIM_EXAMPLE } from "./verify-claim-example.js";
import { VERIFY_EXAMPLES } from "./verify-examples.js";

type TextVerificationId = Extract<
	PaidOperationId,
	"verify.extract" | "verify.text" | "verify.citation" | "verify.claims"
>;
type VerificationResultId = Extract<OwnerOperationId, `verifications.${string}`>;

const nothing = z.strictObject({});
const { text, claim, batchId, verificationId, ...replies } = VERIFY_EXAMPLES;
const toReplyOf = ({ data, meta }: { readonly data: object; readonly meta: object }) =>
	toDataReply(data, meta);

replyComponent("TextClaim", textClaimSchema);
replyComponent("CheckedEvidence", checkedEvidenceSchema);
replyComponent("CheckedClaim", checkedClaimSchema);

const extractReply = toReply("ClaimExtractionReply", extractOutput);
const textReply = toReply("TextVerificationReply", verifyTextOutput);
const batchReply = toReply("BatchVerificationReply", verifyBatchOutput);
const citationReply = toReply("CitationCheckReply", citationCheckOutput);

const extractBody = requestComponent("ClaimExtractionRequest", z.strictObject(extractFields));
const textBody = requestComponent("TextVerificationRequest", z.strictObject(verifyTextFields));
const batchBody = requestComponent("BatchVerificationRequest", z.strictObject(verifyBatchFields));
const citationBody = requestComponent(
	"CitationCheckRequest",
	z.strictObject(citationCheckFields).refine(namesOneSource, NAMES_ONE_SOURCE),
);

const BY_THE_CLAIM =
	"From a balance (account or Shared Payment Token) only claims with a verdict (SUPPORTED, REFUTED, CONFLICTING) are paid for; a payment on a chain is for all of them, and is given back only where none has one.";
const KEPT = "Kept for its owner for 24 hours, unless the account keeps no text.";

type About = Pick<PaidRoute, "summary" | "description" | "body" | "reply" | "example"> &
	Partial<Pick<PaidRoute, "pricePer">>;

const checking = (operationId: TextVerificationId, about: About): PaidRoute => ({
	kind: "paid",
	operationId,
	path: nothing,
	query: nothing,
	...about,
});

/** Whole texts, batches and citations against the evidence of the graphs. Additive to the contract. */
export const TEXT_VERIFICATION_ROUTES: Readonly<Record<TextVerificationId, PaidRoute>> = {
	"verify.extract": checking("verify.extract", {
		summary: "Extract the claims of a text",
		description:
			"What a text says, one thing at a time, with place, names, numbers and dates, and whether it can be checked. Paid per call; a text with nothing to check costs nothing.",
		body: extractBody,
		reply: extractReply,
		example: { body: { text }, reply: toReplyOf(replies.extraction) },
	}),
	"verify.text": checking("verify.text", {
		summary: "Verify the claims of a text",
		description: `Takes a text apart into claims and checks the first max_claims of those that can be checked. Priced by max_claims. ${BY_THE_CLAIM} ${KEPT}`,
		pricePer: "claim",
		body: textBody,
		reply: textReply,
		example: {
			body: { text, max_claims: 1 },
			reply: toReplyOf(replies.textCheck),
		},
	}),
	"verify.citation": checking("verify.citation", {
		summary: "Check a citation",
		description:
			"Whether one source supports a sentence, refutes it or says nothing of it, and why: a sentence of a graph (evidence_id), whatever graphs cite an article for (article_ref), or an excerpt. Paid per call; a sentence that states nothing, and a source nobody knows, cost nothing.",
		body: citationBody,
		reply: citationReply,
		example: { body: replies.citationAsked, reply: toReplyOf(replies.citation) },
	}),
	"verify.claims": checking("verify.claims", {
		summary: "Verify several claims at once",
		description: `Up to ${VERIFY_TEXT_LIMITS.claimsMax} claims, each with its own verdict, priced by the claim. ${BY_THE_CLAIM} ${KEPT}`,
		pricePer: "claim",
		body: batchBody,
		reply: batchReply,
		example: { body: { claims: [claim] }, reply: toReplyOf(replies.batch) },
	}),
};

const idField = z.string().min(1, "must not be empty").max(VERIFY_TEXT_LIMITS.idChars);
const keptUntil = z.iso.datetime().describe("When it is forgotten");
const OPENS =
	"For whoever paid for it; what a wallet paid for is opened by its id alone. Unknown, forgotten and others' ids give the same 404.";

const keptBatchSchema = replyComponent(
	"KeptBatchVerification",
	verifyBatchOutput.shape.data.extend({
		unchecked: verifyTextOutput.shape.data.shape.unchecked.optional(),
		kept_until: keptUntil,
	}),
);
const keptVerificationSchema = replyComponent(
	"KeptVerification",
	verificationSchema.extend({ kept_until: keptUntil }),
);
const claimReviewSchema = replyComponent(
	"ClaimReview",
	z.looseObject({ "@context": z.unknown(), "@type": z.literal("ClaimReview") }),
);

/** Results that were paid for, read again. Additive to the contract. */
export const VERIFICATION_RESULT_ROUTES: Readonly<Record<VerificationResultId, OwnerRoute>> = {
	"verifications.batch": ownerRoute({
		operationId: "verifications.batch",
		summary: "Read a batch of verifications again",
		description: `Of POST /v1/verify/claims or /v1/verify/text, by its batch_id. ${OPENS}`,
		opensById: true,
		path: z.strictObject({ batch_id: idField.describe("batch_id of the reply") }),
		query: nothing,
		isList: false,
		data: keptBatchSchema,
		answer: (owner, { caller, path }) => owner.verifications.batch(caller, path.batch_id),
		example: { path: { batch_id: batchId }, data: replies.batch.data },
	}),
	"verifications.get": ownerRoute({
		operationId: "verifications.get",
		summary: "Read a verification again",
		description: `Of POST /v1/verify/claim, by its verification_id. ${OPENS}`,
		opensById: true,
		path: z.strictObject({ verification_id: idField.describe("verification_id of the reply") }),
		query: nothing,
		isList: false,
		data: keptVerificationSchema,
		answer: (owner, { caller, path }) =>
			owner.verifications.verification(caller, path.verification_id),
		example: {
			path: { verification_id: verificationId },
			data: VERIFY_CLAIM_EXAMPLE.data,
		},
	}),
	"verifications.claim_review": ownerRoute({
		operationId: "verifications.claim_review",
		summary: "Read a verification as schema.org ClaimReview",
		description: `JSON-LD for a page that shows the verdict. ${OPENS}`,
		opensById: true,
		path: z.strictObject({ verification_id: idField.describe("verification_id of the reply") }),
		query: nothing,
		isList: false,
		data: claimReviewSchema,
		answer: (owner, { caller, path }) =>
			owner.verifications.claimReview(caller, path.verification_id),
		example: {
			path: { verification_id: verificationId },
			data: VERIFY_CLAIM_EXAMPLE.data.claim_review,
		},
	}),
};
