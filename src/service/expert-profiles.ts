import type { GraphCatalog } from "../knowledge/catalog.js";
import { type Concept, type Graph, toTrendId } from "../knowledge/graph.js";
import type { WeightedText } from "../search/concept-fields.js";

/** Somebody who can be asked: a desk, which is a graph, or a specialist, who is one concept of a roster. */
export interface ExpertProfile {
	readonly agentId: string;
	readonly name: string;
	readonly headline: string;
	readonly topics: readonly string[];
	readonly graph: Graph;
	/** Undefined for a desk. */
	readonly concept: Concept | undefined;
	readonly isAiTwin: boolean;
	/** Who stands behind it, in the content's own words. */
	readonly disclosure: string;
}

/** A concept of one of these types, in a graph of type expert, is a specialist. */
const SPECIALIST_TYPES: ReadonlySet<string> = new Set(["expert", "specialist"]);
const WEIGHTS = { name: 3, headline: 2, topics: 2, notes: 0.5 } as const;

/** Every expert of the catalog in the order of the ids; of two with one id the first graph's stands. */
export function listExperts(catalog: Pick<GraphCatalog, "list">): readonly ExpertProfile[] {
	const byId = new Map<string, ExpertProfile>();
	for (const graph of catalog.list({ type: "expert" })) {
		for (const profile of expertsOf(graph)) {
			if (!byId.has(profile.agentId)) byId.set(profile.agentId, profile);
		}
	}
	return [...byId.values()].sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
}

function expertsOf(graph: Graph): ExpertProfile[] {
	const { expert, id, topics } = graph.record;
	if (!expert) return [];
	const { agentId, name, headline, isAiTwin, disclosure } = expert;
	const desk = { agentId, name, headline, topics, graph, concept: undefined, isAiTwin, disclosure };
	const specialists = graph.concepts
		.filter(({ type }) => SPECIALIST_TYPES.has(type.toLowerCase()))
		.map((concept) => ({
			agentId: toTrendId(id, concept.id),
			name: concept.title,
			headline: concept.summary,
			topics: concept.tags,
			graph,
			concept,
			isAiTwin,
			disclosure,
		}));
	return [desk, ...specialists];
}

/** What a profile is found by; a desk also by the headings of its notes. */
export function profileFields(profile: ExpertProfile): readonly WeightedText[] {
	const { name, headline, topics, graph, concept } = profile;
	const notes = concept ? [] : graph.concepts.filter(({ type }) => !isSpecialist(type));
	return [
		{ text: name, weight: WEIGHTS.name },
		{ text: headline, weight: WEIGHTS.headline },
		{ text: topics.join("\n"), weight: WEIGHTS.topics },
		{ text: notes.map(({ title }) => title).join("\n"), weight: WEIGHTS.notes },
	];
}

function isSpecialist(type: string): boolean {
	return SPECIALIST_TYPES.has(type.toLowerCase());
}
