/** What callers ask of the free operations: paths over a synthetic catalog, those of an operation distinct where it is asked anything. */
import type { Graph } from "../src/knowledge/model/graph.js";
import { createDraws, seedOf } from "./synthetic/draws.js";
import { FIELDS, QUALITIES, TASKS, VERBS } from "./synthetic/vocabulary.js";

const FREE_OPERATIONS = [
	"graphs.catalog",
	"graphs.detail",
	"graphs.readme",
	"experts.search",
	"search.suggest",
] as const;

/** What no profile answers is looked for in the experts' notes: a whole search, which few callers at a time are given for nothing. */
const BY_NOTES = "experts.search, by notes";

export type MeasuredOperation = (typeof FREE_OPERATIONS)[number] | typeof BY_NOTES;

export interface FreeRequests {
	/** Those that have a bar to meet. */
	readonly operations: readonly MeasuredOperation[];
	/** Measured beside them. */
	readonly others: readonly MeasuredOperation[];
	/** The next so many; no query comes twice. */
	take(operation: MeasuredOperation, count: number): readonly string[];
}

export function createFreeRequests(graphs: readonly Graph[], seed = 5): FreeRequests {
	const draws = createDraws(seedOf(seed, "requests"));
	const counts = new Map<MeasuredOperation, number>();
	const graphAt = (number: number) => graphs[number % graphs.length]?.record.id ?? "";
	const seen = new Set<string>();
	const distinct = (make: () => string): string => {
		for (;;) {
			const text = make().trim();
			if (text.length < 2 || seen.has(text)) continue;
			seen.add(text);
			return encodeURIComponent(text);
		}
	};
	const question = () => {
		const field = draws.pick(FIELDS);
		return `who knows ${draws.pick(TASKS)} of ${draws.pick(QUALITIES)} ${draws.pick(field.subjects)} in ${field.name}, case ${draws.between(1, 9_999)}?`;
	};
	const typed = () => {
		const name = `${draws.pick(QUALITIES)} ${draws.pick(draws.pick(FIELDS).subjects)} ${draws.pick(TASKS)} (synthetic ${draws.between(1, 99)}`;
		const words = name.split(" ");
		const from = draws.between(0, words.length - 1);
		return words.slice(from).join(" ").slice(0, draws.between(2, 30));
	};
	/** Words that stand in bodies alone. */
	const unnamed = () => {
		const verbs = Array.from({ length: 3 }, () => draws.pick(VERBS));
		return `what ${verbs.join(" or ")}, case ${draws.between(1, 9_999)}?`;
	};
	const paths: Readonly<Record<MeasuredOperation, (number: number) => string>> = {
		"graphs.catalog": () => "/v1/graphs/catalog",
		"graphs.detail": (number) => `/v1/graphs/${graphAt(number)}`,
		"graphs.readme": (number) => `/v1/graphs/${graphAt(number)}/readme`,
		"experts.search": () => `/v1/experts/search?q=${distinct(question)}`,
		[BY_NOTES]: () => `/v1/experts/search?q=${distinct(unnamed)}`,
		"search.suggest": () => `/v1/search/suggest?q=${distinct(typed)}`,
	};
	return {
		operations: FREE_OPERATIONS,
		others: [BY_NOTES],
		take(operation, count) {
			const from = counts.get(operation) ?? 0;
			counts.set(operation, from + count);
			return Array.from({ length: count }, (_, index) => paths[operation](from + index));
		},
	};
}
