import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SAMPLE_SNAPSHOTS } from "../../src/app/content.js";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT, SOFTWARE_VERSION } from "../../src/kernel/package-info.js";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { createGraphSnapshots } from "../../src/knowledge/snapshots/graph-snapshots.js";

interface Manifest {
	readonly files: readonly string[];
	readonly dependencies?: object;
	readonly optionalDependencies?: object;
	readonly scripts: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as Manifest;

t.test("an installation has nothing to fetch and nothing to run", (t) => {
	t.same({ ...manifest.dependencies, ...manifest.optionalDependencies }, {});
	const run = ["preinstall", "install", "postinstall", "prepare"];
	t.same(
		run.filter((name) => name in manifest.scripts),
		[],
	);
	t.end();
});

t.test("the sample catalog is packed as it was read", async (t) => {
	const folder = join(PACKAGE_ROOT, "dist/catalog/snapshots");
	const graphs = readdirSync(join(PACKAGE_ROOT, "graphs"), { withFileTypes: true }).filter(
		(entry) => entry.isDirectory() && !entry.name.startsWith("."),
	);
	t.equal(readdirSync(folder).length, graphs.length);
	t.ok(isPacked("dist/catalog"));
	const empty = join(t.testdir({}), "own");
	const snapshots = createGraphSnapshots({
		folder: empty,
		version: SOFTWARE_VERSION,
		clock: systemClock,
		shipped: SAMPLE_SNAPSHOTS,
	});
	const parsed = t.capture(JSON, "parse", JSON.parse);
	for (const { name } of graphs) {
		const graph = join(PACKAGE_ROOT, "graphs", name);
		parsed();
		const read = await snapshots.read(graph);
		t.ok(parsed().length > 2, `${name}: not just looked at`);
		t.same(read, await readGraph(graph), name);
	}
});

t.test(
	"the index over the sample catalog is packed, with the vectors of the encoder",
	async (t) => {
		const folder = join(PACKAGE_ROOT, "dist/catalog/index");
		const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
		const catalog = join(PACKAGE_ROOT, "graphs");
		const names = readdirSync(catalog).filter((name) =>
			existsSync(join(catalog, name, "graph.md")),
		);
		t.equal(Object.keys(manifest.graphs).length, names.length);
		for (const name of names) {
			const { record, contentHash } = await readGraph(join(catalog, name));
			const entry = manifest.graphs[record.id];
			t.equal(entry.contentHash, contentHash, name);
			for (const { file, hasVectors } of entry.segments)
				t.ok(hasVectors && existsSync(join(folder, file)), file);
		}
	},
);

t.test("a package has what the software reads, and neither sources nor tests", (t) => {
	for (const needed of [
		"contracts/TestUSDC.json",
		"docs/tollgraph.1",
		"examples/replies.json",
		"feeds/registry.json",
		"graphs/agent-payments/graph.md",
		"models/encoder/onnx/model_quantized.onnx",
		"models/judge/onnx/model_quantized.onnx",
		"models/table/onnx/model_quantized.onnx",
		"dist/web/assets.json",
	]) {
		t.ok(existsSync(join(PACKAGE_ROOT, needed)), `${needed} is there`);
		t.ok(isPacked(needed), `${needed} is packed`);
	}
	for (const other of ["src/index.ts", "test/app", "models/training", "node_modules", "bench"]) {
		t.notOk(isPacked(other), other);
	}
	t.end();
});

function isPacked(path: string): boolean {
	return manifest.files.some((entry) => {
		const [folder = ""] = entry.split("/*");
		return path === folder || path.startsWith(`${folder}/`);
	});
}
