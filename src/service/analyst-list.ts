import { ServiceError } from "../core/errors.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import type { Graph } from "../knowledge/graph.js";
import { coverageOf } from "./graph-coverage.js";

/** A synthetic analyst as lists show it. */
export interface AnalystItem {
	/** Its graph's id. */
	readonly analyst: string;
	readonly name: string;
	readonly domain: string;
	readonly method: string;
	readonly topics: readonly string[];
}

/** Analysts of the catalog, in the order of their graphs. */
export function listAnalysts(catalog: Pick<GraphCatalog, "list">): readonly AnalystItem[] {
	return catalog.list({ type: "analyst" }).flatMap((graph) => toItem(graph) ?? []);
}

/** One analyst by its graph's id or its name, in either case. Throws NOT_FOUND. */
export function getAnalyst(catalog: Pick<GraphCatalog, "list">, name: string) {
	const wanted = name.toLowerCase();
	for (const graph of catalog.list({ type: "analyst" })) {
		const item = toItem(graph);
		if (!item || (item.analyst !== wanted && item.name.toLowerCase() !== wanted)) continue;
		return { ...item, questions: graph.record.exampleQueries, coverage: coverageOf(graph) };
	}
	const names = listAnalysts(catalog).map(({ analyst }) => analyst);
	const known = names.length > 0 ? `there are ${names.slice(0, 10).join(", ")}` : "there are none";
	throw new ServiceError("NOT_FOUND", `No analyst is called "${name.slice(0, 80)}"; ${known}.`);
}

function toItem({ record }: Graph): AnalystItem | undefined {
	if (!record.analyst) return undefined;
	const { name, domain, method } = record.analyst;
	return { analyst: record.id, name, domain, method, topics: record.topics };
}
