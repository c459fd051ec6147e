import t from "tap";
import { unavailable } from "../../src/kernel/errors.js";
import type { SegmentVectors } from "../../src/search/dense/row-planes.js";
import {
	type PairJudge,
	type PairReading,
	type TextPair,
	toReading,
} from "../../src/search/judge/pair-judge.js";
import { orderByReadings, type RankedQuery } from "../../src/search/ranking/find-concepts.js";
import { closestPassage, createRowReader } from "../../src/search/ranking/row-reader.js";
import { manualClock } from "../support/manual-clock.js";
import { sampleConcept } from "./sample-graph.js";

const clock = manualClock("2026-01-01T00:00:00Z");
const OPEN: PairReading = { answers: 0, supports: 0, refutes: 0, open: 1 };

/** Two passages of one document, the second along the second axis. */
const VECTORS = {
	starts: Uint32Array.of(0, 2),
	rows: Int8Array.of(127, 0, 0, 127),
	scales: Float32Array.of(1 / 127, 1 / 127),
} as unknown as SegmentVectors;

const BODY = Array.from({ length: 30 }, (_, at) => `Sentence ${at} is one of many here.`).join(" ");
const CONCEPTS = ["a", "b", "c"].map((id) => sampleConcept(id, { title: id, body: BODY }));

/** Rows of these scores, the query along the second axis. */
function rankedRows(scores: readonly number[], named: readonly number[] = []): RankedQuery {
	const found = scores.map((score, at) => ({
		slot: { concept: 0, scope: { segment: { vectors: VECTORS } } },
		concept: CONCEPTS[at],
		score,
		isNamed: named.includes(at),
	}));
	const dense = { hits: { vector: Float32Array.of(0, 1) } };
	return { found, dense } as unknown as RankedQuery;
}

function createJudge(read: PairJudge["read"]): PairJudge {
	return {
		identity: { id: "hand-made", sha256: "" },
		read,
		warm: () => undefined,
		close: async () => undefined,
	};
}

t.test("the passage of a row that is closest to the query is read", async (t) => {
	t.equal(closestPassage(Float32Array.of(0, 1), VECTORS, 0), 1);
	t.equal(closestPassage(Float32Array.of(1, 0), VECTORS, 0), 0);
	const asked: TextPair[] = [];
	const judge = createJudge(async (pairs) => {
		asked.push(...pairs);
		return pairs.map((_, at) => ({ ...OPEN, answers: at / 10 }));
	});
	const readings = await createRowReader({ judge, clock })("What is it?", rankedRows([0.9, 0.5]));
	t.same(readings, [0, 0.1]);
	t.match(asked, [{ text: "What is it?", passage: /^a\. Sentence 0 / }, { passage: /^b\. / }]);
});

t.test("without a judge, in keyword mode, and when it fails, nothing is read", async (t) => {
	const failing = createJudge(async () => {
		throw unavailable("It is down.");
	});
	const rows = rankedRows([0.9]);
	t.equal(await createRowReader({ judge: undefined, clock })("query", rows), undefined);
	t.equal(await createRowReader({ judge: failing, clock })("query", rows), undefined);
	const working = createJudge(async (pairs) => pairs.map(() => OPEN));
	const keyword = { ...rows, dense: undefined };
	t.equal(await createRowReader({ judge: working, clock })("query", keyword), undefined);
});

t.test("a judge that takes too long is not waited for", async (t) => {
	let asked: AbortSignal | undefined;
	const late = createJudge((_, signal) => {
		asked = signal;
		return new Promise(() => undefined);
	});
	const over: typeof clock = {
		...clock,
		after(_, callback) {
			queueMicrotask(callback);
			return () => undefined;
		},
	};
	const readings = createRowReader({ judge: late, clock: over })("query", rankedRows([0.9]));
	t.equal(await readings, undefined);
	t.equal(asked?.aborted, true, "and what it was asked is taken back");
});

t.test("readings order rows together with their scores; named rows stay first", async (t) => {
	const idsOf = ({ found }: RankedQuery) => found.map(({ concept }) => concept.id);
	t.same(idsOf(orderByReadings(rankedRows([0.9, 0.8, 0.2]), [0.1, 0.9, 0.2])), ["b", "a", "c"]);
	t.same(idsOf(orderByReadings(rankedRows([0.9, 0.8], [0]), [0, 1])), ["a", "b"]);
	const [, unread] = orderByReadings(rankedRows([0.9, 0.8]), [0.4]).found;
	t.equal(unread?.answers, undefined);
});

t.test("scores become probabilities", async (t) => {
	const { answers, supports, refutes, open } = toReading(Float32Array.of(0, 3, 1, 1));
	t.equal(answers, 0.5);
	t.ok(Math.abs(supports + refutes + open - 1) < 1e-6);
	t.ok(supports > refutes && refutes === open);
	t.ok(toReading(Float32Array.of(2, 0, 0, 0)).answers > 0.5);
});
