import { setImmediate } from "node:timers/promises";
import type { Changeable } from "./bundle-change.js";
import { readDocument } from "./bundle-document.js";
import {
	createStampComparison,
	createStampLookup,
	type FileStamps,
	hasStampAt,
	pathsOf,
	withoutStamps,
} from "./file-stamps.js";
import type { Finding } from "./finding.js";
import type { Astray } from "./graph-snapshot.js";
import { readMemory } from "./late-memory.js";
import { valueAt } from "./path-map.js";
import { findAstray, readInBatches, readUnchanged } from "./snapshot-check.js";
import { runInTurns, type Steps } from "./work-in-turns.js";

/** What is known of the files of a graph: those that are as they were need not be read for the next snapshot. */
export interface FileStock {
	/** What the files held; its memory may not have been read yet. */
	readonly graph: Pick<Changeable, "folder" | "memory" | "contentHash">;
	/** None of a file that may hold something else by now. */
	readonly stamps: FileStamps;
	/** Why files are not on sale. */
	readonly findings: ReadonlyMap<string, Finding>;
}

/** One that a snapshot can be made of. */
export interface FreshStock extends FileStock {
	/** As text. */
	readonly stampOf: (path: string) => string | undefined;
	/** Files that have one. */
	readonly stamped: number;
	readonly astray: Astray;
}

export interface StockOptions {
	/** Taken before anything else. */
	readonly now: FileStamps;
	readonly earlier: FileStock | undefined;
	readonly signal: AbortSignal;
}

/**
 * Stamps of the files that hold what the graph was made from, in turns. A file whose stamp and content are those of the
 * earlier stock is not read; any other is read after its stamp was taken, so that a later change shows.
 */
export async function takeStock(
	graph: Changeable,
	{ now, earlier, signal }: StockOptions,
): Promise<FreshStock> {
	await readMemory(graph);
	if (earlier) await readMemory(earlier.graph);
	signal.throwIfAborted();
	const unsure = await runInTurns(findUnsure(graph, now, earlier));
	const astray = await runInTurns(findAstray(graph));
	const { findings, unexplained } = await runInTurns(explain(graph, astray, earlier));
	await readInBatches([...new Set([...unsure.keys(), ...unexplained])], async (path) => {
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

/** Files that take microseconds each, so many to a step. */
const FILES_PER_STEP = 8;

/** Places of the files with a stamp that have to be read all the same. */
function* findUnsure(
	graph: Changeable,
	now: FileStamps,
	earlier: FileStock | undefined,
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

/** Why files are not on sale, as far as the earlier stock tells. */
function* explain(
	graph: Changeable,
	astray: readonly string[],
	earlier: FileStock | undefined,
): Steps<{
	readonly findings: Map<string, Finding>;
	readonly unexplained: ReadonlySet<string>;
}> {
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
	earlier: FileStock | undefined,
	path: string,
): boolean {
	const mark = valueAt(memory.files, path);
	if (!mark || !earlier) return false;
	return valueAt(earlier.graph.memory.files, path)?.sha256 === mark.sha256;
}
