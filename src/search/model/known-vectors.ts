import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { EmbedderIdentity, TextKind } from "./embedder.js";

/**
 * Vectors that come with a model, of texts that are known before it is first run: those of the sample catalog, so that a first start
 * answers hybrid searches at once, of what the first question about a brand compares, and of the questions that every graph is measured by.
 */
export interface KnownVectors {
	/** Of unit length; undefined for a text that is not among them. */
	find(text: string, kind: TextKind): Float32Array | undefined;
	readonly size: number;
}

export const KNOWN_VECTORS_FILE = "known-vectors.bin";

/** First line of the file; keys (KEY_BYTES each), scales (float32) and int8 rows follow. */
const headerSchema = z.object({
	/** Of the model that made them. */
	model: z.string(),
	dimensions: z.int().positive(),
	count: z.int().nonnegative(),
	/** Of the bytes after the first line. */
	sha256: z.string(),
});

const KEY_BYTES = 16;
const LARGEST = 127;
const HEADER_BYTES = 1_024;

const NONE: KnownVectors = { find: () => undefined, size: 0 };

/** What is in a model's folder; nothing when there is no such file, when it is damaged, or of another model. */
export async function readKnownVectors(
	folder: string,
	identity: Pick<EmbedderIdentity, "sha256" | "dimensions">,
): Promise<KnownVectors> {
	const file = await readFile(join(folder, KNOWN_VECTORS_FILE)).catch(() => undefined);
	const end = file?.subarray(0, HEADER_BYTES).indexOf(0x0a) ?? -1;
	if (!file || end < 0) return NONE;
	const header = readHeader(file.toString("utf8", 0, end));
	const bytes = file.subarray(end + 1);
	const isOurs =
		header?.model === identity.sha256 &&
		header.dimensions === identity.dimensions &&
		bytes.length === header.count * (KEY_BYTES + 4 + header.dimensions) &&
		sha256Of(bytes) === header.sha256;
	return isOurs ? toKnown(bytes, header) : NONE;
}

function readHeader(line: string) {
	try {
		return headerSchema.safeParse(JSON.parse(line)).data;
	} catch {
		return undefined;
	}
}

function toKnown(
	bytes: Buffer,
	{ count, dimensions }: Pick<z.infer<typeof headerSchema>, "count" | "dimensions">,
): KnownVectors {
	const places = new Map<string, number>();
	for (let place = 0; place < count; place++) {
		places.set(bytes.toString("latin1", place * KEY_BYTES, (place + 1) * KEY_BYTES), place);
	}
	const scalesAt = count * KEY_BYTES;
	const rowsAt = scalesAt + 4 * count;
	return {
		size: count,
		find(text, kind) {
			const place = places.get(keyOf(text, kind).toString("latin1"));
			if (place === undefined) return undefined;
			const scale = bytes.readFloatLE(scalesAt + 4 * place);
			const from = rowsAt + place * dimensions;
			return Float32Array.from(
				{ length: dimensions },
				(_, at) => bytes.readInt8(from + at) * scale,
			);
		},
	};
}

/** Texts as the model is given them, each with its vector of unit length. */
export async function writeKnownVectors(
	folder: string,
	{ sha256: model, dimensions }: Pick<EmbedderIdentity, "sha256" | "dimensions">,
	texts: readonly {
		readonly text: string;
		readonly kind: TextKind;
		readonly vector: Float32Array;
	}[],
): Promise<void> {
	const keys = Buffer.concat(texts.map(({ text, kind }) => keyOf(text, kind)));
	const scales = Buffer.alloc(4 * texts.length);
	const rows = Buffer.alloc(dimensions * texts.length);
	texts.forEach(({ vector }, place) => {
		const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
		scales.writeFloatLE(largest / LARGEST, 4 * place);
		vector.forEach((value, at) => {
			rows.writeInt8(Math.round((value / largest) * LARGEST), place * dimensions + at);
		});
	});
	const bytes = Buffer.concat([keys, scales, rows]);
	const header = { model, dimensions, count: texts.length, sha256: sha256Of(bytes) };
	const line = Buffer.from(`${JSON.stringify(header)}\n`);
	await writeFile(join(folder, KNOWN_VECTORS_FILE), Buffer.concat([line, bytes]));
}

function keyOf(text: string, kind: TextKind): Buffer {
	return createHash("sha256").update(`${kind}\n${text}`).digest().subarray(0, KEY_BYTES);
}

function sha256Of(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}
