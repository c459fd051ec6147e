import fc from "fast-check";
import t from "tap";
import { graphCompare } from "../../skills/graphs/compare.operations.js";
import { findCommunities } from "../../skills/graphs/reading/communities.js";
import { graphTopics } from "../../skills/graphs/topics.operations.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { runAtOnce } from "../../src/knowledge/model/work-in-turns.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { boundSkill } from "../support/bound-skill.js";
import { ask } from "./asked-skill.js";

const node = (name: string, changes: Parameters<typeof makeConcept>[0] = {}) =>
	makeConcept({
		...{ id: `n.${name}`, path: `n/${name}.md`, title: name },
		...{ aliases: [], tags: [], evidence: [], edges: [] },
		...changes,
	});
const to = (...names: string[]) => ({
	edges: names.map((name) => ({ type: "links", target: `n.${name}`, weight: 1 })),
});
const source = (path: string) => ({
	articleId: path,
	title: `On ${path}`,
	sourceUrl: `https://example.org/${path}`,
	publishedAt: undefined,
	datePrecision: undefined,
});

const energy = makeGraph({ id: "energy", title: "Energy" }, [
	node("Solar park", { ...to("Wind park", "Grid"), tags: ["Power"] }),
	node("Wind park", { ...to("Grid"), tags: ["Power"] }),
	node("Grid", { tags: ["power"], aliases: ["Network"] }),
	node("Salary", { ...to("Bonus"), tags: ["Pay"] }),
	node("Bonus", { ...to("Pension"), tags: ["Pay"] }),
	node("Pension", { tags: ["Pay"], evidence: [source("pensions")] }),
	node("Annuity", { evidence: [source("pensions")] }),
	node("Alone"),
]);
const networks = makeGraph({ id: "networks", title: "Networks" }, [
	node("network", { tags: ["Power", "Copper"] }),
	node("Router", { ...to("network"), evidence: [source("pensions")] }),
]);
const catalog = createGraphCatalog([energy, networks, makeGraph({ id: "empty" }, [node("Moon")])]);

const topics = ask<{ data: { items: object[] }; meta: { next_cursor: string | null } }>(
	boundSkill(graphTopics, { catalog }),
);
const compare = ask<{ data: Record<string, unknown> }>(boundSkill(graphCompare, { catalog }));

t.test(
	"topics are what hangs together by links and by sources, with what sets them apart",
	async (t) => {
		const found = await topics({ graph_id: "energy" });
		t.equal(found.kind, "answer");
		t.match(found.data.items, [
			{
				topic: 1,
				label: /^pay/,
				nodes: 4,
				share: 0.5,
				sources: 1,
				leading_nodes: [{ node_id: "n.Bonus", degree: 2 }],
			},
			{ topic: 2, label: /^power/, nodes: 3 },
		]);
		t.match(found.meta, { next_cursor: null, unlinked: 1 });
		const first = await topics({ graph_id: "energy", limit: 1 });
		const cursor = first.meta.next_cursor ?? "";
		const rest = await topics({ graph_id: "energy", limit: 1, cursor });
		t.same([...first.data.items, ...rest.data.items], found.data.items);
		t.equal((await topics({ graph_id: "empty" })).kind, "no-answer");
		await t.rejects(topics({ graph_id: "none" }), { code: "NOT_FOUND" });
	},
);

t.test("communities part all places, and two cliques with one bridge are two", async (t) => {
	const clique = (from: number) =>
		[0, 1, 2, 3].map((at) => [0, 1, 2, 3].filter((it) => it !== at).map((it) => from + it));
	const links = [...clique(0), ...clique(4)].map(
		(others) => new Map(others.map((other) => [other, 1] as const)),
	);
	links[0]?.set(4, 1);
	links[4]?.set(0, 1);
	t.same(runAtOnce(findCommunities(links)), [
		[0, 1, 2, 3],
		[4, 5, 6, 7],
	]);
	const edge = fc.tuple(fc.nat(11), fc.nat(11), fc.integer({ min: 1, max: 5 }));
	fc.assert(
		fc.property(fc.array(edge, { maxLength: 30 }), (edges) => {
			const ties = Array.from({ length: 12 }, () => new Map<number, number>());
			for (const [a, b, weight] of edges) {
				if (a === b) continue;
				ties[a]?.set(b, weight);
				ties[b]?.set(a, weight);
			}
			const parts = runAtOnce(findCommunities(ties));
			const all = parts.flat().sort((a, b) => a - b);
			const isParted = all.join() === Array.from(ties.keys()).join();
			const lone = parts.filter((part) => part.some((place) => ties[place]?.size === 0));
			return isParted && lone.every(({ length }) => length === 1);
		}),
	);
});

t.test("two graphs are compared by names, sources and tags", async (t) => {
	const asked = { graph_id: "energy", other_graph_id: "networks" };
	const { data, kind } = await compare(asked);
	t.equal(kind, "answer");
	t.match(data, {
		shared_nodes: [
			{
				title: "Grid",
				nodes: [{ node_id: "n.Grid" }, { trend_id: "networks:n.network" }],
			},
		],
		shared_sources: [{ source_url: "https://example.org/pensions" }],
		shared_tags: ["power"],
		counts: { nodes: 1, sources: 1, tags: 1 },
		likeness: { sources: 1, tags: 0.3333 },
		graphs: [
			{ graph_id: "energy", nodes: 8, only_nodes_count: 7, only_tags: ["pay"] },
			{ graph_id: "networks", only_nodes: [{ title: "Router" }], only_tags: ["copper"] },
		],
	});
	const apart = await compare({ ...asked, other_graph_id: "empty" });
	t.equal(apart.kind, "no-answer");
	t.match(apart.data, { shared_nodes: [], shared_tags: [] });
	for (const side of apart.data["graphs"] as object[]) {
		t.match(side, { only_nodes: { length: 0 }, only_tags: { length: 0 } }, "no one paid for names");
	}
	await t.rejects(compare({ ...asked, other_graph_id: "none" }), { code: "NOT_FOUND" });
	await t.rejects(compare({ ...asked, other_graph_id: "energy" }), { code: "INVALID_ARGUMENT" });
});
