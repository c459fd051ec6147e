import { z } from "zod";
import {
	ownerOperation,
	paidOperation,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { runInTurns } from "../../src/knowledge/knowledge.js";
import { graphsNamed } from "../articles/articles.js";
import { answerIf } from "../graphs/graphs.js";
import { type Checking, checkClaims, keepPaid, readKept } from "./checked-claims.js";
import { isCheckable, readTextClaims, type TextClaim } from "./text-claims.js";
import {
	extractInput,
	extractOutput,
	keptBatchSchema,
	OPENS_BY_ID,
	resultIdField,
	type textClaimSchema,
	VERIFY_TEXT_LIMITS,
	verifyBatchInput,
	verifyBatchOutput,
	verifyTextInput,
	verifyTextOutput,
} from "./verify-wire.js";

const { claimsMax, claimsListedMax, textChars } = VERIFY_TEXT_LIMITS;
const claim = "A JWS consists of a JOSE header, a payload and a signature or MAC.";
const text = `${claim} I think that was a wonderful day.`;

/** Two claims that the sample catalog decides, and one that cannot be checked. */
const EXAMPLE_TEXT =
	"A JWS consists of a JOSE header, a payload and a signature or MAC. SHA-1 is also described there, with a digest of 160 bits. I think that is a wonderful idea.";

const BY_THE_CLAIM =
	"From a balance (account or Shared Payment Token) only claims with a verdict (SUPPORTED, REFUTED, CONFLICTING) are paid for; a payment on a chain is for all of them, and is given back only where none has one.";
const KEPT = "Kept for its owner for 24 hours, unless the account keeps no text.";

/** The claims of a text, before anybody pays for having them checked. Additive to the contract. */
export const claimExtraction = paidOperation({
	id: "verify.extract",
	at: "POST /v1/verify/extract",
	summary: "Extract the claims of a text",
	description:
		"What a text says, one thing at a time, with place, names, numbers and dates, and whether it can be checked. Paid per call; a text with nothing to check costs nothing.",
	body: extractInput,
	reply: toReply("ClaimExtractionReply", extractOutput),
	about: `What a text of up to ${textChars} characters says, one thing at a time, each with its place, names, numbers and dates, and whether it can be checked: opinions, predictions, questions and instructions cannot. Not charged when nothing can.`,
	tags: ["verification", "claims", "extraction"],
	examples: ["Which statements of this answer can be checked?"],
	output: extractOutput,
	create: () => ({
		exampleInput: () => ({ text: EXAMPLE_TEXT }),
		async run({ text }, { signal }) {
			const found = await runInTurns(readTextClaims(text, claimsListedMax + 1), signal);
			const listed = found.slice(0, claimsListedMax);
			const checkable = listed.filter((one) => isFirstCheckable(one, listed)).length;
			return answerIf(checkable > 0, {
				ok: true,
				data: { claims: listed.map(toClaimWire), is_complete: listed.length === found.length },
				meta: { claims: listed.length, checkable },
			});
		},
	}),
	example: { body: { text } },
});

function toClaimWire({ claim, start, end, standsFor }: TextClaim): z.infer<typeof textClaimSchema> {
	const { text, kind, reason, entities, quantities, dates, quantifier, isNegated } = claim;
	return {
		claim: text,
		kind,
		reason: reason ?? null,
		start,
		end,
		stands_for: standsFor ?? null,
		entities: [...entities],
		numbers: quantities.map(({ text, value, dimension, bound }) => {
			return { text, value, dimension, bound };
		}),
		dates: dates.map((date) => date.text),
		quantifier: quantifier ?? null,
		is_negated: isNegated,
	};
}

const checkingOf = ({ catalog }: Checking) => ({
	isOffered: () => catalog.list().length > 0,
	prepare: ({ graph_id }: { readonly graph_id?: string | undefined }) =>
		void graphsNamed(catalog, graph_id),
});

/** Every claim of a text, checked: what an agent asks before it sends an answer on. Additive to the contract. */
export const textVerification = paidOperation({
	id: "verify.text",
	at: "POST /v1/verify/text",
	agent: {
		name: "verify_text",
		tool: {
			title: "Verify the claims of a text",
			description: "Takes the claims of a text apart and verifies each.",
			fields: {
				text: "Text with claims",
				max_claims: "Only its first claims; 5 if left out",
				graph_id: "Only this graph",
				as_of: "As of this day, YYYY-MM-DD; today if left out",
			},
		},
	},
	summary: "Verify the claims of a text",
	description: `Takes a text apart into claims and checks the first max_claims of those that can be checked. Priced by max_claims. ${BY_THE_CLAIM} ${KEPT}`,
	body: verifyTextInput,
	reply: toReply("TextVerificationReply", verifyTextOutput),
	about: `Takes a text of up to ${textChars} characters apart into claims and checks the first max_claims of those that can be checked, each with verdict, confidence, place and evidence. Priced by max_claims; from a balance only claims with a verdict (supported, refuted, conflicting) are paid for, a payment on a chain pays for all of them unless none has one. The result can be read again for a day.`,
	tags: ["verification", "claims", "fact-checking"],
	examples: ["Check every statement of this draft against curated evidence."],
	output: verifyTextOutput,
	units: { name: "claim", countOf: ({ max_claims }) => max_claims, keepOnly: keepPaid },
	// A whole text is its author's: unlike a question it is not logged.
	toText: ({ data }) => data.claims.map(({ claim, verdict }) => `${verdict}: ${claim}`).join("\n"),
	create: (services: Checking) => ({
		exampleInput: () => ({ text: EXAMPLE_TEXT, max_claims: 2 }),
		...checkingOf(services),
		async run({ text, max_claims, graph_id, as_of }, context) {
			const found = await runInTurns(readTextClaims(text, claimsListedMax), context.signal);
			const checkable = found.filter((one) => isFirstCheckable(one, found));
			const chosen = checkable.slice(0, max_claims);
			const claims = chosen.map(({ claim, start, end }) => ({ text: claim.text, start, end }));
			const unchecked = found
				.filter((one) => !chosen.includes(one))
				.map((one) => toUnchecked(one, found));
			return checkClaims(services, { claims, graph_id, as_of }, context, { unchecked });
		},
	}),
	example: { body: { text, max_claims: 1 } },
});

function toUnchecked(one: TextClaim, found: readonly TextClaim[]) {
	const { claim, start, end } = one;
	const reason = isRepeated(one, found)
		? "repeats a claim before it"
		: "comes behind the first max_claims";
	const why = `It ${isCheckable(one) ? reason : (claim.reason ?? "states nothing")}.`;
	return { claim: claim.text, kind: claim.kind, start, end, why };
}

/** It can be checked, and no claim before it says the same. */
function isFirstCheckable(one: TextClaim, found: readonly TextClaim[]): boolean {
	return isCheckable(one) && !isRepeated(one, found);
}

function isRepeated(one: TextClaim, found: readonly TextClaim[]): boolean {
	return found.find(({ claim }) => claim.text === one.claim.text) !== one;
}

/** Several claims in one call, priced by the claim. Additive to the contract. */
export const batchVerification = paidOperation({
	id: "verify.claims",
	at: "POST /v1/verify/claims",
	summary: "Verify several claims at once",
	description: `Up to ${claimsMax} claims, each with its own verdict, priced by the claim. ${BY_THE_CLAIM} ${KEPT}`,
	body: verifyBatchInput,
	reply: toReply("BatchVerificationReply", verifyBatchOutput),
	about: `Up to ${claimsMax} claims, each with its verdict, confidence and evidence, priced by the claim. From a balance only claims with a verdict (supported, refuted, conflicting) are paid for; a payment on a chain pays for all of them unless none has one. The result can be read again for a day.`,
	tags: ["verification", "claims", "batch"],
	examples: ["Which of these five statements are true?"],
	output: verifyBatchOutput,
	units: { name: "claim", countOf: ({ claims }) => claims.length, keepOnly: keepPaid },
	queryOf: ({ claims }) => claims.join("\n"),
	create: (services: Checking) => ({
		exampleInput: () => ({
			claims: [
				"A JWS consists of a JOSE header, a payload and a signature or MAC.",
				"Contracts also expose `nonces` and `DOMAIN_SEPARATOR`.",
			],
		}),
		...checkingOf(services),
		run({ claims, graph_id, as_of }, context) {
			const asked = { claims: claims.map((text) => ({ text })), graph_id, as_of };
			return checkClaims(services, asked, context, {});
		},
	}),
	example: { body: { claims: [claim] } },
});

/** A batch or text that was paid for, read again. Additive to the contract. */
export const verificationBatch = ownerOperation({
	id: "verifications.batch",
	at: "GET /v1/verify/claims/{batch_id}",
	summary: "Read a batch of verifications again",
	description: `Of POST /v1/verify/claims or /v1/verify/text, by its batch_id. ${OPENS_BY_ID}`,
	opensById: true,
	params: z.strictObject({ batch_id: resultIdField.describe("batch_id of the reply") }),
	data: keptBatchSchema,
	answer: (services: Pick<SkillServices, "research">, { caller, params }) =>
		readKept(services, caller, "verification_batch", params.batch_id),
	example: { params: { batch_id: "vfb_01kg9yz3v0f6x2m8q4t7w1ab2c" } },
});
