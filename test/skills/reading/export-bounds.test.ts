import t from "tap";
import { EXPORT_FORMATS, type ExportFormat } from "../../../skills/graphs/graph-feed-wire.js";
import {
	assertExportable,
	exportGraph,
	leastExportChars,
} from "../../../skills/graphs/reading/graph-export.js";
import { READING_LIMITS } from "../../../src/contract/limits.js";
import type { Evidence } from "../../../src/knowledge/model/graph.js";
import { graphOf, TIDES } from "../../knowledge/sample-bundle.js";
import { conceptOf, graphWith, linksTo } from "./random-graph.js";

const baseUrl = "https://shop.example";
const { signal } = new AbortController();
const requestFor = (format: ExportFormat, table: "nodes" | "edges" | "evidence" = "nodes") => ({
	format,
	table,
	baseUrl,
});
const times = <T>(count: number, make: (index: number) => T) =>
	Array.from({ length: count }, (_, index) => make(index));

const sourced = (index: number, sources: number): { evidence: readonly Evidence[] } => ({
	evidence: times(sources, (at) => ({
		articleId: `a${index}-${at}`,
		title: "T".repeat(300),
		sourceUrl: `https://example.org/${"u".repeat(1_900)}/${index}/${at}`,
		publishedAt: "2020-01-01",
		datePrecision: "day",
	})),
});

t.test("what is counted before an export is never more than what is written", async (t) => {
	const plain = times(20, (at) =>
		conceptOf(`c.n${at}`, { body: "word ".repeat(at), ...linksTo("c.n1", "c.n2") }),
	);
	const rich = times(20, (at) => conceptOf(`c.r${at}`, { ...sourced(at, 5), tags: ["a", "b"] }));
	for (const graph of [graphOf(TIDES), graphWith(plain), graphWith(rich, "rich")]) {
		for (const table of ["nodes", "edges", "evidence"] as const) {
			for (const format of EXPORT_FORMATS.filter((name) => name !== "okf")) {
				const request = requestFor(format, table);
				const { chunks } = await exportGraph(graph, request, signal);
				const written = Buffer.concat(chunks).byteLength;
				const counted = leastExportChars(graph, request);
				t.ok(counted <= written || written === 0, `${format} ${table}: ${counted} of ${written}`);
				t.ok(counted > written / 4 || written < 5_000, `${format} ${table}: ${counted}`);
			}
		}
	}
});

t.test("a graph of many long addresses is refused before anything is made", async (t) => {
	const concepts = times(60, (index) => conceptOf(`n${index}`, sourced(index, 190)));
	const graph = graphWith(concepts);
	for (const format of ["okf", "ndjson", "jsonld"] as const) {
		const refusal = { code: "INVALID_ARGUMENT", message: /page by page/ };
		t.throws(() => assertExportable(graph, requestFor(format)), refusal, format);
	}
	t.doesNotThrow(() => assertExportable(graph, requestFor("csv", "nodes")));
	t.doesNotThrow(() => assertExportable(graphOf(TIDES), requestFor("okf")));
});

t.test("a file that outgrows the bound while it is written is refused from then on", async (t) => {
	// Written as "&#38;" these marks take five times the room that is counted.
	const body = "&".repeat(READING_LIMITS.exportBytes / 16);
	const graph = graphWith(times(8, (at) => conceptOf(`n${at}`, { body })));
	const refusal = { code: "INVALID_ARGUMENT", message: /page by page/ };
	t.doesNotThrow(() => assertExportable(graph, requestFor("graphml")));
	await t.rejects(exportGraph(graph, requestFor("graphml"), signal), refusal);
	t.throws(() => assertExportable(graph, requestFor("graphml")), refusal);
	t.doesNotThrow(() => assertExportable(graph, requestFor("ndjson")));
});

t.test("an export no caller waits for any more ends within a turn", async (t) => {
	const caller = new AbortController();
	let written = 0;
	const concepts = times(2_000, (at) => conceptOf(`n${at}`));
	for (const concept of concepts) {
		Object.defineProperty(concept, "body", {
			get() {
				written += 1;
				if (written === 2_100) caller.abort(new Error("The caller left."));
				return "text";
			},
		});
	}
	// The pass that counts reads each text once.
	const exported = exportGraph(graphWith(concepts), requestFor("ndjson"), caller.signal);
	await t.rejects(exported, { message: "The caller left." });
	t.ok(written < 2_200, `${written}`);
});
