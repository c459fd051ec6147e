/** How the judge, with the vetoes of rules, reads passages beside claims that were written in groups of minimal change. */

import {
	decideStance,
	type PassageStance,
	toStance,
} from "../skills/verify/claims/stance-reading.js";
import { readFacts } from "../skills/verify/claims/vetoes.js";
import type { Stance } from "../src/contract/verdicts.js";
import type { PairJudge } from "../src/search/judge/pair-judge.js";
import { toEqualMassBins } from "./claims-evaluation.js";
import { round } from "./figures.js";
import { CLAIM_GROUP_PARTS, loadClaimGroups } from "./labelled/claim-groups.js";
import { atLeast, atMost, type Bar } from "./search/bars.js";

/** A claim beside one version of its passage. */
export interface JudgedPair {
	readonly author: number;
	readonly kind: string;
	readonly label: Stance;
	readonly stance: Stance;
	readonly confidence: number;
	/** What the model alone would tell. */
	readonly read: Stance;
}

export interface PairFigures {
	readonly pairs: number;
	/** Pairs of which a verdict is told. */
	readonly told: number;
	readonly right_where_told: number;
	/** Of pairs that the passage decides, those of which a verdict is told. */
	readonly coverage: number;
	/** Expected calibration error over ten bins of equal mass, of what is told. */
	readonly calibration_error: number;
	/** Verdicts that rules left open, and how many of them would have been right. */
	readonly vetoed: number;
	readonly vetoed_right: number;
}

export interface ClaimGroupReport {
	readonly all: PairFigures;
	readonly authors: Readonly<Record<string, PairFigures>>;
	readonly kinds: Readonly<Record<string, PairFigures>>;
}

const STANCE_OF = { S: "supports", R: "refutes", O: "neutral" } as const;
const PARTS = ["calibration", "test"] as const;

/** Totals only: no one may look at single items of the test part. */
export async function benchClaimGroups(judge: PairJudge) {
	const parts: Record<string, ClaimGroupReport> = {};
	const bars: Bar[] = [];
	for (const part of PARTS) {
		const pairs: JudgedPair[] = [];
		for (const author of CLAIM_GROUP_PARTS[part]) pairs.push(...(await judgeAuthor(judge, author)));
		const report = toReport(pairs);
		parts[part] = report;
		if (part === "test") bars.push(...toBars(report));
	}
	return { parts, bars };
}

async function judgeAuthor(judge: PairJudge, author: number): Promise<readonly JudgedPair[]> {
	const asked = loadClaimGroups(author).flatMap((group) =>
		group.claims.flatMap(({ text, kind, before, after }) => {
			const changed = group.passage.replace(group.old, () => group.new);
			return [
				{ text, kind, passage: group.passage, label: STANCE_OF[before] },
				{ text, kind, passage: changed, label: STANCE_OF[after] },
			];
		}),
	);
	const readings = await judge.read(asked);
	return asked.flatMap(({ text, kind, passage, label }, at) => {
		const reading = readings[at];
		if (!reading) return [];
		const found: PassageStance = toStance(readFacts(text), { text: passage, names: [] }, reading);
		const { stance, confidence } = decideStance([found]);
		const { stance: read } = decideStance([reading]);
		return [{ author, kind, label, stance, confidence, read }];
	});
}

export function toReport(pairs: readonly JudgedPair[]): ClaimGroupReport {
	const by = (keyOf: (pair: JudgedPair) => string) => {
		const keys = [...new Set(pairs.map(keyOf))].sort();
		const ofKey = (key: string) => toFigures(pairs.filter((pair) => keyOf(pair) === key));
		return Object.fromEntries(keys.map((key) => [key, ofKey(key)]));
	};
	return {
		all: toFigures(pairs),
		authors: by(({ author }) => `author ${author}`),
		kinds: by(({ kind }) => kind),
	};
}

function toFigures(pairs: readonly JudgedPair[]): PairFigures {
	const told = pairs.filter(({ stance }) => stance !== "neutral");
	const right = told.filter(isRight);
	const decided = pairs.filter(({ label }) => label !== "neutral");
	const covered = decided.filter(({ stance }) => stance !== "neutral");
	const bins = toEqualMassBins(
		told.map((pair) => ({ confidence: pair.confidence, isRight: isRight(pair) })),
	);
	const vetoed = pairs.filter(({ stance, read }) => stance === "neutral" && read !== stance);
	return {
		pairs: pairs.length,
		told: told.length,
		right_where_told: shareOf(right.length, told.length),
		coverage: shareOf(covered.length, decided.length),
		calibration_error: bins.error,
		vetoed: vetoed.length,
		vetoed_right: vetoed.filter(({ label, read }) => label === read).length,
	};
}

function isRight({ label, stance }: JudgedPair): boolean {
	return label === stance;
}

/** 1 of nothing: there was nothing to get wrong. */
function shareOf(part: number, whole: number): number {
	return whole === 0 ? 1 : round(part / whole);
}

function toBars({ all, kinds }: ClaimGroupReport): readonly Bar[] {
	return [
		atLeast("test authors, right where told", all.right_where_told, 0.9),
		atLeast("test authors, coverage", all.coverage, 0.55),
		atMost("test authors, calibration error", all.calibration_error, 0.06),
		...Object.entries(kinds).map(([kind, figures]) =>
			atLeast(`test authors, ${kind}, right where told`, figures.right_where_told, 0.8),
		),
	];
}
