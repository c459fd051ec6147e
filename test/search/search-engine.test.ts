import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import {
	BOTANY,
	createCountingEmbedder,
	PAYMENTS,
	sampleConcept,
	sampleGraph,
} from "./sample-graph.js";
import { find, startEngine } from "./start-engine.js";

t.test("an unchanged graph is not embedded again, a changed one is", async (t) => {
	const embedder = createCountingEmbedder();
	const { engine } = await startEngine(t, embedder);
	await engine.sync([PAYMENTS, BOTANY]);
	const first = embedder.passages();
	t.ok(first > 0);
	await engine.sync([PAYMENTS, BOTANY]);
	t.equal(embedder.passages(), first);

	const larger = sampleGraph("botany", [...BOTANY.concepts, sampleConcept("fern")]);
	await engine.sync([PAYMENTS, larger]);
	t.equal(engine.status().concepts, PAYMENTS.concepts.length + 3);
	t.equal(embedder.passages() - first, 1, "only the passage of the new concept");
});

t.test("a restart loads the index without embedding anything", async (t) => {
	const { engine, folder } = await startEngine(t, createCountingEmbedder());
	await engine.sync([PAYMENTS]);
	const before = await find(engine, [PAYMENTS], "signed transfer of a token");

	const embedder = createCountingEmbedder();
	const { engine: again } = await startEngine(t, embedder, { folder });
	await again.sync([PAYMENTS]);
	t.equal(embedder.passages(), 0);
	const after = await find(again, [PAYMENTS], "signed transfer of a token");
	t.same(after.rows, before.rows);
	t.equal(after.mode, "hybrid");
});

t.test("a damaged segment is built again, never trusted", async (t) => {
	const { engine, folder } = await startEngine(t, createCountingEmbedder());
	await engine.sync([PAYMENTS]);
	const name = (await readdir(folder)).find((file) => file.endsWith(".segment")) ?? "";
	const bytes = await readFile(join(folder, name));
	bytes[bytes.length - 70] = (bytes[bytes.length - 70] ?? 0) ^ 1;
	await writeFile(join(folder, name), bytes);

	const embedder = createCountingEmbedder();
	const { engine: again } = await startEngine(t, embedder, { folder });
	await again.sync([PAYMENTS]);
	t.ok(embedder.passages() > 0);
	t.equal((await find(again, [PAYMENTS], "EIP-3009")).rows[0]?.concept.id, "eip-3009");

	const third = createCountingEmbedder();
	await (await startEngine(t, third, { folder })).engine.sync([PAYMENTS]);
	t.equal(third.passages(), 0, "the repaired file is in place");
});

t.test("vectors of another model are made again", async (t) => {
	const { engine, folder } = await startEngine(t, createCountingEmbedder("one"));
	await engine.sync([PAYMENTS]);
	const embedder = createCountingEmbedder("two");
	await (await startEngine(t, embedder, { folder })).engine.sync([PAYMENTS]);
	t.ok(embedder.passages() > 0);
});

t.test("a dropped graph leaves the index and its file the disk", async (t) => {
	const { engine, folder } = await startEngine(t, createCountingEmbedder());
	await engine.sync([PAYMENTS, BOTANY]);
	await engine.sync([BOTANY]);
	t.equal(engine.status().concepts, BOTANY.concepts.length);
	const files = (await readdir(folder)).filter((file) => file.endsWith(".segment"));
	t.equal(files.length, 1);
	await t.rejects(find(engine, [PAYMENTS], "payment"), { code: "UNAVAILABLE" });
});

t.test("rows come from the graphs that were asked, whatever else is indexed", async (t) => {
	const twin = sampleGraph("twin", PAYMENTS.concepts);
	const { engine } = await startEngine(t, createCountingEmbedder());
	await engine.sync([PAYMENTS, BOTANY, twin]);
	const alone = await find(engine, [twin], "money reserved before work");
	t.ok(alone.rows.length > 0);
	t.ok(alone.rows.every(({ graph }) => graph === twin));
	const both = await find(engine, [twin, PAYMENTS, twin], "money reserved before work");
	const [first] = both.rows;
	t.equal(first?.graph.record.id, "payments", "twins score alike, ties go by id");
	t.match(first?.duplicates, [{ trendId: `twin:${first?.concept.id}` }]);
});

t.test("a rebuild without its model leaves the vectors that are there", async (t) => {
	const embedder = createCountingEmbedder();
	const { engine, folder } = await startEngine(t, embedder);
	await engine.sync([PAYMENTS]);
	embedder.fail(true);
	await engine.sync([PAYMENTS], { rebuild: true });
	embedder.fail(false);
	t.equal((await find(engine, [PAYMENTS], "reserve money")).mode, "hybrid");

	const another = createCountingEmbedder();
	const { engine: again } = await startEngine(t, another, { folder });
	another.fail(true);
	await again.sync([PAYMENTS], { rebuild: true });
	another.fail(false);
	t.equal((await find(again, [PAYMENTS], "reserve money")).mode, "hybrid");
	const before = another.passages();
	await again.sync([PAYMENTS]);
	t.ok(another.passages() > before, "the rebuild is made up for");
});

t.test("a start without a model leaves the vectors of the last one on disk", async (t) => {
	const { engine, folder } = await startEngine(t, createCountingEmbedder());
	await engine.sync([PAYMENTS, BOTANY]);
	for (const rebuild of [false, true]) {
		const { engine: without } = await startEngine(t, "none", { folder });
		await without.sync([PAYMENTS, BOTANY], { rebuild });
		t.equal((await find(without, [PAYMENTS], "reserve money")).mode, "keyword");
	}
	const embedder = createCountingEmbedder();
	await (await startEngine(t, embedder, { folder })).engine.sync([PAYMENTS, BOTANY]);
	t.equal(embedder.passages(), 0);
});

t.test("progress counts concepts up to the total", async (t) => {
	const { engine } = await startEngine(t, createCountingEmbedder());
	const seen: number[] = [];
	const onProgress = ({ done, total }: { done: number; total: number }) => {
		t.equal(total, PAYMENTS.concepts.length + BOTANY.concepts.length);
		seen.push(done);
	};
	await engine.sync([PAYMENTS, BOTANY], { onProgress });
	t.equal(seen.at(-1), PAYMENTS.concepts.length + BOTANY.concepts.length);
});

t.test("an aborted search rejects with the signal's reason", async (t) => {
	const { engine } = await startEngine(t, createCountingEmbedder());
	await engine.sync([PAYMENTS]);
	const gone = new Error("The caller has left.");
	const request = { graphs: [PAYMENTS], query: "payment", limit: 3 };
	await t.rejects(engine.find({ ...request, signal: AbortSignal.abort(gone) }), gone);
	const controller = new AbortController();
	const search = engine.find({ ...request, signal: controller.signal });
	controller.abort(gone);
	await t.rejects(search, gone);
});

t.test("a graph changed after the last sync is answered with its own concepts", async (t) => {
	const { engine } = await startEngine(t, createCountingEmbedder());
	await engine.sync([PAYMENTS]);
	const smaller = sampleGraph("payments", PAYMENTS.concepts.slice(1));
	const { rows } = await find(engine, [smaller], "signed transfer of a token or reserved money");
	t.ok(rows.length > 0);
	t.ok(rows.every(({ concept }) => smaller.concepts.includes(concept)));
});
