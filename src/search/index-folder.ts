import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { EmbedderIdentity } from "./embedder.js";
import { SECTION_FILE_VERSION } from "./section-file.js";
import { isSameEmbedder, type Segment } from "./segment.js";
import { decodeSegment, encodeSegment } from "./segment-codec.js";

/** Segments on disk: one checksummed file per graph and a manifest that is swapped last. */
export interface IndexFolder {
	/** The stored segment of this graph at this version; undefined when there is none that can be trusted. */
	load(graph: { readonly id: string; readonly contentHash: string }): Promise<Segment | undefined>;
	/**
	 * Stores exactly these segments. After a crash either the old set is found or the new one. A segment without vectors
	 * never takes the place of a stored one of the same content that has them: a model that is away today may be back tomorrow.
	 */
	commit(segments: readonly Segment[]): Promise<void>;
}

const manifestSchema = z.object({
	version: z.literal(SECTION_FILE_VERSION),
	embedder: z
		.object({
			id: z.string(),
			sha256: z.string(),
			dimensions: z.int(),
			pooling: z.enum(["mean", "cls"]),
		})
		.nullable(),
	graphs: z.record(z.string(), z.object({ file: z.string(), contentHash: z.string() })),
});
type Manifest = z.infer<typeof manifestSchema>;

const MANIFEST_FILE = "manifest.json";
const SEGMENT_SUFFIX = ".segment";
const SAFE_FILE = /^[a-z0-9][a-z0-9-]*\.segment$/;

/** Opens or creates the folder. Vectors of another embedder than this one are left out of what is loaded. */
export async function openIndexFolder(
	folder: string,
	embedder: EmbedderIdentity | undefined,
): Promise<IndexFolder> {
	await mkdir(folder, { recursive: true });
	let manifest = await readManifest(folder);
	/** The file that stands for a segment; it may hold vectors that the segment goes without. */
	const files = new WeakMap<Segment, string>();

	const store = async (segment: Segment): Promise<string> => {
		const known = files.get(segment) ?? (await findVectors(folder, manifest, segment));
		const file = known ?? fileOf(segment);
		if (known === undefined) await writeDurably(folder, file, encodeSegment(segment));
		files.set(segment, file);
		return file;
	};

	return {
		async load({ id, contentHash }) {
			const stored = await readEntry(folder, manifest, { id, contentHash });
			if (!stored) return undefined;
			const isUsable = isSameEmbedder(stored.segment.vectors?.embedder, embedder);
			const segment = isUsable ? stored.segment : { ...stored.segment, vectors: undefined };
			files.set(segment, stored.file);
			return segment;
		},
		async commit(segments) {
			const graphs: Manifest["graphs"] = {};
			for (const segment of segments) {
				const { graphId, contentHash } = segment;
				graphs[graphId] = { file: await store(segment), contentHash };
			}
			const next: Manifest = {
				version: SECTION_FILE_VERSION,
				embedder: embedder ? { ...embedder } : null,
				graphs,
			};
			if (JSON.stringify(next) === JSON.stringify(manifest)) return;
			await writeDurably(
				folder,
				MANIFEST_FILE,
				Buffer.from(`${JSON.stringify(next, null, "\t")}\n`),
			);
			manifest = next;
			await removeOthers(folder, new Set(Object.values(graphs).map(({ file }) => file)));
		},
	};
}

interface StoredSegment {
	readonly segment: Segment;
	readonly file: string;
}

/** What the manifest names for this graph at this version, if it can be trusted. */
async function readEntry(
	folder: string,
	manifest: Manifest | undefined,
	{ id, contentHash }: { readonly id: string; readonly contentHash: string },
): Promise<StoredSegment | undefined> {
	const entry = manifest?.graphs[id];
	if (entry?.contentHash !== contentHash || !SAFE_FILE.test(entry.file)) return undefined;
	const segment = await readSegment(join(folder, entry.file));
	if (segment?.graphId !== id || segment.contentHash !== contentHash) return undefined;
	return { segment, file: entry.file };
}

/** The stored file that has vectors of the same content, for a segment that has none. */
async function findVectors(
	folder: string,
	manifest: Manifest | undefined,
	{ graphId: id, contentHash, vectors }: Segment,
): Promise<string | undefined> {
	if (vectors) return undefined;
	const stored = await readEntry(folder, manifest, { id, contentHash });
	return stored?.segment.vectors && stored.file;
}

/** The name says what the segment was derived from, so that a new one never overwrites the one in use. */
function fileOf({ graphId, contentHash, vectors }: Segment): string {
	const model = vectors ? vectors.embedder.sha256.slice(0, 8) : "keyword";
	return `${graphId}-${contentHash.slice(0, 16)}-${model}${SEGMENT_SUFFIX}`;
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
	try {
		return manifestSchema.parse(JSON.parse(await readFile(join(folder, MANIFEST_FILE), "utf8")));
	} catch {
		return undefined; // Missing, corrupt or of another version: everything is derived again.
	}
}

async function readSegment(file: string): Promise<Segment | undefined> {
	try {
		return decodeSegment(await readFile(file));
	} catch {
		return undefined;
	}
}

async function writeDurably(folder: string, name: string, bytes: Uint8Array): Promise<void> {
	const temporary = join(folder, `${name}.tmp`);
	const file = await open(temporary, "w", 0o600);
	try {
		await file.writeFile(bytes);
		await file.sync();
	} finally {
		await file.close();
	}
	await rename(temporary, join(folder, name));
	const directory = await open(folder, "r");
	await directory.sync().finally(() => directory.close());
}

async function removeOthers(folder: string, wanted: ReadonlySet<string>): Promise<void> {
	for (const name of await readdir(folder)) {
		const isOurs = name.endsWith(SEGMENT_SUFFIX) || name.endsWith(".tmp");
		if (isOurs && !wanted.has(name)) await rm(join(folder, name), { force: true });
	}
}
