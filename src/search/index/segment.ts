import { createHash } from "node:crypto";
import type { Concept } from "../../knowledge/knowledge.js";
import type { SegmentVectors } from "../dense/row-planes.js";
import type { LexicalIndex } from "../lexical/lexical-index.js";
import type { EmbedderIdentity } from "../model/embedder.js";

/** Everything derived from some concepts of one graph. Immutable: what changes leaves a tombstone and goes to a newer segment. */
export interface Segment {
	readonly graphId: string;
	/** The documents of both sides. */
	readonly conceptIds: readonly string[];
	/** What each document was derived from: FINGERPRINT_BYTES each. Never copied, so that it also stands for the segment's identity. */
	readonly fingerprints: Uint8Array;
	readonly lexical: LexicalIndex;
	/** Undefined until the passages are embedded. */
	readonly vectors: SegmentVectors | undefined;
}

export const FINGERPRINT_BYTES = 16;

/** A digest of everything the index derives from: concepts with the same one are found by the same words and vectors. */
export function fingerprintOf(concept: Concept): Buffer {
	const { id, title, summary, body, tags, aliases, evidence } = concept;
	const titles = evidence.map((source) => source.title);
	const text = JSON.stringify([id, title, summary, tags, aliases, titles]);
	const digest = createHash("sha256").update(text).update(body).digest();
	return digest.subarray(0, FINGERPRINT_BYTES);
}

/** True when both versions of a concept have the same fingerprint, without making one. */
export function readsAlike(one: Concept, other: Concept): boolean {
	return (
		one.title === other.title &&
		one.summary === other.summary &&
		one.body === other.body &&
		one.id === other.id &&
		isSameList(one.tags, other.tags) &&
		isSameList(one.aliases, other.aliases) &&
		one.evidence.length === other.evidence.length &&
		one.evidence.every(({ title }, index) => title === other.evidence[index]?.title)
	);
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
	return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** True when both describe vectors that may be compared. */
export function isSameEmbedder(
	one: EmbedderIdentity | undefined,
	other: EmbedderIdentity | undefined,
): boolean {
	return (
		one?.id === other?.id &&
		one?.sha256 === other?.sha256 &&
		one?.dimensions === other?.dimensions &&
		one?.pooling === other?.pooling
	);
}
