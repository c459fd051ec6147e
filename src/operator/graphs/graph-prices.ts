import { z } from "zod";
import {
	type GraphTerms,
	graphIdField,
	toGraphPrices,
	toOperationName,
} from "../../contract/contract.js";
import {
	conceptPricesOf,
	type Graph,
	type GraphCatalog,
	RECORD_PATH,
	readMemory,
	readTerms,
	toPercent,
	toRecordFile,
	toTermsFields,
} from "../../knowledge/knowledge.js";
import type { GraphRepository } from "../publication/graph-repository.js";

export const graphPricesCommand = z.strictObject({
	graph_id: graphIdField,
	/** USD for any call of billing type per_call that names the graph alone; "" for none. */
	price: z.string().max(40).optional(),
	/** USD by operation or skill; "" takes one out. */
	prices: z.record(z.string(), z.string().max(40)).optional(),
	/** Percent by owner, all of them at once. */
	owners: z.record(z.string(), z.string().max(40)).optional(),
	/** Begins with no prices and no owners. */
	clear: z.boolean().optional(),
});
export type GraphPricesRequest = z.output<typeof graphPricesCommand>;

export type GraphPricesWire = ReturnType<typeof toWire>;

/** Shows what a graph costs and who shares in it, and changes it where something is given. */
export function createGraphPrices({
	catalog,
	repository,
	inTurn,
}: {
	readonly catalog: GraphCatalog;
	readonly repository: GraphRepository;
	/** Runs one thing at a time that changes imported files. */
	readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}) {
	/** Throws NOT_FOUND, and INVALID_ARGUMENT for terms that are none or a graph whose files are someone else's. */
	return async ({ graph_id, ...changes }: GraphPricesRequest) => {
		if (Object.values(changes).every((change) => change === undefined || change === false)) {
			return toWire(catalog.getHeld(graph_id), { changed: false });
		}
		return inTurn(async () => {
			const graph = repository.getOwn(graph_id);
			await readMemory(graph);
			const { record } = graph;
			const terms = changeTerms(record.terms, changes);
			const text = toRecordFile({ ...record, terms });
			const bytes = new TextEncoder().encode(text);
			return toWire(await repository.change(graph, new Map([[RECORD_PATH, bytes]]), "settings"), {
				changed: true,
			});
		});
	};
}

/** By way of the front matter, so that what may be set here is what may be written there. */
export function changeTerms(
	terms: GraphTerms | undefined,
	{ price, prices, owners, clear }: Partial<Omit<GraphPricesRequest, "graph_id">>,
): GraphTerms | undefined {
	const now = clear ? {} : toTermsFields(terms);
	// Names of old and new stand for one operation: what is given is read first.
	const named = readTerms({ prices: withoutEmpty(prices) }, "prices")?.prices ?? {};
	const taken = Object.keys(prices ?? {}).filter((name) => prices?.[name] === "");
	const kept = Object.entries((now["prices"] ?? {}) as Record<string, string>).filter(
		([id]) => !taken.some((name) => toOperationName(name) === id),
	);
	const given = toTermsFields({ prices: named, owners: [] })["prices"] ?? {};
	return readTerms(
		{
			...now,
			...(price !== undefined && { price }),
			prices: { ...Object.fromEntries(kept), ...(given as object) },
			...(owners && { owners }),
		},
		RECORD_PATH,
	);
}

function withoutEmpty(prices: Readonly<Record<string, string>> = {}) {
	return Object.fromEntries(Object.entries(prices).filter(([, usd]) => usd !== ""));
}

function toWire({ record, ...graph }: Graph, { changed }: { readonly changed: boolean }) {
	const { terms = { prices: {}, owners: [] } } = record;
	return {
		graph_id: record.id,
		changed,
		...toGraphPrices({ terms, concepts: conceptPricesOf(graph) }),
		owners: Object.fromEntries(
			terms.owners.map(({ owner, basisPoints }) => [owner, toPercent(basisPoints)]),
		),
	};
}
