import { z } from "zod";
import { type Logger, stackOf } from "../../kernel/kernel.js";
import type { EmbedderIdentity } from "../model/embedder.js";
import type { PartedGraph, StoredPart } from "./graph-parts.js";
import type { IndexDisk } from "./index-disk.js";
import { SECTION_FILE_VERSION } from "./section-file.js";
import type { Segment } from "./segment.js";
import { embedderSchema, toPinned } from "./segment-codec.js";
import {
	createSegmentFiles,
	replaceFile,
	type SegmentEntry,
	segmentEntrySchema,
	toProblem,
} from "./segment-files.js";

/** Segments on disk: one checksummed file each, and a manifest with the tombstones that is swapped last. */
export interface IndexFolder {
	/** What is stored of a graph and can be trusted; undefined when that is nothing. */
	load(graphId: string): Promise<StoredGraph | undefined>;
	/**
	 * Stores exactly these graphs. After a crash either the old set is found or the new one. Segments without vectors never
	 * take the place of stored ones of the same content that have them: a model that is away today may be back tomorrow.
	 * False when the disk failed: `problems` says so until a later commit succeeds.
	 */
	commit(graphs: readonly PartedGraph[]): Promise<boolean>;
	/** True when the segment's file has vectors that the segment itself goes without. */
	holdsVectors(segment: Segment): boolean;
	/** Why the last commit failed, and what was found unusable since the folder was opened, as sentences. */
	problems(): readonly string[];
}

export interface StoredGraph {
	/** The version the segments and tombstones were stored for. */
	readonly contentHash: string;
	readonly parts: readonly StoredPart[];
}

const manifestSchema = z.object({
	version: z.literal(SECTION_FILE_VERSION),
	embedder: embedderSchema.nullable(),
	graphs: z.record(
		z.string(),
		z.object({ contentHash: z.string(), segments: z.array(segmentEntrySchema) }),
	),
});
type Manifest = z.infer<typeof manifestSchema>;
type GraphEntry = Manifest["graphs"][string];

const MANIFEST_FILE = "manifest.json";
/** What may be removed: nothing that somebody else put there. */
const OUR_FILE =
	/^([a-z0-9][a-z0-9-]*-[0-9a-f]{16}-[0-9a-z]{7,8}\.segment|manifest\.json)(\.tmp)?$/;

export interface IndexFolderDeps {
	readonly disk: IndexDisk;
	readonly embedder: EmbedderIdentity | undefined;
	/** Told what is found unusable. */
	readonly logger?: Logger | undefined;
}

/** Reads the manifest. Vectors of another embedder than this one are left out of what is loaded. */
export async function openIndexFolder({
	disk,
	embedder,
	logger,
}: IndexFolderDeps): Promise<IndexFolder> {
	const problems: string[] = [];
	const report = (problem: string) => {
		problems.push(problem);
		logger?.error(problem);
	};
	const files = createSegmentFiles({ disk, embedder, report });
	let manifest = await readManifest(disk, report);
	let isTidy = false;
	/** Why the last commit failed. */
	let unstored: string | undefined;
	/** Graphs of which something stored could not be read. */
	const damaged = new Set<string>();

	const isBetter = ({ contentHash, segments }: GraphEntry, { graph, parts }: PartedGraph) =>
		contentHash === graph.contentHash &&
		!damaged.has(graph.record.id) &&
		segments.every(({ hasVectors }) => hasVectors) &&
		parts.some(({ segment }) => !segment.vectors && !files.isStored(segment));
	const storeGraph = async (one: PartedGraph): Promise<GraphEntry> => {
		const stored = entryOf(manifest, one.graph.record.id);
		if (stored && isBetter(stored, one)) return stored;
		const segments: SegmentEntry[] = [];
		for (const part of one.parts) segments.push(await files.store(part));
		return { contentHash: one.graph.contentHash, segments };
	};
	const store = async (graphs: readonly PartedGraph[]): Promise<void> => {
		const entries: [string, GraphEntry][] = [];
		for (const one of graphs) entries.push([one.graph.record.id, await storeGraph(one)]);
		const next: Manifest = {
			version: SECTION_FILE_VERSION,
			embedder: embedder ? toPinned(embedder) : null,
			graphs: Object.fromEntries(entries),
		};
		const isChanged = JSON.stringify(next) !== JSON.stringify(manifest);
		if (isChanged) {
			await replaceFile(disk, MANIFEST_FILE, once(Buffer.from(`${JSON.stringify(next)}\n`)));
			manifest = next;
		}
		if (isChanged || !isTidy) await removeOthers(disk, next);
		isTidy = true;
	};

	return {
		async load(graphId) {
			const entry = entryOf(manifest, graphId);
			if (!entry) return undefined;
			const parts: StoredPart[] = [];
			for (const segment of entry.segments) {
				const part = await files.load(graphId, segment);
				if (part) parts.push(part);
				else damaged.add(graphId);
			}
			return { contentHash: entry.contentHash, parts };
		},
		async commit(graphs) {
			try {
				await store(graphs);
				unstored = undefined;
				return true;
			} catch (error) {
				unstored = `The index could not be stored (${errorName(error)}): what changed is made again after a restart. See that its folder can be written to.`;
				logger?.error(unstored, { error: stackOf(error) });
				return false;
			}
		},
		holdsVectors: files.holdsVectors,
		problems: () => (unstored === undefined ? problems : [unstored, ...problems]),
	};
}

/** A graph may be called like a property that every object has. */
function entryOf(manifest: Manifest | undefined, graphId: string): GraphEntry | undefined {
	return manifest && Object.hasOwn(manifest.graphs, graphId) ? manifest.graphs[graphId] : undefined;
}

function errorName(error: unknown): string {
	return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

async function readManifest(
	disk: IndexDisk,
	report: (problem: string) => void,
): Promise<Manifest | undefined> {
	const bytes = await disk.read(MANIFEST_FILE);
	if (!bytes) return undefined;
	try {
		const content: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
		const { data, error } = manifestSchema.safeParse(content);
		if (data) return data;
		const isOther = z.object({ version: z.int() }).safeParse(content).data;
		if (isOther && isOther.version !== SECTION_FILE_VERSION) return undefined;
		report(toProblem(MANIFEST_FILE, z.prettifyError(error).split("\n")[0] ?? "it is garbled"));
	} catch {
		report(toProblem(MANIFEST_FILE, "it is no JSON"));
	}
	return undefined;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}

async function removeOthers(disk: IndexDisk, { graphs }: Manifest): Promise<void> {
	const wanted = new Set([MANIFEST_FILE]);
	for (const { segments } of Object.values(graphs)) {
		for (const { file } of segments) wanted.add(file);
	}
	for (const name of await disk.list()) {
		if (OUR_FILE.test(name) && !wanted.has(name)) await disk.remove(name);
	}
}
