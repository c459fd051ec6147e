import { access, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Logger, stackOf } from "../../kernel/kernel.js";
import type { EmbedderIdentity } from "../model/embedder.js";
import {
	isSameEmbedder,
	type Part,
	type PartedGraph,
	type Segment,
	type StoredPart,
} from "./segment.js";
import {
	CorruptFile,
	contentNameOf,
	decodeSegment,
	embedderSchema,
	encodeSectionFile,
	OtherVersion,
	SECTION_FILE_VERSION,
	toPinned,
	toSectionFile,
} from "./segment-codec.js";

/** What the manifest says of one segment. */
const segmentEntrySchema = z.object({
	file: z.string(),
	hasVectors: z.boolean(),
	/** One bit per document, in base64; empty when none is dead. */
	tombstones: z.string(),
});
type SegmentEntry = z.infer<typeof segmentEntrySchema>;

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
/** What may be removed: nothing that others put there. */
const OUR_FILE =
	/^([a-z0-9][a-z0-9-]*-[0-9a-f]{16}-[0-9a-z]{7,8}\.segment|manifest\.json)(\.tmp)?$/;

export type IndexFolder = Awaited<ReturnType<typeof openIndexFolder>>;

/**
 * Segments on disk: one checksummed file each, and a manifest with the tombstones that is swapped last. Vectors of another
 * embedder than this one are left out of what is loaded.
 */
export async function openIndexFolder(
	disk: IndexDisk,
	embedder: EmbedderIdentity | undefined,
	logger?: Logger,
) {
	const problems: string[] = [];
	const report = (problem: string) => {
		problems.push(problem);
		logger?.error(problem);
	};
	const files = createSegmentFiles(disk, embedder, report);
	let manifest = await readManifest(disk, report);
	let isTidy = false;
	/** Why the last commit failed. */
	let unstored: string | undefined;
	/** Graphs of which something stored could not be read. */
	const damaged = new Set<string>();
	const lookups = { holdsVectors: files.holdsVectors, nameOf: files.nameOf };

	const storeGraph = async (one: PartedGraph): Promise<GraphEntry> => {
		const { id } = one.graph.record;
		const stored = damaged.has(id) ? undefined : entryOf(manifest, id);
		const isUnstored = ({ segment }: Part) => !segment.vectors && !files.isStored(segment);
		const isKept = one.parts.some(isUnstored) && hasAllVectors(stored, one.graph.contentHash);
		if (stored && isKept) return stored;
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
		/** What is stored of a graph and can be trusted, with the version it was stored for; undefined when that is nothing. */
		async load(graphId: string) {
			const entry = entryOf(manifest, graphId);
			if (!entry) return undefined;
			const { contentHash, segments } = entry;
			const parts = await loadAll(files, graphId, segments);
			if (parts.length < segments.length) damaged.add(graphId);
			return { contentHash, parts };
		},
		/**
		 * Stores exactly these graphs. After a crash either the old set is found or the new one. Segments without vectors never
		 * take the place of stored ones of the same content that have them: a model that is away today may be back tomorrow.
		 * False when the disk failed: `problems` says so until a later commit succeeds.
		 */
		async commit(graphs: readonly PartedGraph[]): Promise<boolean> {
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
		...lookups,
		/** True for a segment of what was stored last. */
		isStored: (file: string): boolean => isListed(manifest, file),
		/** Why the last commit failed, and what was found unusable since the folder was opened, as sentences. */
		problems: (): readonly string[] =>
			unstored === undefined ? problems : [unstored, ...problems],
	};
}

/** Those that can be trusted. */
async function loadAll(
	files: Pick<ReturnType<typeof createSegmentFiles>, "load">,
	graphId: string,
	segments: readonly SegmentEntry[],
): Promise<readonly StoredPart[]> {
	const parts: StoredPart[] = [];
	for (const segment of segments) {
		const part = await files.load(graphId, segment);
		if (part) parts.push(part);
	}
	return parts;
}

function isListed(manifest: Manifest | undefined, file: string): boolean {
	const graphs = Object.values(manifest?.graphs ?? {});
	return graphs.some(({ segments }) => segments.some((one) => one.file === file));
}

function hasAllVectors(stored: GraphEntry | undefined, contentHash: string): boolean {
	return stored?.contentHash === contentHash && stored.segments.every((one) => one.hasVectors);
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

/** One folder of files, by name; what the index needs of a file system, and where tests let it fail. */
export interface IndexDisk {
	list(): Promise<readonly string[]>;
	/** Undefined when there is no such file. */
	read(name: string): Promise<Uint8Array | undefined>;
	/** Writes a file from scratch and syncs it. */
	write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
	/** Lasts once it resolves. */
	rename(from: string, to: string): Promise<void>;
	remove(name: string): Promise<void>;
}

/** The folder on the machine's disk, made when it is not there; files are for its owner alone. */
export async function openIndexDisk(folder: string): Promise<IndexDisk> {
	await mkdir(folder, { recursive: true });
	return {
		list: () => readdir(folder),
		async read(name) {
			try {
				return await readFile(join(folder, name));
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
				throw error;
			}
		},
		async write(name, pieces) {
			const file = await open(join(folder, name), "w", 0o600);
			try {
				for await (const piece of pieces) await file.writeFile(piece);
				await file.sync();
			} finally {
				await file.close();
			}
		},
		async rename(from, to) {
			await rename(join(folder, from), join(folder, to));
			const directory = await open(folder, "r");
			await directory.sync().finally(() => directory.close());
		},
		remove: (name) => rm(join(folder, name), { force: true }),
	};
}

const SEGMENT_FILE = /^[a-z0-9][a-z0-9-]*\.segment$/;

/** Begins an index with a copy of another one, where there is none yet. Rejects with what the disk says; what is there then does no harm. */
export async function beginIndexWith(other: string, folder: string): Promise<void> {
	const manifest = join(folder, MANIFEST_FILE);
	const isThere = await access(manifest).then(
		() => true,
		() => false,
	);
	if (isThere) return;
	await mkdir(folder, { recursive: true });
	const copy = async (name: string) =>
		writeFile(join(folder, name), await readFile(join(other, name)), { mode: 0o600 });
	const names = await readdir(other);
	await Promise.all(names.filter((name) => SEGMENT_FILE.test(name)).map(copy));
	// Last: no file counts that no manifest names.
	await writeFile(`${manifest}.tmp`, await readFile(join(other, MANIFEST_FILE)), { mode: 0o600 });
	await rename(`${manifest}.tmp`, manifest);
}

/** Segments as files that are never written to again; `report` is called with a sentence for each that cannot be trusted. */
function createSegmentFiles(
	disk: IndexDisk,
	embedder: EmbedderIdentity | undefined,
	report: (problem: string) => void,
) {
	/**
	 * The file that stands for a segment, and whose vectors it has; by fingerprints, which stay the same object whatever else of
	 * the segment is rebuilt.
	 */
	const files = new WeakMap<Uint8Array, { file: string; embedder: EmbedderIdentity | undefined }>();
	return {
		/** Undefined, and reported, when the file cannot be trusted. */
		async load(graphId: string, entry: SegmentEntry): Promise<StoredPart | undefined> {
			const { file, tombstones } = entry;
			const segment = await readSegment(disk, graphId, file).catch((error: unknown) => {
				if (!(error instanceof OtherVersion)) report(toProblem(file, whyOf(error)));
				return undefined;
			});
			if (!segment) return undefined;
			const made = segment.vectors?.embedder;
			files.set(segment.fingerprints, { file, embedder: made });
			const isDead = fromBits(tombstones);
			if (isSameEmbedder(made, embedder)) return { segment, isDead };
			return { segment: { ...segment, vectors: undefined }, isDead };
		},
		/** Writes the part's segment unless a file stands for it already. */
		async store(part: Part): Promise<SegmentEntry> {
			const { fingerprints, vectors } = part.segment;
			const known = files.get(fingerprints);
			const tombstones = toBits(part);
			if (known && (!vectors || isSameEmbedder(known.embedder, vectors.embedder))) {
				return { file: known.file, hasVectors: known.embedder !== undefined, tombstones };
			}
			const file = fileOf(part.segment);
			await replaceFile(disk, file, encodeSectionFile(toSectionFile(part.segment)));
			files.set(fingerprints, { file, embedder: vectors?.embedder });
			return { file, hasVectors: vectors !== undefined, tombstones };
		},
		isStored: ({ fingerprints }: Segment): boolean => files.has(fingerprints),
		/** The file that stands for a segment with all that it has; undefined where none does. */
		nameOf({ fingerprints, vectors }: Segment): string | undefined {
			const known = files.get(fingerprints);
			return known && isSameEmbedder(known.embedder, vectors?.embedder) ? known.file : undefined;
		},
		/** True when the segment's file has vectors that the segment itself goes without. */
		holdsVectors: ({ fingerprints, vectors }: Segment): boolean =>
			!vectors && files.get(fingerprints)?.embedder !== undefined,
	};
}

/** Under a temporary name first: a reader of the final one finds the old content or the new. */
async function replaceFile(
	disk: IndexDisk,
	name: string,
	pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
	await disk.write(`${name}.tmp`, pieces);
	await disk.rename(`${name}.tmp`, name);
}

/** One bit per document; empty when no bit is set. */
export function toBits({ concepts, live }: Part): string {
	if (live === concepts.length) return "";
	const bits = Buffer.alloc(Math.ceil(concepts.length / 8));
	concepts.forEach((concept, document) => {
		if (!concept) bits[document >> 3] = (bits[document >> 3] ?? 0) | (1 << (document & 7));
	});
	return bits.toString("base64");
}

export function fromBits(tombstones: string): StoredPart["isDead"] {
	const bits = Buffer.from(tombstones, "base64");
	return (document) => (((bits[document >> 3] ?? 0) >> (document & 7)) & 1) === 1;
}

/** The name says what the segment was derived from, so that a new one never overwrites another that is in use. */
export function fileOf(segment: Segment): string {
	const model = segment.vectors ? segment.vectors.embedder.sha256.slice(0, 8) : "keyword";
	return `${segment.graphId}-${contentNameOf(segment)}-${model}.segment`;
}

async function readSegment(
	disk: IndexDisk,
	graphId: string,
	file: string,
): Promise<Segment | undefined> {
	if (!SEGMENT_FILE.test(file)) return undefined;
	const bytes = await disk.read(file);
	if (!bytes) throw new CorruptFile("it is missing");
	const segment = decodeSegment(bytes);
	if (segment.graphId !== graphId) throw new CorruptFile("it belongs to another graph");
	return segment;
}

function whyOf(error: unknown): string {
	if (error instanceof CorruptFile) return error.why;
	if (error instanceof Error && "code" in error) return `it cannot be read (${error.code})`;
	throw error;
}

/** A sentence for the operator. */
function toProblem(file: string, why: string): string {
	return `The index file ${file} is not usable, because ${why}; what it held is derived again.`;
}
