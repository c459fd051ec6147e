import t from "tap";
import { loadSampleCatalog } from "../../bench/labelled/first-catalog.js";
import {
	MULTI_HOP_SETS,
	type MultiHopSet,
	readMultiHopRows,
} from "../../bench/search/multi-hop.js";

const graphs = await loadSampleCatalog();

for (const [set, prefix, count, least, most] of [
	["multi-hop", /^mh2-/, 60, 2, 4],
	["bridges-dev", /^mh3-/, 40, 1, 4],
	["bridges-fit", /^mh[5-9]-/, 419, 12, 28],
	["bridges", /^mh4-/, 60, 2, 4],
] as const) {
	t.test(`${set} has ${count} questions, spread over the graphs`, async (t) => {
		const rows = readMultiHopRows(set);
		t.equal(new Set(rows.map(({ id }) => id)).size, count);
		t.ok(rows.every(({ id }) => prefix.test(id)));
		t.equal(rows.length, count);
		for (const { record } of graphs) {
			const own = rows.filter(({ graph }) => graph === record.id);
			t.ok(own.length >= least && own.length <= most, record.id);
		}
	});
}

t.test("no question to fit by asks for what a held-out one asks for", async (t) => {
	const askedBy = (set: MultiHopSet) =>
		readMultiHopRows(set).map(({ graph, relevant }) => {
			const asked = Object.keys(relevant).find((id) => relevant[id] === 3);
			return `${graph}:${asked}`;
		});
	const held = new Set(askedBy("bridges"));
	t.same(
		askedBy("bridges-fit").filter((asked) => held.has(asked)),
		[],
	);
});

t.test("they follow edges that are there, to what they call relevant", async (t) => {
	for (const { id, graph, hops, relevant } of MULTI_HOP_SETS.flatMap(readMultiHopRows)) {
		const concepts = graphs.find(({ record }) => record.id === graph)?.concepts ?? [];
		const byPath = new Map(concepts.map((concept) => [concept.path, concept]));
		for (const { from, type, to } of hops) {
			const target = byPath.get(to)?.id;
			const edges = byPath.get(from)?.edges ?? [];
			const isThere = edges.some((edge) => edge.type === type && edge.target === target);
			t.ok(isThere, `${id}: ${from} ${type} ${to}`);
		}
		const ends = hops.flatMap(({ from, to }) => [from, to]);
		const seen = new Set(ends.map((path) => byPath.get(path)?.id));
		t.same([...seen].sort(), Object.keys(relevant).sort(), id);
		t.equal(Object.values(relevant).filter((grade) => grade === 3).length, 1, id);
	}
});
