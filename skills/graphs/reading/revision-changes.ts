import { LRUCache } from "lru-cache";
import { READING_LIMITS } from "../../../src/contract/contract.js";
import {
	cleanText,
	compareText,
	type FileMark,
	type Graph,
	isReserved,
	type PathMap,
	RECORD_PATH,
	runInTurns,
	type Steps,
	toConceptId,
	toPlainText,
	truncateText,
} from "../../../src/knowledge/knowledge.js";
import { sortInSteps } from "./sorting.js";

export interface NodeChange {
	readonly conceptId: string;
	readonly change: "added" | "changed" | "removed";
}

export type RevisionMemory = ReturnType<typeof createRevisionMemory>;

/**
 * Remembers the newest revisions that were sent to callers: file hashes, shared between revisions,
 * not text.
 */
export function createRevisionMemory() {
	const files = new Map<string, PathMap<FileMark>>();
	const compared = new LRUCache<string, readonly NodeChange[]>({
		maxSize: READING_LIMITS.changesKept,
		sizeCalculation: ({ length }) => length + 1,
	});
	const comparing = new Map<string, Promise<readonly NodeChange[]>>();
	const compare = async (name: string, before: Files, after: Files) => {
		try {
			const changes = await runInTurns(compareFiles(before, after));
			compared.set(name, changes);
			return changes;
		} finally {
			comparing.delete(name);
		}
	};
	const nameOf = (graphId: string, revision: string) => `${graphId} ${revision}`;
	return {
		/** Remembers the graph as it is now, and returns the name of this revision. */
		remember({ record, contentHash, memory }: Graph): string {
			if (memory) {
				const name = nameOf(record.id, contentHash);
				files.delete(name);
				files.set(name, memory.files);
				forget(
					files,
					(known) => known.startsWith(`${record.id} `),
					READING_LIMITS.revisionsPerGraph,
				);
				forget(files, () => true, READING_LIMITS.revisionsMax);
			}
			return contentHash;
		},
		/** What changed between two revisions, by id; undefined when one of them is dropped or was never seen. */
		async changesBetween(
			graphId: string,
			before: string,
			after: string,
		): Promise<readonly NodeChange[] | undefined> {
			const old = files.get(nameOf(graphId, before));
			const now = files.get(nameOf(graphId, after));
			if (!old || !now) return undefined;
			const name = `${graphId} ${before} ${after}`;
			const known = compared.get(name);
			if (known) return known;
			const underWay = comparing.get(name) ?? compare(name, old, now);
			comparing.set(name, underWay);
			return underWay;
		},
	};
}

/** Drops the ones sent longest ago. */
function forget(
	files: Map<string, unknown>,
	isMeant: (name: string) => boolean,
	keptMax: number,
): void {
	const names = [...files.keys()].filter(isMeant);
	for (const name of names.slice(0, Math.max(0, names.length - keptMax))) files.delete(name);
}

type Files = PathMap<FileMark>;

/** Buckets that both share hold nothing new. */
function* compareFiles(before: Files, after: Files): Steps<readonly NodeChange[]> {
	const changes: NodeChange[] = [];
	for (const [index, bucket] of after.buckets.entries()) {
		if (before.buckets[index] === bucket) continue;
		changes.push(...compareBuckets(before.buckets[index], bucket));
		yield;
	}
	return yield* sortInSteps(changes, (a, b) => compareText(a.conceptId, b.conceptId));
}

type Bucket = ReadonlyMap<string, FileMark>;

function compareBuckets(before: Bucket | undefined, after: Bucket): readonly NodeChange[] {
	if (!before) return [];
	const paths = [...new Set([...before.keys(), ...after.keys()])].filter(isConceptPath);
	return paths.flatMap((path) => {
		const change = changeOf(before.get(path), after.get(path));
		return change ? [{ conceptId: toConceptId(path), change }] : [];
	});
}

function changeOf(
	before: FileMark | undefined,
	after: FileMark | undefined,
): NodeChange["change"] | undefined {
	if (!before) return "added";
	if (!after) return "removed";
	return before.sha256 === after.sha256 ? undefined : "changed";
}

function isConceptPath(path: string): boolean {
	return /\.md$/i.test(path) && !isReserved(path) && path !== RECORD_PATH;
}

export interface LogEntry {
	readonly day: string;
	readonly lines: readonly string[];
}

const ENTRIES_MAX = 50;
const LINES_MAX = 20;
const LINE_CHARS = 500;
const LOG_CHARS = 256 * 1024;

/** The newest entries of a log, in the order of the file: a heading per day, a line per change. Other text is passed over. */
export function readChangeLog(markdown: string): readonly LogEntry[] {
	const entries: { day: string; lines: string[] }[] = [];
	for (const line of cleanText(markdown.slice(0, LOG_CHARS)).split("\n")) {
		const day = /^#{1,6}[ \t]+\[?(\d{4}-\d{2}-\d{2})\b/.exec(line)?.[1];
		if (day !== undefined) {
			if (entries.length === ENTRIES_MAX) break;
			entries.push({ day, lines: [] });
			continue;
		}
		const item = /^[ \t]{0,3}[-*+][ \t]+(\S.*)$/.exec(line.slice(0, 2 * LINE_CHARS))?.[1];
		const lines = entries.at(-1)?.lines;
		if (item !== undefined && lines && lines.length < LINES_MAX) {
			lines.push(truncateText(toPlainText(item), LINE_CHARS));
		}
	}
	return entries;
}
