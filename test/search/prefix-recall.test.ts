import { join } from "node:path";
import t from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import { createRowPlanes, writeRow } from "../../src/search/dense/row-planes.js";
import { toPassages } from "../../src/search/lexical/concept-text.js";
import { toUnitLength } from "./random-vectors.js";

const GRAPHS = ["vector-retrieval", "http-web-standards", "kubernetes-enhancements"];
const MODEL = join(PACKAGE_ROOT, "models/table");
/** Above the number from which on prefixes are compared first. */
const ROWS = 33_000;
const QUERIES = 12;
const POOL = 50;
const TOP = 10;
/** Among mixtures of few texts some lie so close that it takes a float to distinguish them. */
const ROUNDING = 1e-4;

t.test(
	"with the bundled model, the closest of many passages are found by their prefixes",
	async (t) => {
		const embedder = await createTransformersEmbedder(systemClock, {
			folder: MODEL,
			sums: "required",
		});
		t.teardown(() => embedder.close());
		t.ok(embedder.identity.matryoshka?.includes(128));
		const texts: string[] = [];
		const titles: string[] = [];
		for (const name of GRAPHS) {
			const folder = join(PACKAGE_ROOT, "graphs", name);
			const { concepts } = await readGraph(folder);
			texts.push(...concepts.flatMap((concept) => toPassages(concept)));
			titles.push(...concepts.map(({ title }) => title));
		}
		const real = await embedder.embed(texts, "passage");
		// More rows than there is text for: mixtures of three passages lie where passages lie, and seldom beside one.
		const next = createSeededNumbers(5);
		const anyOf = () => real[Math.floor(next() * real.length)] ?? new Float32Array();
		const vectors = Array.from({ length: ROWS }, (_, row) => {
			const known = real[row];
			if (known) return known;
			const [one, two, three] = [anyOf(), anyOf(), anyOf()];
			return toUnitLength(one.map((value, at) => value + (two[at] ?? 0) + (three[at] ?? 0)));
		});
		const planes = createRowPlanes(ROWS, embedder.identity.dimensions);
		vectors.forEach((vector, row) => void writeRow(planes, row, vector));
		const starts = Uint32Array.from({ length: ROWS + 1 }, (_, document) => document);
		const { regions } = embedder.thread;
		const region = regions.add({ embedder: embedder.identity, starts, ...planes });
		const asked = titles.filter((_, at) => at % Math.ceil(titles.length / QUERIES) === 0);
		let found = 0;
		for (const text of asked) {
			const hits = await embedder.thread.search({
				text,
				vector: undefined,
				scopes: [{ vectors: region, base: 0, mask: undefined }],
				count: POOL,
				isWanted: () => true,
			});
			const scores = vectors.map((vector) => dot(hits?.vector ?? vector, vector));
			const floor = (scores.toSorted((one, other) => one - other).at(-TOP) ?? 0) - ROUNDING;
			found += (hits?.slots.slice(0, TOP) ?? []).filter(
				(slot) => (scores[slot] ?? 0) >= floor,
			).length;
		}
		const recall = found / (asked.length * TOP);
		t.comment(`recall@10 over ${asked.length} queries: ${recall}`);
		t.ok(recall >= 0.99, `${recall}`);
	},
);

function dot(one: Float32Array, other: Float32Array): number {
	let sum = 0;
	for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
	return sum;
}
