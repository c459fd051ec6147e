import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { documentId, type QuestionSet } from "./question-set.js";
import { graphOfTexts } from "./text-graph.js";

const FOLDER = join(PACKAGE_ROOT, "..", "shared", "data", "dev");

interface DevelopmentQuery {
	readonly id: string;
	readonly s: string;
	readonly q: string;
	readonly rel: readonly string[];
}

/**
 * The retrieval development set, every n-th question so that about `questionsMax` are left; undefined where it is not at
 * hand: it lies beside the repository, not in it.
 */
export function readDevelopmentSet(questionsMax: number): QuestionSet | undefined {
	if (!existsSync(FOLDER)) return undefined;
	const passages = readLines<{ id: string; text: string }>("dev-docs.jsonl.gz");
	const graph = graphOfTexts(
		"development",
		passages.map(({ id, text }) => ({ id, title: "", body: text })),
	);
	const documents = new Map(
		graph.concepts.map((concept) => [concept.id, documentId(graph, concept)]),
	);
	const queries = readLines<DevelopmentQuery>("dev-queries.jsonl.gz");
	const step = Math.max(1, Math.round(queries.length / questionsMax));
	const questions = queries
		.filter((_, position) => position % step === 0)
		.map(({ id, s, q, rel }) => ({
			id,
			kind: s,
			query: q,
			graphs: [graph],
			grades: new Map(rel.map((passage) => [documents.get(passage) ?? passage, 1])),
			isAnswerable: undefined,
		}));
	return { name: "development", graphs: [graph], questions };
}

function readLines<T>(name: string): T[] {
	const text = gunzipSync(readFileSync(join(FOLDER, name))).toString("utf8");
	return text
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as T);
}
