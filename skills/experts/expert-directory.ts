import { type Json, type PageRequest, readCursor, takePage } from "../../src/contract/contract.js";
import { memoizeByObject, notFound } from "../../src/kernel/kernel.js";
import {
	createPerGraph,
	type Graph,
	type GraphCatalog,
	type Steps,
} from "../../src/knowledge/knowledge.js";
import {
	createTextFinder,
	type HybridSearch,
	type ReadText,
	readTexts,
} from "../../src/search/search.js";
import { countCoverage, coverageOf } from "../graphs/graphs.js";
import {
	type ExpertProfile,
	expertsOf,
	pageOfHosts,
	profileFields,
	questionsOf,
} from "./expert-index.js";

export interface RankedExpert extends ReturnType<typeof toItem> {
	/** 0..1, comparable within one answer only. */
	readonly score: number;
}

export interface MatchedExpert extends RankedExpert {
	/** Why: the words of the question that the profile holds, and how many notes bear on it. */
	readonly reasons: { readonly words: readonly string[]; readonly notes: number };
}

interface ExpertListRequest extends PageRequest {
	readonly topic?: string | undefined;
}

type DirectoryDeps = { readonly catalog: GraphCatalog; readonly search: HybridSearch };
export type ExpertDirectory = ReturnType<typeof createExpertDirectory>;

/** Notes looked at per question; enough for the best desks to show, whatever the roster's size. */
const NOTES_LOOKED_AT = 50;
const WEIGHT_OF_NOTES = 0.6;
/** A profile that holds such a share of the best possible score, or of the query's words, is taken at its word. */
const SURE_SCORE = 0.25;
const SURE_COVERAGE = 0.5;
const NEAR_NAMES = 3;

/** Who can be asked, and about what. Profiles only: what an expert knows is for sale. */
export function createExpertDirectory(deps: DirectoryDeps) {
	const roster = expertRosterOf(deps.catalog);
	const match = async (question: string, limit: number, signal: AbortSignal) =>
		matchExperts(deps, await roster(), { question, limit, signal });
	/** Throws NOT_FOUND, with near names. */
	const profile = async (agentId: string): Promise<ExpertProfile> => {
		const { byId, find } = await roster();
		const known = byId.get(agentId);
		if (known) return known;
		const near = find(agentId.replace(/[^\p{L}\p{N}]+/gu, " "), NEAR_NAMES);
		const names = near.map(({ item }) => item.agentId).join(", ");
		throw notFound(
			`No expert is called "${agentId.slice(0, 80)}"; ${names === "" ? "GET /v1/experts lists them" : `near it ${names}`}.`,
		);
	};
	return {
		/** By profiles and by what the notes hold, with reasons. */
		match,
		/** By keywords over profiles and the headings of desks' notes; of what no profile names, by the notes themselves. */
		async search(
			query: string,
			limit: number,
			signal: AbortSignal,
		): Promise<readonly RankedExpert[]> {
			const found = (await roster()).find(query, limit);
			const [best] = found;
			if (best && (best.score >= SURE_SCORE || best.coverage >= SURE_COVERAGE)) {
				return found.map(({ item, score }) => ({ ...toItem(item), score: round(score) }));
			}
			const matched = await match(query, limit, signal);
			return matched.map(({ reasons: _reasons, ...expert }) => expert);
		},
		/** In the order of the ids. Throws INVALID_ARGUMENT for a cursor of another list. */
		list: async (request: ExpertListRequest) => listPage((await roster()).profiles, request),
		profile,
		get: async (agentId: string) => toDetail(await profile(agentId)),
		/** Questions that its notes answer. */
		questions: async (agentId: string): Promise<Json> => ({
			items: questionsOf(await profile(agentId)).map((question) => ({ question })),
		}),
		/** Hosts that its notes cite. Throws INVALID_ARGUMENT for a cursor of another list. */
		sources: async (agentId: string, page: PageRequest): Promise<Json> =>
			pageOfHosts(await profile(agentId), page),
	};
}

async function matchExperts(
	{ catalog, search }: DirectoryDeps,
	{ byId, find }: ExpertRoster,
	{ question, limit, signal }: { question: string; limit: number; signal: AbortSignal },
): Promise<readonly MatchedExpert[]> {
	const graphs = catalog.list({ type: "expert" });
	if (graphs.length === 0) return [];
	// Only an order among experts, and mostly for nothing: no model reads for it.
	const asked = { graphs, query: question, limit: NOTES_LOOKED_AT, signal };
	const { rows } = await search.find({ ...asked, effort: "fast" });
	const notes = new Map<string, { best: number; count: number }>();
	for (const { graph, concept, score } of rows) {
		const specialist = byId.get(`${graph.record.id}:${concept.id}`);
		const id = specialist?.agentId ?? graph.record.expert?.agentId;
		if (id === undefined) continue;
		const known = notes.get(id) ?? { best: 0, count: 0 };
		notes.set(id, { best: Math.max(known.best, score), count: known.count + 1 });
	}
	const profiles = new Map(
		find(question, NOTES_LOOKED_AT).map((found) => [found.item.agentId, found]),
	);
	return [...new Set([...notes.keys(), ...profiles.keys()])]
		.flatMap((id) => {
			const profile = byId.get(id);
			if (!profile) return [];
			const [note, named] = [notes.get(id), profiles.get(id)];
			const score =
				WEIGHT_OF_NOTES * (note?.best ?? 0) + (1 - WEIGHT_OF_NOTES) * (named?.score ?? 0);
			const reasons = { words: named?.words ?? [], notes: note?.count ?? 0 };
			return { ...toItem(profile), score: round(score), reasons };
		})
		.sort((a, b) => b.score - a.score || (a.agent_id < b.agent_id ? -1 : 1))
		.slice(0, limit);
}

function listPage(profiles: readonly ExpertProfile[], { topic, limit, cursor }: ExpertListRequest) {
	const identity = { list: "experts", asked: { topic: topic ?? null } };
	const [after = ""] = cursor === undefined ? [] : readCursor(cursor, identity, 1);
	const wanted = topic?.toLowerCase();
	const rest = profiles.filter(
		({ agentId, topics }) =>
			agentId > after &&
			(wanted === undefined || topics.some((one) => one.toLowerCase() === wanted)),
	);
	const { page, next_cursor } = takePage(rest, limit, identity, ({ agentId }) => [agentId]);
	return { items: page.map(toItem), next_cursor };
}

/** An expert as lists show it. */
function toItem(profile: ExpertProfile) {
	const { agentId, name, headline, topics, graph, isAiTwin, disclosure } = profile;
	return {
		agent_id: agentId,
		name,
		headline,
		topics,
		graphs: [graph.record.id],
		is_ai_twin: isAiTwin,
		disclosure,
	};
}

/** With what an expert covers, by numbers; the notes themselves are for sale. */
function toDetail(profile: ExpertProfile) {
	const { graph, concept, consent } = profile;
	return {
		...toItem(profile),
		consent: consent ? { basis: consent.basis, until: consent.until ?? null } : null,
		questions: concept ? [] : graph.record.exampleQueries,
		coverage: concept ? countCoverage(graph, [concept]) : coverageOf(graph),
	};
}

function round(value: number): number {
	return Math.round(Math.min(1, value) * 1000) / 1000;
}

/** Every expert of the catalog; of two with one id the first graph's stands. */
type ExpertRoster = Awaited<ReturnType<ReturnType<typeof expertRosterOf>>>;

/** The roster as of now, read step by step after a change, and only where something has changed; one for each catalog. */
const expertRosterOf = memoizeByObject((catalog: Pick<GraphCatalog, "list" | "revision">) =>
	createPerGraph({
		revision: () => catalog.revision,
		graphs: () => catalog.list({ type: "expert" }),
		make: readExperts,
		combine: toRoster,
	}),
);

interface RosterPart {
	readonly profiles: readonly ExpertProfile[];
	readonly texts: readonly ReadText<ExpertProfile>[];
}

function* readExperts(graph: Graph): Steps<RosterPart> {
	const profiles = expertsOf(graph);
	return { profiles, texts: yield* readTexts(profiles, profileFields) };
}

function* toRoster(parts: readonly RosterPart[]) {
	const byId = new Map<string, ExpertProfile>();
	for (const profile of parts.flatMap(({ profiles }) => profiles)) {
		if (!byId.has(profile.agentId)) byId.set(profile.agentId, profile);
	}
	const finder = yield* createTextFinder(parts.flatMap(({ texts }) => texts));
	return {
		/** In the order of the ids. */
		profiles: [...byId.values()].sort((a, b) => (a.agentId < b.agentId ? -1 : 1)),
		byId,
		/** By keywords over profiles and the headings of desks' notes, best first. */
		find: (query: string, limit: number) =>
			finder.find(query, limit).filter(({ item }) => byId.get(item.agentId) === item),
	};
}
