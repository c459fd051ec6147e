import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { beginIndexWith } from "../../src/search/index/index-folder.js";
import { BOTANY, createCountingEmbedder } from "./sample-graph.js";
import { find, startEngine } from "./start-engine.js";

/** The folder of an index that is complete, and one beside it that is not there yet. */
async function makeIndex(t: Test) {
	const root = t.testdir({ made: {} });
	const made = join(root, "made");
	const { engine } = await startEngine(t, createCountingEmbedder(), { folder: made });
	await engine.sync([BOTANY]);
	await engine.close();
	return { made, own: join(root, "some", "own") };
}

const contentOf = (folder: string) =>
	new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));

t.test("an index that begins as a copy derives nothing, for its owner alone", async (t) => {
	const { made, own } = await makeIndex(t);
	await beginIndexWith(made, own);
	for (const [name, bytes] of contentOf(own)) {
		t.same(bytes, readFileSync(join(made, name)), name);
		t.equal(statSync(join(own, name)).mode & 0o777, 0o600, name);
	}
	const model = createCountingEmbedder();
	const { engine } = await startEngine(t, model, { folder: own });
	await engine.sync([BOTANY]);
	t.equal(model.passages(), 0);
	t.match(engine.status(), { mode: "hybrid", pendingVectors: 0, reason: undefined });
	t.ok((await find(engine, [BOTANY], "plants")).rows.length > 0);
});

t.test("one that is there already stays as it is", async (t) => {
	const { made, own } = await makeIndex(t);
	mkdirSync(own, { recursive: true });
	writeFileSync(join(own, "manifest.json"), "{}");
	await beginIndexWith(made, own);
	t.same(readdirSync(own), ["manifest.json"]);
});

t.test("a damaged copy is made anew, and none at all is no index", async (t) => {
	const { made, own } = await makeIndex(t);
	const [segment = ""] = readdirSync(made).filter((name) => name.endsWith(".segment"));
	writeFileSync(join(made, segment), "garbled");
	await beginIndexWith(made, own);
	const model = createCountingEmbedder();
	const { engine } = await startEngine(t, model, { folder: own });
	await engine.sync([BOTANY]);
	t.ok(model.passages() > 0);
	t.match(engine.status(), { mode: "hybrid", pendingVectors: 0 });
	const other = join(own, "other");
	await t.rejects(beginIndexWith(join(made, "missing"), other), { code: "ENOENT" });
	t.notOk(existsSync(join(other, "manifest.json")));
});
