import type { SkillServices } from "../../src/contract/contract.js";
import { notFound } from "../../src/kernel/kernel.js";
import type { AnalystProfile, Graph, GraphCatalog } from "../../src/knowledge/knowledge.js";
import { coverageOf } from "../graphs/graphs.js";

/** Services of what answers in the name of an analyst. */
export type AnalystServices = Pick<SkillServices, "search" | "catalog" | "clock" | "research">;

/** A synthetic analyst: a graph, and the profile it answers under. */
export interface Analyst {
	readonly graph: Graph;
	readonly profile: AnalystProfile;
}

type Analysts = Pick<GraphCatalog, "list">;

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
	throw notFound(`No analyst is called "${name.slice(0, 80)}"; ${known}.`);
}

export function listAnalysts(catalog: Analysts) {
	return analystsOf(catalog).map(toItem);
}

/** With questions to ask, and what it covers in numbers. Throws NOT_FOUND. */
export function getAnalyst(catalog: Analysts, name: string) {
	const analyst = findAnalyst(catalog, name);
	const { graph } = analyst;
	const questions = graph.record.exampleQueries;
	return { ...toItem(analyst), questions, coverage: coverageOf(graph) };
}

function toItem({ graph: { record }, profile: { name, domain, method } }: Analyst) {
	return { analyst: record.id, name, domain, method, topics: record.topics };
}

/** An analyst as answers name it. */
export function toAnalystWire({ graph, profile: { name, domain, method } }: Analyst) {
	return { id: graph.record.id, name, domain, method, is_synthetic: true as const };
}
