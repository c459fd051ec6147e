/** Questions whose answer stands one or two edges behind what they name, over the whole sample catalog, by authors of none of its graphs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { round } from "../figures.js";
import { loadSampleCatalog } from "../labelled/first-catalog.js";
import { recallAt } from "./metrics.js";
import { createOurIndex } from "./our-index.js";
import { documentId, type Question } from "./question-set.js";

/**
 * `multi-hop` describes both ends; bridge questions name the start alone, and what is asked for only by its relation to it. `bridges` is
 * held out; weights may be fitted to the others.
 */
export const MULTI_HOP_SETS = ["multi-hop", "bridges-dev", "bridges-fit", "bridges"] as const;
export type MultiHopSet = (typeof MULTI_HOP_SETS)[number];

const CUTOFF = 5;

const rowSchema = z.strictObject({
	id: z.string().regex(/^mh[2-9]-\d{3}$/),
	graph: z.string(),
	question: z.string(),
	/** As the relations of a file have them. */
	hops: z
		.array(z.strictObject({ from: z.string(), type: z.string(), to: z.string() }))
		.min(1)
		.max(2),
	/** By concept id: 3 holds what is asked for, 2 is what the question names or a bridge. */
	relevant: z.record(z.string(), z.union([z.literal(2), z.literal(3)])),
});
type MultiHopRow = z.infer<typeof rowSchema>;

export interface MultiHopReport {
	readonly set: MultiHopSet;
	readonly questions: number;
	/** Of all concepts of the chain, and of the one that holds what is asked for. */
	readonly recall_at_5: Readonly<Record<string, { readonly all: number; readonly asked: number }>>;
	/** In points of all: links against words and vectors together, words alone and vectors alone; how many questions gain and lose. */
	readonly gain_points: number;
	readonly over_words_points: number;
	readonly over_vectors_points: number;
	readonly gains: number;
	readonly losses: number;
}

export function readMultiHopRows(set: MultiHopSet): readonly MultiHopRow[] {
	const file = join(PACKAGE_ROOT, "bench", "labelled", `${set}.jsonl`);
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	return lines.map((line) => rowSchema.parse(JSON.parse(line)));
}

/** Each question is asked of the whole catalog. */
export async function measureMultiHop(
	model: ModelLocation,
	set: MultiHopSet,
): Promise<MultiHopReport> {
	const graphs = await loadSampleCatalog();
	const questions = readMultiHopRows(set).map((row): Question => {
		const graph = graphs.find(({ record }) => record.id === row.graph);
		const gradeOf = (id: string) => {
			const concept = graph?.concepts.find((one) => one.id === id);
			if (!graph || !concept) throw new Error(`${row.id} names no concept: ${row.graph}:${id}`);
			return documentId(graph, concept);
		};
		const grades = new Map(
			Object.entries(row.relevant).map(([id, grade]) => [gradeOf(id), grade] as const),
		);
		const asked = { id: row.id, kind: `${row.hops.length} edges`, query: row.question };
		return { ...asked, graphs, grades, isAnswerable: true };
	});
	const ours = await createOurIndex({ name: "multi-hop", graphs, questions }, model);
	const { lexical, dense, fused, linked } = ours;
	const systems = { words: lexical, vectors: dense, both: fused, with_links: linked };
	const recall = ({ grades }: Question, ranked: readonly string[], least: number) =>
		recallAt(CUTOFF, ranked, new Map([...grades].filter(([, grade]) => grade >= least)));
	const meanOf = (rank: (question: Question) => readonly string[], least: number) =>
		questions.reduce((sum, one) => sum + recall(one, rank(one), least), 0) / questions.length;
	const means = Object.entries(systems).map(([name, rank]) => [
		name,
		{ all: round(meanOf(rank, 2), 3), asked: round(meanOf(rank, 3), 3) },
	]);
	const over = (rank: (question: Question) => readonly string[]) =>
		round(100 * (meanOf(linked, 2) - meanOf(rank, 2)), 1);
	const differences = questions.map(
		(one) => recall(one, linked(one), 2) - recall(one, fused(one), 2),
	);
	return {
		set,
		questions: questions.length,
		recall_at_5: Object.fromEntries(means),
		gain_points: over(fused),
		over_words_points: over(lexical),
		over_vectors_points: over(dense),
		gains: differences.filter((one) => one > 0).length,
		losses: differences.filter((one) => one < 0).length,
	};
}
