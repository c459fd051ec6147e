import { textsOf } from "../../documents/documents.js";
import type { Concept, Graph } from "./graph.js";
import { readKeptFields } from "./kept-fields.js";

/** Key of the front matter that lists ids of concepts which are part of this one now. */
export const FORMER_IDS = "former_ids";

const byFormerId = new WeakMap<readonly Concept[], ReadonlyMap<string, Concept>>();

export function formerIdsOf(concept: Concept): readonly string[] {
	if (!concept.kept?.includes(`"${FORMER_IDS}"`)) return [];
	return textsOf(readKeptFields(concept)[FORMER_IDS]);
}

/** The concept that has taken in the one of this id; the graph is looked through once, however often this is asked. */
export function findSuccessor(
	{ concepts }: Pick<Graph, "concepts">,
	id: string,
): Concept | undefined {
	const known =
		byFormerId.get(concepts) ??
		new Map(concepts.flatMap((one) => formerIdsOf(one).map((former) => [former, one])));
	byFormerId.set(concepts, known);
	return known.get(id);
}
