import { CLAIM_LIMITS } from "./claim-limits.js";
import type { AtomicClaim, ComparedSentence, StanceJudge } from "./verification.js";

/** From which score on a judge is heard where the rules say nothing. */
const HEARD_LEAST = 0.6;
/** What a judge's word counts against a rule's. */
const JUDGE_SHARE = 0.9;
const DISPUTED_SHARE = 0.7;

/**
 * Asks further judges about the sentences that come nearest. Where the rules are silent a sure judge decides; where both
 * speak and differ, the rules stand and count for less. A judge that fails is left out.
 */
export async function askJudges(
	judges: readonly StanceJudge[],
	claim: AtomicClaim,
	compared: readonly ComparedSentence[],
	signal: AbortSignal,
): Promise<readonly ComparedSentence[]> {
	if (judges.length === 0) return compared;
	const nearest = [...compared].sort((a, b) => b.score - a.score).slice(0, CLAIM_LIMITS.judgedMax);
	let judged = new Map(nearest.map((each) => [each.sentence.evidenceId, each]));
	for (const judge of judges) {
		const texts = nearest.map(({ sentence }) => sentence.text);
		const said = await judge.judge(claim.text, texts, signal).catch((error: unknown) => {
			signal.throwIfAborted();
			void error;
			return [];
		});
		const heard = nearest.map(({ sentence }, index) => {
			const before = judged.get(sentence.evidenceId);
			return before && weigh(before, said[index]);
		});
		judged = new Map(heard.flatMap((each) => (each ? [[each.sentence.evidenceId, each]] : [])));
	}
	return compared.map((each) => judged.get(each.sentence.evidenceId) ?? each);
}

function weigh(
	before: ComparedSentence,
	said: Awaited<ReturnType<StanceJudge["judge"]>>[number] | undefined,
): ComparedSentence {
	if (!said || said.stance === "neutral" || said.score < HEARD_LEAST) return before;
	if (before.stance === "neutral") {
		const reasons = [...before.reasons, "another judge reads it so"];
		const score = said.score * JUDGE_SHARE;
		return { ...before, stance: said.stance, score, said, reasons };
	}
	if (before.stance === said.stance)
		return { ...before, score: Math.max(before.score, said.score) };
	return { ...before, score: before.score * DISPUTED_SHARE, isDisputed: true };
}
