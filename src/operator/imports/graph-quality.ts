import { readsLikeInjection } from "../../evidence/evidence.js";
import type { Clock } from "../../kernel/kernel.js";
import { type Concept, type Graph, runInTurns, type Steps } from "../../knowledge/knowledge.js";
import { createSearchEngine, type IndexDisk, type SearchEngine } from "../../search/search.js";
import { findSuspicions, type Suspicion } from "./suspicious-text.js";

/** Concepts of one kind, with the paths of a few. */
interface Group {
	readonly count: number;
	readonly examples: readonly string[];
}

/** What an owner may want to see of a graph before anyone buys. */
export interface QualityReport {
	/** Of 100. */
	readonly score: number;
	/** What would raise it, the most first. */
	readonly advice: readonly { readonly points: number; readonly message: string }[];
	readonly concepts: number;
	readonly duplicate_titles: Group;
	readonly empty_titles: Group;
	readonly without_source: Group;
	readonly without_date: Group;
	readonly without_link: Group;
	/** Groups of linked concepts that no link joins to the largest one. */
	readonly isolated_parts: Group;
	/** Concepts with sentences that order a model about; these are never part of an answer. */
	readonly injected: Group;
	readonly secrets: { readonly count: number; readonly items: readonly Suspicion[] };
	readonly topics: readonly string[];
	/** Questions that find their concept by the local search. */
	readonly questions: readonly { readonly question: string; readonly concept_id: string }[];
}

const EXAMPLES = 5;
const SECRETS_SHOWN = 20;
const QUESTIONS = 10;
/** Questions tried until ten are answered. */
const QUESTIONS_TRIED = 30;
const ROWS = 3;

interface Inspection {
	readonly search: Pick<SearchEngine, "find">;
	readonly clock: Clock;
	/** Whether the search knows the graph; one that is not on sale gets an index of its own, in memory, by keywords. */
	readonly isOnSale: boolean;
	readonly signal: AbortSignal | undefined;
}

/** Looks at a whole graph, while others are served. */
export async function inspectGraph(graph: Graph, inspection: Inspection): Promise<QualityReport> {
	const found = await runInTurns(countFaults(graph));
	const questions = await findQuestions(graph, inspection);
	return { ...rate(graph, found, questions.length), ...found, questions };
}

type Faults = Omit<QualityReport, "score" | "advice" | "questions">;

function* countFaults({ concepts, record }: Graph): Steps<Faults> {
	const linked = new Set<string>();
	const titles = new Map<string, number>();
	const secrets: Suspicion[] = [];
	const injected: Concept[] = [];
	for (const concept of concepts) {
		const key = concept.title.trim().toLowerCase();
		titles.set(key, (titles.get(key) ?? 0) + 1);
		if (concept.edges.length > 0) linked.add(concept.id);
		for (const { target } of concept.edges) linked.add(target);
		secrets.push(...findSuspicions(concept));
		if (readsLikeInjection(`${concept.summary}\n${concept.body}`)) injected.push(concept);
		yield;
	}
	const timesOf = ({ title }: Concept) => titles.get(title.trim().toLowerCase()) ?? 0;
	const isEmpty = ({ title }: Concept) => title.trim() === "";
	const isDated = ({ generatedAt, evidence }: Concept) =>
		generatedAt !== undefined || evidence.some(({ publishedAt }) => publishedAt !== undefined);
	const group = (isOne: (concept: Concept) => boolean) => toGroup(concepts.filter(isOne));
	return {
		concepts: concepts.length,
		duplicate_titles: group((one) => !isEmpty(one) && timesOf(one) > 1),
		empty_titles: group(isEmpty),
		without_source: group(({ evidence }) => evidence.length === 0),
		without_date: group((one) => !isDated(one)),
		without_link: group(({ id }) => !linked.has(id)),
		isolated_parts: toGroup(isolatedParts(concepts.filter(({ id }) => linked.has(id)))),
		injected: toGroup(injected),
		secrets: { count: secrets.length, items: secrets.slice(0, SECRETS_SHOWN) },
		topics: record.topics,
	};
}

function toGroup(concepts: readonly Concept[]): Group {
	return {
		count: concepts.length,
		examples: concepts.slice(0, EXAMPLES).map(({ path }) => path),
	};
}

/** One concept of each part but the largest. */
function isolatedParts(concepts: readonly Concept[]): readonly Concept[] {
	const parents = new Map(concepts.map(({ id }) => [id, id]));
	const rootOf = (id: string): string => {
		let root = id;
		for (let above = parents.get(root); above !== undefined && above !== root; ) {
			const next = parents.get(above) ?? above;
			// Halves the way for those that come after.
			parents.set(root, next);
			root = above;
			above = next;
		}
		return root;
	};
	for (const { id, edges } of concepts) {
		for (const { target } of edges) parents.set(rootOf(id), rootOf(target));
	}
	const parts = new Map<string, Concept[]>();
	for (const concept of concepts) {
		const root = rootOf(concept.id);
		parts.set(root, [...(parts.get(root) ?? []), concept]);
	}
	const sorted = [...parts.values()].sort((a, b) => b.length - a.length);
	return sorted.slice(1).flatMap(([first]) => first ?? []);
}

/** Points that each part of a graph is worth; together 100. */
const POINTS = {
	titles: 10,
	sources: 20,
	dates: 15,
	links: 15,
	about: 10,
	secrets: 20,
	questions: 10,
} as const;

/** What is missing is a share of the points; advice says what a few of them would take. */
function rate(
	{ record, concepts }: Graph,
	found: Faults,
	answered: number,
): Pick<QualityReport, "score" | "advice"> {
	const all = Math.max(1, concepts.length);
	const titles = found.duplicate_titles.count + found.empty_titles.count;
	const about = Number(record.description === "") + Number(record.topics.length === 0);
	const wanted = Math.min(QUESTIONS, all);
	const { without_source, without_date, without_link, secrets } = found;
	const losses: readonly [points: number, missing: number, message: string][] = [
		[POINTS.titles, titles / all, `Give the ${titles} concepts without a title of their own one.`],
		[
			POINTS.sources,
			without_source.count / all,
			`Name a source in each of the ${without_source.count} concepts that have none, or give every document its address with --source-url.`,
		],
		[
			POINTS.dates,
			without_date.count / all,
			`Date the ${without_date.count} concepts without a date, or take dates from the history with --dates git.`,
		],
		[
			POINTS.links,
			without_link.count / all,
			`Link the ${without_link.count} concepts that nothing leads to or from.`,
		],
		[
			POINTS.about,
			about / 2,
			`Say what the graph is about: tollgraph graphs set ${record.id} --description "…" --topics "…".`,
		],
		[
			POINTS.secrets,
			secrets.count > 0 ? 1 : 0,
			`Look at the ${secrets.count} places that read like a secret; take them out, or keep their files out with .tollgraphignore.`,
		],
		[
			POINTS.questions,
			1 - Math.min(answered, wanted) / wanted,
			`Make titles and first paragraphs say what a document answers: ${answered} of ${wanted} questions found their concept.`,
		],
	];
	const lost = losses.map(([points, missing, message]) => ({ points: points * missing, message }));
	return {
		score: Math.floor(100 - lost.reduce((sum, { points }) => sum + points, 0)),
		advice: lost
			.filter(({ points }) => points > 0)
			.sort((a, b) => b.points - a.points)
			.map(({ points, message }) => ({ points: Math.ceil(points), message })),
	};
}

async function findQuestions(
	graph: Graph,
	{ search, clock, isOnSale, signal = new AbortController().signal }: Inspection,
): Promise<QualityReport["questions"]> {
	const trial = isOnSale ? undefined : await openTrialSearch(graph, clock);
	const questions: { question: string; concept_id: string }[] = [];
	try {
		for (const concept of chooseConcepts(graph)) {
			const query = toQuestion(concept);
			const asked = { graphs: [graph], query, limit: ROWS, effort: "fast", signal } as const;
			const { rows } = await (trial ?? search).find(asked);
			const isFound = rows.some((row) => row.concept.id === concept.id);
			if (isFound) questions.push({ question: query, concept_id: concept.id });
			if (questions.length === QUESTIONS) break;
		}
	} finally {
		await trial?.close();
	}
	return questions;
}

/** Concepts from all over the graph, each folder in turn. */
function chooseConcepts({ concepts }: Graph): readonly Concept[] {
	const folders = new Map<string, Concept[]>();
	for (const concept of concepts) {
		if (concept.title.trim() === "" || concept.summary === "") continue;
		const folder = concept.path.slice(0, concept.path.lastIndexOf("/") + 1);
		const listed = folders.get(folder) ?? [];
		if (listed.length < QUESTIONS_TRIED) listed.push(concept);
		folders.set(folder, listed);
	}
	const lists = [...folders.values()].slice(0, QUESTIONS_TRIED);
	const turns = Array.from({ length: QUESTIONS_TRIED }, (_, turn) =>
		lists.flatMap((list) => list[turn] ?? []),
	);
	return turns.flat().slice(0, QUESTIONS_TRIED);
}

const HEADED_QUESTION = /^#{1,6} {1,3}([^\n#]{8,150}\?) {0,3}$/m;
const SHORT_WORDS = 4;

function toQuestion({ title, body }: Concept): string {
	const headed = title.endsWith("?") ? title : HEADED_QUESTION.exec(body)?.[1];
	if (headed !== undefined) return headed;
	const isShort = title.split(/\s+/).length <= SHORT_WORDS;
	return isShort ? `What is ${title}?` : `What is known about ${title}?`;
}

async function openTrialSearch(graph: Graph, clock: Clock) {
	const trial = await createSearchEngine({ folder: memoryDisk(), clock, model: "none" });
	await trial.sync([graph], { vectors: "background" });
	return trial;
}

function memoryDisk(): IndexDisk {
	const files = new Map<string, Uint8Array>();
	return {
		list: async () => [...files.keys()],
		read: async (name) => files.get(name),
		async write(name, pieces) {
			const parts: Uint8Array[] = [];
			for await (const piece of pieces) parts.push(piece);
			files.set(name, Buffer.concat(parts));
		},
		async rename(from, to) {
			const bytes = files.get(from);
			if (bytes) files.set(to, bytes);
			files.delete(from);
		},
		remove: async (name) => void files.delete(name),
	};
}
