import { join } from "node:path";
import PQueue from "p-queue";
import { type Clock, toIsoDay } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import { parseGraphId } from "../core/ids.js";
import type { GraphType } from "../core/wire.js";
import { readGraph } from "../knowledge/bundle-files.js";
import { writeBundle } from "../knowledge/bundle-folder.js";
import { readBundleInTurns } from "../knowledge/bundle-reader.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import type { GraphRecord } from "../knowledge/graph.js";
import { importFolder } from "../knowledge/import-folder.js";
import type { ImportOptions } from "../knowledge/import-options.js";
import type { GraphShelf } from "./graph-shelf.js";

export interface ImportRequest {
	/** Absolute path of an OKF folder, a Markdown folder or a zip of either. */
	readonly source: string;
	readonly as: string;
	/** Address of each document; `{stem}` and `{path}` are filled in. */
	readonly source_url?: string | undefined;
	/** Front-matter key that dates the document. */
	readonly date_key?: string | undefined;
	/** Front-matter keys whose values name other documents. */
	readonly edge_keys?: readonly string[] | undefined;
	readonly type?: GraphType | undefined;
	readonly title?: string | undefined;
	/** Replaces a graph that was imported under this id before. */
	readonly update?: boolean | undefined;
}

export interface ImportReport {
	readonly graph_id: string;
	readonly imported: number;
	readonly skipped: readonly { readonly file: string; readonly reason: string }[];
	readonly nodes: number;
	readonly edges: number;
	readonly evidence: number;
	readonly seconds: number;
}

export type OnProgress = (progress: { readonly done: number; readonly total: number }) => void;

/** Turns somebody's folder into a graph on sale. */
export interface GraphImporter {
	/** One import at a time. Throws INVALID_ARGUMENT for a source that cannot be read or an id that is taken. */
	import(request: ImportRequest, onProgress?: OnProgress): Promise<ImportReport>;
	/** Runs work that needs the imported files to stay as they are; imports wait for it. */
	whileNoneRuns<T>(work: () => Promise<T>): Promise<T>;
}

export interface GraphImporterDeps {
	readonly catalog: GraphCatalog;
	readonly shelf: GraphShelf;
	readonly clock: Clock;
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
}

/** Literal paths under /v1/graphs: a graph of that name could not be reached. */
const RESERVED_IDS: ReadonlySet<string> = new Set(["catalog", "compare"]);

export function createGraphImporter(deps: GraphImporterDeps): GraphImporter {
	// Two imports at once would race for one folder and for the index.
	const queue = new PQueue({ concurrency: 1 });
	return {
		import: (request, onProgress) => queue.add(() => importGraph(deps, request, onProgress)),
		whileNoneRuns: (work) => queue.add(work),
	};
}

async function importGraph(
	{ catalog, shelf, clock, folder }: GraphImporterDeps,
	request: ImportRequest,
	onProgress?: OnProgress,
): Promise<ImportReport> {
	const startedMs = clock.monotonicMs();
	const id = parseGraphId(request.as);
	assertFree(catalog, id, request.update ?? false);
	const { files, report } = await importFolder({
		source: request.source,
		as: id,
		options: toOptions(request, toIsoDay(clock.now())),
	});
	if (report.nodes === 0) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`Nothing in "${request.source}" can become a concept; ${report.skipped.length} files were looked at. A concept is a Markdown file with text.`,
		);
	}
	assertSlugFree(catalog, (await readBundleInTurns(files, { fallbackId: id })).graph.record);
	const target = join(folder, id);
	await writeBundle(files, target, { replace: request.update ?? false });
	const graph = await readGraph(target);
	await shelf.publish(graph, onProgress && { onProgress });
	const { graphId, imported, skipped, nodes, edges, evidence } = report;
	const seconds = Math.round(clock.monotonicMs() - startedMs) / 1000;
	return { graph_id: graphId, imported, skipped, nodes, edges, evidence, seconds };
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

/** Two detail pages of one name would hide each other. */
function assertSlugFree(catalog: GraphCatalog, { id, slug }: GraphRecord): void {
	const holder = catalog.find(slug);
	if (!holder || holder.record.id === id) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`The bundle's slug "${slug}" belongs to the graph "${holder.record.id}"; change it in graph.md.`,
	);
}

function toOptions(request: ImportRequest, today: string): ImportOptions {
	const { source_url, date_key, edge_keys, type, title } = request;
	return {
		today,
		...(source_url !== undefined && { sourceUrl: source_url }),
		...(date_key !== undefined && { dateKey: date_key }),
		...(edge_keys && { edgeKeys: edge_keys }),
		...(type && { type }),
		...(title !== undefined && { title }),
	};
}
