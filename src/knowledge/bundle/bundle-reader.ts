import { cleanText, firstHeading, parseMarkdown } from "../../documents/documents.js";
import type {
	BundleFrame,
	BundleMemory,
	Concept,
	FileMark,
	Finding,
	Graph,
	GraphRecord,
} from "../model/graph.js";
import { growPathMap, type PathChange, toPathMap } from "../model/path-map.js";
import { runAtOnce, runInTurns, type Steps, visitInSteps } from "../model/work-in-turns.js";
import {
	compareText,
	isRecord,
	isReserved,
	RECORD_PATH,
	readDocument,
	readRecord,
} from "./bundle-document.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { type ConceptFile, type LinkSpace, readConcept, toConceptId } from "./concept-reader.js";
import { hashBuckets, hashOfBundle, markOf } from "./content-hash.js";

/** Files of a bundle by path from its root, `/` as separator. */
export type BundleFiles = ReadonlyMap<string, Uint8Array>;

export interface BundleReading {
	readonly graph: Graph;
	readonly findings: readonly Finding[];
}

export interface ReadBundleOptions {
	readonly fallbackId?: string;
	readonly folder?: string;
}

/**
 * Reads a bundle of the Open Knowledge Format, v0.2 or v0.1, from its files. A file that cannot be a concept is left
 * out and reported; missing optionals have fallbacks. Throws INVALID_ARGUMENT only when no valid id names the graph.
 */
export function readBundle(files: BundleFiles, options: ReadBundleOptions = {}): BundleReading {
	return runAtOnce(readingOf(files, options));
}

/** Like `readBundle`, while other work of the process goes on. */
export function readBundleInTurns(
	files: BundleFiles,
	options: ReadBundleOptions = {},
	signal?: AbortSignal,
): Promise<BundleReading> {
	return runInTurns(readingOf(files, options), signal);
}

function* readingOf(files: BundleFiles, options: ReadBundleOptions): Steps<BundleReading> {
	const findings: Finding[] = [];
	const { documents, marks } = yield* readDocuments(files, findings);
	const record = takeRecord(documents, findings);
	const { conceptFiles, ids } = yield* withoutCollisions(documents, findings);
	const space: LinkSpace = {
		idOf: (path) => ids.get(path),
		isOther: (path) => (path === RECORD_PATH || isReserved(path)) && files.has(path),
	};
	const concepts: Concept[] = [];
	const awaited: PathChange<readonly string[]>[] = [];
	for (const file of conceptFiles) {
		const reading = readConcept(file, space, (finding) => findings.push(finding));
		concepts.push(reading.concept);
		if (reading.awaited.length > 0) awaited.push([file.path, reading.awaited]);
		yield;
	}
	const frame: BundleFrame = {
		record: record && { data: record.data, body: record.body },
		listedTitle: listedTitleOf(files.get("index.md")),
		loggedDay: loggedDayOf(files.get("log.md")),
		fallbackId: options.fallbackId ?? "graph",
	};
	const memory: BundleMemory = {
		files: marks,
		awaited: toPathMap(awaited),
		frame,
	};
	yield* hashBuckets(memory.files);
	const graph: Graph = {
		record: recordOf(frame, concepts),
		concepts,
		folder: options.folder ?? "",
		contentHash: hashOfBundle(memory.files),
		memory,
	};
	return { graph, findings: findings.sort((a, b) => compareText(a.file, b.file)) };
}

function* readDocuments(files: BundleFiles, findings: Finding[]) {
	const documents: ConceptFile[] = [];
	const marks = growPathMap<FileMark>();
	for (const path of [...files.keys()].sort(compareText)) {
		const bytes = files.get(path) ?? new Uint8Array();
		marks.put(path, markOf(bytes));
		const document = readDocument(path, bytes);
		if (document && "rule" in document) findings.push(document);
		else if (document) documents.push(document);
		yield;
	}
	return { documents, marks: marks.take() };
}

/** Removes the record from the documents, unless `graph.md` is an ordinary concept of somebody else's bundle. */
function takeRecord(documents: ConceptFile[], findings: Finding[]): ConceptFile | undefined {
	const index = documents.findIndex(isRecord);
	if (index >= 0) return documents.splice(index, 1)[0];
	findings.push({
		file: RECORD_PATH,
		rule: "no-record",
		severity: "warning",
		message:
			"No graph.md of type expert, analyst, industry report or domain describes this graph; its title, kind and dates are guesses.",
	});
	return undefined;
}

/** The concepts, and their ids by path. */
function* withoutCollisions(documents: readonly ConceptFile[], findings: Finding[]) {
	const pathOfId = new Map<string, string>();
	const ids = new Map<string, string>();
	const conceptFiles: ConceptFile[] = [];
	yield* visitInSteps(documents, (document) => {
		const { path } = document;
		const id = toConceptId(path);
		const first = pathOfId.get(id);
		if (first !== undefined) return findings.push(toCollision(path, id, first));
		pathOfId.set(id, path);
		ids.set(path, id);
		return conceptFiles.push(document);
	});
	return { conceptFiles, ids };
}

/** One id names one concept. */
export function toCollision(path: string, id: string, first: string): Finding {
	return {
		file: path,
		rule: "id-collision",
		severity: "error",
		message: `The id "${id}" already belongs to "${first}"; rename one of the two files.`,
	};
}

const EPOCH = "1970-01-01";

/** The record as written, or what frame and concepts let one guess. Throws INVALID_ARGUMENT when no valid id names the graph. */
export function recordOf(frame: BundleFrame, concepts: readonly Concept[]): GraphRecord {
	return readRecord(frame.record ?? { data: {}, body: "" }, {
		id: frame.fallbackId,
		title: frame.listedTitle,
		updated: newestDay(concepts, frame.loggedDay ?? EPOCH),
	});
}

export function listedTitleOf(index: Uint8Array | undefined): string | undefined {
	return firstHeading(proseOf(index));
}

export function loggedDayOf(log: Uint8Array | undefined): string | undefined {
	return /^##[ \t]+(\d{4}-\d{2}-\d{2})/m.exec(proseOf(log))?.[1];
}

/** A listing of many concepts is longer than what is read of a file. */
function proseOf(bytes: Uint8Array | undefined): string {
	if (!bytes) return "";
	const read = bytes.subarray(0, BUNDLE_LIMITS.fileBytes + 1);
	return cleanText(parseMarkdown(new TextDecoder().decode(read)).body);
}

function newestDay(concepts: readonly Concept[], start: string): string {
	let newest = start;
	for (const { generatedAt } of concepts) {
		if (generatedAt !== undefined && compareText(generatedAt, newest) > 0) newest = generatedAt;
	}
	return newest;
}
