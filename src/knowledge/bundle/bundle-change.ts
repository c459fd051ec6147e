import { invalidArgument } from "../../kernel/kernel.js";
import type { Finding } from "../model/graph.js";
import {
	type BundleFrame,
	type BundleMemory,
	type Concept,
	type FileMark,
	type Graph,
	hasMemory,
	readMemory,
} from "../model/graph.js";
import { entriesOf, firstWhere, type PathChange, valueAt, withPaths } from "../model/path-map.js";
import { runInTurns, type Steps } from "../model/work-in-turns.js";
import { compareText, isRecord, isReserved, RECORD_PATH, readDocument } from "./bundle-document.js";
import { listedTitleOf, loggedDayOf, recordOf, toCollision } from "./bundle-reader.js";
import {
	type ConceptFile,
	type ConceptReading,
	type LinkSpace,
	readConcept,
	toConceptId,
} from "./concept-reader.js";
import { hashOfBundle, markOf } from "./content-hash.js";

/** New bytes by path; undefined takes the file away. */
export type BundleChanges = ReadonlyMap<string, Uint8Array | undefined>;

export type Changeable = Graph & { readonly memory: BundleMemory };

export function isChangeable(graph: Graph | undefined): graph is Changeable {
	return graph !== undefined && hasMemory(graph);
}

export interface BundleChange {
	/** What reading all files again would give; a concept that stayed as it was is the same object. */
	readonly graph: Graph;
	/** Of the changed files, in path order; those with an error are not part of the graph. */
	readonly findings: readonly Finding[];
}

/**
 * Reads only changed files and those whose links gain or lose a target. Throws INVALID_ARGUMENT for
 * an id collision.
 */
export async function changeBundle(
	graph: Changeable,
	changes: BundleChanges,
	readFile: (path: string) => Promise<Uint8Array>,
): Promise<BundleChange> {
	await readMemory(graph);
	const reading = await runInTurns(readChanges(changes));
	const affected = await readAffected(graph, reading, readFile);
	return runInTurns(applyChanges(graph, reading, affected));
}

interface ChangeReading {
	readonly changes: BundleChanges;
	readonly documents: ReadonlyMap<string, ConceptFile>;
	readonly record: ConceptFile | undefined;
	readonly marks: readonly PathChange<FileMark>[];
	readonly findings: Finding[];
}

function* readChanges(changes: BundleChanges): Steps<ChangeReading> {
	const documents = new Map<string, ConceptFile>();
	const marks: PathChange<FileMark>[] = [];
	const findings: Finding[] = [];
	let record: ConceptFile | undefined;
	for (const [path, bytes] of changes) {
		marks.push([path, bytes && markOf(bytes)]);
		const document = bytes && readDocument(path, bytes);
		if (document && "rule" in document) findings.push(document);
		else if (document && isRecord(document)) record = document;
		else if (document) documents.set(path, document);
		yield;
	}
	return { changes, documents, record, marks, findings };
}

/** Concepts that are gone, by id, and such that have come, by path. */
function turnoverOf(concepts: readonly Concept[], { changes, documents }: ChangeReading) {
	const gone = new Set<string>();
	const come = new Set<string>();
	for (const path of changes.keys()) {
		const known = conceptAt(concepts, path);
		if (known && !documents.has(path)) gone.add(known.id);
		if (!known && documents.has(path)) come.add(path);
	}
	return { gone, come };
}

/** Unchanged files that link to a concept that is gone, or named one that there is now. */
async function readAffected(
	{ concepts, memory }: Changeable,
	reading: ChangeReading,
	readFile: (path: string) => Promise<Uint8Array>,
): Promise<readonly ConceptFile[]> {
	const { gone, come } = turnoverOf(concepts, reading);
	const losing = concepts.filter(
		({ edges }) => gone.size > 0 && edges.some(({ target }) => gone.has(target)),
	);
	const gaining = come.size > 0 ? [...entriesOf(memory.awaited)] : [];
	const paths = new Set([
		...losing.map(({ path }) => path),
		...gaining.flatMap(([path, targets]) => (targets.some((one) => come.has(one)) ? path : [])),
	]);
	const affected: ConceptFile[] = [];
	for (const path of paths) {
		if (reading.changes.has(path)) continue;
		const document = readDocument(path, await readFile(path));
		if (document && !("rule" in document)) affected.push(document);
	}
	return affected;
}

function* applyChanges(
	graph: Changeable,
	reading: ChangeReading,
	affected: readonly ConceptFile[],
): Steps<BundleChange> {
	const { changes, documents } = reading;
	assertDistinct(graph, reading);
	const files = withPaths(graph.memory.files, reading.marks);
	const space: LinkSpace = {
		idOf(path) {
			if (changes.has(path)) return documents.has(path) ? toConceptId(path) : undefined;
			return conceptAt(graph.concepts, path)?.id;
		},
		isOther: (path) =>
			(path === RECORD_PATH || isReserved(path)) && valueAt(files, path) !== undefined,
	};
	const findings = [...reading.findings];
	const readings = new Map<string, ConceptReading>();
	for (const file of documents.values()) {
		const reading = readConcept(file, space, (finding) => findings.push(finding));
		readings.set(file.path, reading);
		yield;
	}
	for (const file of affected) {
		const reading = readConcept(file, space, () => undefined);
		readings.set(file.path, reading);
		yield;
	}
	const concepts = mergeConcepts(graph.concepts, changes, readings);
	const memory: BundleMemory = {
		files,
		awaited: withPaths(graph.memory.awaited, awaitedOf(changes, readings)),
		frame: changeFrame(graph.memory.frame, reading),
	};
	return {
		graph: {
			record: recordOf(memory.frame, concepts),
			concepts,
			folder: graph.folder,
			contentHash: hashOfBundle(files),
			memory,
		},
		findings: findings.sort((a, b) => compareText(a.file, b.file)),
	};
}

/** Throws INVALID_ARGUMENT when a new file's id belongs to another file. */
function assertDistinct({ concepts }: Graph, { changes, documents }: ChangeReading): void {
	const newcomers = new Map<string, string>();
	for (const path of documents.keys()) {
		if (conceptAt(concepts, path)) continue;
		const id = toConceptId(path);
		assertFree(path, id, newcomers.get(id));
		newcomers.set(id, path);
	}
	if (newcomers.size === 0) return;
	for (const { path, id } of concepts) {
		const newcomer = newcomers.get(id);
		const stays = !changes.has(path) || documents.has(path);
		if (newcomer !== undefined && stays) assertFree(newcomer, id, path);
	}
}

function assertFree(path: string, id: string, holder: string | undefined): void {
	if (holder === undefined) return;
	throw invalidArgument(toCollision(path, id, holder).message);
}

/** Concepts in path order again; runs of unchanged ones are copied as they are. */
function mergeConcepts(
	concepts: readonly Concept[],
	changes: BundleChanges,
	readings: ReadonlyMap<string, ConceptReading>,
): readonly Concept[] {
	const paths = [...new Set([...changes.keys(), ...readings.keys()])].sort(compareText);
	const runs: (readonly Concept[])[] = [];
	let from = 0;
	for (const path of paths) {
		const position = positionOf(concepts, path);
		const fresh = readings.get(path)?.concept;
		runs.push(concepts.slice(from, position), fresh ? [fresh] : []);
		from = concepts[position]?.path === path ? position + 1 : position;
	}
	runs.push(concepts.slice(from));
	const merged: Concept[] = [];
	for (const run of runs) for (const concept of run) merged.push(concept);
	return merged;
}

function awaitedOf(
	changes: BundleChanges,
	readings: ReadonlyMap<string, ConceptReading>,
): readonly PathChange<readonly string[]>[] {
	const paths = new Set([...changes.keys(), ...readings.keys()]);
	return [...paths].map((path) => {
		const awaited = readings.get(path)?.awaited ?? [];
		return [path, awaited.length > 0 ? awaited : undefined];
	});
}

function changeFrame(frame: BundleFrame, { changes, record }: ChangeReading): BundleFrame {
	return {
		...frame,
		...(changes.has(RECORD_PATH) && {
			record: record && { data: record.data, body: record.body },
		}),
		...(changes.has("index.md") && { listedTitle: listedTitleOf(changes.get("index.md")) }),
		...(changes.has("log.md") && { loggedDay: loggedDayOf(changes.get("log.md")) }),
	};
}

export function conceptAt(concepts: readonly Concept[], path: string): Concept | undefined {
	const found = concepts[positionOf(concepts, path)];
	return found?.path === path ? found : undefined;
}

/** Where a path is or belongs, found by halving: concepts are in path order. */
function positionOf(concepts: readonly Concept[], path: string): number {
	return firstWhere(concepts.length, (at) => compareText(concepts[at]?.path ?? path, path) >= 0);
}
