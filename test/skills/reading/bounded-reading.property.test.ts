import fc from "fast-check";
import t from "tap";
import { listNodes, writtenSince } from "../../../skills/graphs/reading/graph-lists.js";
import { createRevisionMemory } from "../../../skills/graphs/reading/revision-changes.js";
import { sortInSteps } from "../../../skills/graphs/reading/sorting.js";
import { compareText } from "../../../src/knowledge/bundle/bundle-document.js";
import { readBundle } from "../../../src/knowledge/bundle/bundle-reader.js";
import { runAtOnce } from "../../../src/knowledge/model/work-in-turns.js";
import { filesOf, TIDES } from "../../knowledge/sample-bundle.js";
import { anyGraph, conceptOf, graphWith } from "./random-graph.js";

const anyDay = fc.constantFrom(
	"2017-01-01",
	"2018-01-01",
	"2019-05-17",
	"2020-03-01",
	"2025-01-01",
);

t.test("nodes by the dates of their sources are those whose sources say so", async (t) => {
	const range = fc.record({ after: anyDay, before: anyDay }, { requiredKeys: [] });
	fc.assert(
		fc.property(anyGraph, range, (graph, { after, before }) => {
			const isWanted = ({ evidence }: (typeof graph.concepts)[number]) =>
				(after === undefined && before === undefined) ||
				evidence.some(
					({ publishedAt: day }) =>
						day !== undefined && day >= (after ?? day) && day <= (before ?? day),
				);
			const found = listNodes(graph, {
				...{ isWanted, limit: 50 },
				...{ published_after: after, published_before: before },
			});
			t.same(
				found.items.map(({ id }) => id),
				graph.concepts
					.filter(isWanted)
					.map(({ id }) => id)
					.sort(),
			);
		}),
		{ numRuns: 60 },
	);
});

t.test("sources are not looked through where no date can be wanted", async (t) => {
	const evidence = ["2018-01-01", "2020-01-01", undefined].map((publishedAt, at) => ({
		articleId: `s${at}`,
		title: "S",
		sourceUrl: `https://example.org/${at}`,
		publishedAt,
		datePrecision: publishedAt === undefined ? undefined : ("day" as const),
	}));
	const graph = graphWith(
		Array.from({ length: 200 }, (_, at) => conceptOf(`n${at}`, { evidence })),
	);
	let looked = 0;
	const isWanted = () => {
		looked += 1;
		return false;
	};
	listNodes(graph, { isWanted, published_after: "2020-01-02", limit: 1 });
	listNodes(graph, { isWanted, published_before: "2017-12-31", limit: 1 });
	t.equal(looked, 0);
	listNodes(graph, { isWanted, published_after: "2019-01-01", limit: 1 });
	t.equal(looked, 200);
});

t.test("nodes written since a day go on behind any id", async (t) => {
	fc.assert(
		fc.property(anyGraph, anyDay, fc.constantFrom("", "c.n1-4", "\uffff"), (graph, day, after) => {
			const expected = graph.concepts
				.filter(
					({ id, generatedAt }) => generatedAt !== undefined && generatedAt >= day && id > after,
				)
				.map(({ id }) => id)
				.sort();
			t.same(
				[...writtenSince(graph, day, after)].map(({ id }) => id),
				expected,
			);
		}),
		{ numRuns: 60 },
	);
	const verified = [
		{ by: "human:a", at: "2024-02-01" },
		{ by: "human:b", at: undefined },
	];
	const graph = graphWith([conceptOf("a", { generatedAt: "2020-01-01", verified })]);
	t.equal([...writtenSince(graph, "2024-01-01", "")].length, 1);
	t.equal([...writtenSince(graph, "2024-02-02", "")].length, 0);
});

t.test("two revisions are compared once, however many ask", async (t) => {
	const revisions = createRevisionMemory();
	const before = readBundle(filesOf(TIDES)).graph;
	const low = `${TIDES["phases/low.md"]} It lasts an hour.`;
	const after = readBundle(filesOf({ ...TIDES, "phases/low.md": low })).graph;
	const names = [revisions.remember(before), revisions.remember(after)] as const;
	const asked = Array.from({ length: 20 }, () => revisions.changesBetween("tides", ...names));
	const [first, ...others] = await Promise.all(asked);
	t.same(first, [{ conceptId: "phases.low", change: "changed" }]);
	t.ok(others.every((changes) => changes === first));
	t.equal(await revisions.changesBetween("tides", ...names), first);
	t.equal(await revisions.changesBetween("tides", "unknown", names[1]), undefined);
});

t.test("a sort in steps sorts like any other, and keeps equals as they stood", async (t) => {
	const items = fc.array(fc.tuple(fc.string({ maxLength: 2 }), fc.nat()), {
		maxLength: 3_000,
		size: "max",
	});
	fc.assert(
		fc.property(items, (pairs) => {
			const compare = (a: readonly [string, number], b: readonly [string, number]) =>
				compareText(a[0], b[0]);
			t.same(runAtOnce(sortInSteps(pairs, compare)), [...pairs].sort(compare));
		}),
		{ numRuns: 10 },
	);
});
