import { deserialize, serialize } from "node:v8";
import type { Changeable } from "./bundle-change.js";
import { recordOf } from "./bundle-frame.js";
import { type ConceptRow, fromConceptRow, toConceptRow } from "./concept-row.js";
import type { BundleFrame, BundleMemory, Concept, FileMark } from "./graph.js";
import { entriesOf, type PathChange, toPathMap, valueAt } from "./path-map.js";
import { readSnapshotLines, type SnapshotLines, writeSnapshotLines } from "./snapshot-file.js";

/** Raised whenever reading a bundle gives something else than before, or the layout changes: older snapshots are then made anew. */
export const SNAPSHOT_VERSION = 1;

/** Stamps as text by path; a file without one has to be looked into. */
export type StampsByPath = ReadonlyMap<string, string>;

/** What a snapshot is made of. */
export interface SnapshotContent {
	readonly graph: Changeable;
	readonly stamps: StampsByPath;
	/** See `hashOfStamps`: of all files, when all have a stamp. */
	readonly stampsHash: string | undefined;
	/** Paths of files that are not on sale and should be. */
	readonly astray: readonly string[];
}

/** A graph as it was read from its files, and what the files looked like then. */
export interface GraphSnapshot {
	/** Its memory is read once somebody asks for it. */
	readonly graph: Changeable;
	readonly astray: readonly string[];
	readonly stampsHash: string | undefined;
	stamps(): StampsByPath;
}

/** What has to agree before a snapshot is looked into. */
export interface SnapshotName {
	/** Of the software that made it. */
	readonly version: string;
	/** Absolute path of the bundle. */
	readonly folder: string;
}

interface Head extends SnapshotName {
	readonly snapshot: number;
	readonly contentHash: string;
	/** As V8 writes values: YAML knows numbers that JSON does not. In base64. */
	readonly frame: string;
	readonly stampsHash: string | null;
	readonly astray: readonly string[];
	/** Lines of concepts, which lines of files follow. */
	readonly conceptLines: number;
}

type FileRow = readonly [
	path: string,
	sha256: string,
	bytes: number,
	stamp: string | null,
	awaited?: readonly string[],
];

/** Many short lines cost more than a few long ones. */
const ROWS_PER_LINE = 100;

/** Undefined for a file that is missing, damaged, of another version or of another bundle. */
export async function readSnapshot(
	file: string,
	name: SnapshotName,
): Promise<GraphSnapshot | undefined> {
	const lines = await readSnapshotLines(file);
	if (!lines) return undefined;
	const snapshot = parseSnapshot(lines, name);
	return (await lines.isWhole) ? snapshot : undefined;
}

/** Undefined for what cannot be parsed, and for another one; the rest is as sound as the checksum will show it to be. */
function parseSnapshot(lines: SnapshotLines, name: SnapshotName): GraphSnapshot | undefined {
	try {
		const head = lines.next() as Head;
		return isNamed(head, name) ? toSnapshot(head, lines) : undefined;
	} catch {
		return undefined;
	}
}

function toSnapshot(head: Head, lines: SnapshotLines): GraphSnapshot {
	const concepts: Concept[] = [];
	for (let line = 0; line < head.conceptLines; line++) {
		for (const row of lines.next() as readonly ConceptRow[]) concepts.push(fromConceptRow(row));
	}
	const frame = deserialize(Buffer.from(head.frame, "base64")) as BundleFrame;
	const readFiles = readFilesLater(lines, frame);
	const graph: Changeable = {
		record: recordOf(frame, concepts),
		concepts,
		folder: head.folder,
		contentHash: head.contentHash,
		// A third of the time would go into what nothing needs before the graph changes.
		get memory() {
			return readFiles().memory;
		},
	};
	const { astray, stampsHash } = head;
	return { graph, astray, stampsHash: stampsHash ?? undefined, stamps: () => readFiles().stamps };
}

/** Throws what the disk says and what the signal does; the snapshot that was there stays then. */
export function writeSnapshot(
	file: string,
	content: SnapshotContent,
	{ signal, ...name }: SnapshotName & { readonly signal: AbortSignal },
): Promise<void> {
	return writeSnapshotLines(file, linesOf(name, content), signal);
}

function isNamed({ snapshot, version, folder }: Head, name: SnapshotName): boolean {
	return snapshot === SNAPSHOT_VERSION && version === name.version && folder === name.folder;
}

interface FileReading {
	readonly memory: BundleMemory;
	readonly stamps: StampsByPath;
}

function readFilesLater(lines: SnapshotLines, frame: BundleFrame): () => FileReading {
	const rest = lines.rest();
	let reading: FileReading | undefined;
	return () => {
		reading ??= readFileRows(rest() as readonly (readonly FileRow[])[], frame);
		return reading;
	};
}

function readFileRows(lines: readonly (readonly FileRow[])[], frame: BundleFrame): FileReading {
	const marks: PathChange<FileMark>[] = [];
	const awaited: PathChange<readonly string[]>[] = [];
	const stamps = new Map<string, string>();
	for (const [path, sha256, bytes, stamp, targets] of lines.flat()) {
		marks.push([path, { sha256, bytes }]);
		if (targets) awaited.push([path, targets]);
		if (stamp !== null) stamps.set(path, stamp);
	}
	return { memory: { files: toPathMap(marks), awaited: toPathMap(awaited), frame }, stamps };
}

function* linesOf(
	name: SnapshotName,
	{ graph, stamps, stampsHash, astray }: SnapshotContent,
): Generator<unknown> {
	const { files, awaited, frame } = graph.memory;
	const head: Head = {
		snapshot: SNAPSHOT_VERSION,
		...name,
		contentHash: graph.contentHash,
		frame: serialize(frame).toString("base64"),
		stampsHash: stampsHash ?? null,
		astray,
		conceptLines: Math.ceil(graph.concepts.length / ROWS_PER_LINE),
	};
	yield head;
	yield* linesOfRows(graph.concepts, toConceptRow);
	yield* linesOfRows([...entriesOf(files)], ([path, { sha256, bytes }]): FileRow => {
		const targets = valueAt(awaited, path);
		const row = [path, sha256, bytes, stamps.get(path) ?? null] as const;
		return targets ? [...row, targets] : row;
	});
}

function* linesOfRows<T>(all: readonly T[], toRow: (one: T) => unknown): Generator<unknown> {
	for (let from = 0; from < all.length; from += ROWS_PER_LINE) {
		yield all.slice(from, from + ROWS_PER_LINE).map(toRow);
	}
}
