import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../core/clock.js";
import type { Changeable } from "./bundle-change.js";
import { type ReadGraphOptions, readGraph, stampFiles } from "./bundle-files.js";
import type { Graph } from "./graph.js";
import {
	type FileStamps,
	keyOf,
	readSnapshot,
	readStamps,
	writeSnapshot,
} from "./graph-snapshot.js";
import { valueAt } from "./path-map.js";
import { bringInLine, hasContent, isGraphFile } from "./snapshot-check.js";

/** Graphs as they were read last, one file each, so that a start reads only what has changed. Derived data: safe to delete. */
export interface GraphSnapshots {
	/** What `readGraph` gives, errors and findings of severity error included; other findings may be missing. */
	read(folder: string, options?: ReadGraphOptions): Promise<Graph>;
	/** True when the next start would look into none of the graph's files, were it now. */
	isKept(graph: Changeable): boolean;
	/** Keeps the graph for the next start; until it is kept, the snapshot from before stays. Rejects with what the disk or the signal says. */
	keep(graph: Changeable, signal: AbortSignal): Promise<void>;
	/** Forgets all graphs but those in these folders. */
	forgetOthers(folders: readonly string[]): Promise<void>;
}

export interface GraphSnapshotsDeps {
	/** Made when it is not there. */
	readonly folder: string;
	/** Of the software: another one may read files differently. */
	readonly version: string;
	readonly clock: Clock;
}

/** A disk may date changes this coarsely: of two changes at one tick the second would not show. */
const STAMP_TICK_MS = 2_000;
const OUR_FILE = /^[0-9a-f]{64}\.graph(\.tmp)?$/;

export function createGraphSnapshots({
	folder: home,
	version,
	clock,
}: GraphSnapshotsDeps): GraphSnapshots {
	/** Content hash by folder of a graph. */
	const kept = new Map<string, string>();
	return {
		async read(folder, options = {}) {
			const snapshot = await readSnapshot(fileOf(home, folder), { version, folder }).catch(
				() => undefined,
			);
			if (!snapshot) return readGraph(folder, options);
			const stamps = await stampFiles(folder, clock.now() - STAMP_TICK_MS);
			const inLine = await bringInLine(snapshot, { folder, stamps }).catch(() => undefined);
			// Whatever keeps a changed bundle from being read is told as reading it anew tells it.
			if (!inLine) return readGraph(folder, options);
			if (inLine.lookedInto === 0) kept.set(folder, inLine.graph.contentHash);
			for (const finding of inLine.findings) options.onFinding?.(finding);
			return inLine.graph;
		},
		isKept: ({ folder, contentHash }) => kept.get(folder) === contentHash,
		async keep(graph, signal) {
			const { folder, contentHash } = graph;
			const name = { version, folder };
			const file = fileOf(home, folder);
			const earlier = await readStamps(file, name).catch(() => new Map());
			const stamps = await stampFiles(folder, clock.now() - STAMP_TICK_MS);
			const trusted = await findTrusted(graph, { stamps, earlier, signal });
			await mkdir(home, { recursive: true, mode: 0o700 });
			await writeSnapshot(file, { graph, stamps: trusted }, { ...name, signal });
			// Files that were touched a moment ago can be trusted the next time.
			const isSettled = [...stamps].every(([path, stamp]) => stamp || !isGraphFile(path));
			if (isSettled) kept.set(folder, contentHash);
		},
		async forgetOthers(folders) {
			const wanted = new Set(folders.map((folder) => nameOf(folder)));
			for (const name of await readdir(home).catch(() => [])) {
				if (OUR_FILE.test(name) && !wanted.has(name)) await rm(join(home, name), { force: true });
			}
		},
	};
}

function fileOf(home: string, folder: string): string {
	return join(home, nameOf(folder));
}

function nameOf(folder: string): string {
	return `${createHash("sha256").update(folder).digest("hex")}.graph`;
}

interface StampTrust {
	readonly stamps: FileStamps;
	/** See `readStamps`. */
	readonly earlier: FileStamps;
	readonly signal: AbortSignal;
}

/** Stamps of the files that hold what the graph was made from: the stamp comes first, so that a later change shows. */
async function findTrusted(
	{ folder, memory }: Changeable,
	{ stamps, earlier, signal }: StampTrust,
): Promise<Map<string, string>> {
	const trusted = new Map<string, string>();
	for (const [path, stamp] of stamps) {
		signal.throwIfAborted();
		if (stamp === undefined || !isGraphFile(path)) continue;
		const mark = valueAt(memory.files, path);
		if (!mark) continue;
		const isKnown = earlier.get(keyOf(path, mark)) === stamp;
		if (isKnown || (await hasContent(join(folder, path), mark))) trusted.set(path, stamp);
	}
	return trusted;
}
