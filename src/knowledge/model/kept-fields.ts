import { type FrontMatter, isMapping, listOf } from "../../documents/documents.js";
import type { Concept } from "./graph.js";
import { toSourceEntry } from "./source-entry.js";

/** Keys a concept has as they were, and those it has in another form. */
const PLAIN_KEYS = ["type", "title", "description", "status", "stale_after"] as const;
const RELATION_KEYS = new Set(["type", "target", "weight", "valid_from", "valid_to"]);

type Read = Omit<Concept, "kept">;

/**
 * The front matter that a concept does not say otherwise, as JSON: fields of other producers, times of day, what sources say
 * beside their address. Written behind the others, it makes the file mean what it meant. Undefined when there is none.
 */
export function keptFieldsOf(data: FrontMatter, concept: Read): string | undefined {
	const kept = Object.entries(data).filter(([key, value]) => !isSaid(key, value, concept));
	if (kept.length === 0) return undefined;
	// In one order, so that what was written and read again is the same.
	return JSON.stringify(Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The fields that `keptFieldsOf` kept. */
export function readKeptFields({ kept }: Pick<Concept, "kept">): FrontMatter {
	return kept === undefined ? {} : (JSON.parse(kept) as FrontMatter);
}

function isSaid(key: string, value: unknown, concept: Read): boolean {
	if (value === undefined || value === null) return true;
	const plain = PLAIN_KEYS.find((one) => one === key);
	if (plain !== undefined) return value === toPlain(concept)[plain];
	switch (key) {
		case "tags":
			return isSame(value, concept.tags);
		case "aliases":
			return isSame(value, concept.aliases);
		case "generated":
			return isSame(value, withoutUndefined({ by: concept.generatedBy, at: concept.generatedAt }));
		case "verified":
			return isSame(value, concept.verified?.map(withoutUndefined));
		case "sources":
			return isSame(value, concept.evidence.map(toSourceEntry));
		case "relations":
			return listOf(value).every(isPlainRelation);
		default:
			return false;
	}
}

function toPlain({ type, title, summary, status, staleAfter }: Read) {
	return { type, title, description: summary, status, stale_after: staleAfter };
}

function isPlainRelation(relation: unknown): boolean {
	return isMapping(relation) && Object.keys(relation).every((key) => RELATION_KEYS.has(key));
}

function withoutUndefined(value: object): object {
	return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}

/** Whatever the order of their keys. */
function isSame(a: unknown, b: unknown): boolean {
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
	const [inA, inB] = [Object.entries(a), new Map(Object.entries(b))];
	return inA.length === inB.size && inA.every(([key, value]) => isSame(value, inB.get(key)));
}
