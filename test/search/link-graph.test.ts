import t from "tap";
import type { Concept, Evidence } from "../../src/knowledge/model/graph.js";
import { buildLexicalSegment } from "../../src/search/index/index-builder.js";
import type { Segment } from "../../src/search/index/segment.js";
import {
	buildLinkGraph,
	collectArcs,
	type LinkGraph,
} from "../../src/search/ranking/link-graph.js";
import { sampleConcept, sampleGraph } from "./sample-graph.js";

const source = (sourceUrl: string): Evidence => ({
	articleId: sourceUrl,
	title: "",
	sourceUrl,
	publishedAt: undefined,
	datePrecision: undefined,
});

async function linkGraphOf(...graphs: readonly (readonly Concept[])[]): Promise<LinkGraph> {
	const segments = await Promise.all(
		graphs.map(async (concepts, number) => ({
			segment: await segmentOf(`g${number}`, concepts),
			concepts,
		})),
	);
	return buildLinkGraph(segments);
}

const segmentOf = (id: string, concepts: readonly Concept[]) =>
	buildLexicalSegment(sampleGraph(id, concepts));

function arcsOf({ starts, targets, weights }: LinkGraph, node: number): Record<number, number> {
	const arcs: Record<number, number> = {};
	for (let arc = starts[node] ?? 0; arc < (starts[node + 1] ?? 0); arc++) {
		arcs[targets[arc] ?? -1] = Math.round((weights[arc] ?? 0) * 100) / 100;
	}
	return arcs;
}

t.test("links lead both ways, by their weight, within one graph", async (t) => {
	const edges = [
		{ type: "uses", target: "b", weight: 0.5 },
		{ type: "links-to", target: "nowhere", weight: 1 },
		{ type: "links-to", target: "c", weight: 4 },
	];
	const one = ["a", "b"].map((id) => sampleConcept(id, id === "a" ? { edges } : {}));
	const graph = await linkGraphOf(one, [sampleConcept("c")]);
	t.same(arcsOf(graph, 0), { 1: 0.5 });
	t.same(arcsOf(graph, 1), { 0: 0.5 });
	t.same(arcsOf(graph, 2), {});
});

t.test("sources, names and rare tags tie concepts of any graphs together", async (t) => {
	const graph = await linkGraphOf(
		[
			sampleConcept("a", { evidence: [source("https://x"), source("https://x")], tags: ["One"] }),
			sampleConcept("b", { aliases: ["ACME"] }),
		],
		[
			sampleConcept("c", { evidence: [source("https://x")], tags: ["one"] }),
			sampleConcept("d", { title: "Acme" }),
		],
	);
	const pair = Math.log2(3);
	t.same(arcsOf(graph, 0), { 2: Math.round((1.2 / pair) * 100) / 100 });
	t.same(arcsOf(graph, 3), { 1: Math.round((1 / pair) * 100) / 100 });
});

t.test("titles tie together only where they are rare", async (t) => {
	const called = (title: string, count: number) =>
		Array.from({ length: count }, (_, at) => sampleConcept(`${title}${at}`, { title }));
	t.ok((await linkGraphOf(called("Fees", 3))).targets.length > 0);
	t.equal((await linkGraphOf(called("Summary", 4))).targets.length, 0);
});

t.test("what many share says nothing, and a hub keeps its heaviest arcs", async (t) => {
	const shared = Array.from({ length: 21 }, (_, number) =>
		sampleConcept(`s${number}`, { evidence: [source("https://everywhere")], tags: ["all"] }),
	);
	const loose = await linkGraphOf(shared);
	t.equal(loose.targets.length, 0);
	const leaves = Array.from({ length: 40 }, (_, number) =>
		sampleConcept(`l${number}`, {
			edges: [{ type: "links-to", target: "hub", weight: number === 7 ? 1 : 0.5 }],
		}),
	);
	const graph = await linkGraphOf([sampleConcept("hub"), ...leaves]);
	const arcs = arcsOf(graph, 0);
	t.equal(Object.keys(arcs).length, 32);
	t.equal(arcs[8], 1);
	t.same(arcsOf(graph, 40), { 0: 0.5 });
});

t.test("a tombstone has no arcs, and a segment that is not there has no place", async (t) => {
	const edges = [{ type: "links-to", target: "b", weight: 1 }];
	const concepts = [sampleConcept("a", { edges }), sampleConcept("b")];
	const segment = await segmentOf("g", concepts);
	const graph = await buildLinkGraph([{ segment, concepts: [concepts[0], undefined] }]);
	t.equal(graph.targets.length, 0);
	t.same(graph.find(segment), { number: 0, first: 0 });
	t.equal(graph.find(await segmentOf("g", concepts)), undefined);
});

t.test("concepts that share much cost bounded memory, and keep what fewest share", async (t) => {
	const count = 400;
	const concepts = Array.from({ length: count }, (_, at) => {
		// Twenty concepts, every time others, share each of these.
		const common = Array.from({ length: 20 }, (_, turn) =>
			source(`https://common/${turn}/${((at % 20) + turn * Math.floor(at / 20)) % 20}`),
		);
		return sampleConcept(`c${at}`, { evidence: [...common, source(`https://rare/${at >> 1}`)] });
	});
	const [, arcs] = await collectArcs([{ segment: { graphId: "g" } as Segment, concepts }]);
	t.ok(arcs && arcs.from.length <= count * 128, `room for ${arcs?.from.length} arcs`);
	const twins = new Set<number>();
	for (let arc = 0; arc < (arcs?.count ?? 0); arc++) {
		const [from = 0, to = 0] = [arcs?.from[arc], arcs?.to[arc]];
		if (from >> 1 === to >> 1) twins.add(from);
	}
	t.equal(twins.size, count);
});
