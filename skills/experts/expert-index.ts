import { type PageRequest, readCursor, takePage } from "../../src/contract/contract.js";
import { daysOf, toArticleAddress } from "../../src/evidence/evidence.js";
import {
	type Concept,
	type ExpertConsent,
	type Graph,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { type ConceptFilter, toConceptTest, type WeightedText } from "../../src/search/search.js";
import { CONSULT_LIMITS } from "./consult-wire.js";

/** A person whose twin can be asked: a desk, which is a graph, or a specialist, who is one concept of a roster. */
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

function isSpecialist({ type }: Pick<Concept, "type">): boolean {
	return SPECIALIST_TYPES.has(type.toLowerCase());
}

/** Why an expert cannot be consulted on a day (`YYYY-MM-DD`), as a sentence; undefined when it can. */
export function whyNoConsult({ consent }: Partial<Pick<Expert, "consent">>, today: string) {
	if (!consent) return "no consent to answer in this expert's name is on record";
	if (consent.until === undefined || consent.until >= today) return undefined;
	return "the consent to answer in this expert's name has ended";
}

/** What an expert answers from, beside its graph: all of it for a desk, its own concept and those linked with it for a specialist. */
export function corpusFilterOf({ graph, concept }: Pick<Expert, "graph" | "concept">) {
	if (!concept) return undefined;
	const linked = new Set([concept.id, ...concept.edges.map(({ target }) => target)]);
	for (const { id, edges } of graph.concepts) {
		if (edges.some(({ target }) => target === concept.id)) linked.add(id);
	}
	// What a colleague is and knows is left to the colleague.
	const colleagues = new Set(graph.concepts.filter(isSpecialist).map(({ id }) => id));
	const ids = [...linked].filter((id) => id === concept.id || !colleagues.has(id));
	return { ids: ids.slice(0, CONSULT_LIMITS.linkedMax) } satisfies ConceptFilter;
}

/** An expert as the directory lists it. */
export interface ExpertProfile extends Expert {
	readonly topics: readonly string[];
	readonly isAiTwin: boolean;
}

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
		{ text: name, weight: 3 },
		{ text: headline, weight: 2 },
		{ text: topics.join("\n"), weight: 2 },
		{ text: headings.join("\n"), weight: 0.5 },
	];
}

const QUESTIONS_MAX = 20;

/** What an expert answers from. */
function corpusOf(expert: ExpertProfile): readonly Concept[] {
	const { concepts } = expert.graph;
	const filter = corpusFilterOf(expert);
	const isOwn = filter ? toConceptTest(filter, expert.graph) : undefined;
	return isOwn ? concepts.filter(isOwn) : concepts;
}

/** Questions that the expert's notes answer: its own, then one for each note. Titles alone; what the notes say is for sale. */
export function questionsOf(expert: ExpertProfile): readonly string[] {
	const own = expert.concept ? [] : expert.graph.record.exampleQueries;
	const notes = corpusOf(expert).filter((concept) => !isSpecialist(concept));
	const asked = notes.slice(0, QUESTIONS_MAX).map(({ title }) => `What about "${title}"?`);
	return [...new Set([...own, ...asked])].slice(0, QUESTIONS_MAX);
}

/** Hosts that the expert's notes cite, in the order of their names. Throws INVALID_ARGUMENT for a cursor of another list. */
export function pageOfHosts(expert: ExpertProfile, { limit, cursor }: PageRequest) {
	const identity = { list: "experts.sources", asked: { agent_id: expert.agentId } };
	const [after = ""] = cursor === undefined ? [] : readCursor(cursor, identity, 1);
	const rest = hostsOf(corpusOf(expert)).filter(({ host }) => host > after);
	const { page, next_cursor } = takePage(rest, limit, identity, ({ host }) => [host]);
	return { items: page, next_cursor };
}

/** Hosts of the sources of notes, with the number of their pages and the days of these; which pages is for sale. */
function hostsOf(concepts: readonly Concept[]) {
	const byHost = new Map<string, { readonly addresses: Set<string>; readonly days: string[] }>();
	for (const { sourceUrl, publishedAt } of concepts.flatMap(({ evidence }) => evidence)) {
		const host = toArticleAddress(sourceUrl)?.host;
		if (host === undefined) continue;
		const known = byHost.get(host) ?? { addresses: new Set(), days: [] };
		known.addresses.add(sourceUrl);
		if (publishedAt !== undefined) known.days.push(publishedAt);
		byHost.set(host, known);
	}
	return [...byHost]
		.map(([host, { addresses, days }]) => ({ host, articles: addresses.size, ...daysOf(days) }))
		.sort((a, b) => (a.host < b.host ? -1 : 1));
}
