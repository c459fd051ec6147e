import type { PaidOperation } from "../contract/contract.js";
import { AGENT_ROWS } from "../contract/contract.js";
import { OPERATIONS } from "../service/service.js";
import { createSoldTool, type SellDeps, type SoldToolTerms } from "./sold-tool.js";
import { BEGINS, type Tool } from "./tool.js";

const NAMES: readonly string[] = AGENT_ROWS.map(([name]) => name);

/** One tool for each operation that says how agents find it, in the order of the table. */
export function createSoldTools(deps: SellDeps): readonly Tool[] {
	return OPERATIONS.flatMap((operation) => (operation.kind === "paid" ? toTerms(operation) : []))
		.sort((a, b) => NAMES.indexOf(a.name) - NAMES.indexOf(b.name))
		.map((terms) => createSoldTool(deps, terms));
}

function toTerms({ id: operationId, agent }: PaidOperation): SoldToolTerms[] {
	if (!agent?.tool) return [];
	const { begins, ...tool } = agent.tool;
	return [{ name: agent.name, operationId, ...tool, ...(begins && { hints: BEGINS }) }];
}
