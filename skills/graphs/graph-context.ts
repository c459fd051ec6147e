import { READING_LIMITS, type Skill } from "../../src/contract/contract.js";
import { runInTurns } from "../../src/knowledge/knowledge.js";
import type { HybridSearch } from "../../src/search/search.js";
import { toConceptFilter, toEvidence } from "../search/search.js";
import { contextInput, contextOutput } from "./graph-feed-wire.js";
import { answerIf, defineGraphSkill, type GraphSkillDeps, metaOf } from "./graph-skill.js";
import { createPassageRanking } from "./ranked-passages.js";
import { packContext } from "./reading/context-pack.js";

/** What a graph says to a question, cut to fit into a prompt. */
export const createContextPack = (
	deps: GraphSkillDeps & { readonly search: HybridSearch },
): Skill<"graphs.context"> => {
	const rank = createPassageRanking();
	return defineGraphSkill(deps, {
		operationId: "graphs.context",
		title: "Pack context for a prompt",
		description:
			"The passages of one graph that answer a question, with numbered citations, packed under a budget of tokens and ready to paste into a prompt. Not charged when the graph has no answer.",
		tags: ["graph", "context", "citations"],
		examples: ["What do I need to know about gasless transfers, in 500 tokens?"],
		input: contextInput,
		output: contextOutput,
		example: () => ({ query: "Which HTTP status code asks for payment?", max_tokens: 500 }),
		toText: ({ data }) => data.context,
		queryOf: ({ query }) => query,
		read: async (graph, { query, max_tokens, filters }, { signal }) => {
			const found = await deps.search.find({
				graphs: [graph],
				query,
				limit: READING_LIMITS.contextNodesMax,
				filter: toConceptFilter(filters),
				signal,
			});
			const ranked = rank(
				query,
				found.rows.map(({ concept }) => concept),
			);
			const pack = await runInTurns(packContext(ranked, max_tokens), signal);
			return answerIf(pack.concepts.size > 0, {
				ok: true,
				data: {
					context: pack.text,
					tokens: pack.tokens,
					nodes: [...pack.concepts].map(([{ id, title }, passages]) => ({
						node_id: id,
						title,
						passages,
					})),
					citations: pack.sources.map((source) => ({
						...toEvidence(source),
						number: source.number,
					})),
				},
				meta: {
					...metaOf(graph),
					query,
					decision: found.decision,
					mode: found.mode,
					missing: [...found.missing],
				},
			});
		},
	});
};
