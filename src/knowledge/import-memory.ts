import { RECORD_PATH } from "./bundle-document.js";
import type { BundleFiles } from "./bundle-reader.js";
import { hashOf } from "./content-hash.js";
import type { Graph } from "./graph.js";
import type { ImportResult, ImportTrace, MappedDocument, SkippedFile } from "./import-options.js";
import { valueAt } from "./path-map.js";

/** What the last import of a source found: the next one reads only what has changed since. */
export interface ImportMemory extends Omit<ImportTrace, "documents"> {
	/** By path in the source. */
	readonly rows: ReadonlyMap<string, ImportRow>;
}

/** One file of a source that was read. */
export interface ImportRow {
	/** As `stampFiles` gives it. */
	readonly stamp: string | undefined;
	/** Of the source's bytes, hex. */
	readonly sourceHash: string;
	/** Undefined when no document could be made of the file. */
	readonly document: MappedDocument | undefined;
	/** sha256 (hex) of the file it became; undefined when there is none. */
	readonly outputHash: string | undefined;
	/** Why there is none. */
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

/** The frame is made anew whenever something changes; what it says is compared by other means. */
function outputOf({ memory }: Graph, bundlePath: string): string | undefined {
	if (bundlePath === RECORD_PATH) return hashOf(bundlePath);
	return memory && valueAt(memory.files, bundlePath)?.sha256;
}
