import { answer, defineSkill, noAnswer, type Skill } from "../../src/contract/contract.js";
import {
	type CheckedClaimsDeps,
	checkClaims,
	keepBatch,
	keepPaid,
	toKept,
} from "./checked-claims.js";
import { VERIFY_TEXT_LIMITS } from "./verify-text-limits.js";
import { verifyBatchInput, verifyBatchOutput } from "./verify-text-wire.js";

/** Several claims in one call, priced by the claim. */
export const createBatchVerification = (deps: CheckedClaimsDeps): Skill<"verify.claims"> =>
	defineSkill({
		operationId: "verify.claims",
		title: "Verify several claims at once",
		description: `Up to ${VERIFY_TEXT_LIMITS.claimsMax} claims, each with its verdict, confidence and evidence, priced by the claim. From a balance only claims with a verdict (supported, refuted, conflicting) are paid for; a payment on a chain pays for all of them unless none has one. The result can be read again for a day.`,
		tags: ["verification", "claims", "batch"],
		examples: ["Which of these five statements are true?"],
		exampleInput: {
			claims: [
				"HPACK's static table has 61 entries.",
				"Pectra was activated on mainnet in March 2025.",
			],
		},
		isOffered: () => deps.catalog.list().length > 0,
		input: verifyBatchInput,
		output: verifyBatchOutput,
		capture: "onResult",
		units: { name: "claim", countOf: ({ claims }) => claims.length, keepOnly: keepPaid },
		queryOf: ({ claims }) => claims.join("\n"),
		graphsOf: ({ graph_id }) => (graph_id === undefined ? [] : [graph_id]),
		prepare({ graph_id }) {
			if (graph_id !== undefined) deps.catalog.assertKnown(graph_id);
		},
		async run({ claims, graph_id, as_of }, context) {
			const request = {
				claims: claims.map((text) => ({ text })),
				graphId: graph_id,
				asOf: as_of,
			};
			const { items, answered, meta } = await checkClaims(deps, request, context.signal);
			const isAnswer = answered.length > 0;
			const data = { ...toKept(deps, context, isAnswer), claims: [...items] };
			const result = { ok: true as const, data, meta };
			return isAnswer ? answer(result, { answered, ...keepBatch(data) }) : noAnswer(result);
		},
	});
