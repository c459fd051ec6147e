import { DOMParser } from "@xmldom/xmldom";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
// @ts-expect-error The package brings no types.
import jsonld from "jsonld";
import t from "tap";
import type { ExportFormat } from "../../../skills/graphs/graph-feed-wire.js";
import type { ExportTable } from "../../../skills/graphs/reading/export-formats.js";
import { exportGraph } from "../../../skills/graphs/reading/graph-export.js";
import { mapOf } from "../../../skills/graphs/reading/graph-map.js";
import { unpackArchive } from "../../../src/knowledge/bundle/archive.js";
import { readBundle } from "../../../src/knowledge/bundle/bundle-reader.js";
import type { Graph } from "../../../src/knowledge/model/graph.js";
import { graphOf, TIDES } from "../../knowledge/sample-bundle.js";
import { anyGraph } from "./random-graph.js";

const baseUrl = "https://shop.example";
const { signal } = new AbortController();

type Row = Readonly<Record<string, string>>;

/** What a parser of RFC 4180 makes of a table. */
async function rowsOf(graph: Graph, table: ExportTable): Promise<readonly Row[]> {
	return parse(await textOf(graph, "csv", table), { columns: true }) as Row[];
}

async function textOf(graph: Graph, format: ExportFormat, table: ExportTable = "nodes") {
	const { chunks } = await exportGraph(graph, { format, table, baseUrl }, signal);
	return Buffer.concat(chunks).toString("utf8");
}

/** A cell a spreadsheet would run is led by a quote: what was meant is behind it. */
const meantBy = (cell: string) => cell.replace(/^'(?=[=+\-@])/, "");

t.test("CSV holds every node and edge, whatever their texts, and no formula", async (t) => {
	await fc.assert(
		fc.asyncProperty(anyGraph, async (graph) => {
			const nodes = await rowsOf(graph, "nodes");
			const { concepts, edges } = mapOf(graph);
			t.same(
				nodes.map((row) => [row["node_id"], meantBy(row["title"] ?? ""), row["body"]]),
				concepts.map(({ id, title, body }) => [
					id,
					title,
					/^[=+\-@]/.test(body) ? `'${body}` : body,
				]),
			);
			for (const row of nodes) for (const cell of Object.values(row)) t.notMatch(cell, /^[=+@]/);
			const rows = await rowsOf(graph, "edges");
			t.same(
				rows.map((row) => [row["type"], row["target"], Number(row["weight"])]),
				edges.map(({ type, target, weight }) => [type, target, weight]),
			);
			const sources = await rowsOf(graph, "evidence");
			t.equal(sources.length, concepts.flatMap(({ evidence }) => evidence).length);
		}),
		{ numRuns: 60 },
	);
});

t.test("GraphML is well-formed and says what the graph says", async (t) => {
	await fc.assert(
		fc.asyncProperty(anyGraph, async (graph) => {
			const complaints: string[] = [];
			const parser = new DOMParser({ onError: (_, message) => complaints.push(message) });
			const document = parser.parseFromString(await textOf(graph, "graphml"), "text/xml");
			t.same(complaints, []);
			const { concepts, edges } = mapOf(graph);
			const all = (name: string) => [...document.getElementsByTagName(name)];
			t.same(
				all("node").map((node) => node.getAttribute("id")),
				concepts.map(({ id }) => id),
			);
			t.same(
				all("edge").map((edge) => edge.getAttribute("target")),
				edges.map(({ target }) => target),
			);
			const titles = all("data").filter((data) => data.getAttribute("key") === "node-title");
			t.same(
				titles.map((data) => data.textContent),
				concepts.map(({ title }) => title),
			);
		}),
		{ numRuns: 40 },
	);
});

t.test("every line of NDJSON is a record, and nothing is missing", async (t) => {
	await fc.assert(
		fc.asyncProperty(anyGraph, async (graph) => {
			const lines = (await textOf(graph, "ndjson")).trimEnd().split("\n");
			const records = lines.map((line) => JSON.parse(line));
			const { concepts, edges } = mapOf(graph);
			t.equal(records.length, 1 + concepts.length + edges.length);
			t.same(
				records.filter(({ kind }) => kind === "node").map(({ title, tags }) => [title, tags]),
				concepts.map(({ title, tags }) => [title, tags]),
			);
		}),
		{ numRuns: 40 },
	);
});

t.test("JSON-LD expands without a network to every node, source and typed edge", async (t) => {
	await fc.assert(
		fc.asyncProperty(anyGraph, async (graph) => {
			const document = JSON.parse(await textOf(graph, "jsonld"));
			const documentLoader = () => Promise.reject(new Error("no network"));
			const [dataset] = await jsonld.expand(document, { documentLoader });
			const valuesOf = (node: unknown, property: string) =>
				((node as Record<string, unknown[]>)[`https://schema.org/${property}`] ?? []) as {
					"@value"?: unknown;
				}[];
			const terms = valuesOf(dataset, "hasDefinedTerm");
			const { concepts, edges } = mapOf(graph);
			t.same(
				terms.map((term) => valuesOf(term, "name")[0]?.["@value"]),
				concepts.map(({ title }) => title),
			);
			t.equal(
				terms.flatMap((term) => valuesOf(term, "citation")).length,
				concepts.flatMap(({ evidence }) => evidence).length,
			);
			t.same(
				terms
					.flatMap((term) => valuesOf(term, "mentions"))
					.map((role) => valuesOf(role, "roleName")[0]?.["@value"])
					.sort(),
				edges.map(({ type }) => type).sort(),
			);
		}),
		{ numRuns: 25 },
	);
});

t.test(
	"an OKF export imports as the same graph, and its bytes are the same each time",
	async (t) => {
		const tides = graphOf(TIDES);
		const request = { format: "okf", table: "nodes", baseUrl } as const;
		const first = await exportGraph(tides, request, signal);
		const archive = Buffer.concat(first.chunks);
		const again = readBundle(unpackArchive(archive, () => true));
		t.same(again.findings, []);
		t.same(again.graph.record, tides.record);
		t.same(again.graph.concepts, tides.concepts);
		t.same((await exportGraph(tides, request, signal)).chunks, first.chunks);
		t.match(first, { mediaType: "application/zip", fileName: "tides-1.0.0.okf.zip" });
	},
);
