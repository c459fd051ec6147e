import { createHash } from "node:crypto";
import { z } from "zod";
import type { SegmentVectors } from "../dense/row-planes.js";
import type { LexicalIndex } from "../lexical/lexical-index.js";
import { createTermTable, fromCells, type TermCells, toCells } from "../lexical/term-table.js";
import type { EmbedderIdentity } from "../model/embedder.js";
import { CorruptFile, decodeSectionFile, type SectionFile } from "./section-file.js";
import { FINGERPRINT_BYTES, type Segment } from "./segment.js";

export const embedderSchema = z.object({
	id: z.string(),
	sha256: z.string(),
	dimensions: z.int().positive(),
	pooling: z.enum(["mean", "cls"]),
});

type PinnedEmbedder = z.infer<typeof embedderSchema>;

/** What decides whether vectors may be compared, without what else is known of the model today. */
export function toPinned({ id, sha256, dimensions, pooling }: EmbedderIdentity): PinnedEmbedder {
	return { id, sha256, dimensions, pooling };
}

const headerSchema = z.object({
	graphId: z.string(),
	averageLength: z.number().positive(),
	embedder: embedderSchema.nullable(),
});

/** A segment as what one file holds. Numbers are little endian, as on every machine Node runs on today. */
export function toSectionFile({
	graphId,
	conceptIds,
	fingerprints,
	lexical,
	vectors,
}: Segment): SectionFile {
	const ids = toCells(conceptIds);
	const { cells } = lexical.terms;
	const sections = new Map([
		["concept-units", toBytes(ids.units)],
		["concept-offsets", toBytes(ids.offsets)],
		["fingerprints", fingerprints],
		["lengths", toBytes(lexical.lengths)],
		["term-units", toBytes(cells.units)],
		["term-offsets", toBytes(cells.offsets)],
		["posting-starts", toBytes(lexical.starts)],
		["posting-docs", toBytes(lexical.docs)],
		["posting-impacts", toBytes(lexical.impacts)],
	]);
	if (vectors) {
		sections.set("vector-starts", toBytes(vectors.starts));
		sections.set("vector-scales", toBytes(vectors.scales));
		sections.set("vector-rows", toBytes(vectors.rows));
		if (vectors.fines) sections.set("vector-fines", vectors.fines);
	}
	const { averageLength } = lexical;
	const embedder = vectors ? toPinned(vectors.embedder) : null;
	return { header: { graphId, averageLength, embedder }, sections };
}

/** Throws CorruptFile when a byte differs from what was written or the parts do not fit together. Copies no section. */
export function decodeSegment(bytes: Uint8Array): Segment {
	const { header, sections } = decodeSectionFile(bytes);
	const read: ReadSection = (name) => {
		const section = sections.get(name);
		if (!section) throw new CorruptFile(`section "${name}" is missing`);
		return section;
	};
	const { graphId, averageLength, embedder } = readHeader(header);
	const segment: Segment = {
		graphId,
		conceptIds: fromCells(readCells(read, "concept")),
		fingerprints: read("fingerprints"),
		lexical: readLexical(read, averageLength),
		vectors: embedder
			? readVectors(read, { embedder, fines: sections.get("vector-fines") })
			: undefined,
	};
	assertFits(segment);
	return segment;
}

/** Eight bytes, in hex, that name this content: segments of one name may stand in for each other. */
export function contentNameOf({ fingerprints, lexical, vectors }: Segment): string {
	const hash = createHash("sha256").update(fingerprints).update(String(lexical.averageLength));
	if (vectors)
		hash.update(JSON.stringify(toPinned(vectors.embedder))).update(toBytes(vectors.starts));
	if (vectors?.fines) hash.update("fines");
	return hash.digest("hex").slice(0, 16);
}

type ReadSection = (name: string) => Uint8Array;

function readHeader(header: unknown): z.infer<typeof headerSchema> {
	const { data } = headerSchema.safeParse(header);
	if (!data) throw new CorruptFile("its header does not describe a segment");
	return data;
}

function readCells(read: ReadSection, name: string): TermCells {
	const units = toUint16(read(`${name}-units`));
	const offsets = toUint32(read(`${name}-offsets`));
	if (offsets.at(-1) !== units.length) throw new CorruptFile("its parts do not fit together");
	return { units, offsets };
}

function readLexical(read: ReadSection, averageLength: number): LexicalIndex {
	const lengths = toFloat32(read("lengths"));
	return {
		documents: lengths.length,
		terms: createTermTable(readCells(read, "term")),
		starts: toUint32(read("posting-starts")),
		docs: toUint32(read("posting-docs")),
		impacts: toFloat32(read("posting-impacts")),
		lengths,
		averageLength,
	};
}

/** Files from before there were fines have none, and are as good as they were. */
function readVectors(
	read: ReadSection,
	{ embedder, fines }: Pick<SegmentVectors, "embedder" | "fines">,
): SegmentVectors {
	const rows = read("vector-rows");
	return {
		embedder,
		starts: toUint32(read("vector-starts")),
		scales: toFloat32(read("vector-scales")),
		rows: new Int8Array(rows.buffer, rows.byteOffset, rows.byteLength),
		fines,
	};
}

function assertFits({ conceptIds, fingerprints, lexical, vectors }: Segment): void {
	const postings = lexical.starts.at(-1) ?? 0;
	const isLexicalSound =
		lexical.documents === conceptIds.length &&
		fingerprints.length === conceptIds.length * FINGERPRINT_BYTES &&
		lexical.starts.length === lexical.terms.size + 1 &&
		lexical.docs.length === postings &&
		lexical.impacts.length === postings;
	const rows = vectors?.starts.at(-1) ?? 0;
	const areVectorsSound =
		!vectors ||
		(vectors.starts.length === conceptIds.length + 1 &&
			vectors.scales.length === rows &&
			vectors.rows.length === rows * vectors.embedder.dimensions &&
			(!vectors.fines || vectors.fines.length * 2 === vectors.rows.length));
	if (!isLexicalSound || !areVectorsSound) throw new CorruptFile("its parts do not fit together");
}

function toBytes(array: Uint16Array | Uint32Array | Float32Array | Int8Array): Uint8Array {
	return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function toUint16(bytes: Uint8Array): Uint16Array {
	return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}

function toUint32(bytes: Uint8Array): Uint32Array {
	return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

function toFloat32(bytes: Uint8Array): Float32Array {
	return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}
