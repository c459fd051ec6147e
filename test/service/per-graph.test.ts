import { setImmediate } from "node:timers/promises";
import t from "tap";
import { createGraphCatalog, createPerGraph } from "../../src/knowledge/model/catalog.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { makeConcept, makeGraph } from "./sample-graphs.js";

const graph = (id: string, titles: string[]) =>
	makeGraph(
		{ id, slug: id },
		titles.map((title, index) => makeConcept({ id: `c${index}`, title })),
	);

function start(graphs: Graph[]) {
	const catalog = createGraphCatalog(graphs);
	const read: string[] = [];
	const titles = createPerGraph({
		revision: () => catalog.revision,
		graphs: () => catalog.list(),
		*make({ record, concepts }) {
			read.push(record.id);
			const all: string[] = [];
			for (const { title } of concepts) {
				all.push(title);
				yield;
			}
			return all;
		},
		// biome-ignore lint/correctness/useYield: what is combined here is small.
		*combine(parts) {
			return parts.flat();
		},
	});
	return { catalog, read, titles };
}

t.test("only graphs that are new are read, and each once", async (t) => {
	const { catalog, read, titles } = start([graph("one", ["a"]), graph("two", ["b"])]);
	t.same(read, [], "nothing is read before somebody asks");
	t.same(await titles(), ["a", "b"]);
	t.equal(titles(), titles(), "nothing is made anew while nothing changes");
	catalog.put({ ...graph("two", ["b", "c"]), contentHash: "two-2".padEnd(64, "0") });
	t.same(await titles(), ["a", "b", "c"]);
	t.same(read, ["one", "two", "two"]);
	catalog.remove("one");
	t.same(await titles(), ["b", "c"]);
	t.equal(read.length, 3);
});

t.test(
	"others are served while many graphs are read, and a change meanwhile loses nothing",
	async (t) => {
		const some = Array.from({ length: 30 }, (_, index) => graph(`g${index}`, ["x", "y", "z"]));
		const { catalog, titles } = start(some);
		const before = titles();
		let isDone = false;
		before.then(() => {
			isDone = true;
		});
		await setImmediate();
		t.notOk(isDone, "small graphs do not add up to one long turn");
		catalog.put(graph("new", ["n"]));
		t.equal((await titles()).length, 91);
		t.equal((await before).length, 90, "who asked before the change is answered as of then");
	},
);
