/**
 * Hand-written questions over the sample catalog, with what answers each: the yardstick of retrieval and of abstention.
 * Judged from a reading of every concept, then completed once from the pooled first rows of both sides; a concept that only
 * cites a bare identifier counts as background. Labels change when they are wrong, never because a ranking misses them.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { DECISIONS } from "../../src/contract/wire.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { loadFirstCatalog } from "./first-catalog.js";

export const QUERY_KINDS = [
	"single-hop",
	"multi-hop",
	"identifier",
	"paraphrase",
	"keywords",
	"misspelt",
	"unanswerable",
] as const;
export type QueryKind = (typeof QUERY_KINDS)[number];

/**
 * Two halves of the first set, where questions with one answer in common are in the same half: the first was always tuned
 * on, the other was looked at too often to be called unseen. `fresh` was written and committed before anything was measured
 * on it, and is reported only.
 */
export const SPLITS = ["tune", "test", "fresh"] as const;
export type Split = (typeof SPLITS)[number];
/** What may be fitted to. */
export const SEEN_SPLITS: readonly Split[] = ["tune", "test"];

/** 3 answers the query, 2 is a part of the answer, 1 is useful background. What is not listed is irrelevant. */
const gradeSchema = z.union([z.literal(1), z.literal(2), z.literal(3)]);

/** Why somebody may think that an unanswerable query has an answer. */
export const TRAPS = [
	"near-miss",
	"attribute",
	"neighbouring-field",
	"off-topic",
	"invented-identifier",
	"future",
	"other-graph",
] as const;

const labelledQuerySchema = z.strictObject({
	id: z.string().regex(/^(sh|mh|id|pa|kw|ty|un)-\d{3}$/),
	kind: z.enum(QUERY_KINDS),
	split: z.enum(SPLITS),
	/** Ids of the graphs to search; null for the whole catalog. */
	graphs: z.array(z.string()).min(1).nullable(),
	query: z.string().min(1),
	/** By reference, `graph:concept`, the best first. */
	relevant: z.record(z.string(), gradeSchema),
	/** What an honest librarian would say. */
	decision: z.enum(DECISIONS),
	/** Given for every unanswerable query of `fresh`. */
	trap: z.enum(TRAPS).optional(),
	note: z.string().min(1),
});

export type LabelledQuery = z.infer<typeof labelledQuerySchema>;

export interface LabelledSet {
	/** The shipped sample catalog. */
	readonly graphs: readonly Graph[];
	readonly queries: readonly LabelledQuery[];
}

const FOLDER = join(PACKAGE_ROOT, "bench", "labelled");
const QUERIES_FILES = [join(FOLDER, "queries.jsonl"), join(FOLDER, "fresh-queries.jsonl")];

/** The queries with the catalog they are about. Throws when a line is malformed or names what the catalog lacks. */
export async function loadLabelledSet(): Promise<LabelledSet> {
	const graphs = await loadFirstCatalog();
	return { graphs, queries: readLabelledQueries(graphs) };
}

/** How judgments name a concept. */
export function referenceTo(graphId: string, conceptId: string): string {
	return `${graphId}:${conceptId}`;
}

function readLabelledQueries(graphs: readonly Graph[]): LabelledQuery[] {
	const lines = QUERIES_FILES.flatMap((file) => readFileSync(file, "utf8").trimEnd().split("\n"));
	const queries = lines.map((line) => labelledQuerySchema.parse(JSON.parse(line)));
	const known = new Set(
		graphs.flatMap(({ record, concepts }) => concepts.map(({ id }) => referenceTo(record.id, id))),
	);
	const graphIds = new Set(graphs.map(({ record }) => record.id));
	const seen = new Set<string>();
	for (const query of queries) {
		assertThat(!seen.has(query.id), query, "repeats an id");
		seen.add(query.id);
		for (const id of query.graphs ?? [])
			assertThat(graphIds.has(id), query, `names no graph: ${id}`);
		for (const reference of Object.keys(query.relevant)) {
			const graphId = reference.slice(0, reference.indexOf(":"));
			const isInScope = query.graphs === null || query.graphs.includes(graphId);
			assertThat(known.has(reference), query, `names no concept: ${reference}`);
			assertThat(isInScope, query, `judges a concept outside its graphs: ${reference}`);
		}
	}
	return queries;
}

function assertThat(condition: boolean, { id }: LabelledQuery, complaint: string): void {
	if (!condition) throw new Error(`Labelled query ${id} ${complaint}.`);
}
