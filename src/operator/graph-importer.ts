import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import PQueue from "p-queue";
import { z } from "zod";
import { GRAPH_TYPES, graphIdField, LIMITS } from "../contract/contract.js";
import { type Clock, invalidArgument, parseGraphId, toIsoDay } from "../kernel/kernel.js";
import {
	assertLoadable,
	type BundleChanges,
	type Changeable,
	conceptAt,
	differences,
	FRAME_PATHS,
	type FrameRules,
	frameChanges,
	type Graph,
	type GraphCatalog,
	type GraphRecord,
	type ImportMemory,
	type ImportOptions,
	importFolder,
	isChangeable,
	isFrameCurrent,
	isReserved,
	readMemory,
	recordFor,
	type SkippedFile,
	SPLIT_CHARS_MIN,
	updateFromFolder,
	writeBundle,
} from "../knowledge/knowledge.js";
import type { GraphRepository } from "./graph-repository.js";

interface UpdateServices {
	readonly catalog: GraphCatalog;
	readonly repository: GraphRepository;
	readonly clock: Clock;
}

interface ImportServices extends UpdateServices {
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
}

/** Turns someone's folder into a graph on sale. */
export type GraphImporter = ReturnType<typeof createGraphImporter>;

/** Literal paths under /v1/graphs: a graph of that name could not be reached. */
const RESERVED_IDS: ReadonlySet<string> = new Set(["catalog", "compare"]);

export function createGraphImporter(deps: ImportServices) {
	// Two imports at once would race for one folder and for the index.
	const queue = new PQueue({ concurrency: 1 });
	const update = createGraphUpdate(deps);
	const run = async (request: ImportRequest, onProgress?: OnProgress): Promise<VisibleImport> => {
		const id = parseGraphId(request.as);
		assertFree(deps.catalog, id, request.update ?? false);
		const own = request.update ? deps.repository.findOwn(id) : undefined;
		return own
			? update.bringInLine(own, request, onProgress)
			: importGraph(deps, update, request, onProgress);
	};
	return {
		/**
		 * One at a time until searches see it; resolves when its vectors are made, too. Throws INVALID_ARGUMENT for a source
		 * that cannot be read or an id that is taken.
		 */
		async import(request: ImportRequest, onProgress?: OnProgress): Promise<ImportReport> {
			let startedMs = 0;
			const { report, complete } = await queue.add(() => {
				startedMs = deps.clock.monotonicMs();
				return run(request, onProgress);
			});
			// Vectors may take minutes; changes of graphs do not wait for them.
			await complete;
			const seconds = Math.round(deps.clock.monotonicMs() - startedMs) / 1000;
			return { ...report, seconds };
		},
		/** Runs work that needs the imported files to stay as they are; imports wait for it. */
		whileNoneRuns: <T>(work: () => Promise<T>): Promise<T> => queue.add(work),
	};
}

async function importGraph(
	{ catalog, repository, clock, folder }: ImportServices,
	update: GraphUpdate,
	request: ImportRequest,
	onProgress?: OnProgress,
): Promise<VisibleImport> {
	const id = parseGraphId(request.as);
	const imported = await importFolder({
		source: request.source,
		as: id,
		options: toOptions(request, toIsoDay(clock.now())),
		nowMs: clock.now(),
	});
	const { files, report, memory } = imported;
	assertSome(report, request.source);
	assertSlugFree(catalog, imported.graph.record);
	if (isChangeable(imported.graph)) assertLoadable(imported.graph.memory);
	const target = join(folder, id);
	await writeBundle(files, target, { replace: request.update ?? false });
	const graph = { ...imported.graph, folder: target };
	await repository.publish(graph, { vectors: "background", ...(onProgress && { onProgress }) });
	update.remember(request, memory);
	const { graphId, imported: count, skipped, nodes, edges, evidence } = report;
	const changed = { added: nodes, changed: 0, removed: 0, unchanged: 0 };
	return {
		report: {
			graph_id: graphId,
			imported: count,
			skipped,
			left_out: countLeftOut(skipped),
			nodes,
			edges,
			evidence,
			changed,
		},
		complete: repository.complete(onProgress),
	};
}

function assertFree(catalog: GraphCatalog, id: string, isUpdate: boolean): void {
	if (RESERVED_IDS.has(id)) {
		throw invalidArgument(`"${id}" is a name of the interface; choose another id.`);
	}
	const other = catalog.find(id);
	if (!other || (isUpdate && other.record.id === id)) return;
	throw invalidArgument(
		`A graph called "${id}" is on sale already; replace it with --update, or choose another id.`,
	);
}

/** Brings imported graphs in line with their sources; only what has changed is read, written and indexed again. */
type GraphUpdate = ReturnType<typeof createGraphUpdate>;

interface Plan {
	readonly source: string;
	readonly changes: BundleChanges;
	readonly rules: FrameRules;
	readonly skipped: readonly SkippedFile[];
	readonly memory: ImportMemory | undefined;
}

export function createGraphUpdate(deps: UpdateServices) {
	const { repository, clock } = deps;
	const memories = new Map<string, { readonly key: string; readonly memory: ImportMemory }>();

	/**
	 * What an import found, for the next one of the same source with the same options. Only the last few are kept
	 * (LIMITS.importMemoriesMax); an update of any other graph reads its whole source.
	 */
	const remember = (request: ImportRequest, memory: ImportMemory | undefined): void => {
		memories.delete(request.as);
		if (!memory) return;
		memories.set(request.as, { key: keyOf(request), memory });
		const [oldest] = memories.keys();
		if (memories.size > LIMITS.importMemoriesMax && oldest !== undefined) memories.delete(oldest);
	};
	const recall = (request: ImportRequest) => {
		const known = memories.get(request.as);
		return known?.key === keyOf(request) && request.full !== true ? known.memory : undefined;
	};
	return {
		remember,
		/** Resolves when searches see the change. */
		async bringInLine(
			graph: Changeable,
			request: ImportRequest,
			onProgress?: OnProgress,
		): Promise<VisibleImport> {
			const startedMs = clock.monotonicMs();
			await readMemory(graph);
			let readMs = startedMs;
			const onRead = () => {
				readMs = clock.monotonicMs();
			};
			const plan = await makePlan(graph, request, {
				nowMs: clock.now(),
				onRead,
				memory: recall(request),
			});
			const next = await carryOut(deps, graph, plan);
			const visibleMs = clock.monotonicMs();
			remember(request, plan.memory);
			const report = {
				graph_id: request.as,
				imported: next.concepts.length,
				skipped: plan.skipped,
				left_out: countLeftOut(plan.skipped),
				nodes: next.concepts.length,
				edges: next.concepts.reduce((sum, { edges }) => sum + edges.length, 0),
				evidence: next.concepts.reduce((sum, { evidence }) => sum + evidence.length, 0),
				changed: countChanges(graph, plan.changes),
				read_ms: Math.round(readMs - startedMs),
				visible_ms: Math.round(visibleMs - readMs),
			};
			return { report, complete: repository.complete(onProgress) };
		},
	};
}

/** Throws INVALID_ARGUMENT, and nothing has changed, when too little is left or the name is another graph's. */
async function carryOut(
	{ catalog, repository, clock }: UpdateServices,
	graph: Changeable,
	{ changes, rules, skipped, source }: Plan,
): Promise<Graph> {
	// What follows walks over the whole graph; others are served before it.
	await setImmediate();
	if (changes.size === 0 && isFrameCurrent(graph, rules)) return graph;
	const today = toIsoDay(clock.now());
	return repository.change(graph, changes, ({ graph: next }) => {
		assertSome({ nodes: next.concepts.length, skipped }, source);
		const record = recordFor(next, rules, today);
		assertSlugFree(catalog, record);
		return frameChanges(next, rules, record);
	});
}

async function makePlan(
	graph: Changeable,
	request: ImportRequest,
	{
		nowMs,
		onRead,
		memory: known,
	}: { nowMs: number; onRead: () => void; memory: ImportMemory | undefined },
): Promise<Plan> {
	const { source, as } = request;
	const options = toOptions(request, toIsoDay(nowMs));
	const rulesOf = ({ format, sourceRecord }: Pick<FrameRules, "format" | "sourceRecord">) => {
		return { format, sourceRecord, options };
	};
	const update =
		known && (await updateFromFolder({ source, as, options, nowMs, onRead, graph, memory: known }));
	if (update) {
		const given = givenIn(update.memory.rows.keys(), update.memory.format);
		return { ...update, source, rules: { ...rulesOf(update.memory), given } };
	}
	const imported = await importFolder({ source, as, options, nowMs, onRead });
	const { files, report, trace, memory } = imported;
	assertSome(report, source);
	const paths = trace.documents.map(({ path }) => path);
	const given = givenIn(paths, trace.format);
	return {
		source,
		changes: differences(graph, files, given),
		rules: { ...rulesOf(trace), given },
		skipped: report.skipped,
		memory,
	};
}

/** Root files that a bundle brought along. */
function givenIn(paths: Iterable<string>, format: FrameRules["format"]): ReadonlySet<string> {
	if (format !== "okf") return new Set();
	return new Set([...paths].filter((path) => FRAME_PATHS.has(path)));
}

function countChanges({ concepts }: Graph, changes: BundleChanges) {
	let [added, changed, removed] = [0, 0, 0];
	for (const [path, bytes] of changes) {
		if (isReserved(path)) continue;
		if (!conceptAt(concepts, path)) added += bytes ? 1 : 0;
		else if (bytes) changed += 1;
		else removed += 1;
	}
	return { added, changed, removed, unchanged: concepts.length - changed - removed };
}

/** The same source read with other options makes other files. */
function keyOf({ update: _update, full: _full, ...rest }: ImportRequest): string {
	return JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const importCommand = z.strictObject({
	/** Absolute path of an OKF folder, a Markdown folder or a zip of either. */
	source: z.string().min(1),
	as: graphIdField,
	/** Address of each document; `{stem}` and `{path}` are filled in. */
	source_url: z.string().optional(),
	/** Front-matter key that dates the document. */
	date_key: z.string().optional(),
	/** Front-matter keys whose values name other documents. */
	edge_keys: z.array(z.string()).optional(),
	type: z.enum(GRAPH_TYPES).optional(),
	title: z.string().optional(),
	/** "heading", "file", or the front-matter key that titles of documents come from. */
	title_from: z.string().min(1).optional(),
	/** Where dates come from that documents do not state. */
	dates: z.enum(["git"]).optional(),
	/** Patterns of `.gitignore`: files that are taken, all by default, and those that are left out. */
	only: z.array(z.string()).optional(),
	exclude: z.array(z.string()).optional(),
	/** Characters above which a document is cut at its headings. */
	split: z.number().int().min(SPLIT_CHARS_MIN).optional(),
	/** Brings a graph that was imported under this id before in line with the source; what has not changed stays as it is. */
	update: z.boolean().optional(),
	/** Reads every file of the source, also those whose size and times have not changed. */
	full: z.boolean().optional(),
});
export type ImportRequest = z.output<typeof importCommand>;

export interface ImportReport {
	readonly graph_id: string;
	readonly imported: number;
	readonly skipped: readonly SkippedFile[];
	/** Files of `skipped` by their kind: what is private, and what the import was told to leave out. */
	readonly left_out: { readonly private: number; readonly ignored: number };
	readonly nodes: number;
	readonly edges: number;
	readonly evidence: number;
	/** Concepts, against those the graph had. */
	readonly changed: ReturnType<typeof countChanges>;
	readonly seconds: number;
	/** Of an update: until it was known what has changed, and from there until searches saw it. */
	readonly read_ms?: number;
	readonly visible_ms?: number;
}

/** An import that searches see already. */
interface VisibleImport {
	readonly report: Omit<ImportReport, "seconds">;
	/** Settles as `GraphRepository.complete` does. */
	readonly complete: Promise<void>;
}

export type OnProgress = (progress: {
	readonly done: number;
	readonly total: number;
	/** Which part of the work is counted, where it has several. */
	readonly stage?: "keywords" | "vectors" | undefined;
}) => void;

function countLeftOut(skipped: readonly SkippedFile[]): ImportReport["left_out"] {
	const count = (wanted: SkippedFile["kind"]) =>
		skipped.filter(({ kind }) => kind === wanted).length;
	return { private: count("private"), ignored: count("ignored") };
}

/** Throws INVALID_ARGUMENT for a source without a single concept. */
function assertSome(
	{ nodes, skipped }: { readonly nodes: number; readonly skipped: readonly unknown[] },
	source: string,
): void {
	if (nodes > 0) return;
	throw invalidArgument(
		`Nothing in "${source}" can become a concept; ${skipped.length} files were looked at. A concept is a Markdown file with text.`,
	);
}

/** Two detail pages of one name would hide each other. */
function assertSlugFree(catalog: GraphCatalog, { id, slug }: GraphRecord): void {
	const holder = catalog.find(slug);
	if (!holder || holder.record.id === id) return;
	throw invalidArgument(
		`The bundle's slug "${slug}" belongs to the graph "${holder.record.id}"; change it in graph.md.`,
	);
}

function toOptions(request: ImportRequest, today: string): ImportOptions {
	const { source_url, date_key, edge_keys, type, title, title_from, dates, only, exclude, split } =
		request;
	return {
		today,
		...(source_url !== undefined && { sourceUrl: source_url }),
		...(date_key !== undefined && { dateKey: date_key }),
		...(edge_keys && { edgeKeys: edge_keys }),
		...(type && { type }),
		...(title !== undefined && { title }),
		...(title_from !== undefined && { titleFrom: title_from }),
		...(dates && { dates }),
		...(only && { only }),
		...(exclude && { exclude }),
		...(split !== undefined && { splitChars: split }),
	};
}
