import { LIMITS } from "../../contract/contract.js";
import { packArchive } from "../bundle/archive.js";
import {
	encodeFiles,
	type ListingEntry,
	toLogFile,
	toMarkdownFile,
	toRootListing,
} from "../bundle/bundle-writer.js";
import type { Graph, GraphRecord } from "../model/graph.js";

/**
 * The catalog as a zipped bundle: record and readme per graph; the same graphs give the same bytes,
 * for an ETag.
 */
export function buildCatalogBundle(
	graphs: readonly Graph[],
	{ baseUrl, mcpUrl = null }: Partial<ReadmeOptions> & Pick<ReadmeOptions, "baseUrl">,
): Uint8Array {
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
	return packArchive(encodeFiles(texts));
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

interface ReadmeOptions {
	readonly baseUrl: string;
	/** Base address of the MCP server; null until it is known, and the readme says so. */
	readonly mcpUrl: string | null;
	/** Price of one search as a decimal string; the price list's address stands in when it is not given. */
	readonly searchPriceUsd?: string;
}

const NO_DESCRIPTION = "No description available.";
const NO_EXAMPLE_QUERIES = "Contact us for example queries";

/** The readme of a graph: front matter and six sections, in the contract's order. Spec: Resources, graph record. */
export function renderReadme(graph: Graph, options: ReadmeOptions): string {
	const { record } = graph;
	const sections: readonly (readonly [heading: string, text: string])[] = [
		["What This Is", whatThisIs(record)],
		["What It Covers", toList(record.topics, "No topics are listed.")],
		["Example Queries", toList(record.exampleQueries, NO_EXAMPLE_QUERIES)],
		["How to Connect", howToConnect(record, options)],
		["Who Built This", whoBuiltThis(record)],
		["Learn More", learnMore(record, options)],
	];
	return toMarkdownFile(
		{
			id: record.id,
			title: record.title,
			type: record.type,
			version: record.version,
			updated: record.updated,
		},
		[
			`# ${escapeLine(record.title)}`,
			...sections.map(([heading, text]) => `## ${heading}\n\n${text}`),
		].join("\n\n"),
	);
}

/** The readmes by kind of graph as a conforming root listing; links are relative to `/v1/readmes/index.md`. */
export function renderReadmeIndex(graphs: readonly Graph[]): string {
	const kinds = [
		["Domains", "domain"],
		["Industry reports", "industry report"],
		["Experts", "expert"],
		["Analysts", "analyst"],
	] as const;
	const sections = kinds.map(([heading, type]) => {
		const entries = graphs
			.filter(({ record }) => record.type === type)
			.map(({ record }) => ({
				path: `../graphs/${record.id}/readme`,
				title: record.title,
				description: record.description || NO_DESCRIPTION,
			}));
		return [heading, entries] as const;
	});
	return toRootListing(
		"Graph readmes",
		new Map(sections.filter(([, entries]) => entries.length > 0)),
	);
}

function whatThisIs({ description, about }: GraphRecord): string {
	// Headings of the prose would break the readme's six sections apart.
	const prose = about.replace(/^ {0,3}#{1,6}[ \t]+(.*)$/gm, "**$1**");
	return [description, prose].filter((text) => text !== "").join("\n\n") || NO_DESCRIPTION;
}

function howToConnect({ id }: GraphRecord, options: ReadmeOptions): string {
	const { baseUrl, mcpUrl, searchPriceUsd } = options;
	const price = searchPriceUsd
		? `${searchPriceUsd} USD per call`
		: `the price per call listed at ${baseUrl}/v1/research/pricing`;
	return [
		`* REST: \`POST ${baseUrl}/v1/graphs/${id}/search\` with the JSON body \`{"query": "…", "limit": ${LIMITS.rowsDefault}}\`.`,
		mcpUrl === null
			? `* MCP: \`/mcp\` of the server that sells it (streamable HTTP), graph ID \`${id}\`.`
			: `* MCP: \`${mcpUrl.replace(/\/+$/, "").replace(/\/mcp$/, "")}/mcp\` (streamable HTTP), graph ID \`${id}\`.`,
		`* Preview: \`GET ${baseUrl}/v1/graph-slice?graph_id=${id}\`, a free sample as JSON-LD.`,
		`* Authentication: send an account API key as \`X-API-Key\`, or a Shared Payment Token as \`Authorization: Bearer spt_…\`. A call without either is answered with HTTP 402 and instructions to pay ${price}.`,
		`* Free tier: an account's base plan includes ${LIMITS.freeCallsPerMonth} calls per month, at most ${LIMITS.freeCallsPerDay} a day without a card on file.`,
	].join("\n");
}

function whoBuiltThis({ curator, expert, analyst }: GraphRecord): string {
	const paragraphs = [
		curator ? `Curated by ${curator.name}.${curator.note ? ` ${curator.note}` : ""}` : "",
		expert ? joinSentences([`${expert.name}: ${expert.headline}`, expert.disclosure]) : "",
		analyst ? joinSentences([`${analyst.name}: ${analyst.domain}`, analyst.method]) : "",
	].filter((text) => text !== "");
	return paragraphs.join("\n\n") || "The curator is not named.";
}

function learnMore({ slug }: GraphRecord, { baseUrl }: ReadmeOptions): string {
	return [
		`* [Graph detail](${baseUrl}/v1/graphs/${slug})`,
		`* [Full catalog](${baseUrl}/v1/graphs/catalog), also as an [Open Knowledge Format bundle](${baseUrl}/v1/catalog.okf)`,
		`* [API documentation](${baseUrl}/openapi.json)`,
	].join("\n");
}

function toList(items: readonly string[], fallback: string): string {
	return items.length === 0 ? fallback : items.map((item) => `* ${escapeLine(item)}`).join("\n");
}

function joinSentences(sentences: readonly string[]): string {
	return sentences
		.filter((text) => text !== "")
		.map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
		.join(" ");
}

function escapeLine(text: string): string {
	return text.replace(/\s+/g, " ").replace(/[\\[\]<>]/g, "\\$&");
}
