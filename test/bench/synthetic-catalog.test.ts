import { join } from "node:path";
import t from "tap";
import {
	createSyntheticCatalog,
	FULL_SIZE,
	writeSyntheticCatalog,
} from "../../bench/synthetic/synthetic-catalog.js";
import { expertsOf } from "../../skills/experts/expert-index.js";
import { GRAPH_TYPES } from "../../src/contract/wire.js";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import { toBundleFiles } from "../../src/knowledge/bundle/bundle-writer.js";
import { lintGraph } from "../knowledge/lint-graph.js";

const SMALL = { seed: 7, graphs: 12, concepts: 160, experts: 60 };
const small = createSyntheticCatalog(SMALL);
const bytesOf = (graphs: typeof small) =>
	graphs.flatMap((graph) =>
		[...toBundleFiles(graph)].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
	);

t.test("the same seed gives the same bytes, another seed others", async (t) => {
	t.same(bytesOf(createSyntheticCatalog(SMALL)), bytesOf(small));
	const other = createSyntheticCatalog({ ...SMALL, seed: 8 });
	t.notSame(bytesOf(other), bytesOf(small));
	const hashes = [...small, ...other].map(({ contentHash }) => contentHash);
	t.equal(new Set(hashes).size, 24, "graphs that differ have hashes that differ");
});

t.test("a catalog has as many graphs, concepts and experts as were asked for", async (t) => {
	for (const size of [SMALL, FULL_SIZE]) {
		const graphs = createSyntheticCatalog(size);
		t.equal(graphs.length, size.graphs);
		t.equal(
			graphs.reduce((sum, { concepts }) => sum + concepts.length, 0),
			size.concepts,
		);
		t.equal(graphs.flatMap(expertsOf).length, size.experts);
		t.same(new Set(graphs.map(({ record }) => record.type)), new Set(GRAPH_TYPES));
	}
	t.throws(() => createSyntheticCatalog({ ...SMALL, concepts: 20 }), RangeError);
	t.throws(() => createSyntheticCatalog({ ...SMALL, experts: 1 }), RangeError);
});

t.test("what is written to a folder reads back equal and has nothing to be mended", async (t) => {
	const folder = t.testdir({});
	for (const graph of await writeSyntheticCatalog(SMALL, folder)) {
		const findings: unknown[] = [];
		const read = await readGraph(join(folder, graph.record.id), {
			onFinding: (finding) => findings.push(finding),
		});
		t.same(findings, []);
		t.same(read.record, graph.record);
		t.same(read.concepts, graph.concepts);
		const reading = readBundle(toBundleFiles(graph));
		t.same(lintGraph(reading, { today: "2026-11-01" }), [], graph.record.id);
	}
});

t.test(
	"everything says that it is synthetic, and names no address but reserved ones",
	async (t) => {
		for (const { record, concepts } of small) {
			t.match(record.id, /^synthetic-/);
			for (const text of [record.title, record.description, record.about])
				t.match(text, /synthetic/i);
			if (record.expert) t.match(record.expert.disclosure, /^Synthetic\..*no person/);
			if (record.analyst) t.match(record.analyst.name, /^Synthetic/);
			for (const { title, body, evidence } of concepts) {
				t.match(title, /synthetic/i);
				t.match(body, /generated/);
				for (const { sourceUrl } of evidence)
					t.match(sourceUrl, /^https:\/\/example\.org\/synthetic\//);
			}
		}
	},
);
