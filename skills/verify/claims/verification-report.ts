import type { Decision, TimeFrame, Verdict } from "../../../src/contract/contract.js";
import { CLAIM_LIMITS } from "./claim-limits.js";
import { confidenceOf } from "./confidence.js";
import { type GateMatter, shorten, toGateReports } from "./gate-reports.js";
import { isOutdated, type JudgedPart } from "./part-verdict.js";
import type { EvidenceStance, Verification } from "./verification.js";

export interface ReportMatter extends GateMatter {
	readonly claim: string;
	readonly asOf: string;
}

/** Puts the parts together: a claim is refuted as soon as one part is, and supported only when all are. */
export function toVerification(matter: ReportMatter): Verification {
	const { claim, asOf, atoms, examined, judged } = matter;
	const isCut = atoms.filter(({ kind }) => kind === "checkable").length > judged.length;
	const verdict = verdictOf(judged, isCut);
	const deciding = judged.filter((part) => part.verdict === verdict);
	const isDated = deciding.length > 0 && deciding.some(isOutdated);
	const confidence = confidenceOfAll(verdict, deciding);
	const unchecked = atoms.length - judged.length;
	return {
		claim,
		verdict,
		qualifier: isDated ? "OUTDATED" : undefined,
		confidence,
		explanation: explain(verdict, judged, deciding),
		gates: toGateReports(matter),
		parts: judged.map(({ claim: atom, verdict: own, confidence: sure, missing, time }) => ({
			claim: atom,
			verdict: own,
			confidence: sure,
			missing,
			time,
		})),
		missing: [...new Set(judged.flatMap(({ missing }) => missing))].slice(
			0,
			CLAIM_LIMITS.missingMax,
		),
		time: timeOf(judged, deciding),
		independentGroups: leastOf(deciding.map(({ groups }) => groups)),
		evidence: examined.flatMap(({ stances }) => stances).sort(byBearing),
		asOf,
		decision: strongest(examined.map(({ decision }) => decision)),
		mode: examined.some(({ mode }) => mode === "keyword") ? "keyword" : "hybrid",
		graphsUsed: [...new Set(examined.flatMap(({ graphIds }) => graphIds))],
		warnings:
			unchecked > 0 && judged.length > 0
				? [`${unchecked} of ${atoms.length} statements were not checked.`]
				: [],
	};
}

/** What was not checked cannot be told to be supported. */
function verdictOf(judged: readonly JudgedPart[], isCut: boolean): Verdict {
	if (judged.length === 0) return "NOT_CHECKABLE";
	const has = (verdict: Verdict) => judged.some((part) => part.verdict === verdict);
	if (has("REFUTED")) return "REFUTED";
	if (has("CONFLICTING")) return "CONFLICTING";
	return isCut || has("NOT_ENOUGH_EVIDENCE") ? "NOT_ENOUGH_EVIDENCE" : "SUPPORTED";
}

/** All parts must be right for "supported", one for "refuted"; parts of one claim are not independent, so the least counts. */
function confidenceOfAll(verdict: Verdict, deciding: readonly JudgedPart[]): number {
	if (deciding.length === 0) return confidenceOf(verdict, { best: 0, against: 0, isAgreed: false });
	const all = deciding.map(({ confidence }) => confidence);
	return verdict === "SUPPORTED" ? Math.min(...all) : Math.max(...all);
}

function timeOf(judged: readonly JudgedPart[], deciding: readonly JudgedPart[]): TimeFrame {
	const order: readonly TimeFrame[] = ["OUTDATED", "FUTURE", "UNDATED", "CURRENT"];
	const told = (deciding.length > 0 ? deciding : judged).map(({ time }) => time);
	return order.find((frame) => told.includes(frame)) ?? "UNDATED";
}

function explain(
	verdict: Verdict,
	judged: readonly JudgedPart[],
	deciding: readonly JudgedPart[],
): string {
	if (verdict === "NOT_CHECKABLE") return "Nothing in it states what a source could settle.";
	if (verdict === "NOT_ENOUGH_EVIDENCE") {
		const missing = deciding.flatMap((part) => part.missing).slice(0, 6);
		const lacking = missing.length > 0 ? `; nothing covers ${missing.join(", ")}` : "";
		return `The catalog does not settle this${lacking}.`;
	}
	return deciding
		.slice(0, 3)
		.map((part) => {
			const whose = judged.length > 1 ? `"${shorten(part.claim.text)}" is ` : "This is ";
			const [first] = part.bearing;
			const cited = first ? `, which cites ${titleOf(first)}` : "";
			const why = first?.reasons[0] ? `: the best sentence ${first.reasons[0]}` : "";
			return `${whose}${WORDS[verdict]} by the curated graph${cited}${why}.`;
		})
		.join(" ");
}

const WORDS = { SUPPORTED: "supported", REFUTED: "refuted", CONFLICTING: "disputed" } as const;

function titleOf({ sentence }: EvidenceStance): string {
	const title = sentence.sources[0]?.title ?? "";
	return title === "" ? "its source" : `"${shorten(title)}"`;
}

function byBearing(a: EvidenceStance, b: EvidenceStance): number {
	const bears = ({ stance }: EvidenceStance) => Number(stance !== "neutral");
	return bears(b) - bears(a) || b.score - a.score;
}

const DECISIONS_BY_STRENGTH: readonly Decision[] = ["ANSWER", "PARTIAL", "CLARIFY", "ABSTAIN"];

function strongest(decisions: readonly Decision[]): Decision {
	return DECISIONS_BY_STRENGTH.find((decision) => decisions.includes(decision)) ?? "ABSTAIN";
}

function leastOf(numbers: readonly number[]): number {
	return numbers.length === 0 ? 0 : Math.min(...numbers);
}
