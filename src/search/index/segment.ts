import { createHash } from "node:crypto";
import { inTurns } from "../../kernel/kernel.js";
import type { Concept, Graph } from "../../knowledge/knowledge.js";
import type { SegmentVectors } from "../dense/row-planes.js";
import type { LexicalIndex } from "../lexical/lexical-index.js";
import type { EmbedderIdentity } from "../model/embedder.js";
import { isSameList } from "../same-list.js";

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
	const { id, title, summary, body, tags, aliases, evidence, facts = "" } = concept;
	const titles = evidence.map((source) => source.title);
	const text = JSON.stringify([id, title, summary, tags, aliases, titles, facts]);
	const digest = createHash("sha256").update(text).update(body).digest();
	return digest.subarray(0, FINGERPRINT_BYTES);
}

/** True when both versions of a concept have the same fingerprint, without making one. */
export function readsAlike(one: Concept, other: Concept): boolean {
	return (
		one.title === other.title &&
		one.summary === other.summary &&
		one.facts === other.facts &&
		one.body === other.body &&
		one.id === other.id &&
		isSameList(one.tags, other.tags) &&
		isSameList(one.aliases, other.aliases) &&
		isSameList(one.evidence, other.evidence, (a, b) => a.title === b.title)
	);
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

/** One segment of a graph and what its documents stand for now. */
export interface Part {
	readonly segment: Segment;
	/** The concept of each document; undefined for a tombstone. */
	readonly concepts: readonly (Concept | undefined)[];
	/** How many are no tombstones. */
	readonly live: number;
}

/** A version of a graph; every concept of it is in exactly one part. */
export interface PartedGraph {
	readonly graph: Graph;
	readonly parts: readonly Part[];
}

/** What an index has of a graph's version already, and what is to be derived. */
export interface MatchedParts {
	readonly parts: readonly Part[];
	readonly fresh: readonly Concept[];
}

/** A segment as it was found on disk. */
export interface StoredPart {
	readonly segment: Segment;
	readonly isDead: (document: number) => boolean;
}

const CONCEPT_UNITS = 40;
const FINGERPRINT_UNITS = 1_000;
const DOCUMENT_UNITS = 15;
const LOOKED_AHEAD = 8;

export function toPart(segment: Segment, concepts: Part["concepts"]): Part {
	let live = 0;
	for (const concept of concepts) if (concept) live++;
	return { segment, concepts, live };
}

/** Holds a graph's new version against the last one. Concepts that are the same object cost next to nothing. */
export async function matchChanged(before: PartedGraph, graph: Graph): Promise<MatchedParts> {
	const { removed, added } = await differenceOf(before.graph.concepts, graph.concepts);
	const gone = new Map<string, Concept>();
	/** What stands for a concept from now on. */
	const successors = new Map<Concept, Concept | undefined>();
	await inTurns(removed, CONCEPT_UNITS, (concept) => {
		successors.set(concept, undefined);
		gone.set(concept.id, concept);
	});
	const fresh: Concept[] = [];
	await inTurns(added, CONCEPT_UNITS, (concept) => {
		const earlier = gone.get(concept.id);
		if (!earlier || !readsAlike(earlier, concept)) return void fresh.push(concept);
		successors.set(earlier, concept);
		gone.delete(concept.id);
	});
	if (successors.size === 0) return { parts: before.parts, fresh };
	const parts: Part[] = [];
	for (const part of before.parts) {
		parts.push(await succeed(part, successors));
	}
	return { parts, fresh };
}

/**
 * Finds a graph's concepts among stored segments: by id when they were stored for this very version, else by what they
 * were derived from.
 */
export async function matchStored(
	stored: readonly StoredPart[],
	graph: Pick<Graph, "concepts">,
	isSameVersion: boolean,
): Promise<MatchedParts> {
	const { concepts } = graph;
	const isTaken = new Uint8Array(concepts.length);
	const take = ({ part, document }: Place, at: number | undefined): void => {
		const concept = at === undefined ? undefined : concepts[at];
		if (at === undefined || !concept || isTaken[at] === 1) return;
		if (!isSameVersion && !isDerivedFrom(part.segment, document, concept)) return;
		part.concepts[document] = concept;
		isTaken[at] = 1;
	};
	const units = isSameVersion ? DOCUMENT_UNITS : FINGERPRINT_UNITS;
	const nextOf = createCursor(concepts);
	const elsewhere: Place[] = [];
	const drafts = stored.map(({ segment, isDead }) => {
		const owned = new Array<Concept | undefined>(segment.conceptIds.length).fill(undefined);
		return { segment, isDead, concepts: owned };
	});
	for (const part of drafts) {
		await inTurns(part.segment.conceptIds, units, (id, document) => {
			if (part.isDead(document)) return;
			const at = nextOf(id);
			if (at === undefined) elsewhere.push({ part, document, id });
			else take({ part, document, id }, at);
		});
	}
	const byId = new Map<string, number>();
	if (elsewhere.length > 0) {
		await inTurns(concepts, DOCUMENT_UNITS, ({ id }, at) => {
			if (isTaken[at] === 0) byId.set(id, at);
		});
	}
	await inTurns(elsewhere, units, (place) => take(place, byId.get(place.id)));
	return {
		parts: drafts.map(({ segment, concepts: owned }) => toPart(segment, owned)),
		fresh: concepts.filter((_, at) => isTaken[at] === 0),
	};
}

/** A stored document that wants its concept. */
interface Place {
	readonly part: { readonly segment: Segment; readonly concepts: (Concept | undefined)[] };
	readonly document: number;
	readonly id: string;
}

/** Most segments keep the order of their graph: the place of the next concept with an id is then one of the next few. */
function createCursor(concepts: readonly Concept[]): (id: string) => number | undefined {
	let next = 0;
	return (id) => {
		const end = Math.min(next + LOOKED_AHEAD, concepts.length);
		for (let at = next; at < end; at++) {
			if (concepts[at]?.id !== id) continue;
			next = at + 1;
			return at;
		}
		return undefined;
	};
}

/** What is not the same object in both lists, beginnings and ends first: a live change leaves almost all of both alike. */
async function differenceOf(before: readonly Concept[], after: readonly Concept[]) {
	const shorter = Math.min(before.length, after.length);
	let head = 0;
	while (head < shorter && before[head] === after[head]) head++;
	let tail = 0;
	while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
	const removed = before.slice(head, before.length - tail);
	const added = after.slice(head, after.length - tail);
	if (removed.length === 0 || added.length === 0) return { removed, added };
	return { removed: await without(removed, added), added: await without(added, removed) };
}

async function without(some: readonly Concept[], others: readonly Concept[]) {
	const left = new Set<Concept>();
	await inTurns(others, CONCEPT_UNITS, (concept) => left.add(concept));
	const kept: Concept[] = [];
	await inTurns(some, CONCEPT_UNITS, (concept) => {
		if (!left.has(concept)) kept.push(concept);
	});
	return kept;
}

async function succeed(
	part: Part,
	successors: ReadonlyMap<Concept, Concept | undefined>,
): Promise<Part> {
	let concepts: (Concept | undefined)[] | undefined;
	await inTurns(part.concepts, DOCUMENT_UNITS, (concept, document) => {
		if (!concept || !successors.has(concept)) return;
		concepts ??= [...part.concepts];
		concepts[document] = successors.get(concept);
	});
	return concepts ? toPart(part.segment, concepts) : part;
}

function isDerivedFrom({ fingerprints }: Segment, document: number, concept: Concept): boolean {
	const from = document * FINGERPRINT_BYTES;
	return fingerprintOf(concept).equals(fingerprints.subarray(from, from + FINGERPRINT_BYTES));
}
