import {
	conceptIdOf,
	type ExplorerData,
	type Item,
	type Model,
	type SoldOperation,
} from "../../pages/explorer-model.js";
import { OFFERS } from "../../pages/explorer-parts.js";
import type { CallOrder } from "../calls.js";

/** What can be bought of an item, and at what price. */

export interface Offer {
	/** What a list goes on from is kept under it. */
	readonly key: string;
	readonly operation: SoldOperation;
	readonly title: string;
	readonly about: string;
	readonly usd: string;
	/** Sent as it is, or with a question in its body. */
	readonly order: Pick<CallOrder, "method" | "path" | "body">;
	/** The same operation in the playground, filled in. */
	readonly form: string;
}

const LIMIT = "50";
const SEARCH_ROWS = 10;
const SUBGRAPH = { max_nodes: 200, max_bytes: 256_000 };

type Fields = Readonly<Record<string, string>>;

/** `next_cursor` of each list that was begun, by the key of its offer; null where it is complete. */
export type Cursors = Map<string, string | null>;

/** What stands behind the toll around an item, the most useful first. */
export function offersFor(item: Item, { data }: Model, cursors: Cursors): readonly Offer[] {
	const reading = readerOf(data, cursors);
	const all: Readonly<Record<Item["mark"], () => readonly Offer[]>> = {
		graph: () => [
			toOffer(data, "graphs.search", {
				...{ key: "ask", path: "/search", body: { limit: SEARCH_ROWS }, filled: {} },
			}),
			reading("graphs.nodes.list", { key: "nodes", path: "/nodes", fields: { limit: LIMIT } }),
			reading("graphs.timeline", { key: "days", path: "/timeline", fields: { limit: LIMIT } }),
		],
		kind: () => [
			reading("graphs.nodes.list", {
				...{ key: item.id, path: "/nodes", fields: { type: item.name, limit: LIMIT } },
			}),
		],
		topic: () => [
			reading("graphs.nodes.list", {
				...{ key: item.id, path: "/nodes", fields: { tags: item.name, limit: LIMIT } },
			}),
		],
		concept: () => conceptOffers(item, data, reading),
		source: () => [],
		host: () => [],
	};
	// A list that was read to its end has nothing more.
	return all[item.mark]().filter(({ key }) => cursors.get(key) !== null);
}

type Reader = ReturnType<typeof readerOf>;

function conceptOffers(item: Item, data: ExplorerData, reading: Reader): readonly Offer[] {
	const id = conceptIdOf(item);
	const path = `/nodes/${encodeURIComponent(id)}`;
	const params = { node_id: id };
	const own = data.nodePrices[id];
	const seeds = { seeds: [id], ...SUBGRAPH };
	return [
		// Where not all prices are known, the form says what this one is.
		...(item.body === "" && (own !== undefined || !data.hasMorePrices)
			? [reading("graphs.node", { key: `read ${id}`, path, params, usd: own })]
			: []),
		toOffer(data, "graphs.subgraph", {
			...{ key: `round ${id}`, path: "/subgraph", body: seeds, filled: { seeds: id } },
		}),
		reading("graphs.neighbors", {
			...{ key: `near ${id}`, path: `${path}/neighbors`, params, fields: { limit: LIMIT } },
		}),
		reading("graphs.timeline", {
			...{ key: `days ${id}`, path: "/timeline", fields: { ...params, limit: LIMIT } },
		}),
	];
}

/** Offers of what is asked for by address alone, and goes on where it ended. */
function readerOf(data: ExplorerData, cursors: Cursors) {
	return (
		operation: SoldOperation,
		{
			key,
			path,
			params = {},
			fields = {},
			usd,
		}: {
			readonly key: string;
			readonly path: string;
			readonly params?: Fields;
			readonly fields?: Fields;
			readonly usd?: string | undefined;
		},
	): Offer => {
		const cursor = cursors.get(key);
		const search = new URLSearchParams({ ...fields, ...(cursor && { cursor }) }).toString();
		return toOffer(data, operation, {
			...{ key, usd, filled: { ...params, ...fields } },
			path: search === "" ? path : `${path}?${search}`,
		});
	};
}

function toOffer(
	{ graph, prices }: ExplorerData,
	operation: SoldOperation,
	{
		key,
		path,
		body,
		filled,
		usd = prices[operation],
	}: {
		readonly key: string;
		/** Behind the graph's address. */
		readonly path: string;
		readonly body?: object;
		/** Of the form. */
		readonly filled: Fields;
		readonly usd?: string | undefined;
	},
): Offer {
	return {
		...{ key, operation, usd, ...OFFERS[operation] },
		order: {
			method: body ? "POST" : "GET",
			path: `/v1/graphs/${graph.id}${path}`,
			...(body && { body }),
		},
		form: `/docs/${operation}?${new URLSearchParams({ graph_id: graph.id, ...filled })}`,
	};
}
