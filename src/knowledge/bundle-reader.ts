import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { type ConceptFile, readConcept, toConceptId } from "./concept-reader.js";
import { hashFiles } from "./content-hash.js";
import type { LinkSpace } from "./edge-reader.js";
import type { Finding, FindingRule } from "./finding.js";
import { parseMarkdown, textOf } from "./front-matter.js";
import type { Concept, Graph } from "./graph.js";
import { readRecord, toGraphType } from "./record-reader.js";
import { cleanText } from "./served-text.js";
import { runAtOnce, runInTurns, type Steps } from "./work-in-turns.js";

/** Files of a bundle by path from its root, `/` as separator. */
export type BundleFiles = ReadonlyMap<string, Uint8Array>;

export interface BundleReading {
	readonly graph: Graph;
	/** In path order; files with an error are not part of the graph. */
	readonly findings: readonly Finding[];
}

export interface ReadBundleOptions {
	/** Id of a bundle whose record names none. */
	readonly fallbackId?: string;
	/** Folder the files came from; empty for archives and tests. */
	readonly folder?: string;
}

const RECORD_PATH = "graph.md";
const EPOCH = "1970-01-01";

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
): Promise<BundleReading> {
	return runInTurns(readingOf(files, options));
}

function* readingOf(files: BundleFiles, options: ReadBundleOptions): Steps<BundleReading> {
	const findings: Finding[] = [];
	const documents = yield* readDocuments(files, findings);
	const record = takeRecord(documents, findings);
	const conceptFiles = withoutCollisions(documents, findings);
	const space: LinkSpace = {
		concepts: new Map(conceptFiles.map(({ path }) => [path, toConceptId(path)])),
		others: new Set([...files.keys()].filter((path) => path === RECORD_PATH || isReserved(path))),
	};
	const concepts: Concept[] = [];
	for (const file of conceptFiles) {
		concepts.push(readConcept(file, space, (finding) => findings.push(finding)));
		yield;
	}
	const graph: Graph = {
		record: readRecord(record ?? { data: {}, body: "" }, {
			id: options.fallbackId ?? "graph",
			index: textOfFile(files, "index.md"),
			updated: newestDay(concepts, textOfFile(files, "log.md")),
		}),
		concepts,
		folder: options.folder ?? "",
		contentHash: hashFiles(files),
	};
	return { graph, findings: findings.sort((a, b) => compare(a.file, b.file)) };
}

/** Listings and logs are no concepts, at any level. */
export function isReserved(path: string): boolean {
	return /(?:^|\/)(?:index|log)\.md$/.test(path);
}

function* readDocuments(files: BundleFiles, findings: Finding[]): Steps<ConceptFile[]> {
	const documents: ConceptFile[] = [];
	for (const path of [...files.keys()].sort(compare)) {
		const bytes = files.get(path);
		if (!bytes || !/\.md$/i.test(path) || isReserved(path)) continue;
		const document = readDocument(path, bytes);
		if ("rule" in document) findings.push(document);
		else documents.push(document);
		yield;
	}
	return documents;
}

function readDocument(path: string, bytes: Uint8Array): ConceptFile | Finding {
	const refuse = (rule: FindingRule, message: string): Finding => ({
		file: path,
		rule,
		severity: "error",
		message,
	});
	if (!isConfined(path)) {
		return refuse("bad-path", "The path leaves the bundle or holds characters no id may have.");
	}
	if (bytes.length > BUNDLE_LIMITS.fileBytes) {
		return refuse("too-large", `The file has more than ${BUNDLE_LIMITS.fileBytes} bytes.`);
	}
	const { data, body, problem } = parseMarkdown(new TextDecoder().decode(bytes));
	const type = textOf(data["type"]);
	if (problem) return refuse("bad-front-matter", problem);
	if (!type) return refuse("no-type", "The front matter has no type, which every concept needs.");
	return { path, type, data, body: cleanText(body).trim() };
}

/** Removes the record from the documents, unless `graph.md` is an ordinary concept of somebody else's bundle. */
function takeRecord(documents: ConceptFile[], findings: Finding[]): ConceptFile | undefined {
	const index = documents.findIndex(({ path }) => path === RECORD_PATH);
	if (toGraphType(documents[index]?.type)) return documents.splice(index, 1)[0];
	findings.push({
		file: RECORD_PATH,
		rule: "no-record",
		severity: "warning",
		message:
			"No graph.md of type expert, analyst, industry report or domain describes this graph; its title, kind and dates are guesses.",
	});
	return undefined;
}

function withoutCollisions(documents: readonly ConceptFile[], findings: Finding[]): ConceptFile[] {
	const pathOfId = new Map<string, string>();
	return documents.filter(({ path }) => {
		const id = toConceptId(path);
		const first = pathOfId.get(id);
		if (first === undefined) {
			pathOfId.set(id, path);
			return true;
		}
		findings.push({
			file: path,
			rule: "id-collision",
			severity: "error",
			message: `The id "${id}" already belongs to "${first}"; rename one of the two files.`,
		});
		return false;
	});
}

/** True for a relative path without dot segments, separators of other systems and characters no id may have. */
export function isConfined(path: string): boolean {
	return (
		!/[\\:?#%\p{Cc}]/u.test(path) &&
		path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..")
	);
}

function newestDay(concepts: readonly Concept[], log: string): string {
	const logged = /^##[ \t]+(\d{4}-\d{2}-\d{2})/m.exec(log)?.[1];
	const days = concepts.map(({ generatedAt }) => generatedAt ?? EPOCH);
	return [logged ?? EPOCH, ...days].sort(compare).at(-1) ?? EPOCH;
}

function textOfFile(files: BundleFiles, path: string): string {
	const bytes = files.get(path);
	return bytes ? cleanText(parseMarkdown(new TextDecoder().decode(bytes)).body) : "";
}

/** By code unit: the same order on every machine. */
function compare(a: string, b: string): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}
