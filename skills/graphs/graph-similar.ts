import { LIMITS, type Skill } from "../../src/contract/contract.js";
import { type Concept, type Graph, truncateText } from "../../src/knowledge/knowledge.js";
import type { HybridSearch, RankedConcept } from "../../src/search/search.js";
import { toConceptFilter } from "../search/search.js";
import { similarInput, similarOutput } from "./graph-feed-wire.js";
import {
	answerIf,
	defineGraphSkill,
	type GraphSkillDeps,
	metaOf,
	toNodeItem,
} from "./graph-skill.js";
import { getConcept, mapOf, placeOf } from "./reading/graph-map.js";

/** Nodes that are like a text or like another node. */
export const createSimilar = (
	deps: GraphSkillDeps & { readonly search: HybridSearch },
): Skill<"graphs.similar"> =>
	defineGraphSkill(deps, {
		operationId: "graphs.similar",
		title: "Find similar nodes",
		description:
			"The nodes of one graph nearest in meaning to a text or to another node, and what they have in common with it. By keywords while no embedding model is at hand. Not charged when there is none.",
		tags: ["graph", "similar"],
		examples: ["Which nodes are like EIP-3009?"],
		input: similarInput,
		output: similarOutput,
		example: ([node_id]) => ({ node_id, limit: 5 }),
		check: (graph, { node_id }) => {
			if (node_id !== undefined) placeOf(graph, node_id);
		},
		toText: ({ data }) => data.items.map(({ title }) => title).join("\n"),
		queryOf: ({ text }) => text,
		read: async (graph, { text, node_id, limit, filters }, { signal }) => {
			const like = node_id === undefined ? undefined : getConcept(graph, node_id);
			const query = text ?? (like ? textOf(like) : "");
			const found = await deps.search.find({
				graphs: [graph],
				query,
				limit: Math.min(limit + 1, LIMITS.rowsMax + 1),
				filter: toConceptFilter(filters),
				signal,
			});
			const others = withDuplicates(graph, found.rows)
				.filter(({ concept }) => concept.id !== node_id)
				.slice(0, limit);
			const items = others.map(({ concept, score }) => ({
				...toNodeItem(graph, concept),
				score: Math.round(score * 10_000) / 10_000,
				...inCommon(concept, like),
			}));
			return answerIf(items.length > 0, {
				ok: true,
				data: { items },
				meta: { ...metaOf(graph), mode: found.mode },
			});
		},
	});

/** A search shows one of several that say the same; who asks for likeness wants them all. */
function withDuplicates(
	graph: Graph,
	rows: readonly RankedConcept[],
): readonly Pick<RankedConcept, "concept" | "score">[] {
	const { places, concepts } = mapOf(graph);
	return rows.flatMap(({ concept, score, duplicates }) => [
		{ concept, score },
		...duplicates.flatMap((id) => {
			const twin = concepts[places.get(id) ?? -1];
			return twin ? [{ concept: twin, score }] : [];
		}),
	]);
}

/** What a node is about, as a query: a longer one would be about everything. */
function textOf({ title, summary }: Concept): string {
	return truncateText(`${title}. ${summary}`, QUERY_CHARS);
}

const QUERY_CHARS = 400;

function inCommon(concept: Concept, like: Concept | undefined) {
	const tags = new Set(like?.tags);
	const sources = new Set(like?.evidence.map(({ sourceUrl }) => sourceUrl));
	const shared = concept.evidence.filter(({ sourceUrl }) => sources.has(sourceUrl));
	const leadsTo = (from: Concept | undefined, to: Concept | undefined) =>
		from?.edges.some(({ target }) => target === to?.id) ?? false;
	return {
		shared_tags: concept.tags.filter((tag) => tags.has(tag)),
		shared_sources: new Set(shared.map(({ sourceUrl }) => sourceUrl)).size,
		is_linked: leadsTo(like, concept) || leadsTo(concept, like),
	};
}
