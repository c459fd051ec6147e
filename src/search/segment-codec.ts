import { z } from "zod";
import { CorruptFile, decodeSectionFile, encodeSectionFile } from "./section-file.js";
import type { Segment, SegmentVectors } from "./segment.js";

const headerSchema = z.object({
	graphId: z.string(),
	contentHash: z.string(),
	embedder: z
		.object({
			id: z.string(),
			sha256: z.string(),
			dimensions: z.int().positive(),
			pooling: z.enum(["mean", "cls"]),
		})
		.nullable(),
});

/** A segment as the bytes of one file. Numbers are little endian, as on every machine Node runs on today. */
export function encodeSegment(segment: Segment): Uint8Array<ArrayBuffer> {
	const { graphId, contentHash, conceptIds, lexical, vectors } = segment;
	const sections = new Map([
		["concepts", toJsonBytes(conceptIds)],
		["terms", toJsonBytes([...lexical.terms.keys()])],
		["posting-starts", toBytes(lexical.starts)],
		["posting-docs", toBytes(lexical.docs)],
		["posting-impacts", toBytes(lexical.impacts)],
	]);
	if (vectors) {
		sections.set("vector-starts", toBytes(vectors.starts));
		sections.set("vector-scales", toBytes(vectors.scales));
		sections.set("vector-rows", toBytes(vectors.rows));
	}
	const header = { graphId, contentHash, embedder: vectors?.embedder ?? null };
	return encodeSectionFile({ header, sections });
}

/** Throws CorruptFile when a byte differs from what was written or the parts do not fit together. */
export function decodeSegment(bytes: Uint8Array): Segment {
	const { header, sections } = decodeSectionFile(bytes);
	const read = (name: string): Uint8Array => {
		const section = sections.get(name);
		if (!section) throw new CorruptFile(`section "${name}" is missing`);
		return section;
	};
	const { graphId, contentHash, embedder } = headerSchema.parse(header);
	const conceptIds = fromJsonBytes(read("concepts"));
	const terms = new Map(fromJsonBytes(read("terms")).map((term, number) => [term, number]));
	const lexical = {
		documents: conceptIds.length,
		terms,
		starts: toUint32(read("posting-starts")),
		docs: toUint32(read("posting-docs")),
		impacts: toFloat32(read("posting-impacts")),
	};
	const vectors: SegmentVectors | undefined = embedder
		? {
				embedder,
				starts: toUint32(read("vector-starts")),
				scales: toFloat32(read("vector-scales")),
				rows: toInt8(read("vector-rows")),
			}
		: undefined;
	const segment = { graphId, contentHash, conceptIds, lexical, vectors };
	assertFits(segment);
	return segment;
}

function assertFits({ conceptIds, lexical, vectors }: Segment): void {
	const postings = lexical.starts.at(-1) ?? 0;
	const isLexicalSound =
		lexical.starts.length === lexical.terms.size + 1 &&
		lexical.docs.length === postings &&
		lexical.impacts.length === postings;
	const rows = vectors?.starts.at(-1) ?? 0;
	const areVectorsSound =
		!vectors ||
		(vectors.starts.length === conceptIds.length + 1 &&
			vectors.scales.length === rows &&
			vectors.rows.length === rows * vectors.embedder.dimensions);
	if (!isLexicalSound || !areVectorsSound) throw new CorruptFile("its parts do not fit together");
}

function toBytes(array: Uint32Array | Float32Array | Int8Array): Uint8Array {
	return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function toJsonBytes(texts: readonly string[]): Uint8Array {
	return Buffer.from(JSON.stringify(texts), "utf8");
}

function fromJsonBytes(bytes: Uint8Array): readonly string[] {
	return z.array(z.string()).parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
}

function toUint32(bytes: Uint8Array): Uint32Array {
	return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

function toFloat32(bytes: Uint8Array): Float32Array {
	return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

function toInt8(bytes: Uint8Array): Int8Array {
	return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
