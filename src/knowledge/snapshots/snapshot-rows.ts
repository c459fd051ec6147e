import { toConceptId } from "../bundle/concept-reader.js";
import type { Concept, Edge, Evidence } from "../model/graph.js";

type EdgeRow = readonly [
	type: string,
	target: string,
	weight: number,
	validFrom?: string | null,
	validTo?: string | null,
];

export type ConceptRow = ReturnType<typeof toConceptRow>;
type EvidenceRow = ReturnType<typeof toEvidenceRow>;

/** A concept as an array: a third shorter in JSON than with its names; null stands for undefined. */
export function toConceptRow(concept: Concept) {
	return [
		concept.path,
		concept.type,
		concept.title,
		concept.summary,
		concept.body,
		concept.tags,
		concept.aliases,
		concept.evidence.map(toEvidenceRow),
		concept.edges.map(toEdgeRow),
		concept.trust,
		(concept.verified ?? []).map(({ by, at }) => [by, at ?? null] as const),
		concept.status,
		concept.generatedAt ?? null,
		concept.generatedBy ?? null,
		concept.staleAfter ?? null,
		concept.facts ?? null,
		concept.isOwnSource ?? null,
		concept.kept ?? null,
	] as const;
}

type Tail = readonly [ConceptRow[14], ConceptRow[15], ConceptRow[16], ConceptRow[17]];

/** Equal to what reading the file gives, part by part. */
export function fromConceptRow(row: ConceptRow): Concept {
	const [path, type, title, summary, body, tags, aliases, evidence, edges] = row;
	const [, , , , , , , , , trust, verified, status, generatedAt, generatedBy] = row;
	const [staleAfter, facts, isOwnSource, kept] = row.slice(14) as unknown as Tail;
	return {
		id: toConceptId(path),
		path,
		type,
		title,
		summary,
		body,
		tags: orNone(tags),
		aliases: orNone(aliases),
		evidence: orNone(evidence.map(fromEvidenceRow)),
		edges: orNone(edges.map(fromEdgeRow)),
		trust,
		verified: orNone(verified.map(([by, at]) => ({ by, at: at ?? undefined }))),
		status,
		generatedAt: generatedAt ?? undefined,
		generatedBy: generatedBy ?? undefined,
		staleAfter: staleAfter ?? undefined,
		facts: facts ?? undefined,
		isOwnSource: isOwnSource ?? undefined,
		kept: kept ?? undefined,
	};
}

const NONE: readonly never[] = [];

/** A hundred thousand empty lists are one: what is there is looked through again and again while memory fills. */
function orNone<T>(list: readonly T[]): readonly T[] {
	return list.length === 0 ? NONE : list;
}

function toEvidenceRow(one: Evidence) {
	const { articleId, title, sourceUrl, publishedAt, datePrecision, kind } = one;
	const row = [articleId, title, sourceUrl, publishedAt ?? null, datePrecision ?? null] as const;
	return kind ? ([...row, kind] as const) : row;
}

function fromEvidenceRow(row: EvidenceRow): Evidence {
	const [articleId, title, sourceUrl, publishedAt, datePrecision, kind] = row;
	return {
		articleId,
		title,
		sourceUrl,
		publishedAt: publishedAt ?? undefined,
		datePrecision: datePrecision ?? undefined,
		...(kind && { kind }),
	};
}

function toEdgeRow({ type, target, weight, validFrom, validTo }: Edge): EdgeRow {
	if (validFrom === undefined && validTo === undefined) return [type, target, weight];
	return [type, target, weight, validFrom ?? null, validTo ?? null];
}

function fromEdgeRow([type, target, weight, validFrom, validTo]: EdgeRow): Edge {
	return {
		type,
		target,
		weight,
		...(validFrom && { validFrom }),
		...(validTo && { validTo }),
	};
}
