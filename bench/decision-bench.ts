/** Who pays for a search of an import: questions it answers and questions it does not, by authors who did not know the engine. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isAnswered } from "../src/contract/wire.js";
import { systemClock } from "../src/kernel/clock.js";
import { importFolder } from "../src/knowledge/import/import-folder.js";
import { createPairJudge, type PairJudge } from "../src/search/judge/pair-judge.js";
import type { ModelLocation } from "../src/search/model/model-folder.js";
import type { SearchOutcome } from "../src/search/ranking/search-outcome.js";
import { round } from "./figures.js";
import {
	DECISION_QUESTIONS,
	type DecisionQuestion,
	readDecisionQuestions,
} from "./labelled/decision-questions.js";
import { atLeast, atMost, type Bar } from "./search/bars.js";
import { BUNDLED, BUNDLED_JUDGE, createOurIndex } from "./search/our-index.js";
import { documentId, type Question } from "./search/question-set.js";

const ROWS = 10;

export interface DecisionFigures {
	readonly documents: number;
	readonly questions: number;
	/** Shares of the answerable questions. */
	readonly charged_of_answerable: number;
	/** Of those, where one of the first ten rows is the document that answers. */
	readonly found_in_first_ten: number;
	/** Shares of the unanswerable questions: all, and by how near they come. */
	readonly charged_of_unanswerable: number;
	readonly by_distance: Readonly<Record<string, number>>;
	readonly decisions: Readonly<Record<"answerable" | "unanswerable", Record<string, number>>>;
}

export interface DecisionReport {
	readonly sets: Readonly<Record<string, DecisionFigures>>;
	readonly bars: readonly Bar[];
}

/** `imports` holds a folder of documents for each set, by the set's name; sets without one are left out. */
export async function benchDecision(
	imports: string | undefined,
	model: ModelLocation = BUNDLED,
	judgeModel: ModelLocation = BUNDLED_JUDGE,
): Promise<DecisionReport> {
	if (imports === undefined) throw new Error("Name the folder of imports: --imports <folder>.");
	const judge = await createPairJudge(systemClock, judgeModel);
	const sets: Record<string, DecisionFigures> = {};
	for (const file of readdirSync(DECISION_QUESTIONS).filter((name) => name.endsWith(".jsonl"))) {
		const name = file.replace(".jsonl", "");
		const source = join(imports, name);
		if (!existsSync(source)) process.stderr.write(`  no folder ${source}: left out\n`);
		else sets[name] = await measure(name, { source, model, judge });
	}
	await judge.close();
	const all = Object.values(sets);
	const bars = [
		atMost("charged of unanswerable", mean(all.map((set) => set.charged_of_unanswerable)), 0.08),
		atLeast("charged of answerable", mean(all.map((set) => set.charged_of_answerable)), 0.93),
	];
	return { sets, bars };
}

async function measure(
	name: string,
	{
		source,
		model,
		judge,
	}: { readonly source: string; readonly model: ModelLocation; readonly judge: PairJudge },
): Promise<DecisionFigures> {
	const { graph } = await importFolder({ source, as: name });
	const labelled = readDecisionQuestions(join(DECISION_QUESTIONS, `${name}.jsonl`));
	const questions = labelled.map(({ id, question, answerable }): Question => {
		return {
			id,
			kind: "labelled",
			query: question,
			graphs: [graph],
			grades: new Map(),
			isAnswerable: answerable,
		};
	});
	const index = await createOurIndex({ name, graphs: [graph], questions }, model, judge);
	const pathOf = new Map(graph.concepts.map((one) => [documentId(graph, one), one.path]));
	const found: Asked[] = [];
	for (const [at, question] of labelled.entries()) {
		const outcome = await index.find(questions[at] as Question);
		const isCharged = isAnswered(outcome.decision) && outcome.rows.length > 0;
		found.push({ question, outcome, isCharged });
	}
	const answerable = found.filter(({ question }) => question.answerable);
	const unanswerable = found.filter(({ question }) => !question.answerable);
	const isFound = ({ question, outcome }: Asked) =>
		question.answerable &&
		outcome.rows
			.slice(0, ROWS)
			.some((row) => isSameFile(pathOf.get(row.trendId) ?? "", question.file));
	return {
		documents: graph.concepts.length,
		questions: found.length,
		charged_of_answerable: share(answerable, ({ isCharged }) => isCharged),
		found_in_first_ten: share(
			answerable.filter(({ isCharged }) => isCharged),
			isFound,
		),
		charged_of_unanswerable: share(unanswerable, ({ isCharged }) => isCharged),
		by_distance: Object.fromEntries(
			["far", "field", "close"].map((distance) => [
				distance,
				share(
					unanswerable.filter(({ question }) => distanceOf(question) === distance),
					({ isCharged }) => isCharged,
				),
			]),
		),
		decisions: {
			answerable: count(answerable.map(({ outcome }) => outcome)),
			unanswerable: count(unanswerable.map(({ outcome }) => outcome)),
		},
	};
}

interface Asked {
	readonly question: DecisionQuestion;
	readonly outcome: Pick<SearchOutcome, "decision" | "rows">;
	readonly isCharged: boolean;
}

function distanceOf(question: DecisionQuestion): string | undefined {
	return question.answerable ? undefined : question.distance;
}

/** An import may put a document elsewhere; its name stays. */
function isSameFile(path: string, file: string): boolean {
	const stem = (text: string) => text.toLowerCase().replace(/\.mdx?$/, "");
	return stem(path).endsWith(stem(file)) || stem(file).endsWith(stem(path));
}

function share<T>(items: readonly T[], isCounted: (item: T) => boolean): number {
	return items.length === 0 ? 0 : round(items.filter(isCounted).length / items.length);
}

function count(outcomes: readonly Pick<SearchOutcome, "decision">[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { decision } of outcomes) counts[decision] = (counts[decision] ?? 0) + 1;
	return counts;
}

function mean(values: readonly number[]): number {
	return values.length === 0
		? 0
		: round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
