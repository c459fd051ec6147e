import { join } from "node:path";
import PQueue from "p-queue";
import { type Clock, parseGraphId, ServiceError, toIsoDay } from "../kernel/kernel.js";
import {
	assertLoadable,
	type GraphCatalog,
	importFolder,
	isChangeable,
	writeBundle,
} from "../knowledge/knowledge.js";
import type { GraphRepository } from "./graph-repository.js";
import { createGraphUpdate, type GraphUpdate } from "./graph-update.js";
import {
	assertSlugFree,
	assertSome,
	type ImportReport,
	type ImportRequest,
	type OnProgress,
	toOptions,
	type VisibleImport,
} from "./import-request.js";

/** Turns somebody's folder into a graph on sale. */
export interface GraphImporter {
	/** One at a time until searches see it; resolves when its vectors are made, too. Throws INVALID_ARGUMENT for a source that cannot be read or an id that is taken. */
	import(request: ImportRequest, onProgress?: OnProgress): Promise<ImportReport>;
	/** Runs work that needs the imported files to stay as they are; imports wait for it. */
	whileNoneRuns<T>(work: () => Promise<T>): Promise<T>;
}

export interface GraphImporterDeps {
	readonly catalog: GraphCatalog;
	readonly shelf: GraphRepository;
	readonly clock: Clock;
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
}

/** Literal paths under /v1/graphs: a graph of that name could not be reached. */
const RESERVED_IDS: ReadonlySet<string> = new Set(["catalog", "compare"]);

export function createGraphImporter(deps: GraphImporterDeps): GraphImporter {
	// Two imports at once would race for one folder and for the index.
	const queue = new PQueue({ concurrency: 1 });
	const update = createGraphUpdate(deps);
	const run = async (request: ImportRequest, onProgress?: OnProgress): Promise<VisibleImport> => {
		const id = parseGraphId(request.as);
		assertFree(deps.catalog, id, request.update ?? false);
		const own = request.update ? deps.shelf.findOwn(id) : undefined;
		return own
			? update.bringInLine(own, request, onProgress)
			: importGraph(deps, update, request, onProgress);
	};
	return {
		async import(request, onProgress) {
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
		whileNoneRuns: (work) => queue.add(work),
	};
}

async function importGraph(
	{ catalog, shelf, clock, folder }: GraphImporterDeps,
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
	await shelf.publish(graph, { vectors: "background", ...(onProgress && { onProgress }) });
	update.remember(request, memory);
	const { graphId, imported: count, skipped, nodes, edges, evidence } = report;
	const changed = { added: nodes, changed: 0, removed: 0, unchanged: 0 };
	return {
		report: { graph_id: graphId, imported: count, skipped, nodes, edges, evidence, changed },
		complete: shelf.complete(onProgress),
	};
}

function assertFree(catalog: GraphCatalog, id: string, isUpdate: boolean): void {
	if (RESERVED_IDS.has(id)) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`"${id}" is a name of the interface; choose another id.`,
		);
	}
	const other = catalog.find(id);
	if (!other || (isUpdate && other.record.id === id)) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`A graph called "${id}" is on sale already; replace it with --update, or choose another id.`,
	);
}
