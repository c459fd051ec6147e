import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { catalogFolders, loadGraphs } from "../../src/app/content.js";

const GRAPH = (title: string) => ({
	"graph.md": `---\ntype: domain\ntitle: ${title}\n---\n`,
	"a.md": "---\ntype: X\n---\nHere.",
});

function createListener() {
	const lines: { message: string; fields: Readonly<Record<string, unknown>> | undefined }[] = [];
	const hear = (message: string, fields?: Readonly<Record<string, unknown>>) =>
		void lines.push({ message, fields });
	return { lines, logger: { info: hear, error: hear } };
}

t.test("a graph that an update had moved aside when it was killed is back", async (t) => {
	const folder = t.testdir({
		".tides-Ab12Cd": { new: { "graph.md": "half" }, old: GRAPH("Tides") },
		".winds-Ab12Cd": { old: GRAPH("Old winds") },
		winds: GRAPH("Winds"),
		".first-Ab12Cd": { new: { "graph.md": "half" } },
		".notes-of-ours": { "keep.md": "not from an import" },
	});
	const { logger, lines } = createListener();
	const graphs = await loadGraphs(catalogFolders("none", folder), logger);
	t.same(graphs.map(({ record }) => record.title).sort(), ["Tides", "Winds"]);
	t.same(readdirSync(folder).sort(), [".notes-of-ours", "tides", "winds"]);
	t.match(lines, [{ fields: { graph: "tides" } }]);
});

t.test("the folder of a configured catalog is never tidied", async (t) => {
	const folder = t.testdir({
		catalog: { ".tides-Ab12Cd": { old: GRAPH("Tides") }, winds: GRAPH("Winds") },
	});
	const { logger } = createListener();
	const catalog = join(folder, "catalog");
	const graphs = await loadGraphs(catalogFolders(catalog, join(folder, "imported")), logger);
	t.equal(graphs.length, 1, "and a folder of imports may be missing");
	t.ok(existsSync(join(catalog, ".tides-Ab12Cd", "old", "a.md")));
});

t.test("a configured catalog that is not there is refused by name", async (t) => {
	const folder = t.testdir({ "file.md": "x" });
	const { logger } = createListener();
	for (const name of ["gone", "file.md"]) {
		await t.rejects(loadGraphs(catalogFolders(join(folder, name), folder), logger), {
			code: "INVALID_ARGUMENT",
			message: new RegExp(name),
		});
	}
});

t.test("a file that is not on sale is logged with its reason", async (t) => {
	const folder = t.testdir({ tides: { ...GRAPH("Tides"), "b.md": "no front matter" } });
	const { logger, lines } = createListener();
	const [graph] = await loadGraphs(catalogFolders("none", folder), logger);
	t.equal(graph?.concepts.length, 1);
	t.match(lines, [{ fields: { file: "b.md", reason: /type/ } }]);
	t.equal(lines.length, 1);
});
