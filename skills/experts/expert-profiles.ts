import { type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import type { WeightedText } from "../../src/search/search.js";
import { type Expert, isSpecialist } from "./expert-index.js";

/** Somebody who can be asked: a desk, which is a graph, or a specialist, who is one concept of a roster. */
export interface ExpertProfile extends Expert {
	readonly topics: readonly string[];
	readonly isAiTwin: boolean;
}

const WEIGHTS = { name: 3, headline: 2, topics: 2, notes: 0.5 } as const;

/** Who can be asked of one graph: its desk, then the specialists of its roster. */
export function expertsOf(graph: Graph): readonly ExpertProfile[] {
	const { expert, id, topics } = graph.record;
	if (!expert) return [];
	const { agentId, name, headline, isAiTwin, disclosure, consent } = expert;
	const shared = { graph, isAiTwin, disclosure, consent };
	const desk = { ...shared, agentId, name, headline, topics, concept: undefined };
	const specialists = graph.concepts.filter(isSpecialist).map((concept) => ({
		agentId: toTrendId(id, concept.id),
		name: concept.title,
		headline: concept.summary,
		topics: concept.tags,
		concept,
		...shared,
	}));
	return [desk, ...specialists];
}

/** Headings of notes that a desk is found by; what stands further down is found by the notes themselves. */
const HEADINGS_READ = 500;

/** What a profile is found by; a desk also by the headings of its notes. */
export function profileFields(profile: ExpertProfile): readonly WeightedText[] {
	const { name, headline, topics, graph, concept } = profile;
	const notes = concept ? [] : graph.concepts.slice(0, HEADINGS_READ);
	const headings = notes.filter((note) => !isSpecialist(note)).map(({ title }) => title);
	return [
		{ text: name, weight: WEIGHTS.name },
		{ text: headline, weight: WEIGHTS.headline },
		{ text: topics.join("\n"), weight: WEIGHTS.topics },
		{ text: headings.join("\n"), weight: WEIGHTS.notes },
	];
}
