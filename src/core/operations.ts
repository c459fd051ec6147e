/**
 * Two closed lists. Whatever lacks a price, a route or a description does not compile, because the
 * price list, the route table, the OpenAPI document, the skill catalog and the agent card are records over them.
 */

/** Operations of the contract that cost money: the whole price book, whether built yet or not. */
export type PricedOperationId =
	| "graphs.search"
	| "search.domain"
	| "search.report"
	| "search.expert"
	| "search.analyst"
	| "search.all"
	| "graphs.nodes.list"
	| "graphs.node"
	| "graphs.neighbors"
	| "graphs.edges"
	| "graphs.paths"
	| "graphs.subgraph"
	| "graphs.timeline"
	| "graphs.context"
	| "graphs.similar"
	| "graphs.export"
	| "graphs.changes"
	| "trends.list"
	| "trends.get"
	| "trends.evidence"
	| "articles.search"
	| "articles.get"
	| "articles.mentions"
	| "search.batch"
	| "entities.resolve"
	| "entities.get"
	| "human_agents.consult"
	| "human_agents.panel"
	| "human_agents.follow_up"
	| "analysts.consult"
	| "analysts.debate"
	| "brand_intelligence"
	| "brands.signals"
	| "brands.timeline"
	| "brands.sources"
	| "brands.compare"
	| "verify.claim"
	| "verify.extract"
	| "verify.text"
	| "verify.citation"
	| "verify.claims"
	| "intelligence.dossier"
	| "intelligence.dossier.refresh"
	| "supplemental.context"
	| "supplemental.series"
	| "supplemental.compare"
	| "research.deep_dive"
	| "research.deep_dive.comprehensive"
	| "research.deep_dive.follow_up"
	| "research.chat"
	| "research.chat.stream"
	| "research.stream"
	| "research.schedules.create"
	| "research.schedules.run";

/** Operations that turn a payment into balance; their price is the amount the caller names. */
export const PURCHASE_OPERATION_IDS = ["spt.purchase", "spt.top_up"] as const;
export type PurchaseOperationId = (typeof PURCHASE_OPERATION_IDS)[number];

/** Paid operations that answer today. */
export const PAID_OPERATION_IDS = [
	"graphs.search",
	"search.domain",
	"search.report",
	"search.expert",
	"search.analyst",
	"search.all",
	"graphs.nodes.list",
	"graphs.node",
	"graphs.neighbors",
	"graphs.edges",
	"graphs.paths",
	"graphs.subgraph",
	"graphs.timeline",
	"graphs.context",
	"graphs.similar",
	"graphs.export",
	"graphs.changes",
	"trends.list",
	"trends.get",
	"trends.evidence",
	"articles.search",
	"articles.get",
	"articles.mentions",
	"search.batch",
	"entities.resolve",
	"entities.get",
	"human_agents.consult",
	"human_agents.panel",
	"human_agents.follow_up",
	"analysts.consult",
	"analysts.debate",
	"verify.claim",
	"verify.extract",
	"verify.text",
	"verify.citation",
	"verify.claims",
	"brand_intelligence",
	"brands.signals",
	"brands.timeline",
	"brands.sources",
	"brands.compare",
	"intelligence.dossier",
	"intelligence.dossier.refresh",
	"research.stream",
	"research.deep_dive",
	"research.deep_dive.follow_up",
	"research.chat",
	"research.chat.stream",
	"supplemental.context",
	"supplemental.series",
	"supplemental.compare",
	"research.schedules.create",
	"research.schedules.run",
] as const satisfies readonly PricedOperationId[];
export type PaidOperationId = (typeof PAID_OPERATION_IDS)[number];

/** Free operations that answer today. */
export const FREE_OPERATION_IDS = [
	"health",
	"spt.validate",
	"offerings",
	"research.pricing",
	"research.offerings",
	"graphs.catalog",
	"graphs.detail",
	"graphs.readme",
	"graphs.preview",
	"graphs.stats",
	"graphs.schema",
	"graphs.versions",
	"catalog.okf",
	"readmes.index",
	"graph_slice",
	"experts.search",
	"experts.list",
	"experts.get",
	"experts.match",
	"experts.questions",
	"experts.sources",
	"analysts.list",
	"analysts.get",
	"search.suggest",
	"search.route",
	"research.deep_dive.plan",
	"quotes.create",
	"quotes.get",
	"receipts.get",
	"receipts.verify",
	"payments.methods",
	"payments.get",
	"accounts.open",
	"ready",
	"version",
	"errors",
	"schemas.get",
	"changelog",
	"catalog.jsonld",
	"sources.list",
	"sources.get",
	"brands.list",
	"brands.resolve",
	"brands.get",
	"citations.format",
	"research.schedules.preview",
	"research.schedules.confirm",
	"research.schedules.confirm_page",
	"research.schedules.unsubscribe",
	"research.schedules.unsubscribe_page",
	"supplemental.suggest",
	"supplemental.feeds.list",
	"supplemental.feeds.get",
	"supplemental.health",
] as const;
export type FreeOperationId = (typeof FREE_OPERATION_IDS)[number];

/** Operations of somebody who shows who they are and pays nothing, that answer today. */
export const OWNER_OPERATION_IDS = [
	"spt.balance",
	"spt.ledger",
	"spt.rotate",
	"spt.delegations.create",
	"spt.delegations.list",
	"spt.delegations.revoke",
	"spt.refund",
	"spt.revoke",
	"account.get",
	"account.change",
	"account.erase",
	"account.export",
	"account.usage",
	"account.calls",
	"account.quota",
	"account.budget",
	"account.keys.list",
	"account.keys.create",
	"account.keys.change",
	"account.keys.rotate",
	"account.keys.revoke",
	"account.connection_tokens.list",
	"account.connection_tokens.create",
	"account.connection_tokens.revoke",
	"human_agents.consultations.list",
	"human_agents.consultations.get",
	"feedback.give",
	"feedback.list",
	"feedback.delete",
	"intelligence.dossiers.list",
	"intelligence.dossiers.get",
	"intelligence.dossiers.export",
	"intelligence.dossiers.delete",
	"research.schedules.list",
	"research.schedules.get",
	"research.schedules.change",
	"research.schedules.cancel",
	"research.schedules.test",
	"research.schedules.runs.list",
	"research.schedules.runs.get",
	"research.chat.sessions.list",
	"research.chat.sessions.get",
	"research.chat.sessions.messages",
	"research.chat.sessions.change",
	"research.chat.sessions.delete",
	"verifications.get",
	"verifications.claim_review",
	"verifications.batch",
	"research.deep_dive.status",
	"research.deep_dive.events",
	"research.deep_dive.cancel",
	"research.deep_dive.list",
	"research.deep_dive.sources",
	"research.deep_dive.export",
	"research.deep_dive.delete",
	"webhooks.list",
	"webhooks.create",
	"webhooks.change",
	"webhooks.delete",
	"webhooks.test",
	"webhooks.rotate_secret",
	"webhooks.deliveries",
	"webhooks.redeliver",
] as const;
export type OwnerOperationId = (typeof OWNER_OPERATION_IDS)[number];

/** Every route under /v1. */
export type OperationId =
	| PaidOperationId
	| FreeOperationId
	| OwnerOperationId
	| PurchaseOperationId;

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

export const BILLING_TYPES = [
	"free",
	"per_call",
	"brand_flat",
	"deep_research_light",
	"deep_research_heavy",
	"research_chat",
	"research_stream",
	"weekly_tracker",
	"prepaid",
] as const;
export type BillingType = (typeof BILLING_TYPES)[number];
