/** What is measured of verdicts: agreement with the labels, and how far a stated confidence can be trusted. */
import { isSoldVerdict, VERDICTS, type Verdict } from "../src/contract/verdicts.js";
import { round } from "./figures.js";
import type { LabelledClaim } from "./labelled/labelled-claims.js";

export interface JudgedClaim {
	readonly labelled: Pick<LabelledClaim, "id" | "kind" | "verdict" | "qualifier">;
	readonly verdict: Verdict;
	readonly qualifier: string | undefined;
	/** Reported with the verdict, 0..1. */
	readonly confidence: number;
}

export interface ClassFigures {
	readonly precision: number;
	readonly recall: number;
	readonly f1: number;
	/** Claims with this label. */
	readonly claims: number;
}

export interface KindFigures {
	readonly claims: number;
	readonly right: number;
	readonly accuracy: number;
}

export interface ConfidenceBin {
	readonly claims: number;
	readonly confidence: number;
	readonly accuracy: number;
}

export interface ClaimFigures {
	readonly claims: number;
	readonly accuracy: number;
	/** Mean of F1 over SUPPORTED, REFUTED and NOT_ENOUGH_EVIDENCE; claims with other labels count where they are given one of these. */
	readonly macro_f1: number;
	readonly classes: Readonly<Record<string, ClassFigures>>;
	/** Label → verdict → claims. */
	readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
	readonly kinds: Readonly<Record<string, KindFigures>>;
	/** Of claims that the catalog decides, those that got a verdict that is sold. */
	readonly coverage: number;
	/** Of those, how many verdicts are right. */
	readonly accuracy_where_covered: number;
	/** Of claims that can be checked, those answered with NOT_ENOUGH_EVIDENCE or NOT_CHECKABLE. */
	readonly abstention: number;
	/** Of claims that were so once and are refuted, those reported as OUTDATED. */
	readonly outdated_told: number;
	/** Expected calibration error over ten bins of equal mass, over verdicts that are sold. */
	readonly calibration_error: number;
	readonly bins: readonly ConfidenceBin[];
}

const SCORED_VERDICTS = ["SUPPORTED", "REFUTED", "NOT_ENOUGH_EVIDENCE"] as const;
const BINS = 10;
const WIDTH = 20;

export function evaluateClaims(judged: readonly JudgedClaim[]): ClaimFigures {
	const checkable = judged.filter(({ labelled }) => labelled.verdict !== "NOT_CHECKABLE");
	const decidable = checkable.filter(({ labelled }) => isSoldVerdict(labelled.verdict));
	const covered = decidable.filter(({ verdict }) => isSoldVerdict(verdict));
	const classes = Object.fromEntries(
		SCORED_VERDICTS.map((name) => [name, classFigures(judged, name)]),
	);
	const outdated = judged.filter(({ labelled }) => labelled.qualifier === "OUTDATED");
	const sold = judged.filter(({ verdict }) => isSoldVerdict(verdict));
	const { bins, error } = toEqualMassBins(
		sold.map((one) => ({ confidence: one.confidence, isRight: isRight(one) })),
	);
	return {
		claims: judged.length,
		accuracy: shareOf(judged, isRight),
		macro_f1: round(mean(Object.values(classes).map(({ f1 }) => f1))),
		classes,
		confusion: toConfusion(judged),
		kinds: toKinds(judged),
		coverage: shareOf(decidable, ({ verdict }) => isSoldVerdict(verdict)),
		accuracy_where_covered: shareOf(covered, isRight),
		abstention: shareOf(checkable, ({ verdict }) => !isSoldVerdict(verdict)),
		outdated_told: shareOf(outdated, ({ qualifier }) => qualifier === "OUTDATED"),
		calibration_error: error,
		bins,
	};
}

/** The confusion of labels and verdicts, one row a label, for people. */
export function toConfusionLines({
	confusion,
}: Pick<ClaimFigures, "confusion">): readonly string[] {
	const row = (label: string, cells: readonly (string | number)[]) =>
		[label.padEnd(WIDTH), ...cells.map((cell) => String(cell).padStart(WIDTH))].join(" ");
	return [
		row("label \\ verdict", VERDICTS),
		...VERDICTS.map((label) =>
			row(
				label,
				VERDICTS.map((verdict) => confusion[label]?.[verdict] ?? 0),
			),
		),
	];
}

function classFigures(judged: readonly JudgedClaim[], name: Verdict): ClassFigures {
	const meant = judged.filter(({ labelled }) => labelled.verdict === name);
	const said = judged.filter(({ verdict }) => verdict === name);
	const hits = said.filter(isRight).length;
	const sum = meant.length + said.length;
	return {
		precision: shareOf(said, isRight),
		recall: shareOf(meant, isRight),
		f1: sum === 0 ? 1 : round((2 * hits) / sum),
		claims: meant.length,
	};
}

function toConfusion(judged: readonly JudgedClaim[]): ClaimFigures["confusion"] {
	const table: Record<string, Record<string, number>> = {};
	for (const { labelled, verdict } of judged) {
		const row = table[labelled.verdict] ?? {};
		table[labelled.verdict] = { ...row, [verdict]: (row[verdict] ?? 0) + 1 };
	}
	return table;
}

function toKinds(judged: readonly JudgedClaim[]): ClaimFigures["kinds"] {
	const kinds = [...new Set(judged.map(({ labelled }) => labelled.kind))];
	return Object.fromEntries(
		kinds.map((kind) => {
			const members = judged.filter(({ labelled }) => labelled.kind === kind);
			const right = members.filter(isRight).length;
			return [kind, { claims: members.length, right, accuracy: round(right / members.length) }];
		}),
	);
}

/**
 * Expected calibration error: mean distance of confidence from accuracy, each bin weighted by what it holds (Naeini and others,
 * 2015), over ten bins of as many each.
 */
export function toEqualMassBins(
	told: readonly { readonly confidence: number; readonly isRight: boolean }[],
): { readonly bins: readonly ConfidenceBin[]; readonly error: number } {
	const sorted = [...told].sort((a, b) => a.confidence - b.confidence);
	const cut = (bin: number) => Math.round((bin * sorted.length) / BINS);
	let sum = 0;
	const bins = Array.from({ length: BINS }, (_, bin): ConfidenceBin => {
		const members = sorted.slice(cut(bin), cut(bin + 1));
		const confidence = mean(members.map((one) => one.confidence));
		const accuracy = mean(members.map((one) => Number(one.isRight)));
		sum += members.length * Math.abs(confidence - accuracy);
		return { claims: members.length, confidence: round(confidence), accuracy: round(accuracy) };
	});
	return {
		bins: bins.filter(({ claims }) => claims > 0),
		error: told.length === 0 ? 0 : round(sum / told.length),
	};
}

function isRight({ labelled, verdict }: JudgedClaim): boolean {
	return verdict === labelled.verdict;
}

/** 1 of nothing: there was nothing to get wrong. */
function shareOf<T>(members: readonly T[], holds: (member: T) => boolean): number {
	return members.length === 0 ? 1 : round(members.filter(holds).length / members.length);
}

function mean(values: readonly number[]): number {
	return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
