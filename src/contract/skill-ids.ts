import type { PaidOperationId } from "./operations.js";

/** The names by which agents choose: A2A skills and MCP tools. Each names the operation it is sold as. */
export const SKILL_IDS = [
	"graph_search",
	"domain_search",
	"report_search",
	"expert_search",
	"analyst_search",
	"search",
	"context_pack",
	"get_node",
	"neighbors",
	"find_paths",
	"graph_similar",
	"get_trend",
	"resolve_entities",
	"briefing_schedule",
	"consult_expert",
	"consult_analyst",
	"verify_claim",
	"verify_text",
	"brand_intelligence",
	"evidence_dossier",
	"research_stream",
	"deep_dive",
	"research_chat",
	"supplemental_context",
] as const;
export type SkillId = (typeof SKILL_IDS)[number];

export const OPERATION_OF_SKILL: Readonly<Record<SkillId, PaidOperationId>> = {
	graph_search: "graphs.search",
	domain_search: "search.domain",
	report_search: "search.report",
	expert_search: "search.expert",
	analyst_search: "search.analyst",
	search: "search.all",
	context_pack: "graphs.context",
	get_node: "graphs.node",
	neighbors: "graphs.neighbors",
	find_paths: "graphs.paths",
	graph_similar: "graphs.similar",
	get_trend: "trends.get",
	resolve_entities: "entities.resolve",
	briefing_schedule: "research.schedules.create",
	consult_expert: "human_agents.consult",
	consult_analyst: "analysts.consult",
	verify_claim: "verify.claim",
	verify_text: "verify.text",
	brand_intelligence: "brand_intelligence",
	evidence_dossier: "intelligence.dossier",
	research_stream: "research.stream",
	deep_dive: "research.deep_dive",
	research_chat: "research.chat",
	supplemental_context: "supplemental.context",
};

/** True when a scope names the operation itself or a skill that is sold as it. */
export function namesOperation(scope: readonly string[], operationId: string): boolean {
	return scope.some(
		(name) => name === operationId || OPERATION_OF_SKILL[name as SkillId] === operationId,
	);
}
