import {
	createPerGraph,
	type Graph,
	type GraphCatalog,
	type Steps,
} from "../../src/knowledge/knowledge.js";
import {
	createTextFinder,
	type FoundText,
	type ReadText,
	readTexts,
} from "../../src/search/search.js";
import { type ExpertProfile, expertsOf, profileFields } from "./expert-profiles.js";

/** Every expert of the catalog; of two with one id the first graph's stands. */
export interface ExpertRoster {
	/** In the order of the ids. */
	readonly profiles: readonly ExpertProfile[];
	readonly byId: ReadonlyMap<string, ExpertProfile>;
	/** By keywords over profiles and the headings of desks' notes, best first. */
	find(query: string, limit: number): readonly FoundText<ExpertProfile>[];
}

interface RosterPart {
	readonly profiles: readonly ExpertProfile[];
	readonly texts: readonly ReadText<ExpertProfile>[];
}

/** One roster for all that ask of one catalog. */
export function expertRosterOf(catalog: RosterCatalog): () => Promise<ExpertRoster> {
	const roster = rosters.get(catalog) ?? createExpertRoster(catalog);
	rosters.set(catalog, roster);
	return roster;
}

type RosterCatalog = Pick<GraphCatalog, "list" | "revision">;
const rosters = new WeakMap<RosterCatalog, () => Promise<ExpertRoster>>();

/** The roster as of now, read step by step after a change, and only where something has changed. */
function createExpertRoster(catalog: RosterCatalog): () => Promise<ExpertRoster> {
	return createPerGraph({
		revision: () => catalog.revision,
		graphs: () => catalog.list({ type: "expert" }),
		make: readExperts,
		combine: toRoster,
	});
}

function* readExperts(graph: Graph): Steps<RosterPart> {
	const profiles = expertsOf(graph);
	return { profiles, texts: yield* readTexts(profiles, profileFields) };
}

function* toRoster(parts: readonly RosterPart[]): Steps<ExpertRoster> {
	const byId = new Map<string, ExpertProfile>();
	for (const profile of parts.flatMap(({ profiles }) => profiles)) {
		if (!byId.has(profile.agentId)) byId.set(profile.agentId, profile);
	}
	const profiles = [...byId.values()].sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
	const finder = yield* createTextFinder(parts.flatMap(({ texts }) => texts));
	return {
		profiles,
		byId,
		find: (query, limit) =>
			finder.find(query, limit).filter(({ item }) => byId.get(item.agentId) === item),
	};
}
