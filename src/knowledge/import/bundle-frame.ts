import type { BundleChanges, Changeable } from "../bundle/bundle-change.js";
import { RECORD_PATH } from "../bundle/bundle-document.js";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.js";
import type { BundleFiles } from "../bundle/bundle-reader.js";
import { encodeFiles, toGraphListing, toLogFile, toRecordFile } from "../bundle/bundle-writer.js";
import { markOf } from "../bundle/content-hash.js";
import type { Concept, Graph, GraphRecord } from "../model/graph.js";
import { entriesOf, valueAt } from "../model/path-map.js";
import { FRAME_PATHS } from "./bundle-paths.js";
import type { ImportOptions, ImportTrace } from "./import-options.js";

/** The record of an import: what the source says, what the options say, and guesses for the rest. */
export function toRecord(
	graph: Pick<Graph, "record" | "concepts">,
	{ graphId, options, isOkf }: { graphId: string; options: ImportOptions; isOkf: boolean },
): GraphRecord {
	// Who set what is said of the graph on sale, not of its source.
	const { setByOwner: _, ...record } = graph.record;
	const newest = newestDayOf(graph.concepts);
	const given = isOkf ? record : { ...record, updated: newest ?? record.updated };
	return {
		...given,
		id: graphId,
		slug: record.id === graphId ? record.slug : graphId,
		title: options.title ?? (record.title === record.id ? toTitle(graphId) : record.title),
		type: options.type ?? record.type,
		version: options.version ?? record.version,
		updated: options.today ?? given.updated,
		description: options.description ?? record.description,
		topics: record.topics.length > 0 ? record.topics : frequentTags(graph),
	};
}

function newestDayOf(concepts: readonly Concept[]): string | undefined {
	let newest = "";
	const note = (day: string | undefined) => {
		// ISO dates compare as text.
		if (day !== undefined && day > newest) newest = day;
	};
	for (const { evidence, generatedAt } of concepts) {
		note(generatedAt);
		for (const { publishedAt } of evidence) note(publishedAt);
	}
	return newest || undefined;
}

/** Record and log, whose length is not that of the graph. */
export function summaryFiles(
	{ concepts }: Pick<Graph, "concepts">,
	record: GraphRecord,
): ReadonlyMap<string, string> {
	return new Map([
		["log.md", toLogFile(record.updated, [`Imported ${concepts.length} documents.`])],
		["graph.md", toRecordFile(record)],
	]);
}

function frequentTags(graph: Pick<Graph, "concepts">): readonly string[] {
	const count = new Map<string, number>();
	for (const { tags } of graph.concepts) {
		for (const tag of tags) count.set(tag, (count.get(tag) ?? 0) + 1);
	}
	return [...count]
		.sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
		.slice(0, 10)
		.map(([tag]) => tag);
}

function toTitle(graphId: string): string {
	const words = graphId.replaceAll("-", " ");
	return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** How the files that are made for a bundle as a whole follow its concepts. */
export interface FrameRules extends Pick<ImportTrace, "format" | "sourceRecord"> {
	readonly options: ImportOptions;
	/** Root files that the source has itself; its record is rewritten all the same. */
	readonly given: ReadonlySet<string>;
}

/** The record these concepts give a graph, dated `updated`. */
export function recordFor(
	{ record, concepts }: Graph,
	{ format, sourceRecord, options }: FrameRules,
	updated: string,
): GraphRecord {
	const made = toRecord(
		{ record: sourceRecord, concepts },
		{ graphId: record.id, options: { ...options, today: updated }, isOkf: format === "okf" },
	);
	const { setByOwner } = record;
	// Prices that were set here stay while the source names none.
	const priced = { ...made, terms: made.terms ?? record.terms };
	if (!setByOwner) return priced;
	const set = setByOwner.map((field) => [field, record[field]]);
	return { ...priced, ...Object.fromEntries(set), setByOwner };
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
