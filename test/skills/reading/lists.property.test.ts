import fc from "fast-check";
import t from "tap";
import { keyOfEdge, listEdges, listNodes } from "../../../skills/graphs/reading/graph-lists.js";
import { mapOf } from "../../../skills/graphs/reading/graph-map.js";
import { keyOfEvent, readTimeline } from "../../../skills/graphs/reading/timeline.js";
import { readCursor, toCursor } from "../../../src/contract/list-cursor.js";
import { anyGraph, conceptOf, graphWith, HOSTILE } from "./random-graph.js";

/** Every page of a list, one after the other, each begun with a cursor made of the last item's key. */
function readAll<T>(
	page: (after: readonly string[] | undefined) => {
		readonly items: readonly T[];
		readonly hasMore: boolean;
	},
	keyOf: (item: T) => readonly string[],
): T[] {
	const identity = { list: "test", asked: {} };
	const all: T[] = [];
	for (let cursor: string | undefined; ; ) {
		const length = cursor === undefined ? 0 : keyOf(all.at(-1) as T).length;
		const { items, hasMore } = page(
			cursor === undefined ? undefined : readCursor(cursor, identity, length),
		);
		all.push(...items);
		if (!hasMore) return all;
		cursor = toCursor(identity, keyOf(all.at(-1) as T));
	}
}

t.test("pages of nodes show every wanted node once, in the order of ids", async (t) => {
	const anyQuery = fc.record(
		{
			type: fc.constantFrom<string[]>(["claim"], ["TREND", "nothing"]),
			tags: fc.constantFrom<string[]>(["a"], ["b", "=C"]),
			prefix: fc.constantFrom("c.n1", "=", "plain", "𝒳", "nowhere"),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(anyGraph, anyQuery, fc.integer({ min: 1, max: 5 }), (graph, query, limit) => {
			const lower = (texts: readonly string[]) => texts.map((text) => text.toLowerCase());
			const { type: types, tags, prefix } = query;
			const isWanted = (concept: (typeof graph.concepts)[number]) =>
				(!types || lower(types).includes(concept.type.toLowerCase())) &&
				(!tags || lower(concept.tags).some((tag) => lower(tags).includes(tag)));
			const found = readAll(
				(after) => listNodes(graph, { ...query, isWanted, limit, after: after?.[0] }),
				({ id }) => [id],
			).map(({ id }) => id);
			const expected = graph.concepts
				.filter(isWanted)
				.filter(
					({ id, title, aliases }) =>
						prefix === undefined ||
						lower([id, title, ...aliases]).some((name) => name.startsWith(prefix)),
				)
				.map(({ id }) => id)
				.sort();
			t.same(found, expected);
		}),
		{ numRuns: 150 },
	);
});

t.test("pages of edges show every wanted edge once", async (t) => {
	fc.assert(
		fc.property(
			anyGraph,
			fc.integer({ min: 1, max: 4 }),
			fc.constantFrom(undefined, "2019-06-01"),
			(graph, limit, asOf) => {
				const found = readAll(
					(after) => listEdges(graph, { as_of: asOf, limit, after }),
					keyOfEdge,
				).map((step) => keyOfEdge(step).join(" "));
				const map = mapOf(graph);
				const expected = map.edges.filter(
					({ validFrom = "0", validTo = "9" }) =>
						asOf === undefined || (validFrom <= asOf && asOf <= validTo),
				);
				t.equal(found.length, expected.length);
				t.equal(new Set(found).size, found.length);
				const [first] = graph.concepts;
				if (!first) return;
				const into = readAll(
					(after) => listEdges(graph, { target: first.id, limit, after }),
					keyOfEdge,
				);
				t.equal(into.length, map.edges.filter(({ target }) => target === first.id).length);
				const out = readAll(
					(after) => listEdges(graph, { source: first.id, limit, after }),
					keyOfEdge,
				);
				t.ok(out.every(({ from }) => from.id === first.id));
			},
		),
		{ numRuns: 100 },
	);
});

t.test("a timeline forwards is the timeline backwards, turned round", async (t) => {
	fc.assert(
		fc.property(anyGraph, fc.integer({ min: 1, max: 5 }), (graph, limit) => {
			const read = (order: "oldest" | "newest") =>
				readAll(
					(after) => readTimeline(graph, { order, after, limit, from: "2019-01-01" }),
					keyOfEvent,
				).map((event) => keyOfEvent(event).join(" "));
			const forwards = read("oldest");
			t.same(forwards, [...forwards].sort());
			t.same(read("newest").reverse(), forwards);
			t.equal(new Set(forwards).size, forwards.length);
		}),
		{ numRuns: 100 },
	);
});

t.test("a page goes on behind its key although the node is gone", async (t) => {
	const before = graphWith(["a", "b", "c", "d"].map((id) => conceptOf(id)));
	const after = graphWith(["a", "c", "d"].map((id) => conceptOf(id)));
	const isWanted = () => true;
	t.same(listNodes(before, { isWanted, limit: 2 }).items.at(-1)?.id, "b");
	t.same(
		listNodes(after, { isWanted, limit: 2, after: "b" }).items.map(({ id }) => id),
		["c", "d"],
	);
});

t.test("what is no cursor of this list is refused", async (t) => {
	const identity = { list: "nodes", asked: { graph_id: "tides" } };
	const other = { list: "nodes", asked: { graph_id: "tides", tags: ["x"] } };
	const refusal = { code: "INVALID_ARGUMENT" };
	t.throws(() => readCursor(toCursor(other, ["a"]), identity, 1), refusal);
	t.throws(() => readCursor(toCursor(identity, ["a", "b"]), identity, 1), refusal);
	for (const text of ["", "e30", "%", "bnVsbA", "WzFd", "W10", "a".repeat(5_000), ...HOSTILE]) {
		t.throws(() => readCursor(text, identity, 1), refusal, text.slice(0, 20));
	}
	for (const key of HOSTILE) t.same(readCursor(toCursor(identity, [key]), identity, 1), [key]);
});

t.test("a source of a year has surely appeared once the year is over", async (t) => {
	const source = {
		articleId: "s1",
		title: "T",
		sourceUrl: "https://example.org/",
		publishedAt: "2018-01-01",
		datePrecision: "year" as const,
	};
	const graph = graphWith([conceptOf("a", { evidence: [source] })]);
	const countAsOf = (asOf: string) =>
		readTimeline(graph, { order: "oldest", limit: 5, as_of: asOf }).items.length;
	t.equal(countAsOf("2018-12-30"), 0);
	t.equal(countAsOf("2018-12-31"), 1);
});
