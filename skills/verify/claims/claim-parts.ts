import type { Stance, Verdict } from "../../../src/contract/contract.js";
import {
	type CitedSentence,
	choosePassages,
	gatherEvidence,
	toCitedSentences,
} from "../../../src/evidence/evidence.js";
import { memoizeByObject } from "../../../src/kernel/kernel.js";
import type { Concept, Graph } from "../../../src/knowledge/knowledge.js";
import type { ReadingSearch } from "../../../src/search/search.js";
import { bestTier, groupByOrigin } from "./source-tiers.js";
import { decideStance, readStances } from "./stance-reading.js";
import { judgeTime } from "./time-frame.js";
import {
	type AtomicClaim,
	CLAIM_LIMITS,
	type Comparison,
	type EvidenceStance,
} from "./verification.js";
import { lackingOf, readFacts } from "./vetoes.js";

/** One part with what its verdict rests on. */
export type JudgedPart = ReturnType<typeof judgePart>;

/** How often what is told without a reading is right. */
export const FIXED_CONFIDENCE = {
	NOT_CHECKABLE: 0.95,
	NOT_ENOUGH_EVIDENCE: 0.7,
	CONFLICTING: 0.5,
} as const;

/** Gate 3 to 5 for one part: the surest reading decides; sure ones of independent origin on both sides are a conflict. */
export function judgePart(examined: PartExamination, asOf: string) {
	const { claim, stances, decided } = examined;
	const ofSide = (side: Stance) => stances.filter(({ stance }) => stance === side);
	const verdict = verdictOf(decided, ofSide("supports"), ofSide("refutes"));
	const side = verdict === "REFUTED" ? "refutes" : "supports";
	const bearing =
		verdict === "CONFLICTING" ? stances.filter(({ stance }) => stance !== "neutral") : ofSide(side);
	const timeReport = judgeTime(claim, bearing, asOf);
	const isTold = verdict === "SUPPORTED" || verdict === "REFUTED";
	return {
		claim,
		verdict,
		confidence: isTold ? decided.confidence : FIXED_CONFIDENCE[verdict],
		missing: verdict === "NOT_ENOUGH_EVIDENCE" ? missingOf(examined) : [],
		time: timeReport.time,
		timeReport,
		/** Sentences for the verdict, best first. */
		bearing,
		groups: new Set(bearing.map(({ group }) => group)).size,
	};
}

function verdictOf(
	{ stance, isConflict }: PartExamination["decided"],
	[one]: readonly EvidenceStance[],
	[other]: readonly EvidenceStance[],
): Exclude<Verdict, "NOT_CHECKABLE"> {
	if (isConflict && one && other && one.group !== other.group) return "CONFLICTING";
	if (stance === "neutral") return "NOT_ENOUGH_EVIDENCE";
	return stance === "supports" ? "SUPPORTED" : "REFUTED";
}

/** What the nearest sentences lack, the words no concept covers first. */
function missingOf({ claim, unknown, stances }: PartExamination): readonly string[] {
	const there = readFacts(stances.map(({ sentence }) => sentence.text).join(" ; "));
	return [...new Set([...unknown, ...lackingOf(readFacts(claim.text), there)])];
}

/** What was found on one part of a claim. */
export type PartExamination = Awaited<ReturnType<typeof examinePart>>;

/** Gates 2 to 4 for one part: sentences that bear on it, what each says, and which of them depend on each other. */
export async function examinePart(
	search: ReadingSearch,
	request: {
		readonly claim: AtomicClaim;
		readonly part: number;
		readonly graphs: readonly Graph[];
		/** `YYYY-MM-DD`; what was published later is left out. */
		readonly asOf: string;
		readonly signal: AbortSignal;
	},
) {
	const { claim, part, graphs, asOf, signal } = request;
	const found = await gatherEvidence(search, {
		graphs,
		question: claim.text.slice(0, CLAIM_LIMITS.questionChars),
		conceptsMax: CLAIM_LIMITS.conceptsMax,
		sentencesMax: CLAIM_LIMITS.sentencesMax,
		effort: "fast",
		signal,
	});
	const known = found.sentences.filter((sentence) => isKnownAt(sentence, asOf));
	const surroundings = memoizeByObject((concept: Concept) => {
		const [graph] = known.flatMap((one) => (one.concept === concept ? one.graph : []));
		const all = graph ? toCitedSentences(graph, concept) : [];
		return { title: concept.title, sentences: all.filter((one) => isKnownAt(one, asOf)) };
	});
	const near = choosePassages<CitedSentence>(
		known,
		({ concept }) => surroundings(concept),
		CLAIM_LIMITS.passagesMax,
	);
	const passages = near.map((passage) => {
		const { title, aliases } = passage.sentence.concept;
		return { ...passage, names: [title, ...aliases] };
	});
	const asked = { claim: claim.text, passages };
	const { stances, problem } = await readStances(search.judge, asked, signal);
	const read = bestOfEach(stances);
	// What is read together rests on all that its sentences rest on.
	const groups = groupByOrigin(
		read.map(({ sentence, sentences }) => ({
			...sentence,
			sources: [...new Set(sentences.flatMap(({ sources }) => sources))],
		})),
	);
	const { missing: unknown, decision, mode, concepts } = found;
	return {
		claim,
		/** Best first: what supports or refutes, then what came nearest; at most `evidenceMax`. */
		stances: read.slice(0, CLAIM_LIMITS.evidenceMax).map((one, at): EvidenceStance => {
			const { sentence, stance, score, reasons, isDisputed } = one;
			const [tier, group] = [bestTier(sentence.sources), groups[at] ?? 0];
			return { sentence, stance, score, reasons, isDisputed, tier, group, part };
		}),
		decided: decideStance(stances),
		/** Why nothing was read. */
		problem,
		/** Words of the part that no concept covers. */
		unknown,
		...{ decision, mode },
		graphIds: [...new Set(concepts.map(({ graph }) => graph.record.id))],
	};
}

/** Of passages told by one sentence the surest one; all of them in their order. */
function bestOfEach<P extends Comparison & { readonly sentence: CitedSentence }>(
	read: readonly P[],
) {
	const best = new Map<string, P>();
	for (const one of [...read].sort(byBearing)) {
		if (!best.has(one.sentence.evidenceId)) best.set(one.sentence.evidenceId, one);
	}
	return [...best.values()];
}

/** Anyone who asks as of a day gets what was published by then; undated sources count as known. */
function isKnownAt({ sources }: CitedSentence, asOf: string): boolean {
	return sources.some(({ publishedAt }) => publishedAt === undefined || publishedAt <= asOf);
}

/** What supports or refutes before what is neutral, then by score. */
export function byBearing(a: Comparison, b: Comparison): number {
	const bears = ({ stance }: Comparison) => Number(stance !== "neutral");
	return bears(b) - bears(a) || b.score - a.score;
}
