import { packArchive } from "./archive.js";
import { encodeFiles, type ListingEntry, toLogFile, toRootListing } from "./bundle-writer.js";
import { toMarkdownFile } from "./concept-writer.js";
import type { Graph } from "./graph.js";
import { NO_DESCRIPTION, renderReadme } from "./readme.js";

export interface CatalogBundleOptions {
	/** Public base address without a trailing slash. */
	readonly baseUrl: string;
	/** Base address of the MCP server; null (default) while it is not known. */
	readonly mcpUrl?: string | null;
}

/**
 * The whole catalog as one conforming bundle in a zip archive: a record and a readme per graph, never a concept's text.
 * The same graphs and addresses give the same bytes, so that a hash of them is an ETag.
 */
export function buildCatalogBundle(
	graphs: readonly Graph[],
	options: CatalogBundleOptions,
): Uint8Array {
	return packArchive(toCatalogFiles(graphs, options));
}

/** The files of that bundle, by path. */
function toCatalogFiles(
	graphs: readonly Graph[],
	{ baseUrl, mcpUrl = null }: CatalogBundleOptions,
): Map<string, Uint8Array> {
	const sorted = [...graphs].sort((a, b) => (a.record.id < b.record.id ? -1 : 1));
	const updated = sorted.map(({ record }) => record.updated).sort();
	const texts = new Map<string, string>([
		["index.md", toIndex(sorted)],
		["log.md", toLogFile(updated.at(-1) ?? "1970-01-01", [`${sorted.length} graphs on sale.`])],
	]);
	for (const graph of sorted) {
		texts.set(`graphs/${graph.record.id}.md`, toRecordConcept(graph, baseUrl));
		texts.set(`readmes/${graph.record.id}.md`, renderReadme(graph, { baseUrl, mcpUrl }));
	}
	return encodeFiles(texts);
}

function toIndex(graphs: readonly Graph[]): string {
	const entriesIn = (folder: string): ListingEntry[] =>
		graphs.map(({ record }) => ({
			path: `${folder}/${record.id}.md`,
			title: record.title,
			description: record.description || NO_DESCRIPTION,
		}));
	return toRootListing(
		"Knowledge graphs on sale",
		new Map([
			["Graphs", entriesIn("graphs")],
			["Readmes", entriesIn("readmes")],
		]),
	);
}

function toRecordConcept({ record, concepts }: Graph, baseUrl: string): string {
	const address = `${baseUrl}/v1/graphs/${record.id}`;
	const sources = new Set(
		concepts.flatMap(({ evidence }) => evidence.map(({ sourceUrl }) => sourceUrl)),
	);
	return toMarkdownFile(
		{
			type: record.type,
			id: record.id,
			slug: record.slug,
			title: record.title,
			...(record.description === "" ? {} : { description: record.description }),
			resource: address,
			...(record.topics.length === 0 ? {} : { tags: record.topics }),
			version: record.version,
			updated: record.updated,
			nodes: concepts.length,
			sources_cited: sources.size,
		},
		`${record.description || NO_DESCRIPTION}\n\nIts [readme](/readmes/${record.id}.md) says how to connect. Search: \`POST ${address}/search\`.`,
	);
}
