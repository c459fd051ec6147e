import { z } from "zod";
import type { DaySpan, QueryLogRow, Store } from "../../../store/store.js";
import { digitsField } from "../../contract/contract.js";
import { formatUsd, type Micros, notFound, parseUsd, toIsoTime } from "../../kernel/kernel.js";
import type { GraphCatalog } from "../../knowledge/knowledge.js";
import type { SearchEngine } from "../../search/search.js";
import { dayField, parseDay } from "./ledger-operator.js";
import { groupQuestions } from "./question-groups.js";

/**
 * What could not be answered. It is read from the query log each time, so that text which the log forgets is in no report any more;
 * accounts with zero retention leave no text there, and of those that chose it since nothing is told either.
 */

const GROUPS_DEFAULT = 20;
const GROUPS_MAX = 500;
/** Different questions that are grouped, the most asked first; of the others only their number is told. */
const GROUPED_MAX = 2_000;
/** Different questions that are kept apart at once, which bounds the memory of a report; half of them go when there are more. */
const TOLD_APART_MAX = 50_000;
/** Characters of a question that are read, and different callers that are counted of one. */
const READ_CHARS = 2_000;
const CALLERS_MAX = 10_000;
const WORDINGS = 5;
const TEXT_CHARS = 300;

export const gapCommand = z.strictObject({
	/** UTC days, both included; all that the log has by default. */
	since: dayField.optional(),
	until: dayField.optional(),
	/** A graph that was asked, or is the nearest one. */
	graph: z.string().min(1).max(100).optional(),
	/** Groups wanted. */
	limit: digitsField(GROUPS_MAX).default(GROUPS_DEFAULT),
});
export type GapRequest = z.output<typeof gapCommand>;
export type GapReport = Awaited<ReturnType<ReturnType<typeof createGapReport>>>;

export interface GapServices {
	readonly store: Pick<Store, "queryLog" | "read">;
	readonly catalog: Pick<GraphCatalog, "list" | "find">;
	readonly search: Pick<SearchEngine, "embedder" | "nearestGraph">;
}

/** Throws INVALID_ARGUMENT for an unknown day, NOT_FOUND for an unknown graph. */
export function createGapReport({ store, catalog, search }: GapServices) {
	return async ({ since, until, graph, limit }: GapRequest) => {
		const span = { from: since && parseDay(since), to: until && parseDay(until) };
		const wanted = graph === undefined ? undefined : idOf(catalog, graph);
		const { questions, untold } = await collect(store, span);
		questions.sort(byWorth);
		const { by, groups } = await groupQuestions(questions.slice(0, GROUPED_MAX), search.embedder);
		const gaps = groups.map(toGap).sort(byWorth);
		const placed = await place(gaps.slice(0, GROUPS_MAX), { catalog, search });
		const within = placed.filter((gap) => wanted === undefined || concerns(gap, wanted));
		const beyond = [...questions.slice(GROUPED_MAX), ...gaps.slice(GROUPS_MAX)];
		return {
			since: since ?? null,
			until: until ?? null,
			graph: wanted ?? null,
			grouped_by: by,
			...sumOf(within),
			graphs: byGraph(within),
			items: within.slice(0, limit).map(toGapWire),
			/** Questions beyond what one report groups. */
			not_grouped: beyond.reduce((sum, { count }) => sum + count, untold),
		};
	};
}

function idOf(catalog: GapServices["catalog"], idOrSlug: string): string {
	const graph = catalog.find(idOrSlug);
	if (graph) return graph.record.id;
	throw notFound(`No graph is called "${idOrSlug}".`);
}

interface Worth {
	count: number;
	unpaidMicros: Micros;
	lastAt: number;
}

/** One wording, however often it was asked. */
interface AskedQuestion extends Worth {
	readonly text: string;
	firstAt: number;
	readonly owners: Set<string>;
	readonly operations: Set<string>;
	readonly graphIds: Set<string>;
}

interface Gap extends AskedQuestion {
	readonly wordings: readonly string[];
}

interface PlacedGap extends Gap {
	readonly nearest: string | undefined;
}

function byWorth(one: Readonly<Worth>, other: Readonly<Worth>): number {
	if (one.unpaidMicros !== other.unpaidMicros)
		return one.unpaidMicros > other.unpaidMicros ? -1 : 1;
	return other.count - one.count || other.lastAt - one.lastAt;
}

async function collect(store: GapServices["store"], span: DaySpan) {
	const silent = await ownersWithoutText(store);
	let found = new Map<string, AskedQuestion>();
	let untold = 0;
	const take = (question: AskedQuestion) => {
		const key = toKey(question.text);
		const before = found.get(key);
		if (before) add(before, question);
		else found.set(key, question);
		if (found.size <= TOLD_APART_MAX) return;
		const ranked = [...found].sort(([, one], [, other]) => byWorth(one, other));
		for (const [, { count }] of ranked.splice(TOLD_APART_MAX / 2)) untold += count;
		found = new Map(ranked);
	};
	for await (const row of store.queryLog.readDays(span)) {
		if (!silent.has(row.owner)) questionsOf(row).forEach(take);
	}
	return { questions: [...found.values()], untold };
}

/** Accounts with zero retention, and those that are erased: what is still in the log of them is not told. */
async function ownersWithoutText(store: GapServices["store"]): Promise<ReadonlySet<string>> {
	const accounts = await store.read((reader) => reader.list("accounts"));
	const silent = accounts.filter(
		({ retention, closedAt }) => retention === "zero" || closedAt !== undefined,
	);
	return new Set(silent.map(({ id }) => id));
}

/** What had no answer of a call; of one that asked several things at once, each for itself. */
function questionsOf({ query, unanswered, ...row }: QueryLogRow): readonly AskedQuestion[] {
	if (query === undefined || !unanswered) return [];
	const { priceUsd, places, graphIds } = unanswered;
	const lines = query.split("\n");
	const texts = places?.map((place) => lines[place] ?? "") ?? [lines.join(" ")];
	const unpaidMicros = parseUsd(priceUsd) / BigInt(texts.length || 1);
	return texts.map((text) => ({
		text: text
			.slice(0, READ_CHARS)
			.replace(/\p{Surrogate}$/u, "")
			.trim(),
		count: 1,
		unpaidMicros,
		firstAt: row.at,
		lastAt: row.at,
		owners: new Set([row.owner]),
		operations: new Set([row.operationId]),
		graphIds: new Set(graphIds),
	}));
}

/** Case, spaces and punctuation make no other question, but for the marks in names such as C# and C++. */
function toKey(text: string): string {
	const words = text
		.normalize("NFKC")
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}\p{S}#]+/gu, " ");
	return words.trim() || text;
}

/** Adds the other one to the first, which is changed: one question may be asked a hundred thousand times. */
function add(sum: AskedQuestion, other: AskedQuestion): AskedQuestion {
	sum.count += other.count;
	sum.unpaidMicros += other.unpaidMicros;
	sum.firstAt = Math.min(sum.firstAt, other.firstAt);
	sum.lastAt = Math.max(sum.lastAt, other.lastAt);
	for (const owner of other.owners) if (sum.owners.size < CALLERS_MAX) sum.owners.add(owner);
	for (const operation of other.operations) sum.operations.add(operation);
	for (const id of other.graphIds) sum.graphIds.add(id);
	return sum;
}

/** Named by the wording that is worth most. */
function toGap(questions: readonly AskedQuestion[]): Gap {
	const wordings = questions.map(({ text }) => text);
	return { ...questions.reduce(add), wordings };
}

/** With the graph that is nearest today, whichever was asked: whether it holds an answer or not. */
async function place(
	gaps: readonly Gap[],
	{ catalog, search }: Pick<GapServices, "catalog" | "search">,
): Promise<readonly PlacedGap[]> {
	const graphs = catalog.list();
	const { signal } = new AbortController();
	const placed: PlacedGap[] = [];
	for (const gap of gaps) {
		const nearest = await search.nearestGraph({ graphs, query: gap.text, signal });
		placed.push({ ...gap, nearest });
	}
	return placed;
}

function concerns({ nearest, graphIds }: PlacedGap, graph: string): boolean {
	return nearest === graph || graphIds.has(graph);
}

function sumOf(gaps: readonly Readonly<Worth>[]) {
	return {
		groups: gaps.length,
		questions: gaps.reduce((sum, { count }) => sum + count, 0),
		unpaid_usd: formatUsd(gaps.reduce((sum, { unpaidMicros }) => sum + unpaidMicros, 0n)),
	};
}

function byGraph(gaps: readonly PlacedGap[]) {
	const graphs = new Map<string | null, PlacedGap[]>();
	for (const gap of gaps) {
		const id = gap.nearest ?? null;
		graphs.set(id, [...(graphs.get(id) ?? []), gap]);
	}
	return [...graphs].map(([graph_id, own]) => ({ graph_id, ...sumOf(own) }));
}

function toGapWire({ text, wordings, nearest, ...gap }: PlacedGap) {
	return {
		question: cut(text),
		/** Other ways in which it was asked. */
		wordings: wordings.slice(1, 1 + WORDINGS).map(cut),
		/** The nearest graph; null where nothing on sale has a word of it. */
		graph_id: nearest ?? null,
		/** Graphs that were asked by name. */
		asked_graph_ids: [...gap.graphIds].sort(),
		operations: [...gap.operations].sort(),
		questions: gap.count,
		/** Accounts, tokens and wallets that asked; all who showed none count as one. */
		callers: gap.owners.size,
		/** List price of these calls, which no one paid. */
		unpaid_usd: formatUsd(gap.unpaidMicros),
		first_at: toIsoTime(gap.firstAt),
		last_at: toIsoTime(gap.lastAt),
	};
}

function cut(text: string): string {
	return text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS - 1)}…` : text;
}
