import { createHash } from "node:crypto";
import { z } from "zod";
import { nextTurn } from "../../kernel/kernel.js";
import type { SegmentVectors } from "../dense/row-planes.js";
import {
	createTermTable,
	fromCells,
	type LexicalIndex,
	type TermCells,
	toCells,
} from "../lexical/lexical-index.js";
import type { EmbedderIdentity } from "../model/embedder.js";
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
	const { data } = headerSchema.safeParse(header);
	if (!data) throw new CorruptFile("its header does not describe a segment");
	const { graphId, averageLength, embedder } = data;
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

function readCells(read: ReadSection, name: string): TermCells {
	const units = view(Uint16Array, read(`${name}-units`));
	const offsets = view(Uint32Array, read(`${name}-offsets`));
	if (offsets.at(-1) !== units.length) throw new CorruptFile("its parts do not fit together");
	return { units, offsets };
}

function readLexical(read: ReadSection, averageLength: number): LexicalIndex {
	const lengths = view(Float32Array, read("lengths"));
	return {
		documents: lengths.length,
		terms: createTermTable(readCells(read, "term")),
		starts: view(Uint32Array, read("posting-starts")),
		docs: view(Uint32Array, read("posting-docs")),
		impacts: view(Float32Array, read("posting-impacts")),
		lengths,
		averageLength,
	};
}

/** Files from before there were fines have none, and are as good as they were. */
function readVectors(
	read: ReadSection,
	{ embedder, fines }: Pick<SegmentVectors, "embedder" | "fines">,
): SegmentVectors {
	return {
		embedder,
		starts: view(Uint32Array, read("vector-starts")),
		scales: view(Float32Array, read("vector-scales")),
		rows: view(Int8Array, read("vector-rows")),
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

type NumbersType<Numbers> = {
	readonly BYTES_PER_ELEMENT: number;
	new (buffer: ArrayBufferLike, offset: number, length: number): Numbers;
};

/** The bytes as numbers of this kind, without copying them. */
function view<Numbers>(Type: NumbersType<Numbers>, bytes: Uint8Array): Numbers {
	return new Type(bytes.buffer, bytes.byteOffset, bytes.byteLength / Type.BYTES_PER_ELEMENT);
}

/**
 * A checksummed file of named sections. Layout: magic (8 bytes), version and header length (u32, little endian), sha256 of
 * the header (32 bytes), JSON header with the section table (offset, length, sha256), then the sections, each
 * at a multiple of 64 bytes with zeros between.
 */
export interface SectionFile {
	readonly header: unknown;
	readonly sections: ReadonlyMap<string, Uint8Array>;
}

interface SectionEntry {
	readonly name: string;
	/** From the end of the header, rounded up to the alignment. */
	readonly offset: number;
	readonly length: number;
	readonly sha256: string;
}

const MAGIC = "TGINDEX\0";
/** Raised whenever the tokenizer, the passages or the layout change: older files are then rebuilt. */
export const SECTION_FILE_VERSION = 4;
const ALIGNMENT = 64;
const PREAMBLE_BYTES = 48;

/** Why a file is not to be trusted; the index is derived, so the remedy is to build it again. */
export class CorruptFile extends Error {
	readonly why: string;

	constructor(why: string) {
		super(`The index file is not usable: ${why}.`);
		this.name = "CorruptFile";
		this.why = why;
	}
}

/** An older or newer layout: nothing is wrong, it is just built again. */
export class OtherVersion extends CorruptFile {
	constructor() {
		super("it is of another version");
	}
}

/** So much is hashed or handed out at once; other work gets its turn in between. */
const PIECE_BYTES = 1024 * 1024;

/** The file's bytes, piece by piece: nothing is copied, and nothing blocks for longer than a piece takes. */
export async function* encodeSectionFile({
	header,
	sections,
}: SectionFile): AsyncGenerator<Uint8Array> {
	let offset = 0;
	const entries: SectionEntry[] = [];
	for (const [name, bytes] of sections) {
		const hash = createHash("sha256");
		for (const piece of piecesOf(bytes)) {
			hash.update(piece);
			if (piece.length === PIECE_BYTES) await nextTurn();
		}
		entries.push({ name, offset, length: bytes.length, sha256: hash.digest("hex") });
		offset = align(offset + bytes.length);
	}
	const head = Buffer.from(JSON.stringify({ header, sections: entries }), "utf8");
	const start = new Uint8Array(align(PREAMBLE_BYTES + head.length));
	start.set(Buffer.from(MAGIC, "latin1"), 0);
	const view = new DataView(start.buffer);
	view.setUint32(8, SECTION_FILE_VERSION, true);
	view.setUint32(12, head.length, true);
	start.set(sha256Of(head), 16);
	start.set(head, PREAMBLE_BYTES);
	yield start;
	for (const bytes of sections.values()) {
		yield* piecesOf(bytes);
		yield new Uint8Array(align(bytes.length) - bytes.length);
	}
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
	for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
		yield bytes.subarray(from, from + PIECE_BYTES);
	}
}

/** Throws CorruptFile unless every byte is as it was written. The sections are views of the file, aligned to 64 bytes. */
export function decodeSectionFile(bytes: Uint8Array): SectionFile {
	const file = bytes.byteOffset % ALIGNMENT === 0 ? bytes : new Uint8Array(bytes);
	const { table, header, base } = readHead(file);
	const sections = new Map<string, Uint8Array>();
	let end = 0;
	for (const entry of table) {
		if (entry.offset !== align(end)) throw new CorruptFile("a section is out of place");
		requireZeros(file, base + end, base + entry.offset);
		end = entry.offset + entry.length;
		if (base + end > file.length) throw new CorruptFile("it is cut short");
		const section = file.subarray(base + entry.offset, base + end);
		if (sha256Of(section).toString("hex") !== entry.sha256) {
			throw new CorruptFile(`the checksum of section "${entry.name}" differs`);
		}
		sections.set(entry.name, section);
	}
	if (file.length !== base + align(end)) throw new CorruptFile("its length differs");
	requireZeros(file, base + end, file.length);
	return { header, sections };
}

function readHead(file: Uint8Array): {
	header: unknown;
	table: readonly SectionEntry[];
	base: number;
} {
	if (file.length < PREAMBLE_BYTES) throw new CorruptFile("it is cut short");
	if (Buffer.from(file.subarray(0, 8)).toString("latin1") !== MAGIC)
		throw new CorruptFile("it has no magic");
	const view = new DataView(file.buffer, file.byteOffset, PREAMBLE_BYTES);
	if (view.getUint32(8, true) !== SECTION_FILE_VERSION) throw new OtherVersion();
	const length = view.getUint32(12, true);
	if (PREAMBLE_BYTES + length > file.length) throw new CorruptFile("it is cut short");
	const head = file.subarray(PREAMBLE_BYTES, PREAMBLE_BYTES + length);
	if (!sha256Of(head).equals(file.subarray(16, PREAMBLE_BYTES))) {
		throw new CorruptFile("the checksum of its header differs");
	}
	const base = align(PREAMBLE_BYTES + length);
	requireZeros(file, PREAMBLE_BYTES + length, Math.min(base, file.length));
	// The checksum has just shown that we wrote this text ourselves.
	const { header, sections } = JSON.parse(Buffer.from(head).toString("utf8"));
	return { header, table: sections, base };
}

function requireZeros(file: Uint8Array, from: number, to: number): void {
	for (let at = from; at < to; at++) {
		if (file[at] !== 0) throw new CorruptFile("there are stray bytes between its sections");
	}
}

function align(offset: number): number {
	return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}

function sha256Of(bytes: Uint8Array): Buffer {
	return createHash("sha256").update(bytes).digest();
}
