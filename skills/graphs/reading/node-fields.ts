import { type Concept, type Evidence, writtenDate } from "../../../src/knowledge/knowledge.js";
import type { Step } from "./walk.js";

/** Nodes, edges and sources as flat fields, named as they travel: what tables and graph files are made of. */

export function toNodeFields(concept: Concept) {
	return {
		node_id: concept.id,
		type: concept.type,
		title: concept.title,
		summary: concept.summary,
		status: concept.status,
		trust_tier: concept.trust,
		tags: concept.tags,
		aliases: concept.aliases,
		generated_by: concept.generatedBy ?? null,
		generated_at: concept.generatedAt ?? null,
		stale_after: concept.staleAfter ?? null,
		evidence_count: concept.evidence.length,
		body: concept.body,
	};
}

export function toEdgeFields({ from, to, edge }: Step) {
	return {
		source: from.id,
		type: edge.type,
		target: to.id,
		weight: edge.weight,
		valid_from: edge.validFrom ?? null,
		valid_to: edge.validTo ?? null,
	};
}

export function toSourceFields(evidence: Evidence) {
	return {
		article_id: evidence.articleId,
		title: evidence.title,
		source_url: evidence.sourceUrl,
		published_at: writtenDate(evidence) ?? null,
	};
}
