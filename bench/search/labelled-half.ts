import { loadLabelledSet, SEEN_SPLITS, type Split } from "../labelled/labelled-queries.js";
import type { QuestionSet } from "./question-set.js";

/** A part of the labelled questions over the sample catalog. What should be found in part counts as answerable. */
export async function readLabelledHalf(half: Split): Promise<QuestionSet> {
	const { graphs, queries } = await loadLabelledSet();
	const byId = new Map(graphs.map((graph) => [graph.record.id, graph]));
	const questions = queries
		.filter(({ split }) => split === half)
		.map(({ id, kind, trap, query, graphs: ids, relevant, decision }) => ({
			id,
			kind,
			query,
			graphs: ids ? ids.flatMap((graphId) => byId.get(graphId) ?? []) : graphs,
			grades: new Map(Object.entries(relevant)),
			isAnswerable: decision !== "ABSTAIN",
			...(trap && { trap }),
		}));
	const name = SEEN_SPLITS.includes(half) ? `labelled-seen-${half}` : `labelled-${half}`;
	return { name, graphs, questions };
}
