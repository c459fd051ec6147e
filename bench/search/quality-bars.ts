import { round } from "../figures.js";
import { atLeast, type Bar } from "./bars.js";
import type { QualityReport, SystemQuality } from "./quality.js";

type Measure = "ndcg_at_10" | "recall_at_5";

/** Goals of whatever texts are searched. */
const DEVELOPMENT = { dense: 0.56, fused: 0.57 } as const;
const ABSTENTION = { precision: 0.9, recall: 0.8 } as const;
const MULTI_HOP_GAIN = 0.1;
const SINGLE_HOP_LOSS_MAX = 0.005;
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
	return (["dense", "fused"] as const).map((name) =>
		atLeast(`${asked}: ${name} nDCG@10`, systemOf(report, name).ndcg_at_10.mean, DEVELOPMENT[name]),
	);
}

/** On the labelled half that nothing was tuned on: identifiers, the graph and the decision. */
export function labelledBars(set: string, report: QualityReport): readonly Bar[] {
	const [fused, linked] = [systemOf(report, "fused"), systemOf(report, "fused_graph")];
	const gain = (kind: string, measure: Measure) =>
		round(kindOf(linked, kind)[measure] - kindOf(fused, kind)[measure], DIGITS);
	const byName = kindOf(systemOf(report, "sold"), "identifier");
	const { precision = Number.NaN, recall = Number.NaN } = report.abstention ?? {};
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
		atLeast(`${set}: precision of abstentions`, precision, ABSTENTION.precision),
		atLeast(`${set}: recall of abstentions`, recall, ABSTENTION.recall),
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
