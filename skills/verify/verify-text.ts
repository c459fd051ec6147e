import { answer, defineSkill, noAnswer, type Skill } from "../../src/contract/contract.js";
import { runInTurns } from "../../src/knowledge/knowledge.js";
import {
	type CheckedClaimsDeps,
	checkClaims,
	keepBatch,
	keepPaid,
	toKept,
} from "./checked-claims.js";
import { isCheckable, readTextClaims, type TextClaim } from "./text-claims.js";
import { EXAMPLE_TEXT } from "./verify-extract.js";
import { VERIFY_TEXT_LIMITS } from "./verify-text-limits.js";
import { verifyTextInput, verifyTextOutput } from "./verify-text-wire.js";

/** Every claim of a text, checked: what an agent asks before it sends an answer on. */
export const createTextVerification = (deps: CheckedClaimsDeps): Skill<"verify.text"> =>
	defineSkill({
		operationId: "verify.text",
		title: "Verify the claims of a text",
		description: `Takes a text of up to ${VERIFY_TEXT_LIMITS.textChars} characters apart into claims and checks the first max_claims of those that can be checked, each with verdict, confidence, place and evidence. Priced by max_claims; from a balance only claims with a verdict (supported, refuted, conflicting) are paid for, a payment on a chain pays for all of them unless none has one. The result can be read again for a day.`,
		tags: ["verification", "claims", "fact-checking"],
		examples: ["Check every statement of this draft against curated evidence."],
		exampleInput: { text: EXAMPLE_TEXT, max_claims: 2 },
		isOffered: () => deps.catalog.list().length > 0,
		input: verifyTextInput,
		output: verifyTextOutput,
		capture: "onResult",
		units: { name: "claim", countOf: ({ max_claims }) => max_claims, keepOnly: keepPaid },
		// A whole text is its author's: unlike a question it is not logged.
		queryOf: () => undefined,
		graphsOf: ({ graph_id }) => (graph_id === undefined ? [] : [graph_id]),
		prepare({ graph_id }) {
			if (graph_id !== undefined) deps.catalog.assertKnown(graph_id);
		},
		toText: ({ data }) =>
			data.claims.map(({ claim, verdict }) => `${verdict}: ${claim}`).join("\n"),
		async run({ text, max_claims, graph_id, as_of }, context) {
			const found = await runInTurns(
				readTextClaims(text, VERIFY_TEXT_LIMITS.claimsToldMax),
				context.signal,
			);
			const chosen = found.filter(isCheckable).slice(0, max_claims);
			const request = {
				claims: chosen.map(({ claim, start, end }) => ({ text: claim.text, start, end })),
				graphId: graph_id,
				asOf: as_of,
			};
			const { items, answered, meta } = await checkClaims(deps, request, context.signal);
			const isAnswer = answered.length > 0;
			const unchecked = found.filter((claim) => !chosen.includes(claim)).map(toUnchecked);
			const data = { ...toKept(deps, context, isAnswer), claims: [...items], unchecked };
			const result = { ok: true as const, data, meta };
			return isAnswer ? answer(result, { answered, ...keepBatch(data) }) : noAnswer(result);
		},
	});

function toUnchecked({ claim, start, end }: TextClaim) {
	const why =
		claim.kind === "checkable"
			? "It comes behind the first max_claims."
			: `It ${claim.reason ?? "states nothing"}.`;
	return { claim: claim.text, kind: claim.kind, start, end, why };
}
