import fc from "fast-check";
import type { Concept, Edge, Graph } from "../../../src/knowledge/model/graph.js";
import { graphOf, TIDES } from "../../knowledge/sample-bundle.js";
import { sampleConcept } from "../../search/sample-graph.js";

/** Names no one would choose in good faith. */
export const HOSTILE = [
	"=cmd|' /C calc'!A0",
	"@SUM(1)",
	'a"b,c\nd',
	"<script>&'\"]]>",
	"𝒳 ünï — 漢字",
	"-1+1",
	"plain",
];

const day = fc.constantFrom("2018-01-01", "2019-05-17", "2020-02-29", "2024-12-31", undefined);

/** Small graphs with hostile texts, parallel and dangling edges, weights and dates of every kind. */
export const anyGraph: fc.Arbitrary<Graph> = fc
	.array(
		fc.record({
			text: fc.constantFrom(...HOSTILE),
			type: fc.constantFrom("Claim", "Trend", "claim"),
			tags: fc.subarray(["a", "B", "=c"]),
			trust: fc.constantFrom("unverified" as const, "human-reviewed" as const),
			links: fc.array(
				fc.record({
					to: fc.nat(15),
					type: fc.constantFrom("links-to", "builds-on", "opposes"),
					weight: fc.constantFrom(1, 0.5, 4, 1e-9, 1e300),
					from: day,
					until: day,
				}),
				{ maxLength: 4 },
			),
			days: fc.array(day, { maxLength: 3 }),
			written: day,
		}),
		{ minLength: 1, maxLength: 14 },
	)
	.map((nodes) => {
		const idOf = (index: number) => `c.n${index % 3}-${index}`;
		return graphWith(
			nodes.map((node, index): Concept => {
				const edges: Edge[] = node.links
					.filter(({ to }) => to !== index)
					.map(({ to, type, weight, from, until }) => ({
						type,
						target: idOf(to),
						weight,
						validFrom: from,
						validTo: until,
					}));
				return conceptOf(idOf(index), {
					type: node.type,
					title: node.text,
					summary: node.text,
					body: `${node.text}\n\nMore of it.`,
					tags: node.tags,
					aliases: [node.text],
					trust: node.trust,
					generatedAt: node.written,
					evidence: node.days.map((publishedAt, at) => ({
						articleId: `s${at}`,
						title: node.text,
						sourceUrl: `https://example.org/${index}/${at}`,
						publishedAt,
						datePrecision: publishedAt && ("day" as const),
					})),
					edges,
				});
			}),
		);
	});

export function graphWith(concepts: readonly Concept[], id = "tides"): Graph {
	const { record } = graphOf(TIDES);
	return {
		record: { ...record, id },
		concepts,
		folder: "",
		contentHash: `${id}-${concepts.length}`,
	};
}

export function conceptOf(id: string, known: Partial<Concept> = {}): Concept {
	return sampleConcept(id, { type: "Claim", summary: `About ${id}.`, ...known });
}

/** A chain of links by id. */
export function linksTo(...targets: readonly string[]): { edges: readonly Edge[] } {
	return { edges: targets.map((target) => ({ type: "links-to", target, weight: 1 })) };
}
