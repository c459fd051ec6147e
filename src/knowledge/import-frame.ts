import type { BundleChanges, Changeable } from "./bundle-change.js";
import { RECORD_PATH } from "./bundle-document.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import type { BundleFiles } from "./bundle-reader.js";
import { encodeFiles, toGraphListing } from "./bundle-writer.js";
import { markOf } from "./content-hash.js";
import type { Graph, GraphRecord } from "./graph.js";
import { summaryFiles, toRecord } from "./import-bundle.js";
import type { ImportOptions, ImportTrace } from "./import-options.js";
import { FRAME_PATHS } from "./import-path.js";
import { entriesOf, valueAt } from "./path-map.js";
import { toRecordFile } from "./record-writer.js";

/** How the files that are made for a bundle as a whole follow its concepts. */
export interface FrameRules extends Pick<ImportTrace, "format" | "sourceRecord"> {
	readonly options: ImportOptions;
	/** Root files that the source has itself; its record is written anew all the same. */
	readonly given: ReadonlySet<string>;
}

/** The record these concepts give a graph, dated `updated`. */
export function recordFor(
	{ record: { id }, concepts }: Graph,
	{ format, sourceRecord, options }: FrameRules,
	updated: string,
): GraphRecord {
	return toRecord(
		{ record: sourceRecord, concepts },
		{ graphId: id, options: { ...options, today: updated }, isOkf: format === "okf" },
	);
}

/** True when the graph says of itself what it would say after an import of what it holds, but for the date. */
export function isFrameCurrent(graph: Graph, rules: FrameRules): boolean {
	const { record } = graph;
	return toRecordFile(recordFor(graph, rules, record.updated)) === toRecordFile(record);
}

/** Files of the frame that are to change, given what the graph holds and the record it gets. */
export function frameChanges(
	graph: Graph,
	{ given }: Pick<FrameRules, "given">,
	record: GraphRecord,
): BundleChanges {
	const texts = new Map(summaryFiles(graph, record));
	const isListed = !given.has("index.md") && !isListingLong(graph);
	if (isListed) texts.set("index.md", toGraphListing(record.title, graph.concepts));
	const changes = new Map<string, Uint8Array>();
	for (const [path, bytes] of encodeFiles(texts)) {
		if (given.has(path) && path !== RECORD_PATH) continue;
		if (isOther(graph, path, bytes)) changes.set(path, bytes);
	}
	return changes;
}

/** A listing longer than what is read of any file is made by whole imports only: it would cost more than most updates. */
function isListingLong({ memory }: Graph): boolean {
	const listing = memory && valueAt(memory.files, "index.md");
	return listing !== undefined && listing.bytes > BUNDLE_LIMITS.fileBytes;
}

/** What makes the files of a graph these files, but for the frame where the source has none. */
export function differences(
	graph: Changeable,
	files: BundleFiles,
	given: ReadonlySet<string>,
): BundleChanges {
	const isOurs = (path: string) =>
		path === RECORD_PATH || (FRAME_PATHS.has(path) && !given.has(path));
	const changes = new Map<string, Uint8Array | undefined>();
	for (const [path, bytes] of files) {
		if (!isOurs(path) && isOther(graph, path, bytes)) changes.set(path, bytes);
	}
	for (const [path] of entriesOf(graph.memory.files)) {
		if (!FRAME_PATHS.has(path) && !files.has(path)) changes.set(path, undefined);
	}
	return changes;
}

function isOther({ memory }: Graph, path: string, bytes: Uint8Array): boolean {
	return (memory && valueAt(memory.files, path)?.sha256) !== markOf(bytes).sha256;
}
