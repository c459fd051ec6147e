/**
 * Imported graphs as versions in a database that several processes share. One number orders all changes of all graphs: what a
 * process has not seen yet are the versions above its own.
 */

/** One change of one graph. */
export interface GraphVersionRow {
	readonly version: number;
	readonly graphId: string;
	/** The version of this graph that it changed; undefined for the first. */
	readonly base: number | undefined;
	/** As its owner counts the versions of this graph. */
	readonly number: number;
	/** When it was made, ISO 8601. */
	readonly at: string;
	readonly cause: string;
	readonly nodes: number;
	/** Of all its files; undefined where the graph is gone. */
	readonly contentHash: string | undefined;
	/** True where the archive has every file; else those that `base` lacks or has otherwise. */
	readonly isWhole: boolean;
	/** Paths of files of `base` that it has not. */
	readonly removed: readonly string[];
	/** The id that the graph had until then, where it was renamed. */
	readonly former: string | undefined;
	/** Of a graph that is gone, the id it has now; undefined where it was removed. */
	readonly movedTo: string | undefined;
}

export interface NewGraphVersion extends Omit<GraphVersionRow, "version"> {
	/** Packed files; undefined for a graph that is gone. */
	readonly archive: Uint8Array | undefined;
}

/** One segment of an index. Those of one name stand in for each other, so that it is stored once. */
export interface IndexSegment {
	readonly name: string;
	readonly tombstones: string;
	readonly write: () => AsyncIterable<Uint8Array>;
}

/** Who makes the vectors of a version: they are there, this process does, or another one is at it. */
export type IndexClaim = "made" | "ours" | "another's";

interface IndexName {
	readonly version: number;
	/** What its vectors depend on: those of another model are other ones. */
	readonly model: string;
}

/** What is kept of a graph since its last whole archive, in bytes. */
export interface ArchiveSizes {
	readonly whole: number;
	readonly changes: number;
	readonly count: number;
}

export interface GraphVersions {
	/**
	 * All of them or none, in this order; returns their numbers. Throws CONFLICT where a graph has another newest version than the
	 * `base` that is given. `maker` says who makes the vectors of the first one.
	 */
	publish(
		versions: readonly NewGraphVersion[],
		maker?: { readonly model: string; readonly process: string },
	): Promise<readonly number[]>;
	/** The newest version of each graph that has one above `version`, in their order. */
	newestAfter(version: number): Promise<readonly GraphVersionRow[]>;
	/** What makes up a version: the last whole one up to it and all since, oldest first. */
	chainOf(row: Pick<GraphVersionRow, "graphId" | "version">): Promise<readonly GraphVersionRow[]>;
	/** Throws DamagedVersion where its bytes are not what was put there. */
	readArchive(version: number): Promise<Uint8Array>;
	sizesOf(graphId: string): Promise<ArchiveSizes | undefined>;
	/** Every version that is kept of a graph, oldest first. */
	list(graphId: string): Promise<readonly GraphVersionRow[]>;
	/** Drops versions of a graph below this one, but for those that make it up. */
	dropBelow(graphId: string, version: number): Promise<void>;
	readonly index: {
		/** Takes the work over for some seconds, unless another process has; to be called again before they are over. */
		claim(name: IndexName, process: string): Promise<IndexClaim>;
		store(name: IndexName, segments: readonly IndexSegment[]): Promise<void>;
		/** Segments of the newest version of a graph that has its vectors, oldest first. */
		find(graphId: string, model: string): Promise<readonly Omit<IndexSegment, "write">[]>;
		/** Throws DamagedVersion; undefined for a segment that is gone meanwhile. */
		readSegment(name: string): Promise<Uint8Array | undefined>;
	};
	/** Calls back whenever another process may have published; returns what ends it. Notices may be lost. */
	watch(onNotice: () => void): () => Promise<void>;
}

/** Stored bytes are not those that were put there; the same again meets the same. */
export class DamagedVersion extends Error {
	constructor(what: string) {
		super(`${what} is not what was stored: its SHA-256 differs.`);
		this.name = "DamagedVersion";
	}
}
