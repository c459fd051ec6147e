import type { GateMethod, GateName } from "../../../src/contract/contract.js";
import type { PartExamination } from "./part-examination.js";
import type { JudgedPart } from "./part-verdict.js";
import type { AtomicClaim, GateReport } from "./verification.js";

/** What the gates are told from. */
export interface GateMatter {
	readonly atoms: readonly AtomicClaim[];
	readonly examined: readonly PartExamination[];
	readonly judged: readonly JudgedPart[];
	/** What decided stances. */
	readonly method: GateMethod;
}

const IDS_MAX = 12;

/** The five gates in their order; those behind a closed one are skipped. */
export function toGateReports(matter: GateMatter): readonly GateReport[] {
	const checkability = checkabilityGate(matter);
	if (checkability.status === "fail") {
		return [checkability, ...GATES_BEHIND.map(skipped)];
	}
	const gates = [checkability, retrievalGate(matter), stanceGate(matter)];
	if (matter.judged.every(({ verdict }) => verdict === "NOT_ENOUGH_EVIDENCE")) {
		return [...gates, skipped("independence"), skipped("time")];
	}
	return [...gates, independenceGate(matter), timeGate(matter)];
}

const GATES_BEHIND = ["retrieval", "stance", "independence", "time"] as const;

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
		evidenceIds: nearest.slice(0, IDS_MAX).map(({ sentence }) => sentence.evidenceId),
		method: examined.some(({ mode }) => mode === "hybrid") ? "embedding" : "rules",
	};
}

function stanceGate({ judged, examined, method }: GateMatter): GateReport {
	const bearing = examined.flatMap(({ stances }) =>
		stances.filter(({ stance }) => stance !== "neutral"),
	);
	const supports = bearing.filter(({ stance }) => stance === "supports").length;
	const refutes = bearing.length - supports;
	const disputed = bearing.filter(({ isDisputed }) => isDisputed).length;
	const why = judged.flatMap((part) =>
		part.bearing.slice(0, 1).flatMap(({ reasons }) => reasons.slice(0, 2)),
	);
	const isOpen = judged.some(({ verdict }) => verdict === "NOT_ENOUGH_EVIDENCE");
	const isMixed = disputed > 0 || (supports > 0 && refutes > 0);
	return {
		gate: "stance",
		status: bearing.length === 0 ? "fail" : isOpen || isMixed ? "warn" : "pass",
		score: mean(judged.map((part) => part.bearing[0]?.score ?? 0)),
		reason: `${supports} support, ${refutes} refute${disputed > 0 ? `, ${disputed} disputed between judges` : ""}${why.length > 0 ? `: the best ${why.join("; ")}` : ""}.`,
		evidenceIds: bearing.slice(0, IDS_MAX).map(({ sentence }) => sentence.evidenceId),
		method,
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
		evidenceIds: bearing.slice(0, IDS_MAX).map(({ sentence }) => sentence.evidenceId),
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
		evidenceIds: decided.flatMap((part) =>
			part.bearing.slice(0, 1).map(({ sentence }) => sentence.evidenceId),
		),
		method: "rules",
	};
}

function mean(values: readonly number[]): number {
	return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function shorten(text: string): string {
	return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
