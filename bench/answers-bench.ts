/** What answers hold of the facts that their questions need, and which questions without an answer are charged (bench/labelled/answers). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
	type ComposedAnswer,
	composeAnswer,
	passagesOf,
} from "../skills/answers/engine/answer-engine.js";
import { ANSWER_LIMITS } from "../src/contract/limits.js";
import type { CitedSentence } from "../src/evidence/cited-sentences.js";
import { systemClock } from "../src/kernel/clock.js";
import { importFolder } from "../src/knowledge/import/import-folder.js";
import type { Graph } from "../src/knowledge/model/graph.js";
import { createSearchEngine, type SearchEngine } from "../src/search/search-engine.js";
import { round } from "./figures.js";
import { JUDGE_FOLDER } from "./judge-weights.js";
import {
	ANSWER_AUTHORS,
	type AnswerQuestion,
	loadAnswerQuestions,
} from "./labelled/answer-questions.js";
import { loadFirstCatalog } from "./labelled/first-catalog.js";
import { countRepeated, holdsPlace } from "./products/held-facts.js";
import { atLeast, atMost, type Bar } from "./search/bars.js";
import { BUNDLED } from "./search/our-index.js";

/** Tokens that the passages of an answer may take, as products of different prices give them. */
const BUDGETS = [ANSWER_LIMITS.tokens, 1_500, 4_000] as const;

export interface AnswerFigures {
	readonly answerable: number;
	readonly unanswerable: number;
	/** Shares. */
	readonly charged_of_answerable: number;
	readonly charged_of_unanswerable: number;
	/** By tokens allowed: mean share of a question's vital facts that its answer holds, refused ones counting none. */
	readonly recall: Readonly<Record<string, number>>;
	/** Of the answers of the first budget: passages that hold a fact, passages like another one, tokens printed for a vital fact. */
	readonly relevant: number;
	readonly repeated: number;
	readonly tokens_per_fact: number;
	/** Comparisons that are charged and get a table. */
	readonly tables: number;
}

export interface AnswersReport {
	readonly open: Readonly<Record<string, AnswerFigures>>;
	/** Totals only: no one looks at single answers. */
	readonly held: Readonly<Record<string, AnswerFigures>>;
	readonly bars: readonly Bar[];
}

interface Asked {
	readonly question: AnswerQuestion;
	readonly answers: ReadonlyMap<number, ComposedAnswer>;
}

/** `imports` holds a folder of documents for each corpus that is no catalog, by its name; those that are missing are left out. */
export async function benchAnswers(
	folder: string,
	{
		imports,
		judge = JUDGE_FOLDER,
	}: { readonly imports?: string | undefined; readonly judge?: string | undefined },
): Promise<AnswersReport> {
	const search = await createSearchEngine({
		folder,
		clock: systemClock,
		model: BUNDLED,
		judge: { folder: judge, sums: "if-there" },
	});
	const corpora = await loadCorpora(imports);
	try {
		await search.sync([...corpora.values()].flat());
		const open = await measureAuthors(search, corpora, ANSWER_AUTHORS.open);
		const held = await measureAuthors(search, corpora, ANSWER_AUTHORS.held);
		return { open, held, bars: toBars(held["all"]) };
	} finally {
		await search.close();
	}
}

async function loadCorpora(imports: string | undefined) {
	const imported = await loadImports(imports);
	return new Map<string, readonly Graph[]>([
		["catalog", await loadFirstCatalog()],
		...imported.map((graph) => [graph.record.id, [graph]] as const),
	]);
}

/** A graph of each corpus that is no catalog; those whose folder is missing are left out. */
export async function loadImports(imports: string | undefined): Promise<readonly Graph[]> {
	const graphs: Graph[] = [];
	for (const name of ["rfcs", "keps", "digitalgov"]) {
		const source = imports && join(imports, name);
		if (source && existsSync(source)) {
			graphs.push((await importFolder({ source, as: name })).graph);
		} else process.stderr.write(`  no folder of imports for ${name}: left out\n`);
	}
	return graphs;
}

async function measureAuthors(
	search: SearchEngine,
	corpora: ReadonlyMap<string, readonly Graph[]>,
	authors: readonly number[],
): Promise<Record<string, AnswerFigures>> {
	const asked: Asked[] = [];
	for (const question of authors.flatMap(loadAnswerQuestions)) {
		const graphs = corpora.get(question.corpus);
		if (graphs) asked.push({ question, answers: await answerAll(search, question, graphs) });
	}
	const names = [...new Set(asked.map(({ question }) => question.corpus))];
	return Object.fromEntries([
		["all", toFigures(asked)],
		...names.map((name) => [
			name,
			toFigures(asked.filter(({ question }) => question.corpus === name)),
		]),
	]);
}

async function answerAll(
	search: SearchEngine,
	{ question }: AnswerQuestion,
	graphs: readonly Graph[],
): Promise<ReadonlyMap<number, ComposedAnswer>> {
	const { signal } = new AbortController();
	const conceptsMax = ANSWER_LIMITS.partConcepts;
	const answers = new Map<number, ComposedAnswer>();
	for (const tokens of BUDGETS) {
		answers.set(
			tokens,
			await composeAnswer(search, { question, graphs, tokens, conceptsMax, signal }),
		);
	}
	return answers;
}

function toFigures(asked: readonly Asked[]): AnswerFigures {
	const answerable = asked.filter(({ question }) => question.answerable);
	const unanswerable = asked.filter(({ question }) => !question.answerable);
	const charged = answerable.filter((one) => printedOf(one).length > 0);
	const printed = charged.flatMap((one) => printedOf(one).map((passage) => ({ one, passage })));
	const facts = charged.reduce(
		(sum, one) => sum + factsHeld(one, BUDGETS[0]).filter(Boolean).length,
		0,
	);
	const comparisons = charged.filter(({ question }) => question.kind === "comparison");
	return {
		answerable: answerable.length,
		unanswerable: unanswerable.length,
		charged_of_answerable: share(charged.length, answerable.length),
		charged_of_unanswerable: share(
			unanswerable.filter((one) => printedOf(one).length > 0).length,
			unanswerable.length,
		),
		recall: Object.fromEntries(
			BUDGETS.map((tokens) => {
				const shares = answerable.map((one) => {
					const held = factsHeld(one, tokens);
					return held.length === 0 ? 0 : held.filter(Boolean).length / held.length;
				});
				return [
					tokens,
					share(
						shares.reduce((sum, one) => sum + one, 0),
						shares.length,
					),
				];
			}),
		),
		relevant: share(
			printed.filter(({ one, passage }) => holdsSome(one.question, passage)).length,
			printed.length,
		),
		repeated: share(
			charged.reduce((sum, one) => sum + countRepeated(printedOf(one).map(textOf)), 0),
			printed.length,
		),
		tokens_per_fact: Math.round(
			printed.reduce((sum, { passage }) => sum + textOf(passage).length / 4, 0) /
				Math.max(1, facts),
		),
		tables: share(
			comparisons.filter(({ answers }) => answers.get(BUDGETS[0])?.table).length,
			comparisons.length,
		),
	};
}

type Printed = readonly CitedSentence[];

/** What an answer prints, each passage with its sentences. */
function printedOf({ answers }: Asked, tokens: number = BUDGETS[0]): readonly Printed[] {
	const answer = answers.get(tokens);
	return answer ? passagesOf(answer) : [];
}

/** Of each vital fact, whether some passage holds one of the places that carry it; all facts where none is vital. */
function factsHeld(one: Asked, tokens: number): readonly boolean[] {
	const { nuggets } = one.question;
	const vital = nuggets.filter((nugget) => nugget.vital);
	const printed = printedOf(one, tokens);
	return (vital.length > 0 ? vital : nuggets).map((nugget) =>
		printed.some((passage) => holds(one.question, nugget, passage)),
	);
}

function holdsSome(question: AnswerQuestion, passage: Printed): boolean {
	return question.nuggets.some((nugget) => holds(question, nugget, passage));
}

function holds(
	{ corpus }: AnswerQuestion,
	{ evidence }: AnswerQuestion["nuggets"][number],
	passage: Printed,
): boolean {
	const files = passage.map(({ graph, concept }) => `${graph.record.id}/${concept.path}`);
	return holdsPlace({ text: textOf(passage), files }, evidence, { corpus });
}

function textOf(passage: Printed): string {
	return passage.map(({ text }) => text).join(" ");
}

function share(part: number, whole: number): number {
	return whole === 0 ? 0 : round(part / whole);
}

function toBars(figures: AnswerFigures | undefined): readonly Bar[] {
	if (!figures) return [];
	const [ask, dossier, dive] = BUDGETS.map((tokens) => figures.recall[tokens] ?? 0);
	return [
		atLeast(`vital facts within ${BUDGETS[0]} tokens`, ask ?? 0, 0.75),
		atLeast(`vital facts within ${BUDGETS[1]} tokens`, dossier ?? 0, 0.85),
		atLeast(`vital facts within ${BUDGETS[2]} tokens`, dive ?? 0, 0.9),
		atLeast("passages that hold a fact", figures.relevant, 0.92),
		atMost("passages like another of the answer", figures.repeated, 0),
		atMost("charged of unanswerable", figures.charged_of_unanswerable, 0.007),
		atLeast("comparisons with a table", figures.tables, 0.9),
	];
}
