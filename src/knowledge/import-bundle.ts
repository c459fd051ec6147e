import { parseGraphId } from "../kernel/kernel.js";
import { type Changeable, changeBundle } from "./bundle-change.js";
import { isConfined } from "./bundle-document.js";
import { type BundleFiles, readBundleInTurns } from "./bundle-reader.js";
import { encodeFiles, toGraphListing, toLogFile } from "./bundle-writer.js";
import { parseMarkdown, textOf } from "./front-matter.js";
import type { Concept, Graph, GraphRecord } from "./graph.js";
import { type DocumentImport, importDocuments } from "./import-documents.js";
import type { ImportOptions, ImportResult, MappedDocument, SkippedFile } from "./import-options.js";
import { createPathClaims, FRAME_PATHS, fitsNames } from "./import-path.js";
import { screenFiles } from "./import-screen.js";
import { toGraphType } from "./record-reader.js";
import { toRecordFile } from "./record-writer.js";
import { runInTurns } from "./work-in-turns.js";

/**
 * Turns files of any origin into a bundle with this graph id, one document to one concept, no model involved. Nothing is
 * dropped silently: every file that does not become a concept is in the report. Other work of the process goes on
 * meanwhile. Throws INVALID_ARGUMENT for an unusable id.
 */
export async function importBundle(
	source: BundleFiles,
	graphId: string,
	options: ImportOptions = {},
): Promise<ImportResult> {
	parseGraphId(graphId);
	const { files, skipped } = await runInTurns(screenFiles(source));
	const format = options.format ?? (isOkfBundle(files) ? "okf" : "markdown");
	const concepts =
		format === "okf" ? keepConcepts(files) : await runInTurns(importDocuments(files, options));
	const draft = await readBundleInTurns(concepts.files, { fallbackId: graphId });
	// An OKF file the reader refuses would be a broken file of the new bundle too.
	const refused = draft.findings.filter(({ severity }) => severity === "error");
	const refusedPaths = new Set(refused.map(({ file }) => file));
	const kept = new Map([...concepts.files].filter(([path]) => !refusedPaths.has(path)));
	const record = toRecord(draft.graph, { graphId, options, isOkf: format === "okf" });
	const isUnchanged = toRecordFile(record) === toRecordFile(draft.graph.record);
	for (const [path, bytes] of frameFiles(draft.graph, record)) {
		// What the owner of a bundle wrote stays; only a record that now says something else is written anew.
		if (!kept.has(path) || (path === "graph.md" && !isUnchanged)) kept.set(path, bytes);
	}
	// What the files read as, without reading all of them once more.
	const late = new Map<string, Uint8Array | undefined>();
	for (const path of refusedPaths) late.set(path, undefined);
	for (const path of FRAME_PATHS) late.set(path, kept.get(path));
	const readKept = async (path: string) => kept.get(path) ?? new Uint8Array();
	const { graph } = await changeBundle(draft.graph as Changeable, late, readKept);
	const collisions = refused.filter(({ rule }) => rule === "id-collision").length;
	return {
		files: kept,
		graph,
		trace: {
			format,
			documents: concepts.documents,
			displaced: concepts.displaced + collisions,
			sourceRecord: draft.graph.record,
		},
		report: {
			graphId,
			imported: graph.concepts.length,
			skipped: [
				...skipped,
				...concepts.skipped,
				...refused.map(({ file, message }) => ({ file, reason: message })),
			].sort((a, b) => (a.file < b.file ? -1 : 1)),
			unresolved: concepts.documents.flatMap(({ unresolved }) => unresolved),
			nodes: graph.concepts.length,
			edges: graph.concepts.reduce((sum, { edges }) => sum + edges.length, 0),
			evidence: graph.concepts.reduce((sum, { evidence }) => sum + evidence.length, 0),
		},
	};
}

/** A bundle says so in its root listing, or shows it by a record of ours. */
function isOkfBundle(files: BundleFiles): boolean {
	const frontMatter = (path: string) => {
		const bytes = files.get(path);
		return bytes ? parseMarkdown(new TextDecoder().decode(bytes)).data : {};
	};
	return (
		textOf(frontMatter("index.md")["okf_version"]) !== undefined ||
		toGraphType(textOf(frontMatter("graph.md")["type"])) !== undefined
	);
}

function keepConcepts(files: BundleFiles): DocumentImport {
	const claim = createPathClaims();
	const kept = new Map<string, Uint8Array>();
	const skipped: SkippedFile[] = [];
	let displaced = 0;
	for (const [path, bytes] of files) {
		const reason = reasonToLeaveOut(path);
		const obstacle = reason === undefined ? claim(path) : undefined;
		if (obstacle !== undefined) displaced += 1;
		const complaint = reason ?? obstacle;
		if (complaint === undefined) kept.set(path, bytes);
		else skipped.push({ file: path, reason: complaint });
	}
	return { files: kept, skipped, documents: [...kept.keys()].map(asItIs), displaced };
}

/** A file of the format is taken as it is, whatever the others are. */
export function asItIs(path: string): MappedDocument {
	return {
		path,
		bundlePath: path,
		title: "",
		aliases: [],
		asked: [],
		hasWikiLink: false,
		unresolved: [],
	};
}

/** Why a file of the format is not taken: one whole sentence; undefined when it is. */
export function reasonToLeaveOut(path: string): string | undefined {
	if (!isConfined(path)) return "The path holds characters no concept id may have.";
	return fitsNames(path) ? undefined : "A name in the path is too long for some file systems.";
}

/** The record of an import: what the source says, what the options say, and guesses for the rest. */
export function toRecord(
	graph: Pick<Graph, "record" | "concepts">,
	{ graphId, options, isOkf }: { graphId: string; options: ImportOptions; isOkf: boolean },
): GraphRecord {
	const { record } = graph;
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

/** Of anything the concepts date. */
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

/** Files every bundle has, made for what it holds now. */
function frameFiles(graph: Graph, record: GraphRecord): ReadonlyMap<string, Uint8Array> {
	return encodeFiles(
		new Map([
			["index.md", toGraphListing(record.title, graph.concepts)],
			...summaryFiles(graph, record),
		]),
	);
}

/** Of these, the ones whose length is not that of the graph. */
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
