import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { createSearchEngine } from "../../src/search/search-engine.js";

const GRAPHS_FOLDER = join(PACKAGE_ROOT, "graphs");

const MODEL_FOLDER = join(PACKAGE_ROOT, "models/table");

/** A question in other words than the text's, and the graph that has it. */
const PARAPHRASES = [
	["cryptography-standards", "check whether a certificate was revoked online", "OCSP"],
	["cryptography-standards", "quantum safe key encapsulation", "ML-KEM"],
	["http-web-standards", "resume an interrupted download", "Range"],
	["agent-payments", "who pays transaction fees on behalf of a user", "aymaster"],
	["exploited-vulnerabilities", "java logging library remote code execution", "Log4Shell"],
	["kubernetes-enhancements", "rootless containers mapping uid", "User namespaces"],
	["vector-retrieval", "shrinking embeddings by truncating dimensions", "Matryoshka"],
	["python-evolution", "removing the global interpreter lock", "Free-threaded"],
] as const;

const OFF_TOPIC = [
	"best pizza recipe with mushrooms",
	"symptoms of vitamin d deficiency in children",
	"cheap flights from berlin to lisbon",
	"medieval castles in scotland",
	"flurble gromp the wizzle",
	"asdf qwer zxcv",
	"lyrics of a love song about summer",
	"EIP-99999",
	"the of and",
	"!!!",
];

t.test("the sample catalog", async (t) => {
	const graphs = await readSampleGraphs();
	const engine = await createSearchEngine({
		folder: t.testdir(),
		clock: systemClock,
		model: { folder: MODEL_FOLDER, sums: "required" },
	});
	t.teardown(() => engine.close());
	await engine.sync(graphs);
	const find = (searched: readonly Graph[], query: string) =>
		engine.find({ graphs: searched, query, limit: 5, signal: new AbortController().signal });

	t.test("every example query of a graph is answered from that graph", async (t) => {
		for (const graph of graphs) {
			for (const query of graph.record.exampleQueries) {
				const { decision, rows, mode } = await find([graph], query);
				t.ok(decision !== "ABSTAIN" && rows.length > 0, `${graph.record.id}: ${query}`);
				t.equal(mode, "hybrid");
			}
		}
	});

	t.test(
		"a paraphrase finds its concept among the first three and is not turned away",
		async (t) => {
			for (const [id, query, title] of PARAPHRASES) {
				const graph = graphs.find(({ record }) => record.id === id);
				if (!graph) {
					t.comment(`The graph "${id}" is not in this checkout.`);
					continue;
				}
				const { decision, rows } = await find([graph], query);
				t.not(decision, "ABSTAIN", query);
				const titles = rows.slice(0, 3).map(({ concept }) => concept.title);
				t.ok(
					titles.some((found) => found.includes(title)),
					`${query}: ${titles.join(" | ")}`,
				);
			}
		},
	);

	t.test(
		"what the catalog does not cover is not sold, and the missing words are named",
		async (t) => {
			for (const query of OFF_TOPIC) {
				const { decision, dataStatus, rows } = await find(graphs, query);
				t.same([decision, dataStatus, rows.length], ["ABSTAIN", "NO_MATCH", 0], query);
			}
			const { missing } = await find(graphs, "medieval castles in scotland");
			t.ok(missing.includes("medieval"), missing.join(" "));
		},
	);

	t.test("a name or identifier brings its concept first", async (t) => {
		for (const graph of graphs) {
			const concept = graph.concepts[0];
			if (!concept) continue;
			const { rows, dataStatus } = await find([graph], concept.title);
			t.equal(rows[0]?.concept.title, concept.title);
			t.equal(dataStatus, "ENTITY_MATCH", concept.title);
		}
	});
});

async function readSampleGraphs(): Promise<readonly Graph[]> {
	const names = (await readdir(GRAPHS_FOLDER)).sort();
	const folders = names.map((name) => join(GRAPHS_FOLDER, name));
	return Promise.all(
		folders
			.filter((folder) => existsSync(join(folder, "graph.md")))
			.map((folder) => readGraph(folder)),
	);
}
