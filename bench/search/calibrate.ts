import type { Decision } from "../../src/contract/wire.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import {
	type AnswerSigns,
	type DecisionMode,
	decide,
	decisionAt,
	strengthOf,
	toWeighedSigns,
} from "../../src/search/ranking/decision.js";
import { type DecisionModel, WEIGHED_SIGNS } from "../../src/search/ranking/decision-weights.js";
import { round } from "../figures.js";
import { loadLabelledSet, SEEN_SPLITS } from "../labelled/labelled-queries.js";
import { type JudgedCase, readJudgedCases, type Variant } from "./judged-cases.js";
import { type Example, fitLogistic, type LogisticFit, probabilityOf } from "./logistic-fit.js";
import { areaUnderCurve, calibrationError, type Detection, detection } from "./metrics.js";

/** What one case of a kind counts against a labelled query. */
const WEIGHTS: Readonly<Record<Variant, number>> = {
	labelled: 1,
	"lower-case": 0.5,
	withdrawn: 0.1,
	"one-graph": 0.03,
	multiplied: 0.25,
	example: 0.5,
	"asked-of-graph": 0.25,
	everyday: 1,
	imported: 1,
};
const TARGETS: Readonly<Record<Decision, number>> = {
	ANSWER: 1,
	PARTIAL: 1,
	CLARIFY: 0.5,
	ABSTAIN: 0,
};
const DIRECTIONS = WEIGHED_SIGNS.map((sign) => (sign === "lacksName" ? -1 : 1));
const RIDGE = 1;
const FOLDS = 10;
/** One way to cut into folds each. No step shares a factor with the number of folds, so that all folds are of one size. */
const STEPS = [1, 3, 7, 9, 11] as const;
const LIMITS = Array.from({ length: 21 }, (_, at) => round(0.1 + at * 0.02, 2));
/** To turn away somebody whom a row would have helped is as bad as to sell this many useless ones, which can be asked back. */
const FALSE_ABSTENTION = 2;
/** What is charged is likelier an answer than not; an answer is likely. */
const HIGHER_LIMITS = { partial: 0.5, answer: 0.7 } as const;
const DIGITS = 3;

interface Calibration {
	/** What the fit comes to. */
	readonly model: DecisionModel;
	/** Of predictions for queries that the fit had not seen. */
	readonly unseen: Quality;
	/** What each limit of ABSTAIN costs, and its precision and recall, unseen queries. */
	readonly limits: Readonly<Record<string, string>>;
	/** What the weights in use do on the same queries. */
	readonly shipped: ShippedQuality;
}

interface Quality {
	/** Area under the curve: how often an answerable query is stronger than an unanswerable one. */
	readonly auc: number;
	/** Mean squared error of the strength as a probability that there is an answer; expected calibration error in ten bins. */
	readonly brier: number;
	readonly ece: number;
}

interface ShippedQuality extends Quality {
	readonly abstention: Detection;
	/** The same with capitals gone. */
	readonly lower_case: Detection;
	/** Decisions by kind and by what they should have been. */
	readonly decisions: Readonly<Record<string, Readonly<Record<string, number>>>>;
	/** Share of the first rows that answer at least in part, by strength. */
	readonly first_row: Readonly<Record<string, string>>;
	/** Share of abstentions where everything that answers was withdrawn, and where one graph was asked that holds nothing. */
	readonly withdrawn: number;
	readonly other_graph: number;
	/** Share of abstentions where many rows say what answers, and where many say what does not. */
	readonly multiplied: number;
	readonly multiplied_useless: number;
	/** Share of abstentions from examples of what a graph answers, and from everyday questions. */
	readonly examples: number;
	readonly everyday: number;
	/** Share of abstentions from questions on a graph's subject: those in other words than its own, and those it does not answer. */
	readonly in_other_words: number;
	readonly of_its_subject: number;
}

/** Fits the weights of the decision by cross-validation over the queries that were seen; the fresh ones are for reporting. */
export async function calibrate(
	model: ModelLocation,
	others: { readonly judge: ModelLocation; readonly imports?: string },
): Promise<Record<DecisionMode, Calibration>> {
	const cases = await readJudgedCases(SEEN_SPLITS, await loadLabelledSet(), model, others);
	const of = (mode: DecisionMode) =>
		calibrateMode(
			cases.flatMap((one) => {
				const own = one.signs[mode];
				return own ? [{ ...one, own }] : [];
			}),
		);
	return { read: of("read"), hybrid: of("hybrid"), keyword: of("keyword") };
}

/** A case with its signs in the mode that is fitted. */
type ModeCase = JudgedCase & { readonly own: AnswerSigns };

function calibrateMode(cases: readonly ModeCase[]): Calibration {
	const fit = fitOf(cases);
	const strengths = predictUnseen(cases);
	const judged = cases.map((one, at) => ({ one, strength: strengths[at] ?? 0 }));
	const labelled = judged.filter(({ one }) => one.variant === "labelled");
	const weights = WEIGHED_SIGNS.map((sign, at) => [sign, round(fit.weights[at] ?? 0, 2)] as const);
	const limits = LIMITS.map((limit) => {
		const at = { clarify: limit, ...HIGHER_LIMITS };
		const says = ({ one, strength }: Judged) => decisionAt(strength, one.own, at) === "ABSTAIN";
		return { limit, cost: costOf(judged, says), ...detect(labelled, says) };
	});
	const [best = { limit: HIGHER_LIMITS.partial }] = limits.toSorted(
		(a, b) => a.cost - b.cost || a.limit - b.limit,
	);
	return {
		model: {
			bias: round(fit.bias, 2),
			weights: Object.fromEntries(weights) as DecisionModel["weights"],
			limits: { clarify: best.limit, ...HIGHER_LIMITS },
		},
		unseen: qualityOf(labelled),
		limits: Object.fromEntries(
			limits.map(({ limit, cost, precision, recall }) => [limit, `${cost} ${precision} ${recall}`]),
		),
		shipped: qualityOfShipped(cases),
	};
}

/** What wrong abstentions and wrong answers count together; who asks back is neither. */
function costOf(judged: readonly Judged[], says: (judged: Judged) => boolean): number {
	let cost = 0;
	for (const each of judged) {
		const { decision, variant } = each.one;
		if (decision === "CLARIFY" || says(each) === (decision === "ABSTAIN")) continue;
		cost += WEIGHTS[variant] * (decision === "ABSTAIN" ? 1 : FALSE_ABSTENTION);
	}
	return round(cost, 1);
}

function toExample({ own, decision, variant }: ModeCase): Example {
	const weighed = toWeighedSigns(own);
	const features = WEIGHED_SIGNS.map((sign) => weighed[sign]);
	return { features, target: TARGETS[decision], weight: WEIGHTS[variant] };
}

function fitOf(cases: readonly ModeCase[]): LogisticFit {
	// Names are answered whatever the signs say.
	const examples = cases.filter(({ own }) => own.subjectWords > 0);
	return fitLogistic(
		examples.map((one) => toExample(one)),
		{ signs: DIRECTIONS, ridge: RIDGE },
	);
}

/** Every case by fits that saw no variant of its query, averaged over several ways to cut the queries into folds. */
function predictUnseen(cases: readonly ModeCase[]): readonly number[] {
	const ids = [...new Set(cases.map(({ id }) => id))];
	const sums = cases.map(() => 0);
	for (const [turn, step] of STEPS.entries()) {
		// The second term puts other queries into one fold each time; the step alone would only rename the folds.
		const foldOf = new Map(
			ids.map((id, at) => [id, (at * step + Math.floor(at / FOLDS) * turn) % FOLDS]),
		);
		for (let fold = 0; fold < FOLDS; fold++) {
			const isOut = ({ id }: JudgedCase) => foldOf.get(id) === fold;
			const fit = fitOf(cases.filter((one) => !isOut(one)));
			cases.forEach((one, at) => {
				if (!isOut(one)) return;
				const { isNamed } = one.own;
				const strength = isNamed ? 1 : probabilityOf(fit, toExample(one).features);
				sums[at] = (sums[at] ?? 0) + strength / STEPS.length;
			});
		}
	}
	return sums;
}

interface Judged {
	readonly one: ModeCase;
	readonly strength: number;
}

function detect(judged: readonly Judged[], says: (judged: Judged) => boolean): Detection {
	return detection(
		judged.map((each) => ({ said: says(each), meant: each.one.decision === "ABSTAIN" })),
	);
}

function qualityOf(judged: readonly Judged[]): Quality {
	const outcomes = judged
		.filter(({ one }) => one.decision !== "CLARIFY")
		.map(({ one, strength }) => ({ strength, target: TARGETS[one.decision] }));
	const errors = outcomes.map(({ strength, target }) => (strength - target) ** 2);
	return {
		auc: round(areaUnderCurve(outcomes), DIGITS),
		brier: round(errors.reduce((sum, error) => sum + error, 0) / errors.length, DIGITS),
		ece: round(calibrationError(outcomes), DIGITS),
	};
}

function qualityOfShipped(cases: readonly ModeCase[]): ShippedQuality {
	const judged = cases.map((one) => ({ one, strength: strengthOf(one.own) }));
	const of = (variant: Variant) => judged.filter(({ one }) => one.variant === variant);
	const abstains = ({ one }: Judged) => decide(one.own) === "ABSTAIN";
	const share = (some: readonly Judged[]) =>
		round(some.filter(abstains).length / some.length, DIGITS);
	const [labelled, asked, many] = [of("labelled"), of("asked-of-graph"), of("multiplied")];
	const decisions: Record<string, Record<string, number>> = {};
	for (const { one } of labelled) {
		const said = decide(one.own);
		const key = `${one.kind} ${one.decision}`;
		const counts = decisions[key] ?? {};
		decisions[key] = { ...counts, [said]: (counts[said] ?? 0) + 1 };
	}
	return {
		...qualityOf(labelled),
		abstention: detect(labelled, abstains),
		lower_case: detect(of("lower-case"), abstains),
		decisions,
		first_row: firstRows(labelled),
		withdrawn: share(of("withdrawn")),
		multiplied: share(many.filter(({ one }) => one.decision === "ANSWER")),
		multiplied_useless: share(many.filter(({ one }) => one.decision === "ABSTAIN")),
		examples: share(of("example")),
		everyday: share(of("everyday")),
		in_other_words: share(asked.filter(({ one }) => one.decision === "ANSWER")),
		of_its_subject: share(asked.filter(({ one }) => one.decision === "ABSTAIN")),
		other_graph: share(of("one-graph").filter(({ one }) => one.decision === "ABSTAIN")),
	};
}

const FIRST_ROW_LIMITS = [0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01];

function firstRows(judged: readonly Judged[]): Record<string, string> {
	const ranges = FIRST_ROW_LIMITS.slice(1).map((high, at) => {
		const low = FIRST_ROW_LIMITS[at] ?? 0;
		const within = judged.filter(({ strength }) => strength >= low && strength < high);
		const good = within.filter(({ one }) => one.firstGrade >= 2).length;
		return [`from ${low}`, `${good} of ${within.length}`] as const;
	});
	return Object.fromEntries(ranges);
}
