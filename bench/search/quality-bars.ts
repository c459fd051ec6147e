import { round } from "../figures.js";
import { atLeast, type Bar } from "./bars.js";
import type { QualityReport, SystemQuality } from "./quality.js";

type Measure = "ndcg_at_10" | "recall_at_5";

/** Goals of whatever texts are searched. */
const DEVELOPMENT = { dense: 0.62, fused: 0.64 } as const;
/** Of the relevant rows among the first fifty, those that reading puts among the first ten. */
const KEPT = 0.8;
const ABSTENTION = { precision: 0.9, recall: 0.8 } as const;
const MULTI_HOP_GAIN = 0.1;
const SINGLE_HOP_LOSS_MAX = 0.005;
/** What false abstentions and rows left out may cost. */
const SOLD_LOSS_MAX = 0.02;
const DIGITS = 4;

/** On every set: both sides together are never worse than words alone. */
export function fusionBars(set: string, report: QualityReport): readonly Bar[] {
	const [fused, bm25] = [systemOf(report, "fused"), systemOf(report, "bm25")];
	return [
		atLeast(`${set}: fused nDCG@10 beside BM25's`, fused.ndcg_at_10.mean, bm25.ndcg_at_10.mean),
	];
}

/** On texts that nothing was tuned for: how good the model is. */
export function developmentBars(set: string, report: QualityReport): readonly Bar[] {
	const asked = `${set} (${report.answerable} questions)`;
	const kept = systemOf(report, "read").kept_in_10_of_50;
	return [
		...(["dense", "fused"] as const).map((name) =>
			atLeast(
				`${asked}: ${name} nDCG@10`,
				systemOf(report, name).ndcg_at_10.mean,
				DEVELOPMENT[name],
			),
		),
		atLeast(`${asked}: relevant of the first 50 that reading puts into the first 10`, kept, KEPT),
	];
}

/** On labelled questions that the ranking was not tuned on: identifiers and the graph. */
export function labelledBars(set: string, report: QualityReport): readonly Bar[] {
	const [fused, linked] = [systemOf(report, "fused"), systemOf(report, "fused_graph")];
	const gain = (kind: string, measure: Measure) =>
		round(kindOf(linked, kind)[measure] - kindOf(fused, kind)[measure], DIGITS);
	const byName = kindOf(systemOf(report, "sold"), "identifier");
	return [
		atLeast(
			`${set}: share of ${byName.questions} identifiers whose concept is sold first`,
			byName.best_first,
			1,
		),
		atLeast(
			`${set}: what the graph adds to recall@5 of multi-hop questions`,
			gain("multi-hop", "recall_at_5"),
			MULTI_HOP_GAIN,
		),
		...(["recall_at_5", "ndcg_at_10"] as const).map((measure) =>
			atLeast(
				`${set}: what the graph adds to ${measure} of single-hop questions`,
				gain("single-hop", measure),
				-SINGLE_HOP_LOSS_MAX,
			),
		),
	];
}

/** On labelled questions that nothing was tuned on: the decision, and what it costs. */
export function decisionBars(set: string, report: QualityReport): readonly Bar[] {
	const [linked, sold] = [systemOf(report, "fused_graph"), systemOf(report, "sold")];
	const { precision, recall } = report.abstention ?? {};
	return [
		atLeast(
			`${set}: precision of abstentions`,
			precision?.mean ?? Number.NaN,
			ABSTENTION.precision,
		),
		atLeast(`${set}: recall of abstentions`, recall?.mean ?? Number.NaN, ABSTENTION.recall),
		atLeast(
			`${set}: nDCG@10 of what is sold beside the ranking's`,
			round(sold.ndcg_at_10.mean - linked.ndcg_at_10.mean, DIGITS),
			-SOLD_LOSS_MAX,
		),
	];
}

function systemOf({ systems }: QualityReport, name: string): SystemQuality {
	const system = systems[name];
	if (!system) throw new RangeError(`No system "${name}" was measured.`);
	return system;
}

function kindOf({ by_kind }: SystemQuality, kind: string) {
	const found = by_kind?.[kind];
	if (!found) throw new RangeError(`No question of kind "${kind}" was asked.`);
	return found;
}
