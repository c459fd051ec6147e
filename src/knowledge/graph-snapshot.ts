import { deserialize, serialize } from "node:v8";
import type { Changeable } from "./bundle-change.js";
import { recordOf } from "./bundle-frame.js";
import { type ConceptRow, fromConceptRow, toConceptRow } from "./concept-row.js";
import type { BundleFrame, Concept, FileMark } from "./graph.js";
import { entriesOf, type PathChange, toPathMap, valueAt } from "./path-map.js";
import { readSnapshotLines, writeSnapshotLines } from "./snapshot-file.js";

/** Raised whenever reading a bundle gives something else than before, or the layout changes: older snapshots are then made anew. */
export const SNAPSHOT_VERSION = 1;

/** A graph as it was read from its files, and what the files looked like then. */
export interface GraphSnapshot {
	readonly graph: Changeable;
	readonly stamps: FileStamps;
}

/** See `stampFiles`; a file without a stamp has to be looked into. */
export type FileStamps = ReadonlyMap<string, string | undefined>;

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
	/** Lines of files, which lines of concepts follow. */
	readonly fileLines: number;
}

type FileRow = readonly [
	path: string,
	sha256: string,
	bytes: number,
	stamp: string | null,
	awaited?: readonly string[],
];

/** Many short lines cost more than a few long ones, and one alone could not be read in turns. */
const ROWS_PER_LINE = 100;

/** Undefined for a file that is missing, damaged, of another version or of another bundle. */
export async function readSnapshot(
	file: string,
	name: SnapshotName,
): Promise<GraphSnapshot | undefined> {
	const found = await openSnapshot(file, name);
	if (!found) return undefined;
	const { head, lines } = found;
	const { marks, awaited, stamps } = readFileRows(lines, head.fileLines);
	const concepts: Concept[] = [];
	for (const rows of lines) {
		for (const row of rows as readonly ConceptRow[]) concepts.push(fromConceptRow(row));
	}
	const frame = deserialize(Buffer.from(head.frame, "base64")) as BundleFrame;
	const graph: Changeable = {
		record: recordOf(frame, concepts),
		concepts,
		folder: name.folder,
		contentHash: head.contentHash,
		memory: { files: toPathMap(marks), awaited: toPathMap(awaited), frame },
	};
	return { graph, stamps };
}

/** What a snapshot knows of files: their stamps, by path and content. */
export async function readStamps(file: string, name: SnapshotName): Promise<FileStamps> {
	const found = await openSnapshot(file, name);
	if (!found) return new Map();
	const { marks, stamps } = readFileRows(found.lines, found.head.fileLines);
	return new Map(marks.map(([path, mark]) => [keyOf(path, mark), stamps.get(path)]));
}

/** Names one version of a file. */
export function keyOf(path: string, mark: FileMark | undefined): string {
	return `${mark?.sha256} ${path}`;
}

/** Throws what the disk says and what the signal does; the snapshot that was there stays then. */
export function writeSnapshot(
	file: string,
	{ graph, stamps }: GraphSnapshot,
	{ signal, ...name }: SnapshotName & { readonly signal: AbortSignal },
): Promise<void> {
	return writeSnapshotLines(file, linesOf(name, graph, stamps), signal);
}

function* linesOf(name: SnapshotName, graph: Changeable, stamps: FileStamps): Generator<unknown> {
	const { files, awaited, frame } = graph.memory;
	const fileRows = [...entriesOf(files)].map(([path, { sha256, bytes }]): FileRow => {
		const targets = valueAt(awaited, path);
		const row = [path, sha256, bytes, stamps.get(path) ?? null] as const;
		return targets ? [...row, targets] : row;
	});
	const head: Head = {
		snapshot: SNAPSHOT_VERSION,
		...name,
		contentHash: graph.contentHash,
		frame: serialize(frame).toString("base64"),
		fileLines: Math.ceil(fileRows.length / ROWS_PER_LINE),
	};
	yield head;
	yield* linesOfRows(fileRows, (row) => row);
	yield* linesOfRows(graph.concepts, toConceptRow);
}

function* linesOfRows<T>(all: readonly T[], toRow: (one: T) => unknown): Generator<unknown> {
	for (let from = 0; from < all.length; from += ROWS_PER_LINE) {
		yield all.slice(from, from + ROWS_PER_LINE).map(toRow);
	}
}

async function openSnapshot(
	file: string,
	{ version, folder }: SnapshotName,
): Promise<{ readonly head: Head; readonly lines: Generator<unknown> } | undefined> {
	const lines = await readSnapshotLines(file);
	// The checksum has just shown that we wrote these lines ourselves.
	const head = lines?.next().value as Head | undefined;
	const isOurs =
		head?.snapshot === SNAPSHOT_VERSION && head.version === version && head.folder === folder;
	return lines && isOurs ? { head, lines } : undefined;
}

function readFileRows(lines: Generator<unknown>, count: number) {
	const marks: PathChange<FileMark>[] = [];
	const awaited: PathChange<readonly string[]>[] = [];
	const stamps = new Map<string, string | undefined>();
	for (let line = 0; line < count; line++) {
		const { value } = lines.next();
		for (const [path, sha256, bytes, stamp, targets] of value as readonly FileRow[]) {
			marks.push([path, { sha256, bytes }]);
			if (targets) awaited.push([path, targets]);
			if (stamp !== null) stamps.set(path, stamp);
		}
	}
	return { marks, awaited, stamps };
}
