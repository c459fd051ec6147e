import { setImmediate } from "node:timers/promises";
import {
	chooseTitles,
	type DocumentReader,
	type ForeignDocument,
	isSection,
	toUtf8,
} from "../../documents/documents.js";
import type { Changeable } from "../bundle/bundle-change.js";
import { hashOf } from "../bundle/content-hash.js";
import { valueAt } from "../model/path-map.js";
import { runInTurns } from "../model/work-in-turns.js";
import {
	EMPTY,
	FRAME_PATHS,
	reasonToPassOver,
	reasonToSkip,
	toBundlePath,
} from "./bundle-paths.js";
import { nameDocument } from "./document-mapping.js";
import { refuseConcept } from "./import-bundle.js";
import { NO_ID, toSkipped } from "./import-documents.js";
import type {
	ImportDocument,
	ImportOptions,
	ImportTrace,
	MappedDocument,
	SkippedFile,
} from "./import-options.js";

/** A source as it is now, beside what the last import of it found. */
export interface SourceState {
	readonly graph: Changeable;
	readonly memory: ImportMemory;
	/** Every file of the source that an import would read, by path; see `stampFiles`. */
	readonly stamps: ReadonlyMap<string, string | undefined>;
	readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** A file that is not what it was, or whose file in the bundle is not. */
export interface RereadFile {
	readonly path: string;
	readonly stamp: string | undefined;
	readonly sourceHash: string;
	readonly bytes: Uint8Array;
	/** Where it belongs in the bundle; undefined when it cannot become a concept, for this reason. */
	readonly bundlePath: string | undefined;
	readonly reason: string | undefined;
	readonly kind: SkippedFile["kind"];
	readonly withheldBelow: string | undefined;
	/** What it is called, where it is left out for being private. */
	readonly names?: readonly string[] | undefined;
	readonly foreign: ForeignDocument | undefined;
}

/** It under the title it has among the others. */
export interface Reread extends RereadFile {
	readonly document: ImportDocument | undefined;
}

export interface Sources<File extends RereadFile = RereadFile> {
	readonly kept: Map<string, ImportRow>;
	readonly reread: ReadonlyMap<string, File>;
	/** What the last import had of files that are not there any more. */
	readonly gone: readonly ImportRow[];
}

export type SourceReading = Sources<Reread>;

/** Some milliseconds of comparing; others are served in between. */
const ROWS_PER_TURN = 5_000;

/** Opens only files whose stamp says that they may have changed, or whose file in the bundle was changed by others. */
export async function rereadSource(
	state: SourceState,
	options: ImportOptions,
	reader: DocumentReader,
): Promise<Sources> {
	const { memory, stamps } = state;
	const kept = new Map<string, ImportRow>();
	const reread = new Map<string, RereadFile>();
	let count = 0;
	for (const [path, stamp] of stamps) {
		count += 1;
		if (count % ROWS_PER_TURN === 0) await setImmediate();
		const row = memory.rows.get(path);
		const isIntact =
			row !== undefined && isInBundle(row, state.graph) && !isTimeBound(row, options);
		if (isIntact && stamp !== undefined && row.stamp === stamp) {
			kept.set(path, row);
			continue;
		}
		const bytes = await state.readFile(path);
		const sourceHash = hashOf(bytes);
		if (isIntact && row.sourceHash === sourceHash) kept.set(path, { ...row, stamp });
		else {
			const reading = classify(path, bytes, { format: memory.format, options, reader });
			reread.set(path, { path, stamp, sourceHash, ...reading });
		}
	}
	const gone = [...memory.rows].flatMap(([path, row]) => (stamps.has(path) ? [] : [row]));
	return { kept, reread, gone };
}

/** What is withheld, or sold, until a day may be the other thing now. */
function isTimeBound({ skipped, document }: ImportRow, { today = "" }: ImportOptions): boolean {
	const { expires } = document ?? {};
	return skipped?.kind === "private" || (expires !== undefined && expires <= today);
}

function isInBundle({ document, outputHash }: ImportRow, { memory }: Changeable): boolean {
	if (!document || outputHash === undefined || FRAME_PATHS.has(document.bundlePath)) return true;
	return valueAt(memory.files, document.bundlePath)?.sha256 === outputHash;
}

interface Classification {
	readonly format: ImportMemory["format"];
	readonly options: ImportOptions;
	readonly reader: DocumentReader;
}

function classify(
	path: string,
	written: Uint8Array,
	{ format, options, reader }: Classification,
): Omit<RereadFile, "path" | "stamp" | "sourceHash"> {
	const bytes = toUtf8(written) ?? written;
	const rest = { bytes, withheldBelow: undefined, foreign: undefined, kind: undefined };
	const none = (reason: string) => ({ ...rest, bundlePath: undefined, reason });
	const fault = reasonToPassOver(path, written.length) ?? reasonToSkip(bytes);
	if (fault !== undefined) {
		const isLost = isSection(path) && fault !== EMPTY;
		return { ...none(fault), withheldBelow: isLost ? fault : undefined };
	}
	if (format === "okf") {
		const refusal = refuseConcept(path, bytes, options);
		if (refusal) return { ...none(refusal.reason), kind: refusal.kind, names: refusal.names };
		return { ...rest, bundlePath: path, reason: undefined };
	}
	const foreign = reader.read(path, bytes);
	const { withheldBelow } = foreign;
	if ("reason" in foreign) {
		const { reason, kind } = toSkipped(path, foreign);
		return { ...none(reason), kind, withheldBelow, names: foreign.names };
	}
	const bundlePath = toBundlePath(path);
	if (bundlePath === "") return { ...none(NO_ID), withheldBelow };
	return { ...rest, bundlePath, reason: undefined, withheldBelow, foreign };
}

/** Every document that was read under its title; those whose title changes with others are read, too. */
export async function nameDocuments(
	{ kept, reread, gone }: Sources,
	{ memory, readFile, options, reader }: SourceState & Omit<Classification, "format">,
): Promise<SourceReading> {
	const all = new Map(reread);
	const isTitledAlike = ({ path, foreign }: RereadFile) => {
		const known = memory.rows.get(path)?.document;
		return (
			known?.givenTitle === foreign?.givenTitle &&
			known?.heading === foreign?.heading &&
			(known === undefined) === (foreign === undefined)
		);
	};
	const titleOf = (path: string) => memory.rows.get(path)?.document?.title ?? "";
	const isSame =
		gone.every(({ document }) => !document) && [...reread.values()].every(isTitledAlike);
	const titles = isSame ? undefined : await runInTurns(chooseTitles(candidatesOf(kept, reread)));
	for (const [path, row] of titles ? kept : []) {
		if (!row.document || titles?.get(path) === row.document.title) continue;
		const bytes = await readFile(path);
		const { format } = memory;
		all.set(path, {
			path,
			stamp: row.stamp,
			sourceHash: row.sourceHash,
			...classify(path, bytes, { format, options, reader }),
		});
	}
	const named = [...all].map(([path, one]): [string, Reread] => {
		const title = titles ? (titles.get(path) ?? "") : titleOf(path);
		return [path, { ...one, document: one.foreign && nameDocument(one.foreign, title, options) }];
	});
	const rest = [...kept].filter(([path]) => !all.has(path));
	return { kept: new Map(rest), reread: new Map(named), gone };
}

function candidatesOf(kept: Sources["kept"], reread: Sources["reread"]) {
	const candidates = [...reread.values()].flatMap(({ foreign }) => foreign ?? []);
	const others = [...kept.values()].flatMap(({ document }) => document ?? []);
	return [...candidates, ...others];
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
