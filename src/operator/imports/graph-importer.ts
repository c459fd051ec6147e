import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import PQueue from "p-queue";
import { LIMITS } from "../../contract/contract.js";
import {
	type Clock,
	invalidArgument,
	parseGraphId,
	ServiceError,
	toIsoDay,
	unavailable,
} from "../../kernel/kernel.js";
import {
	assertLoadable,
	type BundleChanges,
	type Changeable,
	differences,
	FRAME_PATHS,
	type FrameRules,
	frameChanges,
	type Graph,
	type GraphCatalog,
	type GraphHistory,
	type GraphRecord,
	type ImportMemory,
	importFolder,
	isChangeable,
	isFrameCurrent,
	readMemory,
	recordFor,
	type SkippedFile,
	updateFromFolder,
	writeBundle,
} from "../../knowledge/knowledge.js";
import type { SearchEngine } from "../../search/search.js";
import {
	assertWanted,
	type GraphRepository,
	type StagedChange,
	stopped,
} from "../publication/graph-repository.js";
import { inspectGraph } from "./graph-quality.js";
import { type ImportRequest, type OnProgress, toOptions } from "./import-command.js";
import {
	assertFewRemoved,
	assertIdFree,
	changesBetween,
	type ImportReport,
	namesOf,
	toReport,
} from "./import-report.js";

interface UpdateServices {
	readonly catalog: GraphCatalog;
	readonly repository: GraphRepository;
	readonly history: GraphHistory;
	readonly search: SearchEngine;
	readonly clock: Clock;
}

interface ImportServices extends UpdateServices {
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
}

/** How an import is watched and stopped. */
interface Work {
	readonly onProgress: OnProgress | undefined;
	readonly signal: AbortSignal | undefined;
}

/** An import that searches see already, or one that was only planned. */
interface VisibleImport {
	readonly report: Omit<ImportReport, "seconds">;
	readonly graph: Graph;
	readonly isOnSale: boolean;
	/** Settles as `GraphRepository.complete` does. */
	readonly complete: Promise<void>;
	/** Puts back what was on sale before. */
	readonly undo: () => Promise<void>;
}

const NOTHING_DONE = {
	isOnSale: false,
	complete: Promise.resolve(),
	undo: async () => undefined,
};

/** Turns someone's folder into a graph on sale. */
export type GraphImporter = ReturnType<typeof createGraphImporter>;

export function createGraphImporter(deps: ImportServices) {
	// Two imports at once would race for one folder and for the index.
	const queue = new PQueue({ concurrency: 1 });
	const update = createGraphUpdate(deps);
	const run = async (request: ImportRequest, work: Work): Promise<VisibleImport> => {
		assertWanted(work.signal);
		const id = parseGraphId(request.as);
		assertIdFree(deps.catalog, id, request.update ?? false);
		const own = request.update ? deps.repository.findOwn(id) : undefined;
		return own ? update.bringInLine(own, request, work) : importGraph(deps, update, request, work);
	};
	return {
		/**
		 * One at a time until searches see it; resolves when its vectors are made, too. What was on sale before is on sale again
		 * when `signal` is given before that. Throws INVALID_ARGUMENT for a source that cannot be read, an id that is taken, and an
		 * update that takes away more than it may.
		 */
		async import(
			request: ImportRequest,
			onProgress?: OnProgress,
			signal?: AbortSignal,
		): Promise<ImportReport> {
			let startedMs = 0;
			const refuse = (error: unknown) => {
				throw toRefusal(error, request, signal);
			};
			const visible = await queue
				.add(() => {
					startedMs = deps.clock.monotonicMs();
					return run(request, { onProgress, signal });
				})
				.catch(refuse);
			const inspect = async () => {
				if (!request.quality) return undefined;
				return inspectGraph(visible.graph, { ...deps, isOnSale: visible.isOnSale, signal });
			};
			// Vectors may take minutes; changes of graphs do not wait for them.
			const quality = await orAborted(visible.complete, signal)
				.then(inspect)
				.catch(async (error: unknown) => {
					if (signal?.aborted) await queue.add(visible.undo);
					return refuse(error);
				});
			const seconds = Math.round(deps.clock.monotonicMs() - startedMs) / 1000;
			return { ...visible.report, ...(quality && { quality }), seconds };
		},
		/** Runs work that needs the imported files to stay as they are; imports wait for it. */
		whileNoneRuns: <T>(work: () => Promise<T>): Promise<T> => queue.add(work),
	};
}

/** What stopped an import, in a sentence: its caller, or a system that lets files be neither read nor written. */
function toRefusal(
	error: unknown,
	{ source, as }: ImportRequest,
	signal: AbortSignal | undefined,
): unknown {
	if (error instanceof ServiceError) return error;
	if (signal?.aborted) return stopped();
	if (!(error instanceof Error && "syscall" in error)) return error;
	return unavailable(
		`"${source}" was not imported as "${as}": the system refused this (${error.message}). Put that right, then import it again.`,
		{ cause: error },
	);
}

/** Rejects as soon as the signal is given; what is under way goes on. */
async function orAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	if (!signal) return work;
	const stop = () => assertWanted(signal);
	const stopped = new Promise<void>((resolve) => {
		signal.addEventListener("abort", () => resolve(), { once: true });
	});
	stop();
	await Promise.race([work, stopped]);
	stop();
}

async function importGraph(
	{ catalog, repository, history, clock, folder }: ImportServices,
	update: GraphUpdate,
	request: ImportRequest,
	{ onProgress, signal }: Work,
): Promise<VisibleImport> {
	const id = parseGraphId(request.as);
	const imported = await importFolder({
		source: request.source,
		as: id,
		options: toOptions(request, toIsoDay(clock.now())),
		nowMs: clock.now(),
		signal,
	});
	const { files, report, memory } = imported;
	assertSome(report, request.source);
	assertSlugFree(catalog, imported.graph.record);
	if (isChangeable(imported.graph)) assertLoadable(imported.graph.memory);
	const prior = catalog.find(id);
	const before = prior?.concepts ?? [];
	const changes = changesBetween(before, imported.graph.concepts);
	const told = toReport(request, { graph: imported.graph, skipped: report.skipped, changes });
	assertFewRemoved(request, told, { before: before.length, paths: changes.removed });
	const staged = { report: told, graph: imported.graph };
	if (request.dry_run) return { ...staged, ...NOTHING_DONE };
	assertWanted(signal);
	const target = join(folder, id);
	const takeBack = async () => {
		await rm(target, { recursive: true, force: true });
		if (prior) catalog.put(prior);
		else catalog.remove(id);
		await repository.reindex();
	};
	await history.clear(id);
	await writeBundle(files, target, { replace: request.update ?? false });
	const graph = { ...imported.graph, folder: target };
	try {
		await history.begin(graph);
		await repository.publish(graph, {
			vectors: "background",
			...(onProgress && { onProgress }),
			signal,
		});
	} catch (error) {
		await takeBack();
		throw error;
	}
	update.remember(request, memory);
	const complete = repository.complete(onProgress);
	// What others have made of it since is theirs.
	const undo = async () => {
		if (catalog.findHeld(id)?.contentHash !== graph.contentHash) return;
		await repository.withdraw(id);
		await takeBack();
	};
	return { ...staged, report: { ...told, version: 1 }, isOnSale: true, complete, undo };
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
			{ onProgress, signal }: Work,
		): Promise<VisibleImport> {
			const startedMs = clock.monotonicMs();
			await readMemory(graph);
			let readMs = startedMs;
			const onRead = () => {
				readMs = clock.monotonicMs();
			};
			const memory = recall(request);
			assertWanted(signal);
			const plan = await makePlan(graph, request, { nowMs: clock.now(), onRead, memory, signal });
			const staged = await stagePlan(deps, graph, plan);
			const changes = namesOf(graph, plan.changes);
			const { next } = staged;
			const told = toReport(request, { graph: next, skipped: plan.skipped, changes });
			assertFewRemoved(request, told, { before: graph.concepts.length, paths: changes.removed });
			if (request.dry_run) return { report: told, graph: next, ...NOTHING_DONE };
			const isNew = staged.changes.size > 0;
			if (isNew) await repository.apply(staged, { cause: "update", signal });
			const visibleMs = clock.monotonicMs();
			remember(request, plan.memory);
			const report = {
				...told,
				version: await repository.versionOf(next),
				read_ms: Math.round(readMs - startedMs),
				visible_ms: Math.round(visibleMs - readMs),
			};
			const undo = async () => {
				if (isNew) await repository.revert(staged);
			};
			const complete = repository.complete(onProgress);
			return { report, graph: next, isOnSale: true, complete, undo };
		},
	};
}

/** Throws INVALID_ARGUMENT, and nothing has changed, when too little is left or the name is another graph's. */
async function stagePlan(
	{ catalog, repository, clock }: UpdateServices,
	graph: Changeable,
	{ changes, rules, skipped, source }: Plan,
): Promise<StagedChange> {
	// What follows walks over the whole graph; others are served before it.
	await setImmediate();
	const isAsItWas = changes.size === 0 && isFrameCurrent(graph, rules);
	if (isAsItWas) return { graph, next: graph, changes };
	const today = toIsoDay(clock.now());
	return repository.stage(graph, changes, ({ graph: next }) => {
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
		signal,
	}: {
		nowMs: number;
		onRead: () => void;
		memory: ImportMemory | undefined;
		signal: AbortSignal | undefined;
	},
): Promise<Plan> {
	const { source, as } = request;
	const options = toOptions(request, toIsoDay(nowMs));
	const rulesOf = ({ format, sourceRecord }: Pick<FrameRules, "format" | "sourceRecord">) => {
		return { format, sourceRecord, options };
	};
	const read = { source, as, options, nowMs, onRead, signal };
	const update = known && (await updateFromFolder({ ...read, graph, memory: known }));
	if (update) {
		const given = givenIn(update.memory.rows.keys(), update.memory.format);
		return { ...update, source, rules: { ...rulesOf(update.memory), given } };
	}
	const imported = await importFolder(read);
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

/** The same source read with other options makes other files. */
function keyOf(request: ImportRequest): string {
	const {
		update: _,
		full: _full,
		dry_run: _dry,
		quality: _quality,
		removals_max: _max,
		...rest
	} = request;
	return JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
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
