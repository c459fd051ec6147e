import {
	DECISIONS,
	GATES,
	type GateName,
	type TimeFrame,
	type Verdict,
} from "../../../src/contract/contract.js";
import { type Clock, toIsoDay } from "../../../src/kernel/kernel.js";
import type { Graph, GraphCatalog } from "../../../src/knowledge/knowledge.js";
import type { ReadingSearch } from "../../../src/search/search.js";
import { extractClaims } from "./claim-extraction.js";
import {
	byBearing,
	examinePart,
	FIXED_CONFIDENCE,
	type JudgedPart,
	judgePart,
	type PartExamination,
} from "./claim-parts.js";
import {
	type AtomicClaim,
	CLAIM_LIMITS,
	type EvidenceStance,
	type GateReport,
	type Verification,
} from "./verification.js";

export type ClaimVerifier = ReturnType<typeof createClaimVerifier>;

/** Without a judge nothing is read, and no claim gets a verdict. */
export function createClaimVerifier(deps: {
	readonly search: ReadingSearch;
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
}) {
	const { search, catalog, clock } = deps;
	return {
		/** Passes a claim through the five gates; never throws for what a claim says, and abstains where nothing bears on it. */
		async verify(request: {
			readonly claim: string;
			/** `YYYY-MM-DD`: the day the claim is about; today where absent. */
			readonly asOf?: string | undefined;
			/** Where to look; the whole catalog where absent. */
			readonly graphs?: readonly Graph[] | undefined;
			readonly signal: AbortSignal;
		}): Promise<Verification> {
			const { claim, asOf = toIsoDay(clock.now()), graphs = catalog.list(), signal } = request;
			const atoms = extractClaims(claim);
			const checkable = atoms.filter(({ kind }) => kind === "checkable");
			const examined: PartExamination[] = [];
			for (const [part, atom] of checkable.slice(0, CLAIM_LIMITS.partsMax).entries()) {
				signal.throwIfAborted();
				examined.push(await examinePart(search, { claim: atom, part, graphs, asOf, signal }));
			}
			const judged = examined.map((part) => judgePart(part, asOf));
			return toVerification({ claim, asOf, atoms, examined, judged });
		},
	};
}

/** Puts the parts together: a claim is refuted as soon as one part is, and supported only when all are. */
function toVerification(matter: GateMatter): Verification {
	const { claim, asOf, atoms, examined, judged } = matter;
	const isCut = atoms.filter(({ kind }) => kind === "checkable").length > judged.length;
	const verdict = verdictOf(judged, isCut);
	const deciding = judged.filter((part) => part.verdict === verdict);
	const isTold = verdict === "SUPPORTED" || verdict === "REFUTED";
	// The verdict holds because things have changed.
	const isDated = isTold && deciding.some(({ time }) => time === "OUTDATED");
	const confidence = confidenceOfAll(verdict, deciding);
	const unchecked = atoms.length - judged.length;
	const left = `${unchecked} of ${atoms.length} statements were not checked.`;
	const missing = new Set(judged.flatMap((part) => part.missing));
	return {
		claim,
		verdict,
		qualifier: isDated ? "OUTDATED" : undefined,
		confidence,
		explanation: explain(verdict, matter, deciding),
		gates: toGateReports(matter),
		parts: judged.map(({ timeReport: _, bearing: _bearing, groups: _groups, ...part }) => part),
		missing: [...missing].slice(0, CLAIM_LIMITS.missingMax),
		time: timeOf(judged, deciding),
		independentGroups: deciding.length === 0 ? 0 : Math.min(...deciding.map((part) => part.groups)),
		evidence: examined.flatMap(({ stances }) => stances).sort(byBearing),
		asOf,
		// The strongest of all parts.
		decision:
			DECISIONS.find((one) => examined.some(({ decision }) => decision === one)) ?? "ABSTAIN",
		mode: examined.some(({ mode }) => mode === "keyword") ? "keyword" : "hybrid",
		graphsUsed: [...new Set(examined.flatMap(({ graphIds }) => graphIds))],
		warnings:
			unchecked > 0 && judged.length > 0 ? [...problemsOf(matter), left] : problemsOf(matter),
	};
}

/** Why parts were not read, each reason once. */
function problemsOf({ examined }: GateMatter): readonly string[] {
	return [...new Set(examined.flatMap(({ problem }) => problem ?? []))];
}

/** What was not checked cannot be reported as supported. */
function verdictOf(judged: readonly JudgedPart[], isCut: boolean): Verdict {
	if (judged.length === 0) return "NOT_CHECKABLE";
	const has = (verdict: Verdict) => judged.some((part) => part.verdict === verdict);
	if (has("REFUTED")) return "REFUTED";
	if (has("CONFLICTING")) return "CONFLICTING";
	return isCut || has("NOT_ENOUGH_EVIDENCE") ? "NOT_ENOUGH_EVIDENCE" : "SUPPORTED";
}

/** All parts must be right for "supported", one for "refuted"; parts of one claim are not independent, so the least counts. */
function confidenceOfAll(verdict: Verdict, deciding: readonly JudgedPart[]): number {
	if (verdict !== "SUPPORTED" && verdict !== "REFUTED") return FIXED_CONFIDENCE[verdict];
	const all = deciding.map(({ confidence }) => confidence);
	return verdict === "SUPPORTED" ? Math.min(...all) : Math.max(...all);
}

function timeOf(judged: readonly JudgedPart[], deciding: readonly JudgedPart[]): TimeFrame {
	const order = ["OUTDATED", "FUTURE", "UNDATED", "CURRENT"] as const;
	const found = deciding.length > 0 ? deciding : judged;
	return order.find((frame) => found.some(({ time }) => time === frame)) ?? "UNDATED";
}

function explain(verdict: Verdict, matter: GateMatter, deciding: readonly JudgedPart[]): string {
	const { judged } = matter;
	if (verdict === "NOT_CHECKABLE") return "Nothing in it states what a source could settle.";
	if (verdict === "NOT_ENOUGH_EVIDENCE") {
		const [problem] = problemsOf(matter);
		if (problem !== undefined) return `No verdict could be reached. ${problem}`;
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

/** What the reports of the gates are made from. */
interface GateMatter {
	readonly claim: string;
	readonly asOf: string;
	readonly atoms: readonly AtomicClaim[];
	readonly examined: readonly PartExamination[];
	readonly judged: readonly JudgedPart[];
}

/** The five gates in their order; those behind a closed one are skipped. */
function toGateReports(matter: GateMatter): readonly GateReport[] {
	const checkability = checkabilityGate(matter);
	if (checkability.status === "fail") return [checkability, ...GATES.slice(1).map(skipped)];
	const gates = [checkability, retrievalGate(matter), stanceGate(matter)];
	if (matter.judged.every(({ verdict }) => verdict === "NOT_ENOUGH_EVIDENCE")) {
		return [...gates, skipped("independence"), skipped("time")];
	}
	return [...gates, independenceGate(matter), timeGate(matter)];
}

function skipped(gate: GateName): GateReport {
	const reason = "Not reached: an earlier gate had nothing to pass on.";
	return { gate, status: "skipped", score: 0, reason, evidenceIds: [], method: "rules" };
}

function checkabilityGate({ atoms }: GateMatter): GateReport {
	const checkable = atoms.filter(({ kind }) => kind === "checkable");
	const other = atoms.find(({ kind }) => kind !== "checkable");
	const score = atoms.length === 0 ? 0 : checkable.length / atoms.length;
	const said = other ? `"${shorten(other.text)}" ${other.reason ?? "states nothing"}` : "";
	const count = `${checkable.length} of ${atoms.length} ${atoms.length === 1 ? "statement" : "statements"} can be checked`;
	return {
		gate: "checkability",
		status: checkable.length === 0 ? "fail" : other ? "warn" : "pass",
		score,
		reason: said === "" ? `${count}.` : `${count}; ${said}.`,
		evidenceIds: [],
		method: "rules",
	};
}

function retrievalGate({ examined, judged }: GateMatter): GateReport {
	const nearest = examined.flatMap(({ stances }) => stances);
	const scores = examined.map(({ stances }) => Math.max(0, ...stances.map(({ score }) => score)));
	const missing = judged.flatMap((part) => part.missing);
	const status = nearest.length === 0 ? "fail" : missing.length > 0 ? "warn" : "pass";
	const lacking =
		missing.length > 0 ? ` No sentence covers ${missing.slice(0, 6).join(", ")}.` : "";
	return {
		gate: "retrieval",
		status,
		score: mean(scores),
		reason: `${nearest.length} cited ${nearest.length === 1 ? "sentence comes" : "sentences come"} near.${lacking}`,
		evidenceIds: idsOf(nearest),
		method: examined.some(({ mode }) => mode === "hybrid") ? "embedding" : "rules",
	};
}

function stanceGate(matter: GateMatter): GateReport {
	const { judged, examined } = matter;
	const [problem] = problemsOf(matter);
	const stances = examined.flatMap((part) => part.stances);
	const bearing = stances.filter(({ stance }) => stance !== "neutral");
	const supports = bearing.filter(({ stance }) => stance === "supports").length;
	const refutes = bearing.length - supports;
	const disputed = stances.filter(({ isDisputed }) => isDisputed).length;
	const why = judged.flatMap((part) =>
		part.bearing.slice(0, 1).flatMap(({ reasons }) => reasons.slice(0, 2)),
	);
	const isOpen = judged.some(({ verdict }) => verdict === "NOT_ENOUGH_EVIDENCE");
	const isMixed = supports > 0 && refutes > 0;
	return {
		gate: "stance",
		status: bearing.length === 0 ? "fail" : isOpen || isMixed ? "warn" : "pass",
		score: mean(judged.map((part) => part.bearing[0]?.score ?? 0)),
		reason:
			problem ??
			`${supports} support, ${refutes} refute${disputed > 0 ? `, ${disputed} left open by rules` : ""}${why.length > 0 ? `: the best ${why.join("; ")}` : ""}.`,
		evidenceIds: idsOf(bearing),
		method: problem === undefined ? "nli" : "rules",
	};
}

function independenceGate({ judged }: GateMatter): GateReport {
	const bearing = judged.flatMap((part) => part.bearing);
	const groups = Math.min(...judged.filter((part) => part.groups > 0).map((part) => part.groups));
	const best = Math.min(...bearing.map(({ tier }) => tier));
	return {
		gate: "independence",
		status: groups > 1 && best <= 2 ? "pass" : "warn",
		score: Math.min(1, groups / 3),
		reason: `${groups === 1 ? "One origin stands" : `${groups} independent origins stand`} behind it; the best source is of tier ${best}.`,
		evidenceIds: idsOf(bearing),
		method: "rules",
	};
}

function timeGate({ judged }: GateMatter): GateReport {
	const decided = judged.filter(({ verdict }) => verdict !== "NOT_ENOUGH_EVIDENCE");
	const isCurrent = decided.every(({ time }) => time === "CURRENT");
	const [telling] = [...decided].sort(
		(a, b) => Number(a.time === "CURRENT") - Number(b.time === "CURRENT"),
	);
	return {
		gate: "time",
		status: isCurrent ? "pass" : "warn",
		score: mean(decided.map(({ time }) => Number(time === "CURRENT"))),
		reason: telling?.timeReport.reason ?? "Nothing to place in time.",
		evidenceIds: decided.flatMap(({ bearing }) => idsOf(bearing.slice(0, 1))),
		method: "rules",
	};
}

function idsOf(evidence: readonly Pick<EvidenceStance, "sentence">[]): readonly string[] {
	return evidence.slice(0, CLAIM_LIMITS.evidenceMax).map(({ sentence }) => sentence.evidenceId);
}

function mean(values: readonly number[]): number {
	return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function shorten(text: string): string {
	return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
