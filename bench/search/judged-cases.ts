import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Decision } from "../../src/contract/wire.js";
import { systemClock } from "../../src/kernel/clock.js";
import { importFolder } from "../../src/knowledge/import/import-folder.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import { createPairJudge } from "../../src/search/judge/pair-judge.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import {
	DECISION_QUESTIONS,
	type DecisionQuestion,
	readDecisionQuestions,
} from "../labelled/decision-questions.js";
import type { LabelledQuery, LabelledSet, Split } from "../labelled/labelled-queries.js";
import { createExaminer, type Examinable, type Examined } from "./case-examiner.js";
import { ASKED_OF_GRAPHS, EVERYDAY } from "./judged-examples.js";

/**
 * As labelled; without capitals; with all that answers it withdrawn from the graphs; asked of one graph alone; asked of a
 * graph where many rows say what the first ones say, which must change nothing. These turn a few labelled queries into many, but by the
 * hundred they are alike: they count little. Besides, what the graphs say of themselves that they answer, what else can be asked on
 * their subjects, and what certainly none of them answers; and questions over imported folders.
 */
export const VARIANTS = [
	"labelled",
	"lower-case",
	"withdrawn",
	"one-graph",
	"multiplied",
	"example",
	"asked-of-graph",
	"everyday",
	"imported",
] as const;
export type Variant = (typeof VARIANTS)[number];

export interface JudgedCase extends Examined {
	readonly id: string;
	readonly kind: string;
	readonly variant: Variant;
	/** What an honest librarian would say. */
	readonly decision: Decision;
}

/** The others are alike by the hundred, and reading takes its time. */
const READ_VARIANTS: ReadonlySet<Variant> = new Set([
	"labelled",
	"example",
	"asked-of-graph",
	"everyday",
	"imported",
]);

type Asked = Omit<Examinable, "isRead"> & Pick<JudgedCase, "id" | "kind" | "variant">;

/** Every query of these splits, and what can be made of it, with the signs its first rows show. */
export async function readJudgedCases(
	splits: readonly Split[],
	{ graphs, queries }: LabelledSet,
	model: ModelLocation,
	{ judge: location, imports }: { readonly judge?: ModelLocation; readonly imports?: string } = {},
): Promise<readonly JudgedCase[]> {
	const embedder = await createTransformersEmbedder(systemClock, model);
	const imported = await readImported(imports);
	const folders = imported.map(({ graph }) => graph);
	const judge = location && (await createPairJudge(systemClock, location));
	const examine = await createExaminer([...graphs, ...folders], model, { embedder, judge });
	const labelled = queries
		.filter(({ split }) => splits.includes(split))
		.flatMap((query, at) => [...variantsOf(query, graphs), ...multipliedOf(query, graphs, at)]);
	const asked = [
		...labelled,
		...examplesOf(graphs),
		...askedOf(graphs),
		...everydayOf(graphs),
		...imported.flatMap(importedOf),
	];
	const cases: JudgedCase[] = [];
	for (const one of asked) {
		const isRead = READ_VARIANTS.has(one.variant);
		cases.push({ ...one, ...(await examine({ ...one, isRead })) });
	}
	await Promise.all([embedder.close(), judge?.close()]);
	return cases;
}

const NOTHING: ReadonlySet<string> = new Set();
const MANY_GRAPHS = 3;
const COPIES = [4, 9, 19] as const;

function variantsOf(labelled: LabelledQuery, all: readonly Graph[]): readonly Asked[] {
	const { id, kind, query, decision, relevant } = labelled;
	const graphs = all.filter(({ record }) => labelled.graphs?.includes(record.id) ?? true);
	const which = { id, kind, query, relevant, graphs, without: NOTHING };
	const asked: Asked = { ...which, variant: "labelled", decision };
	const lower: Asked = { ...asked, variant: "lower-case", query: query.toLowerCase() };
	if (labelled.kind === "unanswerable") return [asked, lower];
	const without = new Set(Object.keys(relevant));
	const withdrawn: Asked = { ...asked, variant: "withdrawn", decision: "ABSTAIN", without };
	return [asked, lower, withdrawn, ...(graphs.length < MANY_GRAPHS ? [] : oneByOne(asked))];
}

/** Every query with another number of copies, in the graph that answers it best or, where none does, in all that it was asked of. */
function multipliedOf(
	labelled: LabelledQuery,
	all: readonly Graph[],
	at: number,
): readonly Asked[] {
	const { id, kind, query, decision, relevant } = labelled;
	if (decision !== "ANSWER" && decision !== "ABSTAIN") return [];
	const [best] = Object.entries(relevant).sort(([, one], [, other]) => other - one);
	const ids = best ? [best[0].slice(0, best[0].indexOf(":"))] : labelled.graphs;
	const graphs = all.filter(({ record }) => ids?.includes(record.id) ?? true);
	const copies = COPIES[at % COPIES.length] ?? 0;
	return [
		{
			id,
			kind,
			query,
			decision,
			relevant,
			graphs,
			variant: "multiplied",
			without: NOTHING,
			copies,
		},
	];
}

/** Graphs that hold a part of the answer only are left out: who can say what they should decide. */
function oneByOne(asked: Asked): readonly Asked[] {
	return asked.graphs.flatMap((graph): Asked[] => {
		const own = Object.entries(asked.relevant).filter(([name]) =>
			name.startsWith(`${graph.record.id}:`),
		);
		const best = Math.max(0, ...own.map(([, grade]) => grade));
		if (best === 1 || best === 2) return [];
		const decision = best === 0 ? "ABSTAIN" : "ANSWER";
		return [{ ...asked, variant: "one-graph", decision, graphs: [graph] }];
	});
}

/** What a graph says of itself that it answers. */
function examplesOf(graphs: readonly Graph[]): readonly Asked[] {
	const common = { kind: "example", variant: "example", decision: "ANSWER" } as const;
	return graphs.flatMap((graph) =>
		graph.record.exampleQueries.map((query) => ({
			...common,
			id: query,
			query,
			graphs: [graph],
			relevant: {},
			without: NOTHING,
		})),
	);
}

function askedOf(graphs: readonly Graph[]): readonly Asked[] {
	return graphs.flatMap((graph) => {
		const { answered = [], unanswered = [] } = ASKED_OF_GRAPHS[graph.record.id] ?? {};
		const common = { kind: "asked-of-graph", variant: "asked-of-graph" } as const;
		const rest = { ...common, graphs: [graph], relevant: {}, without: NOTHING };
		const ask = (decision: Decision) => (query: string) => ({
			...rest,
			decision,
			id: query,
			query,
		});
		return [...answered.map(ask("ANSWER")), ...unanswered.map(ask("ABSTAIN"))];
	});
}

interface Imported {
	readonly graph: Graph;
	readonly questions: readonly DecisionQuestion[];
}

/** `imports` holds a folder of documents for each file of questions to fit to, by its name; files without one are left out. */
async function readImported(imports: string | undefined): Promise<readonly Imported[]> {
	if (imports === undefined) return [];
	const fit = join(DECISION_QUESTIONS, "fit");
	const imported: Imported[] = [];
	for (const file of readdirSync(fit)) {
		const name = file.replace(".jsonl", "");
		const source = join(imports, name);
		if (!existsSync(source)) continue;
		const { graph } = await importFolder({ source, as: name });
		imported.push({ graph, questions: readDecisionQuestions(join(fit, file)) });
	}
	return imported;
}

function importedOf({ graph, questions }: Imported): readonly Asked[] {
	return questions.map(({ id, question, answerable }) => ({
		id,
		kind: graph.record.id,
		variant: "imported",
		query: question,
		decision: answerable ? "ANSWER" : "ABSTAIN",
		graphs: [graph],
		relevant: {},
		without: NOTHING,
	}));
}

function everydayOf(graphs: readonly Graph[]): readonly Asked[] {
	const common = { kind: "everyday", variant: "everyday", decision: "ABSTAIN" } as const;
	const rest = { graphs, relevant: {}, without: NOTHING };
	return EVERYDAY.map((query) => ({ ...common, ...rest, id: query, query }));
}
