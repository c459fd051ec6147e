import t from "tap";
import {
	chooseDrawn,
	countPaid,
	createModel,
	type ExplorerData,
	GRAPH_ITEM,
	readFilter,
	selectItems,
} from "../../src/web/pages/explorer-model.js";
import { hostOf } from "../../src/web/pages/parts.js";

const DATA: ExplorerData = {
	graph: { id: "g", slug: "g", title: "Graph", revision: "r" },
	totals: { nodes: 5_000, edges: 9_000, sources: 3 },
	kinds: [
		{ name: "Frequent", count: 4_500 },
		{ name: "Rare", count: 500 },
	],
	tags: [{ name: "tag", count: 7 }],
	hosts: [{ name: "example.org", count: 3 }],
	concepts: ["a", "b", "c"].map((id, at) => ({
		...{ id, title: `Concept ${id}`, type: at === 0 ? "Rare" : "Frequent", summary: "" },
		...{ mentions: at === 1 ? ["c"] : [] },
		sources: [{ title: id, url: `https://www.example.org/${id}`, date: `${2020 + at}-05` }],
	})),
	prices: {
		...{ "graphs.search": "0.50", "graphs.nodes.list": "0.50", "graphs.node": "0.50" },
		...{ "graphs.neighbors": "0.50", "graphs.subgraph": "0.50", "graphs.timeline": "0.50" },
	},
	nodePrices: {},
	hasMorePrices: false,
};
const model = createModel(DATA, hostOf);
const selected = (search: string) => selectItems(model, readFilter(new URLSearchParams(search)));
const namesOf = (search: string) => [...selected(search)].map(({ name }) => name).sort();

t.test("no more is drawn than there is room for, and what is chosen comes first", (t) => {
	t.same([...countPaid(model).values()], [4_498, 499]);
	const all = selected("");
	for (const most of [3, 12, 100, 2_000, 10_000]) {
		for (const focus of [GRAPH_ITEM, "kind Rare", "concept b"]) {
			const { items, rings, total } = chooseDrawn(model, all, { focus, isWithPaid: true, most });
			const drawn = items.length + [...rings.values()].reduce((sum, count) => sum + count, 0);
			t.ok(drawn <= most, `${drawn} of ${most}`);
			t.equal(total, all.size + 4_997);
			t.equal(items[0]?.id, focus);
			if (most === 10_000) t.equal(drawn, total, "all there is");
		}
	}
	const chosen = chooseDrawn(model, all, { focus: "kind Rare", isWithPaid: true, most: 600 });
	t.equal(chosen.rings.get("kind Rare"), 499);
	t.equal(chosen.rings.get("kind Frequent"), 600 - 499 - all.size);
	const near = chooseDrawn(model, all, { focus: "concept b", isWithPaid: true, most: 4 });
	t.same(
		near.items.map(({ id }) => id),
		["concept b", "kind Frequent", "concept c", "source https://www.example.org/b"],
	);
	t.end();
});

t.test("filters leave what fits, and what belongs to it", (t) => {
	t.same(namesOf("kind=Rare"), ["Concept a", "Graph", "Rare", "a", "example.org"]);
	t.same(namesOf("tag=tag"), ["Graph", "tag"]);
	t.same(namesOf("show=concept&from=2021&to=2021"), ["Concept b", "Graph"]);
	t.same(namesOf("show=source&q=B"), ["Graph", "b"]);
	const { words } = readFilter(new URLSearchParams({ q: `${"a a ".repeat(20_000)}b` }));
	t.same(words, ["a"], "each word once, and no more than a person types");
	t.equal(readFilter(new URLSearchParams({ q: "a b c d e f g h i j" })).words.length, 8);
	t.same(namesOf("from=soon").length, selected("").size, "what is no year is none");
	t.end();
});
