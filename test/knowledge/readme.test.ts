import t from "tap";
import { parseMarkdown } from "../../src/documents/front-matter.js";
import { findLinkTargets } from "../../src/documents/markdown.js";
import { renderReadme, renderReadmeIndex } from "../../src/knowledge/exports/catalog-bundle.js";
import { graphOf, TIDES } from "./sample-bundle.js";

const SECTIONS = [
	"What This Is",
	"What It Covers",
	"Example Queries",
	"How to Connect",
	"Who Built This",
	"Learn More",
];
const at = { baseUrl: "https://knowledge.example", mcpUrl: null };
const headings = (readme: string) => [...readme.matchAll(/^## (.*)$/gm)].map(([, text]) => text);

t.test("a readme has the contract's front matter and its six sections in order", async (t) => {
	const readme = renderReadme(graphOf(TIDES), at);
	t.same(parseMarkdown(readme).data, {
		id: "tides",
		title: "Tides",
		type: "expert",
		version: "1.0.0",
		updated: "2026-03-01",
	});
	t.same(headings(readme), SECTIONS);
	for (const expected of [
		"What moves the sea.\n\nHow water moves.",
		"* Why are there two tides a day?",
		"POST https://knowledge.example/v1/graphs/tides/search",
		"* MCP: `/mcp` of the server that sells it (streamable HTTP), graph ID `tides`.",
		"GET https://knowledge.example/v1/graph-slice?graph_id=tides",
		"100 calls per month, at most 50 a day",
		"Curated by Harbour desk. Read by hand.",
		"Tide Desk: Reads tables. A synthetic desk.",
	]) {
		t.ok(readme.includes(expected), expected);
	}
	t.ok(findLinkTargets(readme).includes("https://knowledge.example/v1/graphs/tides-and-currents"));
});

t.test("an MCP server is named once it is known, with the graph's id", async (t) => {
	for (const mcpUrl of ["https://mcp.example", "https://mcp.example/mcp", "https://mcp.example/"]) {
		const readme = renderReadme(graphOf(TIDES), { ...at, mcpUrl });
		t.match(readme, "`https://mcp.example/mcp` (streamable HTTP), graph ID `tides`");
		t.notMatch(readme, "of the server that sells it");
	}
});

t.test("content without description and queries has the contract's fallback texts", async (t) => {
	const readme = renderReadme(graphOf({ "graph.md": "---\ntype: domain\nid: bare\n---\n" }), at);
	t.match(readme, "## What This Is\n\nNo description available.\n");
	t.match(readme, "## Example Queries\n\nContact us for example queries\n");
	t.same(headings(readme), SECTIONS);
});

t.test("headings in the prose do not become sections", async (t) => {
	const record = "---\ntype: domain\nid: loud\n---\n## Learn More\n\nHere.\n";
	t.same(headings(renderReadme(graphOf({ "graph.md": record }), at)), SECTIONS);
});

t.test("the index is a conforming root listing of all readmes", async (t) => {
	const domain = graphOf({ "graph.md": "---\ntype: domain\nid: bare\ntitle: Bare\n---\n" });
	const index = renderReadmeIndex([graphOf(TIDES), domain]);
	t.equal(
		index,
		[
			'---\nokf_version: "0.2"\n---\n',
			"# Graph readmes\n",
			"## Domains\n",
			"* [Bare](../graphs/bare/readme) - No description available.\n",
			"## Experts\n",
			"* [Tides](../graphs/tides/readme) - What moves the sea.\n",
		].join("\n"),
	);
});
