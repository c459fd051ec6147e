import { setImmediate } from "node:timers/promises";
import {
	createDocumentReader,
	findLinkTargets,
	isSection,
	namesIn,
	parseMarkdown,
	reasonToWithhold,
	textOf,
} from "../../documents/documents.js";
import { parseGraphId } from "../../kernel/kernel.js";
import { type Changeable, changeBundle } from "../bundle/bundle-change.js";
import { isConfined, isReserved, RECORD_PATH, toGraphType } from "../bundle/bundle-document.js";
import { type BundleFiles, readBundleInTurns } from "../bundle/bundle-reader.js";
import {
	encodeFiles,
	graphListingOf,
	toMarkdownFile,
	toRecordFile,
} from "../bundle/bundle-writer.js";
import type { Graph, GraphRecord } from "../model/graph.js";
import { namesTerms, readTerms } from "../model/graph-terms.js";
import { runInTurns, type Steps } from "../model/work-in-turns.js";
import { summaryFiles, toRecord } from "./bundle-frame.js";
import { createPathClaims, EMPTY, FRAME_PATHS, fitsNames, screenFiles } from "./bundle-paths.js";
import { documentNamesIn, type ImportSpace } from "./document-names.js";
import { type DocumentImport, importDocuments, toPaths } from "./import-documents.js";
import type { ImportOptions, ImportResult, MappedDocument, SkippedFile } from "./import-options.js";
import {
	isWithheld,
	type WithheldDocument,
	withheldNamesOf,
	withoutWithheldLinks,
	withoutWithheldValues,
} from "./withheld-names.js";

/**
 * Turns any files into a bundle and reports all that do not become concepts. Throws
 * INVALID_ARGUMENT for a bad id, and the signal's reason where it ends the work.
 */
export async function importBundle(
	source: BundleFiles,
	graphId: string,
	options: ImportOptions = {},
	signal?: AbortSignal,
): Promise<ImportResult> {
	parseGraphId(graphId);
	const { files, skipped } = await runInTurns(screenFiles(source), signal);
	const sections = sectionsOf(skipped, options);
	const isOkf = options.format === undefined && (await runInTurns(isOkfBundle(files), signal));
	const format = options.format ?? (isOkf ? "okf" : "markdown");
	const concepts =
		format === "okf"
			? await runInTurns(keepConcepts(files, options), signal)
			: await runInTurns(
					importDocuments(files, { ...options, sections }, await createDocumentReader(options)),
					signal,
				);
	const read = await readBundleInTurns(concepts.files, { fallbackId: graphId }, signal);
	const draft = { ...read, graph: withTerms(read.graph, files, format) };
	// An OKF file the reader refuses would be a broken file of the new bundle too.
	const refused = draft.findings.filter(({ severity }) => severity === "error");
	const refusedPaths = new Set(refused.map(({ file }) => file));
	const kept = new Map([...concepts.files].filter(([path]) => !refusedPaths.has(path)));
	// Each of these goes through all concepts once.
	await setImmediate();
	const record = toRecord(draft.graph, { graphId, options, isOkf: format === "okf" });
	const isUnchanged = toRecordFile(record) === toRecordFile(draft.graph.record);
	await setImmediate();
	const frame = new Map([
		["index.md", await runInTurns(graphListingOf(record.title, draft.graph.concepts))],
		...summaryFiles(draft.graph, record),
	]);
	for (const [path, bytes] of encodeFiles(frame)) {
		// What the owner of a bundle wrote stays; only a record that now says something else is rewritten.
		if (!kept.has(path) || (path === "graph.md" && !isUnchanged)) kept.set(path, bytes);
	}
	// What the files read as, without reading all of them once more.
	const late = new Map<string, Uint8Array | undefined>();
	for (const path of refusedPaths) late.set(path, undefined);
	for (const path of FRAME_PATHS) late.set(path, kept.get(path));
	const readKept = async (path: string) => kept.get(path) ?? new Uint8Array();
	const { graph } = await changeBundle(draft.graph as Changeable, late, readKept);
	await setImmediate();
	const collisions = refused.filter(({ rule }) => rule === "id-collision").length;
	return {
		files: kept,
		graph,
		trace: {
			format,
			documents: concepts.documents,
			displaced: concepts.displaced + collisions,
			hasCascades: concepts.hasCascades,
			withheld: concepts.withheld,
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

/** Sections that were left out count for their folders. */
function sectionsOf(skipped: readonly SkippedFile[], { sections = new Map() }: ImportOptions) {
	const lost = skipped.filter(({ file, reason }) => isSection(file) && reason !== EMPTY);
	return new Map([...sections, ...lost.map(({ file }) => [file, undefined] as const)]);
}

/** Terms of its record; a folder of Markdown states them elsewhere. */
function withTerms(graph: Graph, files: BundleFiles, format: "okf" | "markdown"): Graph {
	if (graph.record.terms || format === "okf") return graph;
	return { ...graph, record: { ...graph.record, terms: termsOfFolder(files) } };
}

/**
 * A bundle says so in its root listing, or shows it by a record of ours, or by a listing without front matter beside
 * documents that all have a type.
 */
function* isOkfBundle(files: BundleFiles): Steps<boolean> {
	const frontMatter = (path: string) => {
		const bytes = files.get(path);
		return bytes ? parseMarkdown(new TextDecoder().decode(bytes)).data : {};
	};
	if (
		textOf(frontMatter("index.md")["okf_version"]) !== undefined ||
		toGraphType(textOf(frontMatter("graph.md")["type"])) !== undefined
	) {
		return true;
	}
	const listing = files.get("index.md");
	if (!listing || new TextDecoder().decode(listing.subarray(0, 8)).startsWith("---")) return false;
	const others = [...files.keys()].filter((path) => /\.md$/i.test(path) && !isReserved(path));
	for (const path of others) {
		if (textOf(frontMatter(path)["type"]) === undefined) return false;
		yield;
	}
	return others.length > 0;
}

/** Prices and owners that the front page of somebody's folder names; a lone `owner` says who looks after the pages. */
function termsOfFolder(files: BundleFiles): GraphRecord["terms"] {
	for (const path of [RECORD_PATH, "index.md"]) {
		const bytes = files.get(path);
		const data = bytes ? parseMarkdown(new TextDecoder().decode(bytes)).data : {};
		if (namesTerms({ ...data, owner: undefined })) return readTerms(data, path);
	}
	return undefined;
}

function* keepConcepts(files: BundleFiles, options: ImportOptions): Steps<DocumentImport> {
	const claim = createPathClaims();
	const kept = new Map<string, Uint8Array>();
	const skipped: SkippedFile[] = [];
	const closed: WithheldDocument[] = [];
	let displaced = 0;
	for (const [path, bytes] of files) {
		const refusal = refuseConcept(path, bytes, options);
		const reason = refusal?.reason ?? claim(path);
		if (reason === undefined) kept.set(path, bytes);
		else skipped.push({ file: path, reason, kind: refusal?.kind });
		if (refusal?.kind === "private") closed.push({ path, names: refusal.names });
		if (reason !== undefined && refusal === undefined) displaced += 1;
		yield;
	}
	const withheld = withheldNamesOf([...closed, ...toPaths(options.ignored)]);
	const documents = [...kept.keys()].map(asItIs);
	const bundlePaths = new Map([...kept.keys()].map((path) => [path, path]));
	const names = yield* documentNamesIn(documents);
	const space = { names, bundlePaths, titles: new Map<string, string>(), withheld };
	for (const [path, bytes] of withheld.size > 0 ? kept : []) {
		kept.set(path, withoutWithheld(path, bytes, space));
		yield;
	}
	return {
		files: kept,
		skipped,
		documents,
		displaced,
		hasCascades: withheld.size > 0,
		withheld,
	};
}

/** What a concept is called is its own. */
const OWN_KEYS = new Set("type title description status tags aliases id slug".split(" "));

/** A file of the format that does not tell what its bundle holds back; a listing loses the whole line. */
function withoutWithheld(path: string, bytes: Uint8Array, space: ImportSpace): Uint8Array {
	const place = { path, base: path };
	const text = new TextDecoder().decode(bytes);
	if (isReserved(path)) {
		const open = new Set(withoutWithheldLinks(text, place, space).split("\n"));
		const isOpen = (line: string) =>
			open.has(line) && !findLinkTargets(line).some((to) => isWithheld(to, place, space));
		const kept = text.split("\n").filter(isOpen);
		return new TextEncoder().encode(kept.join("\n"));
	}
	const { data, body, problem } = parseMarkdown(text);
	if (problem !== undefined) return bytes;
	const open = withoutWithheldLinks(body, place, space);
	const rest = Object.entries(data).flatMap(([key, value]) => {
		const left = OWN_KEYS.has(key) ? value : withoutWithheldValues(value, place, space);
		return left === undefined ? [] : [[key, left] as const];
	});
	const named = Object.fromEntries(rest);
	if (open === body && JSON.stringify(named) === JSON.stringify(data)) return bytes;
	return new TextEncoder().encode(toMarkdownFile(named, open));
}

/** A file of the format is taken as it is, whatever the others are. */
export function asItIs(path: string): MappedDocument {
	return {
		path,
		bundlePath: path,
		title: "",
		givenTitle: undefined,
		heading: undefined,
		expires: undefined,
		aliases: [],
		asked: [],
		hasWikiLink: false,
		unresolved: [],
	};
}

/** Why a file of the format is not taken: one whole sentence; undefined when it is. */
export function refuseConcept(
	path: string,
	bytes: Uint8Array,
	{ today }: ImportOptions,
): (Omit<SkippedFile, "file"> & Pick<WithheldDocument, "names">) | undefined {
	if (!/\.(?:md|markdown)$/i.test(path)) return { reason: "The file is not Markdown." };
	if (!isConfined(path)) {
		return { reason: "The path holds characters no concept id may have." };
	}
	if (!fitsNames(path)) {
		return { reason: "A name in the path is too long for some file systems." };
	}
	if (path === RECORD_PATH) return undefined;
	const { data } = parseMarkdown(new TextDecoder().decode(bytes));
	const reason = reasonToWithhold(path, data, today);
	if (reason === undefined) return undefined;
	return { reason, kind: "private", names: namesIn(data) };
}
