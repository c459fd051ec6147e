import { type PaidOperation, SKILL_IDS } from "../contract/contract.js";
import { OPERATIONS } from "../service/service.js";
import { createSoldTool, type SellDeps, type SoldToolTerms } from "./sold-tool.js";
import { BEGINS, type Tool } from "./tool.js";

const QUESTION = "Question in plain language";
const AS_OF = "As of this day, YYYY-MM-DD; today if left out";

/** What is sold, one tool for each skill an agent would choose. */
const TERMS: readonly SoldToolTerms[] = [
	{
		name: "verify_claim",
		operationId: "verify.claim",
		title: "Verify a claim",
		description:
			"Whether the cited evidence supports or refutes a claim, and why. Claims without enough evidence cost nothing.",
		fields: { claim: "One claim, in a sentence", as_of: AS_OF, graph_id: "Only this graph" },
	},
	{
		name: "verify_text",
		operationId: "verify.text",
		title: "Verify the claims of a text",
		description: "Takes the claims of a text apart and verifies each.",
		fields: {
			text: "Text with claims",
			max_claims: "Only its first claims; 5 if left out",
			graph_id: "Only this graph",
			as_of: AS_OF,
		},
	},
	{
		name: "consult_expert",
		operationId: "human_agents.consult",
		title: "Consult an expert's twin",
		description:
			"One question to one expert. A machine answers from that expert's own notes, every sentence cited; match_experts names who can be asked.",
		fields: { agent_id: "agent_id of match_experts", question: QUESTION },
	},
	{
		name: "consult_analyst",
		operationId: "analysts.consult",
		title: "Consult an analyst",
		description:
			"One question to one synthetic analyst, answered from its own notes, every sentence cited.",
		fields: { analyst: "analyst of list_analysts", question: QUESTION },
	},
	{
		name: "brand_intelligence",
		operationId: "brand_intelligence",
		title: "Brand intelligence",
		description:
			"Footprint of a brand, product or standard over all graphs: share of voice, signals, trends, co-mentions, timeline, risks.",
		fields: { brand: "Name as people write it", window: "How far back, e.g. 90d, 12m, 2y" },
	},
	{
		name: "dossier",
		operationId: "intelligence.dossier",
		title: "Evidence dossier",
		description:
			"Findings on a topic with confidence, contradictions, evidence, timeline and gaps.",
		fields: { topic: "Topic in a few words", graphs: "Only these graph ids", as_of: AS_OF },
	},
	{
		name: "supplemental_context",
		operationId: "supplemental.context",
		title: "Figures from public feeds",
		description: "Latest values of public data series on a topic, each with its source and age.",
		fields: {
			topic: "Topic in a few words, or name feeds",
			feeds: "These feed ids",
			since: "From this day on, YYYY-MM-DD",
			limit: "Newest values of each feed; 12 if left out",
		},
	},
	{
		hints: BEGINS,
	},
];

/** What an operation says of itself as a tool. */
function toTerms({ id: operationId, agent }: PaidOperation): SoldToolTerms[] {
	if (!agent?.tool) return [];
	const { begins, ...tool } = agent.tool;
	return [{ name: agent.name, operationId, ...tool, ...(begins && { hints: BEGINS }) }];
}

const ORDER: readonly string[] = SKILL_IDS;

export const createSoldTools = (deps: SellDeps): readonly Tool[] => {
	const defined = OPERATIONS.flatMap((operation) =>
		operation.kind === "paid" ? toTerms(operation) : [],
	);
	const terms = [
		...defined,
		...TERMS.filter(({ name }) => defined.every((known) => known.name !== name)),
	];
	return terms
		.sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name))
		.map((one) => createSoldTool(deps, one));
};
