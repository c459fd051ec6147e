import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isAnswered } from "../../src/contract/wire.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { foreignLanguageOf } from "../../src/search/lexical/query-language.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { round } from "../figures.js";
import { loadFirstCatalog } from "../labelled/first-catalog.js";
import { createOurIndex } from "./our-index.js";
import { documentId, type Question } from "./question-set.js";

const FILE = join(PACKAGE_ROOT, "bench", "labelled", "languages.jsonl");
const FIRST = 10;

const rowSchema = z.strictObject({
	id: z.string(),
	language: z.enum(["de", "fr", "es", "zh"]),
	question: z.string(),
	graph: z.string(),
	/** Path of the concept that answers, below its graph. */
	concept: z.string(),
	english: z.string(),
});

/** Shares of the questions of one language. */
interface LanguageFigures {
	readonly questions: number;
	/** The concept that answers is among the first ten rows, by words, by vectors and by both. */
	readonly by_words: number;
	readonly by_vectors: number;
	readonly by_both: number;
	readonly recognized: number;
	readonly charged: number;
}

/** The same questions over the sample catalog in English and in four other languages. */
export async function measureLanguages(
	model: ModelLocation,
): Promise<Readonly<Record<string, LanguageFigures>>> {
	const graphs = await loadFirstCatalog();
	const lines = readFileSync(FILE, "utf8").trimEnd().split("\n");
	const questions = lines.flatMap((line): Question[] => {
		const row = rowSchema.parse(JSON.parse(line));
		const graph = graphs.find(({ record }) => record.id === row.graph);
		const concept = graph?.concepts.find(({ path }) => path === `${row.concept}.md`);
		if (!graph || !concept) throw new Error(`${row.id} names no concept of the catalog.`);
		const grades = new Map([[documentId(graph, concept), 3 as const]]);
		const common = { graphs, grades, isAnswerable: true };
		const asked = { ...common, id: row.id, kind: row.language, query: row.question };
		if (row.language !== "de") return [asked];
		return [asked, { ...common, id: `en ${row.id}`, kind: "en", query: row.english }];
	});
	const ours = await createOurIndex({ name: "languages", graphs, questions }, model);
	const report: Record<string, LanguageFigures> = {};
	for (const language of ["en", "de", "fr", "es", "zh"]) {
		const own = questions.filter(({ kind }) => kind === language);
		const found = (rank: (question: Question) => readonly string[]) =>
			share(own, (question) =>
				rank(question)
					.slice(0, FIRST)
					.some((id) => question.grades.has(id)),
			);
		const decisions = await Promise.all(own.map((question) => ours.find(question)));
		report[language] = {
			questions: own.length,
			by_words: found(ours.lexical),
			by_vectors: found(ours.dense),
			by_both: found(ours.fused),
			recognized: share(own, ({ query }) => (foreignLanguageOf(query) ?? "en") === language),
			charged: share(decisions, ({ decision }) => isAnswered(decision)),
		};
	}
	return report;
}

function share<T>(all: readonly T[], isCounted: (one: T) => boolean): number {
	return round(all.filter(isCounted).length / all.length);
}
