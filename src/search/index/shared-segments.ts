import type { Graph } from "../../knowledge/knowledge.js";
import type { EmbedderIdentity } from "../model/embedder.js";
import { fileOf, fromBits, type IndexFolder, toBits } from "./index-folder.js";
import {
	isSameEmbedder,
	type MatchedParts,
	matchStored,
	type PartedGraph,
	type StoredPart,
} from "./segment.js";
import { decodeSegment, encodeSectionFile, toSectionFile } from "./segment-codec.js";

/** One segment of a graph's index as another process may take it over. */
export interface SharedSegment {
	/** Says what it was derived from: segments of one name stand in for each other. */
	readonly name: string;
	/** One bit per document that is gone, in base64. */
	readonly tombstones: string;
	readonly write: () => AsyncIterable<Uint8Array>;
}

/** What processes that sell the same graphs give each other of their indexes. */
export function createIndexSharing(
	index: Pick<IndexFolder, "nameOf" | "isStored">,
	find: (graphId: string) => PartedGraph | undefined,
	embedder: EmbedderIdentity | undefined,
) {
	return {
		/** What other processes may take over of this version; undefined while some of its vectors are missing. */
		share: (graph: Graph) => shareSegments(find(graph.record.id), graph, index),
		/** A segment that another process shared. Throws CorruptFile; undefined where it has no vectors of this model. */
		readShared: (shared: Parameters<typeof readShared>[0]) => readShared(shared, embedder),
		/** True for a shared segment that is at hand already. */
		holdsShared: (name: string): boolean => index.isStored(name),
	};
}

function shareSegments(
	known: PartedGraph | undefined,
	{ contentHash }: Graph,
	index: Pick<IndexFolder, "nameOf">,
): readonly SharedSegment[] | undefined {
	if (known?.graph.contentHash !== contentHash) return undefined;
	if (known.parts.some(({ segment }) => !segment.vectors)) return undefined;
	return known.parts.map((part) => ({
		name: index.nameOf(part.segment) ?? fileOf(part.segment),
		tombstones: toBits(part),
		write: () => encodeSectionFile(toSectionFile(part.segment)),
	}));
}

function readShared(
	{ bytes, tombstones }: { readonly bytes: Uint8Array; readonly tombstones: string },
	embedder: EmbedderIdentity | undefined,
): StoredPart | undefined {
	const segment = decodeSegment(bytes);
	if (!isSameEmbedder(segment.vectors?.embedder, embedder)) return undefined;
	return { segment, isDead: fromBits(tombstones) };
}

/**
 * What others derived takes the place of what would be derived here, and of what has no vectors here; each document shows by its
 * fingerprint what it is of.
 */
export async function withDonors(
	{ parts, fresh }: MatchedParts,
	graph: Graph,
	donors: readonly StoredPart[],
): Promise<MatchedParts> {
	const bare = parts.filter(({ segment }) => !segment.vectors);
	const wanted = new Set(fresh);
	for (const { concepts } of bare) for (const one of concepts) if (one) wanted.add(one);
	if (donors.length === 0 || wanted.size === 0) return { parts, fresh };
	// In the order of the graph, which is that of most segments.
	const concepts = graph.concepts.filter((concept) => wanted.has(concept));
	const given = await matchStored(donors, { concepts }, false);
	const left = new Set(given.fresh);
	// A part of which nothing was found elsewhere stays: its keywords need not be derived again.
	const isFound = (part: (typeof parts)[number]) =>
		!part.segment.vectors && !part.concepts.some((one) => one && left.has(one));
	const kept = parts.filter((part) => !isFound(part));
	const held = new Set(kept.flatMap((part) => (part.segment.vectors ? [] : part.concepts)));
	return {
		parts: [...kept, ...withoutHeld(given.parts, held)],
		fresh: given.fresh.filter((concept) => !held.has(concept)),
	};
}

/** A concept stands in one part alone. */
function withoutHeld(
	parts: MatchedParts["parts"],
	held: ReadonlySet<unknown>,
): MatchedParts["parts"] {
	if (held.size === 0) return parts;
	return parts.map((part) => {
		const concepts = part.concepts.map((one) => (one && held.has(one) ? undefined : one));
		return { ...part, concepts, live: concepts.filter(Boolean).length };
	});
}
