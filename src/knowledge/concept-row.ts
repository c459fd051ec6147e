import { toConceptId } from "./concept-reader.js";
import type { Concept, Edge, Evidence } from "./graph.js";

/** A concept as an array: a third shorter in JSON than with its names, and what is undefined comes back as undefined. */
export type ConceptRow = readonly [
	path: string,
	type: string,
	title: string,
	summary: string,
	body: string,
	tags: readonly string[],
	aliases: readonly string[],
	evidence: readonly EvidenceRow[],
	edges: readonly EdgeRow[],
	trust: Concept["trust"],
	verified: readonly (readonly [by: string, at: string | null])[],
	status: Concept["status"],
	generatedAt: string | null,
	generatedBy: string | null,
	staleAfter: string | null,
];

type EvidenceRow = readonly [
	articleId: string,
	title: string,
	sourceUrl: string,
	publishedAt: string | null,
	datePrecision: Exclude<Evidence["datePrecision"], undefined> | null,
];

type EdgeRow = readonly [
	type: string,
	target: string,
	weight: number,
	validFrom?: string | null,
	validTo?: string | null,
];

/** Of a concept that was read from a file: those alone are kept. */
export function toConceptRow(concept: Concept): ConceptRow {
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
	];
}

/** Equal to what reading the file gives, part by part. */
export function fromConceptRow(row: ConceptRow): Concept {
	const [path, type, title, summary, body, tags, aliases, evidence, edges] = row;
	const [, , , , , , , , , trust, verified, status, generatedAt, generatedBy, staleAfter] = row;
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
	};
}

const NONE: readonly never[] = [];

/** A hundred thousand empty lists are one: what is there is looked through again and again while memory fills. */
function orNone<T>(list: readonly T[]): readonly T[] {
	return list.length === 0 ? NONE : list;
}

function toEvidenceRow(one: Evidence): EvidenceRow {
	const { articleId, title, sourceUrl, publishedAt, datePrecision } = one;
	return [articleId, title, sourceUrl, publishedAt ?? null, datePrecision ?? null];
}

function fromEvidenceRow(row: EvidenceRow): Evidence {
	const [articleId, title, sourceUrl, publishedAt, datePrecision] = row;
	return {
		articleId,
		title,
		sourceUrl,
		publishedAt: publishedAt ?? undefined,
		datePrecision: datePrecision ?? undefined,
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
