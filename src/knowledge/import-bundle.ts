import { parseGraphId } from "../core/ids.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { type BundleFiles, isConfined, readBundle } from "./bundle-reader.js";
import { encodeFiles, toGraphListing, toLogFile } from "./bundle-writer.js";
import { parseMarkdown, textOf } from "./front-matter.js";
import type { Graph, GraphRecord } from "./graph.js";
import { importDocuments } from "./import-documents.js";
import type { ImportOptions, ImportResult, SkippedFile } from "./import-options.js";
import { isMarkdownPath } from "./import-path.js";
import { toGraphType } from "./record-reader.js";
import { toRecordFile } from "./record-writer.js";

/**
 * Turns files of any origin into a bundle with this graph id, one document to one concept, no model involved. Nothing is
 * dropped silently: every file that does not become a concept is in the report. Throws INVALID_ARGUMENT for an unusable id.
 */
export function importBundle(
	source: BundleFiles,
	graphId: string,
	options: ImportOptions = {},
): ImportResult {
	parseGraphId(graphId);
	const { files, skipped } = screenFiles(source);
	const format = options.format ?? (isOkfBundle(files) ? "okf" : "markdown");
	const concepts = format === "okf" ? keepConcepts(files) : importDocuments(files, options);
	const draft = readBundle(concepts.files, { fallbackId: graphId });
	// An OKF file the reader refuses would be a broken file of the new bundle too.
	const refused = draft.findings.filter(({ severity }) => severity === "error");
	const kept = new Map(
		[...concepts.files].filter(([path]) => !refused.some(({ file }) => file === path)),
	);
	const record = toRecord(draft.graph, { graphId, options, isOkf: format === "okf" });
	const isUnchanged = toRecordFile(record) === toRecordFile(draft.graph.record);
	for (const [path, bytes] of frameFiles(draft.graph, record)) {
		// What the owner of a bundle wrote stays; only a record that now says something else is written anew.
		if (!kept.has(path) || (path === "graph.md" && !isUnchanged)) kept.set(path, bytes);
	}
	const { graph } = readBundle(kept, { fallbackId: graphId });
	return {
		files: kept,
		report: {
			graphId,
			imported: graph.concepts.length,
			skipped: [
				...skipped,
				...concepts.skipped,
				...refused.map(({ file, message }) => ({ file, reason: message })),
			].sort((a, b) => (a.file < b.file ? -1 : 1)),
			unresolved: concepts.unresolved,
			nodes: graph.concepts.length,
			edges: graph.concepts.reduce((sum, { edges }) => sum + edges.length, 0),
			evidence: graph.concepts.reduce((sum, { evidence }) => sum + evidence.length, 0),
		},
	};
}

/** Lets Markdown of sensible size through. */
function screenFiles(source: BundleFiles): { files: BundleFiles; skipped: readonly SkippedFile[] } {
	const files = new Map<string, Uint8Array>();
	const skipped: SkippedFile[] = [];
	for (const [path, bytes] of [...source].sort(([a], [b]) => (a < b ? -1 : 1))) {
		const reason = reasonToSkip(path, bytes);
		if (reason === undefined) files.set(path, bytes);
		else skipped.push({ file: path, reason });
	}
	return { files, skipped };
}

function reasonToSkip(path: string, bytes: Uint8Array): string | undefined {
	if (!isMarkdownPath(path)) return "The file is not Markdown.";
	if (path.split("/").includes("..") || path.startsWith("/")) return "The path leaves the source.";
	if (bytes.length > BUNDLE_LIMITS.fileBytes) {
		return `The file has more than ${BUNDLE_LIMITS.fileBytes} bytes.`;
	}
	if (bytes.includes(0)) return "The file is not text.";
	return new TextDecoder().decode(bytes).trim() === "" ? "The file is empty." : undefined;
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

function keepConcepts(files: BundleFiles): ReturnType<typeof importDocuments> {
	const skipped = [...files.keys()]
		.filter((path) => !isConfined(path))
		.map((file) => ({ file, reason: "The path holds characters no concept id may have." }));
	return {
		files: new Map([...files].filter(([path]) => isConfined(path))),
		skipped,
		unresolved: [],
	};
}

function toRecord(
	graph: Graph,
	{ graphId, options, isOkf }: { graphId: string; options: ImportOptions; isOkf: boolean },
): GraphRecord {
	const { record } = graph;
	const newest = graph.concepts
		.flatMap(({ evidence, generatedAt }) => [
			generatedAt,
			...evidence.map((one) => one.publishedAt),
		])
		.filter((day) => day !== undefined)
		.sort()
		.at(-1);
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

/** Files every bundle has, made for what it holds now. */
function frameFiles(graph: Graph, record: GraphRecord): ReadonlyMap<string, Uint8Array> {
	return encodeFiles(
		new Map([
			["index.md", toGraphListing(record.title, graph.concepts)],
			["log.md", toLogFile(record.updated, [`Imported ${graph.concepts.length} documents.`])],
			["graph.md", toRecordFile(record)],
		]),
	);
}

function frequentTags(graph: Graph): readonly string[] {
	const count = new Map<string, number>();
	for (const tag of graph.concepts.flatMap(({ tags }) => tags)) {
		count.set(tag, (count.get(tag) ?? 0) + 1);
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
