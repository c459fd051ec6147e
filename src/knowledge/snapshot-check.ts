import { join } from "node:path";
import { type Changeable, changeBundle, conceptAt, isChangeable } from "./bundle-change.js";
import { compareText, isReserved, RECORD_PATH, readDocument } from "./bundle-document.js";
import { readBounded } from "./bundle-files.js";
import { assertLoadable } from "./bundle-size.js";
import { markOf } from "./content-hash.js";
import { type FileStamps, hashOfStamps, textStampsOf } from "./file-stamps.js";
import type { Finding } from "./finding.js";
import type { FileMark } from "./graph.js";
import type { GraphSnapshot } from "./graph-snapshot.js";
import { entriesOf, valueAt } from "./path-map.js";

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

/** Brings a snapshot up to what its folder holds now; throws what keeps the files from being one graph. */
export async function bringInLine(snapshot: GraphSnapshot, now: FileStamps): Promise<InLine> {
	const { graph, astray, stampsHash } = snapshot;
	if (stampsHash !== undefined && hashOfStamps(now) === stampsHash) {
		return { graph, findings: await findErrors(graph, astray), lookedInto: 0 };
	}
	const before = snapshot.stamps();
	const there = textStampsOf(now);
	const suspects = [...there].flatMap(([path, stamp]) =>
		stamp !== undefined && stamp === before.get(path) ? [] : path,
	);
	const changes = await readChanged(graph, suspects);
	for (const [path] of entriesOf(graph.memory.files)) {
		if (!there.has(path)) changes.set(path, undefined);
	}
	const next = changes.size === 0 ? graph : await changeGraph(graph, changes);
	const findings = await findErrors(next, findAstray(next));
	return { graph: next, findings, lookedInto: suspects.length };
}

/** Paths of files that are no concept, though neither a listing nor the record. */
export function findAstray({ concepts, memory }: Changeable): readonly string[] {
	const isOther = (path: string) =>
		isReserved(path) || (path === RECORD_PATH && memory.frame.record !== undefined);
	const paths = [...entriesOf(memory.files)].flatMap(([path]) => (isOther(path) ? [] : path));
	return paths.filter((path) => !conceptAt(concepts, path)).sort(compareText);
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
async function findErrors(
	{ folder }: Changeable,
	astray: readonly string[],
): Promise<readonly Finding[]> {
	const findings: Finding[] = [];
	for (const path of astray) {
		const document = readDocument(path, await readBounded(join(folder, path)));
		if (document && "rule" in document) findings.push(document);
		else throw new TypeError(`"${path}" is a concept that its graph does not have.`);
	}
	return findings;
}
