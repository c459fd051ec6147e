import type { z } from "zod";
import { answer, defineSkill, noAnswer, type Skill } from "../../src/contract/contract.js";
import { runInTurns } from "../../src/knowledge/knowledge.js";
import { isCheckable, readTextClaims, type TextClaim } from "./text-claims.js";
import { VERIFY_TEXT_LIMITS } from "./verify-text-limits.js";
import { extractInput, extractOutput, type textClaimSchema } from "./verify-text-wire.js";

const { claimsToldMax, textChars } = VERIFY_TEXT_LIMITS;

/** The claims of a text, before anybody pays for having them checked. */
export const createClaimExtraction = (): Skill<"verify.extract"> =>
	defineSkill({
		operationId: "verify.extract",
		title: "Extract the claims of a text",
		description: `What a text of up to ${textChars} characters says, one thing at a time, each with its place, names, numbers and dates, and whether it can be checked: opinions, predictions, questions and instructions cannot. Not charged when nothing can.`,
		tags: ["verification", "claims", "extraction"],
		examples: ["Which statements of this answer can be checked?"],
		exampleInput: { text: EXAMPLE_TEXT },
		input: extractInput,
		output: extractOutput,
		capture: "onResult",
		queryOf: () => undefined,
		graphsOf: () => [],
		async run({ text }, { signal }) {
			const found = await runInTurns(readTextClaims(text, claimsToldMax + 1), signal);
			const told = found.slice(0, claimsToldMax);
			const checkable = told.filter(isCheckable).length;
			const result = {
				ok: true as const,
				data: { claims: told.map(toWire), is_complete: told.length === found.length },
				meta: { claims: told.length, checkable },
			};
			return checkable > 0 ? answer(result) : noAnswer(result);
		},
	});

/** Two claims that the sample catalog decides, and one that nobody can. */
export const EXAMPLE_TEXT =
	"Fusaka was activated on mainnet in December 2025. It caps the gas of a single transaction at 16,777,216. I think that is a wonderful idea.";

function toWire({ claim, start, end, standsFor }: TextClaim): z.infer<typeof textClaimSchema> {
	const { text, kind, reason, entities, quantities, dates, quantifier, isNegated } = claim;
	return {
		claim: text,
		kind,
		reason: reason ?? null,
		start,
		end,
		stands_for: standsFor ?? null,
		entities: [...entities],
		numbers: quantities.map(({ text, value, dimension, bound }) => ({
			text,
			value,
			dimension,
			bound,
		})),
		dates: dates.map((date) => date.text),
		quantifier: quantifier ?? null,
		is_negated: isNegated,
	};
}
