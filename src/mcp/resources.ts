import { type Resource, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { textOf } from "./lookup-tools.js";

const CATALOG_URI = "tollgraph://catalog";
const README_URI = /^tollgraph:\/\/graphs\/([^/]{1,200})\/readme$/;
const PAGE = 50;

export const README_TEMPLATE = {
	uriTemplate: "tollgraph://graphs/{graph_id}/readme",
	name: "graph-readme",
	title: "Readme of a graph",
	description: "What a graph is about, what it covers, example questions and who made it.",
	mimeType: "text/markdown",
};

interface GraphPage {
	readonly items: readonly {
		readonly id: string;
		readonly title: string;
		readonly description: string;
	}[];
	readonly next_cursor?: string | null;
}

/** What a client may read without a tool: the catalog, and the readme of every graph. A page of them. */
export function listResources({ free }: Service, cursor: string | undefined) {
	const page = free.graphsCatalog({ limit: PAGE, cursor }) as unknown as GraphPage;
	const readmes = page.items.map(
		({ id, title, description }): Resource => ({
			uri: `tollgraph://graphs/${id}/readme`,
			name: `${id}-readme`,
			title,
			description,
			mimeType: "text/markdown",
		}),
	);
	const catalog: Resource = {
		uri: CATALOG_URI,
		name: "catalog",
		title: "Catalog of graphs",
		description: "Every graph on sale with its topics, size and price.",
		mimeType: "application/json",
	};
	return {
		resources: cursor === undefined ? [catalog, ...readmes] : readmes,
		...(page.next_cursor && { nextCursor: page.next_cursor }),
	};
}

/** Throws ResourceNotFoundError. */
export function readResource({ free }: Service, uri: string) {
	if (uri === CATALOG_URI) {
		const text = JSON.stringify(free.graphsCatalog());
		return { contents: [{ uri, mimeType: "application/json", text }] };
	}
	const [, id] = README_URI.exec(uri) ?? [];
	if (id === undefined) throw new ResourceNotFoundError(uri.slice(0, 200));
	try {
		const { body } = free.graphReadme(id);
		return { contents: [{ uri, mimeType: "text/markdown", text: textOf(body) }] };
	} catch (error) {
		if (error instanceof ServiceError && error.code === "NOT_FOUND") {
			throw new ResourceNotFoundError(uri.slice(0, 200));
		}
		throw error;
	}
}
