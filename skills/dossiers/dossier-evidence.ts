import { type CitedSentence, findPublisher } from "../../src/evidence/evidence.js";
import { type Concept, type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import type { CitationList } from "../answers/answers.js";
import { bestTier } from "../verify/verify.js";
import type { DossierPassage } from "./dossier-passages.js";
import { DOSSIER_LIMITS, type DossierWire } from "./dossier-wire.js";

/** Nodes that are quoted, those with most of it first. */
export function toEntities(used: readonly CitedSentence[]): DossierWire["entities"] {
	const counts = new Map<Concept, { graph: Graph; mentions: number }>();
	for (const { graph, concept } of used) {
		const known = counts.get(concept) ?? { graph, mentions: 0 };
		counts.set(concept, { graph, mentions: known.mentions + 1 });
	}
	return [...counts]
		.map(([concept, { graph, mentions }]) => ({
			trend_id: toTrendId(graph.record.id, concept.id),
			name: concept.title,
			type: concept.type,
			graph_id: graph.record.id,
			mentions,
		}))
		.sort((a, b) => b.mentions - a.mentions)
		.slice(0, DOSSIER_LIMITS.entitiesMax);
}

/** Sources by tier. */
export function toAuthority(
	used: readonly CitedSentence[],
): DossierWire["source_profile"]["authority"] {
	const sources = used.flatMap((sentence) => sentence.sources);
	const distinct = new Map(sources.map((source) => [source.sourceUrl, findPublisher(source).tier]));
	return [1, 2, 3, 4].map((tier) => ({
		tier,
		sources: [...distinct.values()].filter((one) => one === tier).length,
	}));
}

/** Each source once, numbered in the order in which it is first cited, with the passages that it carries. */
export function toEvidenceTable(
	citations: Pick<CitationList, "toWire">,
	passages: readonly DossierPassage[],
): DossierWire["evidence_table"] {
	const ids = new Map(
		passages.flatMap(({ id, sentences }) => sentences.map((one) => [one.evidenceId, id])),
	);
	const tiers = new Map(
		passages.flatMap(({ sentences }) =>
			sentences.flatMap(({ sources }) =>
				sources.map((source) => [source.sourceUrl, bestTier([source])]),
			),
		),
	);
	const rows = new Map<string, DossierWire["evidence_table"][number]>();
	for (const citation of citations.toWire()) {
		const { n, evidence_id, title, publisher, source_url, published_at, trust_tier } = citation;
		const row = rows.get(source_url) ?? {
			...{ n, evidence_id, title, publisher, source_url, published_at, trust_tier },
			tier: tiers.get(source_url) ?? bestTier([]),
			...{ findings: [], citation_ids: [], source_n: rows.size + 1 },
		};
		row.citation_ids.push(n);
		const id = ids.get(evidence_id);
		if (id !== undefined && !row.findings.includes(id)) row.findings.push(id);
		rows.set(source_url, row);
	}
	return [...rows.values()];
}
