import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Changeable, changeBundle, conceptAt, isChangeable } from "../bundle/bundle-change.js";
import { compareText, isReserved, RECORD_PATH, readDocument } from "../bundle/bundle-document.js";
import { readBounded } from "../bundle/bundle-folder.js";
import { assertLoadable, markOf } from "../bundle/content-hash.js";
import type { Finding } from "../model/graph.js";
import { readMemory } from "../model/graph.js";
import { entriesOf, valueAt } from "../model/path-map.js";
import { mapInBatches, runAtOnce, runInTurns, type Steps } from "../model/work-in-turns.js";
import {
	createStampComparison,
	createStampLookup,
	type FileStamps,
	hasStampAt,
	pathsOf,
	textStampsOf,
	withoutStamps,
} from "./file-stamps.js";
import type { Astray, GraphSnapshot } from "./graph-snapshot.js";

/** Files that take microseconds each, so many to a step. */
const FILES_PER_STEP = 8;

/**
 * Brings a snapshot up to what its folder holds now, with findings of severity error in path order; untouched where the stamps
 * show that no file has changed. Throws what keeps the files from being one graph.
 */
export async function refreshSnapshot(snapshot: GraphSnapshot, now: FileStamps) {
	const { graph, astray, stampsHash } = snapshot;
	if (stampsHash !== undefined && now.hash === stampsHash) {
		return { graph, findings: await findErrors(graph, astray), isUntouched: true };
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
	const errors = new Map<string, Finding | undefined>();
	for (const path of runAtOnce(findAstray(next))) {
		errors.set(path, changes.has(path) ? undefined : astray.get(path));
	}
	const findings = await findErrors(next, errors);
	return { graph: next, findings, isUntouched: suspects.length + changes.size === 0 };
}

/** Paths of files that are no concept, though neither a listing nor the record. */
function* findAstray({ concepts, memory }: Changeable): Steps<readonly string[]> {
	const isOther = (path: string) =>
		isReserved(path) || (path === RECORD_PATH && memory.frame.record !== undefined);
	const astray: string[] = [];
	let count = 0;
	for (const [path] of entriesOf(memory.files)) {
		if (++count % FILES_PER_STEP === 0) yield;
		if (!conceptAt(concepts, path) && !isOther(path)) astray.push(path);
	}
	return astray;
}

/** What a file holds, while it is what the graph was made from; undefined for any other. */
async function readUnchanged(
	{ folder, memory }: Changeable,
	path: string,
): Promise<Uint8Array | undefined> {
	const bytes = await readBounded(join(folder, path)).catch(() => undefined);
	const isSame = bytes && valueAt(memory.files, path)?.sha256 === markOf(bytes).sha256;
	return isSame ? bytes : undefined;
}

async function readChanged(
	{ folder, memory }: Changeable,
	paths: readonly string[],
): Promise<Map<string, Uint8Array | undefined>> {
	const changes = new Map<string, Uint8Array | undefined>();
	await mapInBatches(paths, async (path) => {
		const bytes = await readBounded(join(folder, path));
		if (valueAt(memory.files, path)?.sha256 !== markOf(bytes).sha256) changes.set(path, bytes);
	});
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

/** Why files are not on sale, in path order; those of which it is not known are read. Throws where one id would name two concepts. */
async function findErrors({ folder }: Changeable, astray: Astray): Promise<readonly Finding[]> {
	const unknown = [...astray].flatMap(([path, finding]) => (finding ? [] : path));
	const read = await mapInBatches(unknown, async (path) => {
		const document = readDocument(path, await readBounded(join(folder, path)));
		if (document && "rule" in document) return document;
		throw new TypeError(`"${path}" is a concept that its graph does not have.`);
	});
	const known = [...astray.values()].filter((finding) => finding !== undefined);
	return [...known, ...read].sort((a, b) => compareText(a.file, b.file));
}

/** What is known of the files of a graph: those that are as they were need not be read for the next snapshot. */
export interface FileInventory {
	/** What the files held; its memory may not have been read yet. */
	readonly graph: Pick<Changeable, "folder" | "memory" | "contentHash">;
	/** None of a file that may hold something else by now. */
	readonly stamps: FileStamps;
	readonly findings: ReadonlyMap<string, Finding>;
}

/**
 * Reads files that differ from the earlier inventory after their stamps were taken, so that a later
 * change shows.
 */
export async function takeInventory(
	graph: Changeable,
	{
		now,
		earlier,
		signal,
	}: {
		/** Taken before anything else. */
		readonly now: FileStamps;
		readonly earlier: FileInventory | undefined;
		readonly signal: AbortSignal;
	},
) {
	await readMemory(graph);
	if (earlier) await readMemory(earlier.graph);
	signal.throwIfAborted();
	const unsure = await runInTurns(findUnsure(graph, now, earlier));
	const astray = await runInTurns(findAstray(graph));
	const { findings, unexplained } = await runInTurns(explain(graph, astray, earlier));
	await mapInBatches([...new Set([...unsure.keys(), ...unexplained])], async (path) => {
		signal.throwIfAborted();
		const bytes = await readUnchanged(graph, path);
		const index = bytes && unsure.get(path);
		if (index !== undefined) unsure.delete(path);
		const document = bytes && unexplained.has(path) && readDocument(path, bytes);
		if (document && "rule" in document) findings.set(path, document);
		await setImmediate();
	});
	const stamps = withoutStamps(now, [...unsure.values()]);
	return {
		graph: { folder: graph.folder, memory: graph.memory, contentHash: graph.contentHash },
		stamps,
		...createStampLookup(stamps),
		findings,
		astray: new Map(astray.map((path) => [path, findings.get(path)])),
	};
}

/** Places of the files with a stamp that have to be read all the same. */
function* findUnsure(
	graph: Changeable,
	now: FileStamps,
	earlier: FileInventory | undefined,
): Steps<Map<string, number>> {
	const unsure = new Map<string, number>();
	const isAsBefore = createStampComparison(earlier?.stamps, now);
	for (const [index, path] of pathsOf(now).entries()) {
		if (index % FILES_PER_STEP === 0) yield;
		const isKnown = isAsBefore(path, index) && isAsEarlier(graph, earlier, path);
		if (!isKnown && hasStampAt(now, index)) unsure.set(path, index);
	}
	return unsure;
}

function* explain(
	graph: Changeable,
	astray: readonly string[],
	earlier: FileInventory | undefined,
): Steps<{ findings: Map<string, Finding>; unexplained: ReadonlySet<string> }> {
	const findings = new Map<string, Finding>();
	const unexplained = new Set<string>();
	for (const [index, path] of astray.entries()) {
		if (index % FILES_PER_STEP === 0) yield;
		const finding = isAsEarlier(graph, earlier, path) && earlier?.findings.get(path);
		if (finding) findings.set(path, finding);
		else unexplained.add(path);
	}
	return { findings, unexplained };
}

/** True when the graph was made from what the file held then. */
function isAsEarlier(
	{ memory }: Changeable,
	earlier: FileInventory | undefined,
	path: string,
): boolean {
	const mark = valueAt(memory.files, path);
	if (!mark || !earlier) return false;
	return valueAt(earlier.graph.memory.files, path)?.sha256 === mark.sha256;
}
