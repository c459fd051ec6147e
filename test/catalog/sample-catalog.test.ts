import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { GRAPH_TYPES } from "../../src/contract/wire.js";
import { parseSourceDate } from "../../src/documents/front-matter.js";
import { renderReadme } from "../../src/knowledge/exports/catalog-bundle.js";
import { listSources, toSourcesTsv } from "../support/cited-sources.js";
import { checkCatalog, listGraphs, readCatalog } from "./check-catalog.js";

const GRAPHS = "graphs";
/** Verified titles, dates and addresses; not part of the repository. */
const FACTS = join("..", "shared", "data", "facts");
const readings = await readCatalog(await listGraphs());
const graphs = readings.map(({ graph }) => graph);

t.test("the catalog has at least 24 graphs of all four kinds and 700 concepts", async (t) => {
	t.ok(graphs.length >= 24);
	t.same([...new Set(graphs.map(({ record }) => record.type))].sort(), [...GRAPH_TYPES].sort());
	t.ok(graphs.reduce((sum, { concepts }) => sum + concepts.length, 0) >= 700);
});

t.test(
	"check:catalog finds no fault, three typed edges a concept and forty dated disputes",
	async (t) => {
		const { faults, typedEdges, dated } = await checkCatalog([]);
		t.same(faults, []);
		t.ok(typedEdges >= 3, String(typedEdges));
		t.ok(dated >= 40, String(dated));
	},
);

t.test("ids are the folders' names, and no id or slug names two graphs", async (t) => {
	const names = graphs.flatMap(({ record }) => [...new Set([record.id, record.slug])]);
	t.equal(new Set(names).size, names.length);
	for (const { record, folder } of graphs) t.equal(join(GRAPHS, record.id), folder);
});

t.test("experts disclose what they are, and analysts say how they work", async (t) => {
	for (const { record } of graphs) {
		if (record.type === "expert") {
			t.ok(record.expert?.isAiTwin, record.id);
			t.match(record.expert?.disclosure ?? "", /not a real person/, record.id);
		}
		if (record.type === "analyst") t.ok(record.analyst?.method, record.id);
	}
});

t.test("every readme has the six sections in order", async (t) => {
	for (const graph of graphs) {
		const readme = renderReadme(graph, { baseUrl: "http://localhost", mcpUrl: null });
		t.same(
			[...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading),
			[
				"What This Is",
				"What It Covers",
				"Example Queries",
				"How to Connect",
				"Who Built This",
				"Learn More",
			],
			graph.record.id,
		);
	}
});

t.test("sources.tsv lists exactly the sources the graphs cite", async (t) => {
	const listed = await readFile(join(GRAPHS, "sources.tsv"), "utf8");
	t.equal(listed, toSourcesTsv(listSources(graphs)));
});

t.test("sources of the fact tables have the title and the date that these give", async (t) => {
	const facts = await readFacts();
	if (!facts) {
		t.pass("not checked", { skip: `the fact tables are not at hand in ${FACTS}` });
		return;
	}
	for (const { url, title, date } of listSources(graphs)) {
		if (MISPRINTED.has(url)) continue;
		const known = facts.get(url);
		if (known) t.ok(known.has(`${title}\t${date}`), `${url} ${title} ${date}`);
	}
});

/** The table has a letter less in this title than the paper. */
const MISPRINTED = new Set(["https://arxiv.org/abs/2403.05440"]);

/** Titles and dates by address; undefined where the tables are missing. */
async function readFacts(): Promise<ReadonlyMap<string, ReadonlySet<string>> | undefined> {
	const names = await readdir(FACTS).catch(() => undefined);
	if (!names) return undefined;
	const facts = new Map<string, Set<string>>();
	for (const name of names.filter((each) => each.endsWith(".tsv"))) {
		const [header = "", ...lines] = (await readFile(join(FACTS, name), "utf8")).trim().split("\n");
		const columns = header.split("\t");
		for (const line of lines) {
			const cells = line.split("\t");
			const cell = (...wanted: string[]) =>
				cells[columns.findIndex((name) => wanted.includes(name))];
			const url = cell("url") ?? "";
			const known = facts.get(url) ?? new Set();
			const date = toListedDate(
				cell(
					"date",
					"created",
					"date_added",
					"submitted",
					"published",
					"start_date",
					"edition_year",
				),
			);
			// One table names a document in the first column and gives its title, if any, in the second.
			known.add(`${cell("title", "name", "proposal") ?? ""}\t${date}`);
			known.add(`${cell("fact") ?? ""}\t${date}`);
			facts.set(url, known);
		}
	}
	return facts;
}

/** The tables write some dates as `13-Jun-2000`; the list has ISO dates of the same precision. */
function toListedDate(text = ""): string {
	const parsed = parseSourceDate(text);
	const chars = { year: 4, month: 7, day: 10 };
	return parsed ? parsed.date.slice(0, chars[parsed.precision]) : "";
}
