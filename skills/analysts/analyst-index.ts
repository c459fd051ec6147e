import { ServiceError } from "../../src/kernel/kernel.js";
import type { AnalystProfile, Graph, GraphCatalog } from "../../src/knowledge/knowledge.js";
import { coverageOf } from "../graphs/graphs.js";

/** A synthetic analyst: a graph, and the profile it answers under. */
export interface Analyst {
	readonly graph: Graph;
	readonly profile: AnalystProfile;
}

interface Analysts {
	list(filter: { readonly type: "analyst" }): readonly Graph[];
}

const NAMES_SHOWN = 10;

/** Analysts of the catalog, in the order of their graphs. */
export function analystsOf(catalog: Analysts): readonly Analyst[] {
	return catalog.list({ type: "analyst" }).flatMap((graph) => {
		const profile = graph.record.analyst;
		return profile ? [{ graph, profile }] : [];
	});
}

/** One analyst by its graph's id or its name, in either case. Throws NOT_FOUND. */
export function findAnalyst(catalog: Analysts, name: string): Analyst {
	const wanted = name.toLowerCase();
	const analysts = analystsOf(catalog);
	const found = analysts.find(
		({ graph, profile }) => graph.record.id === wanted || profile.name.toLowerCase() === wanted,
	);
	if (found) return found;
	const names = analysts.slice(0, NAMES_SHOWN).map(({ graph }) => graph.record.id);
	const known = names.length > 0 ? `there are ${names.join(", ")}` : "there are none";
	throw new ServiceError("NOT_FOUND", `No analyst is called "${name.slice(0, 80)}"; ${known}.`);
}

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
