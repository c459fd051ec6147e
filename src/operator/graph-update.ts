import { setImmediate } from "node:timers/promises";
import { LIMITS } from "../contract/contract.js";
import { type Clock, toIsoDay } from "../kernel/kernel.js";
import {
	type BundleChanges,
	type Changeable,
	conceptAt,
	differences,
	FRAME_PATHS,
	type FrameRules,
	frameChanges,
	type Graph,
	type GraphCatalog,
	type ImportMemory,
	importFolder,
	isFrameCurrent,
	isReserved,
	readMemory,
	recordFor,
	type SkippedFile,
	updateFromFolder,
} from "../knowledge/knowledge.js";
import type { GraphRepository } from "./graph-repository.js";
import {
	assertSlugFree,
	assertSome,
	type ChangeCount,
	type ImportRequest,
	type OnProgress,
	toOptions,
	type VisibleImport,
} from "./import-request.js";

export interface GraphUpdateDeps {
	readonly catalog: GraphCatalog;
	readonly shelf: GraphRepository;
	readonly clock: Clock;
}

/** Brings imported graphs in line with their sources; only what has changed is read, written and indexed again. */
export interface GraphUpdate {
	/** Resolves when searches see the change. */
	bringInLine(
		graph: Changeable,
		request: ImportRequest,
		onProgress?: OnProgress,
	): Promise<VisibleImport>;
	/**
	 * What an import found, for the next one of the same source with the same options. Only the last few are kept
	 * (LIMITS.importMemoriesMax); an update of any other graph reads its whole source.
	 */
	remember(request: ImportRequest, memory: ImportMemory | undefined): void;
}

interface Plan {
	readonly source: string;
	readonly changes: BundleChanges;
	readonly rules: FrameRules;
	readonly skipped: readonly SkippedFile[];
	readonly memory: ImportMemory | undefined;
}

export function createGraphUpdate(deps: GraphUpdateDeps): GraphUpdate {
	const { shelf, clock } = deps;
	const memories = new Map<string, { readonly key: string; readonly memory: ImportMemory }>();

	const remember: GraphUpdate["remember"] = (request, memory) => {
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
		async bringInLine(graph, request, onProgress) {
			const startedMs = clock.monotonicMs();
			await readMemory(graph);
			let readMs = startedMs;
			const onRead = () => {
				readMs = clock.monotonicMs();
			};
			const plan = await makePlan({ graph, request, clock, onRead, memory: recall(request) });
			const next = await carryOut(deps, graph, plan);
			const visibleMs = clock.monotonicMs();
			remember(request, plan.memory);
			const report = {
				graph_id: request.as,
				imported: next.concepts.length,
				skipped: plan.skipped,
				nodes: next.concepts.length,
				edges: next.concepts.reduce((sum, { edges }) => sum + edges.length, 0),
				evidence: next.concepts.reduce((sum, { evidence }) => sum + evidence.length, 0),
				changed: countChanges(graph, plan.changes),
				read_ms: Math.round(readMs - startedMs),
				visible_ms: Math.round(visibleMs - readMs),
			};
			return { report, complete: shelf.complete(onProgress) };
		},
	};
}

/** Throws INVALID_ARGUMENT, and nothing has changed, when too little is left or the name is another graph's. */
async function carryOut(
	{ catalog, shelf, clock }: GraphUpdateDeps,
	graph: Changeable,
	{ changes, rules, skipped, source }: Plan,
): Promise<Graph> {
	// What follows walks over the whole graph; others are served before it.
	await setImmediate();
	if (changes.size === 0 && isFrameCurrent(graph, rules)) return graph;
	const today = toIsoDay(clock.now());
	return shelf.change(graph, changes, ({ graph: next }) => {
		assertSome({ nodes: next.concepts.length, skipped }, source);
		const record = recordFor(next, rules, today);
		assertSlugFree(catalog, record);
		return frameChanges(next, rules, record);
	});
}

async function makePlan({
	graph,
	request,
	clock,
	onRead,
	memory: known,
}: {
	readonly graph: Changeable;
	readonly request: ImportRequest;
	readonly clock: Clock;
	readonly onRead: () => void;
	readonly memory: ImportMemory | undefined;
}): Promise<Plan> {
	const { source, as } = request;
	const nowMs = clock.now();
	const options = toOptions(request, toIsoDay(nowMs));
	const rulesOf = ({ format, sourceRecord }: Pick<FrameRules, "format" | "sourceRecord">) => ({
		format,
		sourceRecord,
		options,
	});
	const update =
		known && (await updateFromFolder({ source, as, options, nowMs, onRead, graph, memory: known }));
	if (update) {
		const given = givenIn(update.memory.rows.keys(), update.memory.format);
		return { ...update, source, rules: { ...rulesOf(update.memory), given } };
	}
	const { files, report, trace, memory } = await importFolder({
		source,
		as,
		options,
		nowMs,
		onRead,
	});
	assertSome(report, source);
	const given = givenIn(
		trace.documents.map(({ path }) => path),
		trace.format,
	);
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

function countChanges({ concepts }: Graph, changes: BundleChanges): ChangeCount {
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
