import type { SkillServices } from "../../src/contract/contract.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { coverageOf } from "../graphs/graphs.js";
import { type Analyst, analystsOf, findAnalyst } from "./analyst-index.js";

/** Services of what answers in the name of an analyst. */
export type AnalystServices = Pick<SkillServices, "search" | "catalog" | "clock" | "research">;

/** A synthetic analyst as lists show it. */
interface AnalystItem {
	/** Its graph's id. */
	readonly analyst: string;
	readonly name: string;
	readonly domain: string;
	readonly method: string;
	readonly topics: readonly string[];
}

/** Analysts of the catalog, in the order of their graphs. */
export function listAnalysts(catalog: Pick<GraphCatalog, "list">): readonly AnalystItem[] {
	return analystsOf(catalog).map(toItem);
}

/** One analyst by its graph's id or its name, in either case. Throws NOT_FOUND. */
export function getAnalyst(catalog: Pick<GraphCatalog, "list">, name: string) {
	const analyst = findAnalyst(catalog, name);
	const { graph } = analyst;
	return {
		...toItem(analyst),
		questions: graph.record.exampleQueries,
		coverage: coverageOf(graph),
	};
}

function toItem({ graph: { record }, profile: { name, domain, method } }: Analyst): AnalystItem {
	return { analyst: record.id, name, domain, method, topics: record.topics };
}

/** The same as answers name it. */
export function toAnalystWire({ graph, profile: { name, domain, method } }: Analyst) {
	return { id: graph.record.id, name, domain, method, is_synthetic: true as const };
}
