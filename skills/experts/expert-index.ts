import { ServiceError } from "../../src/kernel/kernel.js";
import type { Concept, ExpertConsent, Graph } from "../../src/knowledge/knowledge.js";
import type { ConceptFilter } from "../../src/search/search.js";
import { CONSULT_LIMITS } from "./consult-wire.js";

/** Somebody whose twin can be asked: a desk, which is a graph, or a specialist, who is one concept of a roster. */
export interface Expert {
	readonly agentId: string;
	readonly name: string;
	readonly headline: string;
	readonly disclosure: string;
	readonly graph: Graph;
	/** Undefined for a desk. */
	readonly concept: Concept | undefined;
	readonly consent: ExpertConsent | undefined;
}

/** A concept of one of these types, in a graph of type expert, is a specialist. */
const SPECIALIST_TYPES: ReadonlySet<string> = new Set(["expert", "specialist"]);

export function isSpecialist({ type }: Pick<Concept, "type">): boolean {
	return SPECIALIST_TYPES.has(type.toLowerCase());
}

/** Why an expert cannot be consulted on a day (`YYYY-MM-DD`), as a sentence; undefined when it can. */
export function whyNoConsult({ consent }: Pick<Expert, "consent">, today: string) {
	if (!consent) return "no consent to answer in this expert's name is on record";
	if (consent.until === undefined || consent.until >= today) return undefined;
	return "the consent to answer in this expert's name has ended";
}

/** Throws NOT_FOUND: nobody is impersonated without a recorded consent. */
export function assertConsultable(expert: Expert, today: string): void {
	const why = whyNoConsult(expert, today);
	if (why === undefined) return;
	throw new ServiceError(
		"NOT_FOUND",
		`"${expert.agentId.slice(0, 80)}" cannot be consulted: ${why}. POST /v1/experts/match names experts for a question.`,
	);
}

/** What an expert answers from, beside its graph: all of it for a desk, its own concept and those linked with it for a specialist. */
export function corpusFilterOf({ graph, concept }: Pick<Expert, "graph" | "concept">) {
	if (!concept) return undefined;
	const linked = new Set([concept.id, ...concept.edges.map(({ target }) => target)]);
	for (const { id, edges } of graph.concepts) {
		if (edges.some(({ target }) => target === concept.id)) linked.add(id);
	}
	// What a colleague is and knows is the colleague's to tell.
	const colleagues = new Set(graph.concepts.filter(isSpecialist).map(({ id }) => id));
	const ids = [...linked].filter((id) => id === concept.id || !colleagues.has(id));
	return { ids: ids.slice(0, CONSULT_LIMITS.linkedMax) } satisfies ConceptFilter;
}
