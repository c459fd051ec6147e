import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../core/clock.js";
import type { Changeable } from "./bundle-change.js";
import { type ReadGraphOptions, readGraph } from "./bundle-files.js";
import {
	type FileStamps,
	hashOfStamps,
	hasUntrusted,
	stampGraphFiles,
	textStampsOf,
} from "./file-stamps.js";
import type { Graph } from "./graph.js";
import {
	type GraphSnapshot,
	readSnapshot,
	type StampsByPath,
	writeSnapshot,
} from "./graph-snapshot.js";
import { valueAt } from "./path-map.js";
import { bringInLine, findAstray, hasContent } from "./snapshot-check.js";

/** Graphs as they were read last, one file each, so that a start reads only what has changed. Derived data: safe to delete. */
export interface GraphSnapshots {
	/** What `readGraph` gives, errors and findings of severity error included; other findings may be missing. */
	read(folder: string, options?: ReadGraphOptions): Promise<Graph>;
	/** True when keeping the graph again would save the next start nothing. */
	isKept(graph: Pick<Graph, "folder" | "contentHash">): boolean;
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

/** From here on a thread is worth starting. */
const LARGE_CONCEPTS = 2_000;
const LARGE_BYTES = 1_000 * LARGE_CONCEPTS;
const OUR_FILE = /^[0-9a-f]{64}\.graph(\.tmp)?$/;

export function createGraphSnapshots({
	folder: home,
	version,
	clock,
}: GraphSnapshotsDeps): GraphSnapshots {
	/** Content hash by folder of a graph. */
	const kept = new Map<string, string>();
	const fileOf = (folder: string) => join(home, nameOf(folder));
	/** Undefined for what cannot be trusted: it is read anew. */
	const find = (folder: string) => readSnapshot(fileOf(folder), { version, folder });
	const findStamps = (folder: string, isLarge: boolean) =>
		stampGraphFiles(folder, { clock, isLarge }).catch(() => undefined);
	return {
		async read(folder, options = {}) {
			const size = await sizeOf(fileOf(folder));
			// Most of both is waiting for the disk, or for another thread.
			const [snapshot, stamps] = await Promise.all([
				size === undefined ? undefined : find(folder),
				size === undefined ? undefined : findStamps(folder, size > LARGE_BYTES),
			]);
			const inLine =
				snapshot && stamps && (await bringInLine(snapshot, stamps).catch(() => undefined));
			// Whatever keeps a changed bundle from being read is told as reading it anew tells it.
			if (!inLine) return readGraph(folder, options);
			if (inLine.lookedInto === 0) kept.set(folder, inLine.graph.contentHash);
			for (const finding of inLine.findings) options.onFinding?.(finding);
			return inLine.graph;
		},
		isKept: ({ folder, contentHash }) => kept.get(folder) === contentHash,
		async keep(graph, signal) {
			const { folder, contentHash } = graph;
			const earlier = await find(folder);
			const isLarge = graph.concepts.length > LARGE_CONCEPTS;
			const now = await stampGraphFiles(folder, { clock, isLarge });
			const stamps = await findTrusted(graph, { now, earlier, signal });
			const { files } = graph.memory;
			const isWhole = stamps.size === files.size && textStampsOf(now).size === files.size;
			const stampsHash = isWhole ? hashOfStamps(now) : undefined;
			const content = { graph, stamps, stampsHash, astray: findAstray(graph) };
			await mkdir(home, { recursive: true, mode: 0o700 });
			await writeSnapshot(fileOf(folder), content, { version, folder, signal });
			// Files that were touched a moment ago can be trusted the next time.
			if (!hasUntrusted(now)) kept.set(folder, contentHash);
		},
		async forgetOthers(folders) {
			const wanted = new Set(folders.map((folder) => nameOf(folder)));
			for (const name of await readdir(home).catch(() => [])) {
				if (OUR_FILE.test(name) && !wanted.has(name)) await rm(join(home, name), { force: true });
			}
		},
	};
}

/** Undefined for a file that is not there. */
function sizeOf(file: string): Promise<number | undefined> {
	return stat(file).then(
		({ size }) => size,
		() => undefined,
	);
}

function nameOf(folder: string): string {
	return `${createHash("sha256").update(folder).digest("hex")}.graph`;
}

interface StampTrust {
	readonly now: FileStamps;
	readonly earlier: GraphSnapshot | undefined;
	readonly signal: AbortSignal;
}

/** Stamps of the files that hold what the graph was made from: the stamp comes first, so that a later change shows. */
async function findTrusted(
	{ folder, memory }: Changeable,
	{ now, earlier, signal }: StampTrust,
): Promise<StampsByPath> {
	const known = earlier?.stamps() ?? new Map();
	const trusted = new Map<string, string>();
	for (const [path, stamp] of textStampsOf(now)) {
		signal.throwIfAborted();
		const mark = valueAt(memory.files, path);
		if (!mark || stamp === undefined) continue;
		const isSame = earlier && valueAt(earlier.graph.memory.files, path)?.sha256 === mark.sha256;
		const isKnown = isSame && known.get(path) === stamp;
		if (isKnown || (await hasContent(join(folder, path), mark))) trusted.set(path, stamp);
	}
	return trusted;
}
