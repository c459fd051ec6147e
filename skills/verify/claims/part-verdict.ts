import type { Stance, Verdict } from "../../../src/contract/contract.js";
import { confidenceOf, isSure } from "./confidence.js";
import type { PartExamination } from "./part-examination.js";
import { claimsNow, judgeTime, type TimeReport } from "./time-frame.js";
import type { EvidenceStance, VerifiedPart } from "./verification.js";

/** One part with what its verdict rests on. */
export interface JudgedPart extends VerifiedPart {
	readonly timeReport: TimeReport;
	/** Sentences for the verdict, best first; the nearest ones where there is none. */
	readonly bearing: readonly EvidenceStance[];
	readonly groups: number;
}

/** What the weaker side must reach, from another origin, to count as a conflict. */
const CONFLICT_LEAST = 0.75;

/** Gate 3 to 5 for one part: the side with the stronger sentence wins; near ones of independent origin are a conflict. */
export function judgePart(examined: PartExamination, asOf: string): JudgedPart {
	const { claim, stances } = examined;
	const sides = {
		supports: stances.filter(({ stance }) => stance === "supports"),
		refutes: stances.filter(({ stance }) => stance === "refutes"),
	};
	const best = { supports: bestOf(sides.supports), refutes: bestOf(sides.refutes) };
	const verdict = verdictOf(sides, best, examined.side);
	const side = verdict === "REFUTED" ? "refutes" : "supports";
	const bearing = verdict === "CONFLICTING" ? [...sides.supports, ...sides.refutes] : sides[side];
	const groups = new Set(bearing.map(({ group }) => group)).size;
	const timeReport = judgeTime(claim, bearing, asOf);
	const against = side === "refutes" ? best.supports : best.refutes;
	const isDisputed = bearing.some((stance) => stance.isDisputed);
	const confidence = confidenceOf(verdict, {
		isAgreed: examined.side === side,
		best: best[side],
		against: isDisputed ? Math.max(against, best[side] / 2) : against,
	});
	return {
		claim,
		verdict,
		confidence,
		missing: verdict === "NOT_ENOUGH_EVIDENCE" ? missingOf(examined) : [],
		time: timeReport.time,
		timeReport,
		bearing,
		groups,
	};
}

function bestOf(stances: readonly EvidenceStance[]): number {
	return Math.max(0, ...stances.map(({ score }) => score));
}

function verdictOf(
	sides: Record<"supports" | "refutes", readonly EvidenceStance[]>,
	{ supports, refutes }: Record<"supports" | "refutes", number>,
	ruled: Stance,
): Extract<Verdict, "SUPPORTED" | "REFUTED" | "CONFLICTING" | "NOT_ENOUGH_EVIDENCE"> {
	const [best, against] = [Math.max(supports, refutes), Math.min(supports, refutes)];
	if (against >= CONFLICT_LEAST && isIndependent(sides)) return "CONFLICTING";
	const side = supports >= refutes ? "supports" : "refutes";
	if (!isSure({ best, against, isAgreed: ruled === side })) return "NOT_ENOUGH_EVIDENCE";
	return side === "supports" ? "SUPPORTED" : "REFUTED";
}

function isIndependent(sides: Record<"supports" | "refutes", readonly EvidenceStance[]>): boolean {
	const [one] = sides.supports;
	const [other] = sides.refutes;
	return one !== undefined && other !== undefined && one.group !== other.group;
}

/** What the nearest sentence lacks, the words nobody covers first. */
function missingOf({ claim, unknown, stances }: PartExamination): readonly string[] {
	const texts = stances.map(({ sentence }) => sentence.text.toLowerCase());
	const asked = [
		...claim.entities,
		...claim.quantities.map(({ text }) => text),
		...claim.dates.map(({ text }) => text),
	];
	const lacking = asked.filter(
		(text) => !texts.some((other) => other.includes(text.toLowerCase())),
	);
	return [...new Set([...unknown, ...lacking])];
}

/** True for what was so once: the verdict holds because things have changed. */
export function isOutdated({ verdict, time, claim, bearing }: JudgedPart): boolean {
	if (time !== "OUTDATED") return false;
	return (
		verdict === "REFUTED" || (verdict === "SUPPORTED" && (claimsNow(claim) || bearing.length > 0))
	);
}
