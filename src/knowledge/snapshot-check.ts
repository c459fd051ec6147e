import { join } from "node:path";
import { type Changeable, changeBundle, conceptAt, isChangeable } from "./bundle-change.js";
import { isReserved, RECORD_PATH, readDocument } from "./bundle-document.js";
import { readBounded } from "./bundle-files.js";
import { assertLoadable } from "./bundle-size.js";
import { markOf } from "./content-hash.js";
import type { Finding } from "./finding.js";
import type { FileMark } from "./graph.js";
import type { FileStamps, GraphSnapshot } from "./graph-snapshot.js";
import { entriesOf, valueAt } from "./path-map.js";

export interface FolderNow {
	readonly folder: string;
	readonly stamps: FileStamps;
}

export interface InLine {
	/** What reading every file anew would give. */
	readonly graph: Changeable;
	/** Of severity error, in path order. */
	readonly findings: readonly Finding[];
	/** Files whose stamp did not tell that they are as they were. */
	readonly lookedInto: number;
}

/** Disks that are asked for many files at once answer sooner. */
const READS_AT_ONCE = 32;

/** Files a bundle is read from, at any level. */
export function isGraphFile(path: string): boolean {
	return /\.md$/i.test(path);
}

/** Brings a snapshot up to what the folder holds now; throws what keeps its files from being one graph. */
export async function bringInLine(
	{ graph, stamps }: GraphSnapshot,
	now: FolderNow,
): Promise<InLine> {
	const suspects: string[] = [];
	let files = 0;
	for (const [path, stamp] of now.stamps) {
		if (!isGraphFile(path)) continue;
		files++;
		if (stamp === undefined || stamp !== stamps.get(path)) suspects.push(path);
	}
	const changes = await readChanged(graph, suspects);
	const isSomeGone = files - countNew(graph, suspects) < graph.memory.files.size;
	for (const path of isSomeGone ? findGone(graph, now.stamps) : []) changes.set(path, undefined);
	const next = changes.size === 0 ? graph : await changeGraph(graph, changes);
	return { graph: next, findings: await findErrors(next), lookedInto: suspects.length };
}

/** True when the file holds the bytes of this mark now. */
export async function hasContent(file: string, mark: FileMark): Promise<boolean> {
	const bytes = await readBounded(file).catch(() => undefined);
	return bytes !== undefined && markOf(bytes).sha256 === mark.sha256;
}

/** Those of the files that hold something else than the graph was made from. */
async function readChanged(
	{ folder, memory }: Changeable,
	paths: readonly string[],
): Promise<Map<string, Uint8Array | undefined>> {
	const changes = new Map<string, Uint8Array | undefined>();
	for (let from = 0; from < paths.length; from += READS_AT_ONCE) {
		const batch = paths.slice(from, from + READS_AT_ONCE);
		const contents = await Promise.all(batch.map((path) => readBounded(join(folder, path))));
		for (const [index, path] of batch.entries()) {
			const bytes = contents[index] ?? new Uint8Array();
			if (valueAt(memory.files, path)?.sha256 !== markOf(bytes).sha256) changes.set(path, bytes);
		}
	}
	return changes;
}

function countNew({ memory }: Changeable, paths: readonly string[]): number {
	return paths.filter((path) => valueAt(memory.files, path) === undefined).length;
}

function findGone({ memory }: Changeable, stamps: FileStamps): readonly string[] {
	return [...entriesOf(memory.files)].flatMap(([path]) => (stamps.has(path) ? [] : path));
}

async function changeGraph(
	graph: Changeable,
	changes: ReadonlyMap<string, Uint8Array | undefined>,
): Promise<Changeable> {
	const read = (path: string) => readBounded(join(graph.folder, path));
	const { graph: next } = await changeBundle(graph, changes, read);
	if (!isChangeable(next)) throw new TypeError("A changed graph has lost its memory.");
	assertLoadable(next.memory);
	return next;
}

/** Why files are not on sale, read from them again: they are few. Throws where one id would name two concepts. */
async function findErrors(graph: Changeable): Promise<readonly Finding[]> {
	const { files, frame } = graph.memory;
	const findings: Finding[] = [];
	const isOther = (path: string) =>
		isReserved(path) || (path === RECORD_PATH && frame.record !== undefined);
	const wanted = [...entriesOf(files)].flatMap(([path]) => (isOther(path) ? [] : path));
	if (wanted.length === graph.concepts.length) return findings;
	for (const path of wanted) {
		if (conceptAt(graph.concepts, path)) continue;
		const document = readDocument(path, await readBounded(join(graph.folder, path)));
		if (document && "rule" in document) findings.push(document);
		else throw new TypeError(`"${path}" is a concept that its graph does not have.`);
	}
	return findings.sort((a, b) => (a.file < b.file ? -1 : 1));
}
