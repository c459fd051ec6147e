import { join } from "node:path";
import t, { type Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import type { Donors } from "../../src/search/index/segment-set.js";
import { createSearchEngine, type SearchEngine } from "../../src/search/search-engine.js";
import { createCountingEmbedder, PAYMENTS, sampleConcept, sampleGraph } from "./sample-graph.js";
import { find, startEngine } from "./start-engine.js";

/** What one engine has of a graph, as another one reads it. */
async function take(from: SearchEngine, to: SearchEngine, graph: Graph): Promise<Donors> {
	const parts = [];
	for (const { tombstones, write } of from.share(graph) ?? []) {
		const pieces: Uint8Array[] = [];
		for await (const piece of write()) pieces.push(piece);
		const part = to.readShared({ bytes: Buffer.concat(pieces), tombstones });
		if (part) parts.push(part);
	}
	return new Map([[graph.record.id, parts]]);
}

async function startTwo(t: Test) {
	const models = [createCountingEmbedder(), createCountingEmbedder()] as const;
	const folder = t.testdir();
	const [{ engine: one }, { engine: other }] = [
		await startEngine(t, models[0], { folder: join(folder, "one") }),
		await startEngine(t, models[1], { folder: join(folder, "other") }),
	];
	return { one, other, made: models[1].passages };
}

t.test("an engine that is given segments makes nothing of them again", async (t) => {
	const { one, other, made } = await startTwo(t);
	t.equal(one.share(PAYMENTS), undefined, "nothing is there yet");
	await one.sync([PAYMENTS]);
	await other.sync([PAYMENTS], { donors: await take(one, other, PAYMENTS) });
	t.equal(made(), 0);
	const query = "random nonce";
	const [mine, theirs] = [await find(one, [PAYMENTS], query), await find(other, [PAYMENTS], query)];
	t.equal(theirs.mode, "hybrid");
	t.same(
		theirs.rows.map(({ trendId, score }) => [trendId, score]),
		mine.rows.map(({ trendId, score }) => [trendId, score]),
	);
	const [name = ""] = (other.share(PAYMENTS) ?? []).map((segment) => segment.name);
	t.ok(other.holdsShared(name));
	t.notOk(other.holdsShared("another.segment"));
});

t.test("of another version it takes what is the same, and makes the rest", async (t) => {
	const { one, other, made } = await startTwo(t);
	await one.sync([PAYMENTS]);
	const [first, ...rest] = PAYMENTS.concepts;
	const added = sampleConcept("nonces", { title: "Nonces", body: "A nonce is used once." });
	const changed = sampleConcept(first?.id ?? "", {
		title: "Changed",
		body: "Ledgers freeze overnight.",
	});
	const next = sampleGraph("payments", [changed, ...rest, added]);
	await other.sync([next], { donors: await take(one, other, PAYMENTS) });
	t.equal(made(), 4, "titles and texts of two");
	const { mode, rows } = await find(other, [next], "ledgers freeze overnight");
	t.match({ mode, first: rows[0]?.concept.title }, { mode: "hybrid", first: "Changed" });
});

t.test("what another engine makes is waited for, and then replaces keywords alone", async (t) => {
	const folder = t.testdir();
	const [model, awaiting] = [createCountingEmbedder(), createCountingEmbedder()];
	const { engine: one } = await startEngine(t, model, { folder: join(folder, "one") });
	const other = await createSearchEngine({
		...{ folder: join(folder, "other"), clock: systemClock, model: awaiting },
		isMadeElsewhere: (graph) => graph.contentHash === PAYMENTS.contentHash,
	});
	t.teardown(() => other.close());
	await other.sync([PAYMENTS]);
	t.equal((await find(other, [PAYMENTS], "random nonce")).mode, "keyword");
	t.equal(awaiting.passages(), 0);
	await one.sync([PAYMENTS]);
	await other.sync([PAYMENTS], { donors: await take(one, other, PAYMENTS) });
	t.equal((await find(other, [PAYMENTS], "random nonce")).mode, "hybrid");
	t.equal(awaiting.passages(), 0);
});

t.test("segments of another model are of no use", async (t) => {
	const folder = t.testdir();
	const models = [createCountingEmbedder("one"), createCountingEmbedder("two")] as const;
	const { engine: one } = await startEngine(t, models[0], { folder: join(folder, "one") });
	const { engine: other } = await startEngine(t, models[1], { folder: join(folder, "other") });
	await one.sync([PAYMENTS]);
	const donors = await take(one, other, PAYMENTS);
	t.same([...donors.values()], [[]]);
	await other.sync([PAYMENTS], { donors });
	t.ok(models[1].passages() > 0);
});
