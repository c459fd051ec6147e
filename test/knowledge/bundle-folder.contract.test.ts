import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { readGraph, writeBundle } from "../../src/knowledge/bundle/bundle-folder.js";
import { filesOf, graphOf, TIDES } from "./sample-bundle.js";

t.test("a written graph is the graph that is read, and nothing else is left behind", async (t) => {
	const parent = t.testdir({});
	const folder = join(parent, "deep", "tides");
	const graph = graphOf(TIDES);
	await writeBundle(graph, folder);
	const read = await readGraph(folder);
	t.same(read.concepts, graph.concepts);
	t.same(await readdir(join(parent, "deep")), ["tides"]);
});

t.test("an existing graph is replaced only on request, and then wholly", async (t) => {
	const folder = join(t.testdir({}), "tides");
	await writeBundle(graphOf(TIDES), folder);
	await t.rejects(writeBundle(graphOf(TIDES), folder), {
		code: "INVALID_ARGUMENT",
		message: /--update/,
	});
	await writeBundle(filesOf({ "graph.md": "new", "a/b.md": "x" }), folder, { replace: true });
	t.same((await readdir(folder)).sort(), ["a", "graph.md"]);
	t.equal(await readFile(join(folder, "graph.md"), "utf8"), "new");
});

t.test("a folder of something else is never replaced", async (t) => {
	const folder = t.testdir({ "thesis.tex": "years of work" });
	await t.rejects(writeBundle(graphOf(TIDES), folder, { replace: true }), {
		code: "INVALID_ARGUMENT",
	});
	t.same(await readdir(folder), ["thesis.tex"]);
});

t.test("a path that leaves the bundle writes nothing", async (t) => {
	const parent = t.testdir({});
	await t.rejects(writeBundle(filesOf({ "../evil.md": "x" }), join(parent, "g")), {
		code: "INVALID_ARGUMENT",
	});
	t.same(await readdir(parent), []);
});
