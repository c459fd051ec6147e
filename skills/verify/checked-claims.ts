import {
	isSoldVerdict,
	type KeptResult,
	keptUntil,
	type SkillContext,
	type SkillServices,
} from "../../src/contract/contract.js";
import { toIsoDay } from "../../src/kernel/kernel.js";
import type { Verification } from "./claims/verification.js";
import { roundScore, toCheckedEvidence } from "./verdict-wire.js";
import { type CheckedClaimWire, VERIFY_TEXT_LIMITS } from "./verify-wire.js";

type Place = { readonly start?: number; readonly end?: number };

interface ClaimsRequest {
	readonly claims: readonly (Place & { readonly text: string })[];
	readonly graphId: string | undefined;
	readonly asOf: string | undefined;
}

/** Checks claims one after the other, because they share a processor; a caller that leaves stops the rest. */
export async function checkClaims(
	{ verifier, catalog, clock }: Pick<SkillServices, "verifier" | "catalog" | "clock">,
	{ claims, graphId, asOf }: ClaimsRequest,
	signal: AbortSignal,
) {
	const graphs = graphId === undefined ? undefined : [catalog.get(graphId)];
	const checked: Verification[] = [];
	const known = new Map<string, Verification>();
	for (const { text } of claims) {
		signal.throwIfAborted();
		const verification =
			known.get(text) ??
			(await verifier.verify({
				claim: text,
				...(asOf !== undefined && { asOf }),
				...(graphs && { graphs }),
				signal,
			}));
		known.set(text, verification);
		checked.push(verification);
	}
	const items = checked.map((verification, place) => toItem(verification, claims[place]));
	const isDegraded = checked.some(({ mode }) => mode === "keyword");
	const answered = items.flatMap(({ is_answered }, place) => (is_answered ? [place] : []));
	return {
		items,
		/** Places of those with a verdict that is sold. */
		answered,
		meta: {
			claims: items.length,
			answered: answered.length,
			as_of: checked[0]?.asOf ?? toIsoDay(clock.now()),
			mode: isDegraded ? ("keyword" as const) : ("hybrid" as const),
			graphs_used: [...new Set(checked.flatMap(({ graphsUsed }) => graphsUsed))],
		},
	};
}

/** Where the result can be read again; nowhere for callers with zero retention or without an account. */
export function toKept(
	{ research, clock }: Pick<SkillServices, "research" | "clock">,
	context: SkillContext,
	isAnswer: boolean,
) {
	const until = isAnswer ? keptUntil(clock, context) : null;
	if (until === null) return { batch_id: null, kept_until: null };
	return { batch_id: research.resultIds("vfb", context), kept_until: until };
}

/** What is kept of a batch, under the id of its reply. */
export function keepBatch<Data extends { readonly batch_id: string | null }>(
	data: Data,
): { readonly keep?: KeptResult } {
	const { batch_id: id } = data;
	return id === null ? {} : { keep: { kind: "verification_batch", id, data } };
}

/** What is left of an output where only some of its claims are paid for. */
export function keepPaid<Output extends ClaimsOutput>(
	output: Output,
	kept: readonly number[],
): Output {
	const claims = keepVerdicts(output.data.claims, kept);
	const answered = claims.filter(({ is_answered }) => is_answered).length;
	return { ...output, data: { ...output.data, claims }, meta: { ...output.meta, answered } };
}

interface ClaimsOutput {
	readonly data: { readonly claims: CheckedClaimWire[] };
	readonly meta: { readonly answered: number };
}

/** Unpaid claims are reported as claims without a verdict. */
function keepVerdicts(
	items: readonly CheckedClaimWire[],
	kept: readonly number[],
): CheckedClaimWire[] {
	return items.map((item, place) =>
		kept.includes(place) || !item.is_answered ? item : { ...item, ...UNANSWERED },
	);
}

const UNANSWERED = {
	is_answered: false,
	verdict: "NOT_ENOUGH_EVIDENCE",
	qualifier: null,
	confidence: 0,
	explanation: "This claim had no verdict when the call was paid for.",
	missing: [],
	independent_groups: 0,
	evidence: [],
} satisfies Partial<CheckedClaimWire>;

function toItem(verification: Verification, place: Place | undefined): CheckedClaimWire {
	const { claim, verdict, qualifier, confidence, explanation, missing, evidence } = verification;
	const isSold = isSoldVerdict(verdict);
	return {
		claim,
		start: place?.start ?? null,
		end: place?.end ?? null,
		is_answered: isSold,
		verdict,
		qualifier: qualifier ?? null,
		confidence: roundScore(confidence),
		explanation,
		missing: [...missing],
		independent_groups: verification.independentGroups,
		// Sentences of the graphs are what is sold.
		evidence: isSold
			? evidence.slice(0, VERIFY_TEXT_LIMITS.evidenceMax).map(toCheckedEvidence)
			: [],
	};
}
