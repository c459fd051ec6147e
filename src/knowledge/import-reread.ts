import { setImmediate } from "node:timers/promises";
import type { Changeable } from "./bundle-change.js";
import { RECORD_PATH } from "./bundle-document.js";
import { FRAME_PATHS, reasonToPassOver, reasonToSkip, toBundlePath } from "./bundle-paths.js";
import type { BundleFiles } from "./bundle-reader.js";
import { hashOf } from "./content-hash.js";
import type { Graph } from "./graph.js";
import { reasonToLeaveOut } from "./import-bundle.js";
import { type ImportDocument, NO_ID, readImportDocument } from "./import-documents.js";
import type { ImportResult, ImportTrace, MappedDocument, SkippedFile } from "./import-options.js";
import { valueAt } from "./path-map.js";

/** A source as it is now, beside what the last import of it found. */
export interface SourceState {
	readonly graph: Changeable;
	readonly memory: ImportMemory;
	/** Every file of the source that an import would read, by path; see `stampFiles`. */
	readonly stamps: ReadonlyMap<string, string | undefined>;
	readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** A file that is not what it was, or whose file in the bundle is not. */
export interface Reread {
	readonly path: string;
	readonly stamp: string | undefined;
	readonly sourceHash: string;
	readonly bytes: Uint8Array;
	/** Where it belongs in the bundle; undefined when it cannot become a concept, for this reason. */
	readonly bundlePath: string | undefined;
	readonly reason: string | undefined;
	readonly document: ImportDocument | undefined;
}

export interface SourceReading {
	readonly kept: Map<string, ImportRow>;
	readonly reread: ReadonlyMap<string, Reread>;
	/** What the last import had of files that are not there any more. */
	readonly gone: readonly ImportRow[];
}

/** Some milliseconds of comparing; others are served in between. */
const ROWS_PER_TURN = 5_000;

/** Opens only files whose stamp says that they may have changed, or whose file in the bundle was changed by others. */
export async function rereadSource(state: SourceState): Promise<SourceReading> {
	const { memory, stamps } = state;
	const kept = new Map<string, ImportRow>();
	const reread = new Map<string, Reread>();
	let count = 0;
	for (const [path, stamp] of stamps) {
		count += 1;
		if (count % ROWS_PER_TURN === 0) await setImmediate();
		const row = memory.rows.get(path);
		const isIntact = row !== undefined && isInBundle(row, state.graph);
		if (isIntact && stamp !== undefined && row.stamp === stamp) {
			kept.set(path, row);
			continue;
		}
		const bytes = await state.readFile(path);
		const sourceHash = hashOf(bytes);
		if (isIntact && row.sourceHash === sourceHash) kept.set(path, { ...row, stamp });
		else {
			const reading = classify(path, bytes, memory.format);
			reread.set(path, { path, stamp, sourceHash, bytes, ...reading });
		}
	}
	const gone = [...memory.rows].flatMap(([path, row]) => (stamps.has(path) ? [] : [row]));
	return { kept, reread, gone };
}

function isInBundle({ document, outputHash }: ImportRow, { memory }: Changeable): boolean {
	if (!document || outputHash === undefined || FRAME_PATHS.has(document.bundlePath)) return true;
	return valueAt(memory.files, document.bundlePath)?.sha256 === outputHash;
}

function classify(
	path: string,
	bytes: Uint8Array,
	format: ImportMemory["format"],
): Pick<Reread, "bundlePath" | "reason" | "document"> {
	const none = (reason: string) => ({ bundlePath: undefined, reason, document: undefined });
	const fault = reasonToPassOver(path, bytes.length) ?? reasonToSkip(bytes);
	if (fault !== undefined) return none(fault);
	if (format === "okf") {
		const obstacle = reasonToLeaveOut(path);
		if (obstacle !== undefined) return none(obstacle);
		return { bundlePath: path, reason: undefined, document: undefined };
	}
	const document = readImportDocument(path, bytes);
	if (typeof document === "string") return none(document);
	const bundlePath = toBundlePath(path);
	if (bundlePath === "") return none(NO_ID);
	return { bundlePath, reason: undefined, document };
}

/** What the last import of a source found: the next one reads only what has changed since. */
export interface ImportMemory extends Omit<ImportTrace, "documents"> {
	readonly rows: ReadonlyMap<string, ImportRow>;
}

/** One file of a source that was read. */
export interface ImportRow {
	readonly stamp: string | undefined;
	readonly sourceHash: string;
	/** Undefined when no document could be made of the file. */
	readonly document: MappedDocument | undefined;
	/** sha256 (hex) of the file it became; undefined when there is none. */
	readonly outputHash: string | undefined;
	readonly skipped: SkippedFile | undefined;
}

/** Remembers a whole import. `stamps` were taken before the files were read. */
export function toImportMemory(
	source: BundleFiles,
	stamps: ReadonlyMap<string, string | undefined>,
	{ report, graph, trace }: Pick<ImportResult, "report" | "graph" | "trace">,
): ImportMemory {
	const documents = new Map(trace.documents.map((document) => [document.path, document]));
	const skipped = new Map(report.skipped.map((one) => [one.file, one]));
	const rows = new Map<string, ImportRow>();
	for (const [path, bytes] of source) {
		const document = documents.get(path);
		const outputHash = document && outputOf(graph, document.bundlePath);
		rows.set(path, {
			stamp: stamps.get(path),
			sourceHash: hashOf(bytes),
			document,
			outputHash,
			skipped: outputHash === undefined ? skipped.get(document?.bundlePath ?? path) : undefined,
		});
	}
	const { format, displaced, sourceRecord } = trace;
	return { format, displaced, sourceRecord, rows };
}

/** The frame is rebuilt whenever something changes; what it says is compared by other means. */
function outputOf({ memory }: Graph, bundlePath: string): string | undefined {
	if (bundlePath === RECORD_PATH) return hashOf(bundlePath);
	return memory && valueAt(memory.files, bundlePath)?.sha256;
}
