import fc from "fast-check";
import t from "tap";
import { keyOfEdge, listEdges, listNodes } from "../../../skills/graphs/reading/graph-lists.js";
import { keyOfEvent, readTimeline } from "../../../skills/graphs/reading/timeline.js";
import { READING_LIMITS } from "../../../src/contract/limits.js";
import { readCursor, toCursor } from "../../../src/contract/list-cursor.js";
import { cursorField } from "../../../src/contract/wire.js";
import { readBundle } from "../../../src/knowledge/bundle/bundle-reader.js";
import type { Edge, Evidence } from "../../../src/knowledge/model/graph.js";
import { filesOf, TIDES } from "../../knowledge/sample-bundle.js";
import { conceptOf, graphWith } from "./random-graph.js";

const identity = { list: "test", asked: {} };

/** Every page of one item, each begun with a cursor that the wire accepts. */
function readAll<T>(
	page: (after: readonly string[] | undefined) => { items: readonly T[]; hasMore: boolean },
	keyOf: (item: T) => readonly string[],
): T[] {
	const all: T[] = [];
	for (let after: readonly string[] | undefined; ; ) {
		const { items, hasMore } = page(after);
		all.push(...items);
		if (!hasMore) return all;
		const key = keyOf(all.at(-1) as T);
		after = readCursor(cursorField.parse(toCursor(identity, key)), identity, key.length);
	}
}

/** Ids and names as long as any, that differ at their ends alone. */
const anyLongGraph = fc
	.record({
		letter: fc.constantFrom("識", "𝒳", "é", '"', "a"),
		idChars: fc.constantFrom(500, READING_LIMITS.nodeIdChars),
		otherChars: fc.constantFrom(10, 300, 301, 60_000),
		count: fc.integer({ min: 2, max: 5 }),
	})
	.map(({ letter, idChars, otherChars, count }) => {
		const long = (end: string, chars: number) =>
			`${letter.repeat(chars).slice(0, chars - end.length)}${end}`.slice(-chars);
		const ids = Array.from({ length: count }, (_, at) => long(`-${at}`, idChars));
		return graphWith(
			ids.map((id, at) => {
				const edges: Edge[] = ids
					.filter((target) => target !== id)
					.flatMap((target) =>
						["x", "y"].map((end) => ({ type: long(end, otherChars), target, weight: 1 })),
					);
				const evidence: Evidence[] = ["p", "q"].map((end) => ({
					articleId: long(end, otherChars),
					title: "S",
					sourceUrl: `https://example.org/${at}`,
					publishedAt: "2020-01-01",
					datePrecision: "day",
				}));
				return conceptOf(id, { edges, evidence });
			}),
		);
	});

t.test("every list goes on behind names as long as any", async (t) => {
	fc.assert(
		fc.property(anyLongGraph, (graph) => {
			const count = graph.concepts.length;
			const isWanted = () => true;
			const nodes = readAll(
				(after) => listNodes(graph, { isWanted, after: after?.[0], limit: 1 }),
				({ id }) => [id],
			);
			t.equal(new Set(nodes).size, count);
			const edges = readAll((after) => listEdges(graph, { after, limit: 1 }), keyOfEdge);
			t.equal(new Set(edges.map(({ edge }) => edge)).size, 2 * count * (count - 1));
			for (const order of ["oldest", "newest"] as const) {
				const events = readAll(
					(after) => readTimeline(graph, { after, order, limit: 1 }),
					keyOfEvent,
				);
				t.equal(new Set(events).size, 2 * count);
				t.equal(events.length, 2 * count);
			}
		}),
		{ numRuns: 40 },
	);
});

t.test("a cursor no caller could send back is never handed out", async (t) => {
	t.throws(() => toCursor(identity, ["識".repeat(READING_LIMITS.cursorChars)]), RangeError);
});

t.test("a file whose path makes too long an id is no node, and a finding says so", async (t) => {
	const path = `${"folder/".repeat(16)}${"n".repeat(READING_LIMITS.nodeIdChars)}.md`;
	const { graph, findings } = readBundle(
		filesOf({ ...TIDES, [path]: TIDES["phases/low.md"] ?? "" }),
	);
	t.equal(graph.concepts.length, readBundle(filesOf(TIDES)).graph.concepts.length);
	t.match(findings, [{ file: path, rule: "bad-path" }]);
});
