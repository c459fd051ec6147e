import { LRUCache } from "lru-cache";
import { READING_LIMITS } from "../../../src/contract/contract.js";
import {
	compareText,
	type FileMark,
	type Graph,
	isReserved,
	type PathMap,
	RECORD_PATH,
	runInTurns,
	type Steps,
	toConceptId,
} from "../../../src/knowledge/knowledge.js";
import { sortInSteps } from "./sort-in-steps.js";

/** One concept file that two revisions of a graph do not share. */
export interface NodeChange {
	readonly conceptId: string;
	readonly change: "added" | "changed" | "removed";
}

/** What is remembered of revisions of graphs: their files by hash, not their text. */
export interface RevisionMemory {
	/** Remembers the graph as it is now, and gives the name of this revision. */
	remember(graph: Graph): string;
	/**
	 * What changed from one remembered revision to another, by id; undefined when one of them is forgotten or was never seen.
	 * Compared once, however often it is asked for.
	 */
	changesBetween(
		graphId: string,
		before: string,
		after: string,
	): Promise<readonly NodeChange[] | undefined>;
}

/**
 * Remembers the revisions that were told to somebody, the newest of them, in memory. Two revisions share what they have in
 * common, so that one more costs about as much as its changes.
 */
export function createRevisionMemory(): RevisionMemory {
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
		remember({ record, contentHash, memory }) {
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
		async changesBetween(graphId, before, after) {
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

/** Forgets the ones told longest ago. */
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
