import fc from "fast-check";
import t from "tap";
import { INDEX_LIMITS } from "../../src/contract/limits.js";
import { systemClock } from "../../src/kernel/clock.js";
import type { Concept, Graph } from "../../src/knowledge/model/graph.js";
import type { IndexLimits } from "../../src/search/index/segment-set.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import { createSearchEngine, type SearchEngine } from "../../src/search/search-engine.js";
import { createMemoryDisk, type MemoryDisk } from "./memory-disk.js";
import { createCountingEmbedder, sampleConcept, sampleGraph } from "./sample-graph.js";

/** Thresholds that a dozen concepts reach. */
const SMALL: IndexLimits = {
	...INDEX_LIMITS,
	segmentDocuments: 4,
	mergedDocuments: 64,
	deltaDocuments: 2,
	deadShareMax: 0.5,
	segmentsMax: 3,
	liveDocuments: 2,
};
/** Leaves one segment without tombstones. */
const MERGED: IndexLimits = { ...SMALL, deltaDocuments: 0, segmentsMax: 1, deadShareMax: 0 };

const WORDS = ["ledger", "token", "signal", "vector", "market", "nonce", "glacier"] as const;
const QUERIES = [...WORDS, "token ledger", "market signal nonce", "glacier vector"];

type Step =
	| { readonly do: "put"; readonly place: number; readonly words: readonly string[] }
	| { readonly do: "remove"; readonly place: number }
	| { readonly do: "relink"; readonly place: number }
	| { readonly do: "restart" | "settle" | "rebuild" };

const place = fc.nat({ max: 11 });
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), place, words }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), place }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("relink" as const), place }) },
	{ weight: 1, arbitrary: fc.constantFrom({ do: "restart" as const }, { do: "settle" as const }) },
	{ weight: 1, arbitrary: fc.constant({ do: "rebuild" as const }) },
);

const OTHERS = sampleGraph("others", [sampleConcept("oak", { title: "Oak", body: "token tree" })]);

/** The word no other concept has. */
const nameOf = (at: number) => `name${"abcdefghijkl"[at]}`;
const toConcept = (at: number, body: readonly string[]) =>
	sampleConcept(`c${at}`, {
		title: nameOf(at),
		body: body.join(" "),
		edges: [{ type: "links-to", target: "c1", weight: 1 }],
	});

interface Sut {
	readonly disk: MemoryDisk;
	readonly model: Embedder | "none";
	engine: SearchEngine;
	concepts: Map<number, Concept>;
}

const graphOf = ({ concepts }: Pick<Sut, "concepts">): Graph =>
	sampleGraph(
		"mixed",
		[...concepts].sort(([a], [b]) => a - b).map(([, concept]) => concept),
	);

const open = (disk: MemoryDisk, model: Embedder | "none", limits: IndexLimits) =>
	createSearchEngine({ folder: disk, clock: systemClock, model, limits });

async function take(sut: Sut, next: Step): Promise<void> {
	if (next.do === "put") sut.concepts.set(next.place, toConcept(next.place, next.words));
	if (next.do === "remove") sut.concepts.delete(next.place);
	if (next.do === "relink") {
		const concept = sut.concepts.get(next.place);
		if (concept) sut.concepts.set(next.place, { ...concept, edges: [] });
	}
	if (next.do === "settle") await settled(sut.engine);
	if (next.do === "restart") {
		await sut.engine.close();
		sut.engine = await open(sut.disk, sut.model, SMALL);
	}
	await sut.engine.sync([OTHERS, graphOf(sut)], { rebuild: next.do === "rebuild" });
}

/** Merges run by themselves; they are done when nothing changes any more. */
async function settled(engine: SearchEngine): Promise<void> {
	let quiet = 0;
	let before = "";
	while (quiet < 20) {
		await new Promise(setImmediate);
		const { segments, tombstones } = engine.status();
		const now = `${segments} ${tombstones}`;
		quiet = now === before ? quiet + 1 : 0;
		before = now;
	}
}

/** A merge takes as many turns as the machine is slow: far more than any needs are waited for. */
async function isMergedWhole(engine: SearchEngine): Promise<boolean> {
	for (let turn = 0; turn < 50_000; turn++) {
		const { segments = 0, tombstones } = engine.status();
		if (tombstones === 0 && segments <= 2) return true;
		await new Promise(setImmediate);
	}
	return false;
}

async function ask(engine: SearchEngine, graphs: readonly Graph[], query: string) {
	const { signal } = new AbortController();
	const { rows, decision, mode } = await engine.find({ graphs, query, limit: 50, signal });
	return {
		mode,
		decision,
		rows: rows.map(({ concept, score }) => ({ concept, score: score.toFixed(5) })),
	};
}

async function assertNothingLost(sut: Sut): Promise<boolean> {
	const graphs = [OTHERS, graphOf(sut)];
	for (let at = 0; at < 12; at++) {
		const { rows } = await ask(sut.engine, graphs, nameOf(at));
		const concept = sut.concepts.get(at);
		if (rows.filter((row) => row.concept.id === `c${at}`).length !== (concept ? 1 : 0))
			return false;
		if (concept && rows[0]?.concept !== concept) return false;
	}
	return true;
}

async function isAsBuiltFresh(sut: Sut): Promise<boolean> {
	await sut.engine.close();
	const graphs = [OTHERS, graphOf(sut)];
	const merged = await open(sut.disk, sut.model, MERGED);
	const fresh = await open(createMemoryDisk(), sut.model, SMALL);
	for (const engine of [merged, fresh]) await engine.sync(graphs);
	let isSame = await isMergedWhole(merged);
	for (const query of QUERIES) {
		const one = await ask(merged, graphs, query);
		const other = await ask(fresh, graphs, query);
		isSame &&= JSON.stringify(one) === JSON.stringify(other);
	}
	await merged.close();
	await fresh.close();
	return isSame;
}

for (const kind of ["keyword", "hybrid"] as const) {
	t.test(
		`whatever changed, merged or restarted: nothing is lost, and a ${kind} index is as built afresh`,
		() =>
			fc.assert(
				fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
					const disk = createMemoryDisk();
					const model = kind === "hybrid" ? createCountingEmbedder() : "none";
					const engine = await open(disk, model, SMALL);
					const sut: Sut = { disk, model, engine, concepts: new Map() };
					for (const one of steps) {
						await take(sut, one);
						if (!(await assertNothingLost(sut))) return false;
					}
					return isAsBuiltFresh(sut);
				}),
				{ numRuns: 25 },
			),
	);
}
