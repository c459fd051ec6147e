import { z } from "zod";
import type { EmbedderIdentity } from "../model/embedder.js";
import type { Part, StoredPart } from "./graph-parts.js";
import type { IndexDisk } from "./index-disk.js";
import { CorruptFile, encodeSectionFile, OtherVersion } from "./section-file.js";
import { isSameEmbedder, type Segment } from "./segment.js";
import { contentNameOf, decodeSegment, toSectionFile } from "./segment-codec.js";

/** What the manifest says of one segment. */
export const segmentEntrySchema = z.object({
	file: z.string(),
	hasVectors: z.boolean(),
	/** One bit per document, in base64; empty when none is dead. */
	tombstones: z.string(),
});
export type SegmentEntry = z.infer<typeof segmentEntrySchema>;

const SEGMENT_FILE = /^[a-z0-9][a-z0-9-]*\.segment$/;

/** Segments as files that are never written to again. */
export interface SegmentFiles {
	/** Undefined, and reported, when the file cannot be trusted. */
	load(graphId: string, entry: SegmentEntry): Promise<StoredPart | undefined>;
	/** Writes the part's segment unless a file stands for it already. */
	store(part: Part): Promise<SegmentEntry>;
	isStored(segment: Segment): boolean;
	/** True when the segment's file has vectors that the segment itself goes without. */
	holdsVectors(segment: Segment): boolean;
}

export interface SegmentFilesDeps {
	readonly disk: IndexDisk;
	/** Vectors of another one are left out of what is loaded. */
	readonly embedder: EmbedderIdentity | undefined;
	/** Told why a file cannot be trusted, in a sentence. */
	readonly report: (problem: string) => void;
}

/** The file that stands for a segment, and whose vectors it has. */
interface KnownFile {
	readonly file: string;
	readonly embedder: EmbedderIdentity | undefined;
}

export function createSegmentFiles({ disk, embedder, report }: SegmentFilesDeps): SegmentFiles {
	/** By fingerprints: they stay the same object whatever else of a segment is made anew. */
	const files = new WeakMap<Uint8Array, KnownFile>();
	return {
		async load(graphId, { file, tombstones }) {
			const segment = await readSegment(disk, { graphId, file, report });
			if (!segment) return undefined;
			const made = segment.vectors?.embedder;
			files.set(segment.fingerprints, { file, embedder: made });
			const isDead = fromBits(tombstones);
			if (isSameEmbedder(made, embedder)) return { segment, isDead };
			return { segment: { ...segment, vectors: undefined }, isDead };
		},
		async store(part) {
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
		isStored: ({ fingerprints }) => files.has(fingerprints),
		holdsVectors: ({ fingerprints, vectors }) =>
			!vectors && files.get(fingerprints)?.embedder !== undefined,
	};
}

/** Under a temporary name first: whoever reads the final one finds the old content or the new. */
export async function replaceFile(
	disk: IndexDisk,
	name: string,
	pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
	await disk.write(`${name}.tmp`, pieces);
	await disk.rename(`${name}.tmp`, name);
}

/** One bit per document; empty when no bit is set. */
function toBits({ concepts, live }: Part): string {
	if (live === concepts.length) return "";
	const bits = Buffer.alloc(Math.ceil(concepts.length / 8));
	concepts.forEach((concept, document) => {
		if (!concept) bits[document >> 3] = (bits[document >> 3] ?? 0) | (1 << (document & 7));
	});
	return bits.toString("base64");
}

function fromBits(tombstones: string): StoredPart["isDead"] {
	const bits = Buffer.from(tombstones, "base64");
	return (document) => (((bits[document >> 3] ?? 0) >> (document & 7)) & 1) === 1;
}

/** The name says what the segment was derived from, so that a new one never overwrites another that is in use. */
function fileOf(segment: Segment): string {
	const model = segment.vectors ? segment.vectors.embedder.sha256.slice(0, 8) : "keyword";
	return `${segment.graphId}-${contentNameOf(segment)}-${model}.segment`;
}

interface Wanted {
	readonly graphId: string;
	readonly file: string;
	readonly report: (problem: string) => void;
}

async function readSegment(
	disk: IndexDisk,
	{ graphId, file, report }: Wanted,
): Promise<Segment | undefined> {
	if (!SEGMENT_FILE.test(file)) return undefined;
	try {
		const bytes = await disk.read(file);
		if (!bytes) throw new CorruptFile("it is missing");
		const segment = decodeSegment(bytes);
		if (segment.graphId !== graphId) throw new CorruptFile("it belongs to another graph");
		return segment;
	} catch (error) {
		if (!(error instanceof OtherVersion)) report(toProblem(file, whyOf(error)));
		return undefined;
	}
}

function whyOf(error: unknown): string {
	if (error instanceof CorruptFile) return error.why;
	if (error instanceof Error && "code" in error) return `it cannot be read (${error.code})`;
	throw error;
}

/** A sentence for the operator. */
export function toProblem(file: string, why: string): string {
	return `The index file ${file} is not usable, because ${why}; what it held is derived again.`;
}
