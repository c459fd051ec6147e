import { stringify } from "yaml";
import { PLAIN_LINK } from "./edge-reader.js";
import type { Concept, Edge, Evidence } from "./graph.js";
import { findLinkTargets, resolveLink } from "./markdown-links.js";

/** A source as the format has it. */
export interface SourceEntry {
	readonly id: string;
	readonly resource: string;
	readonly title: string;
	readonly last_modified?: string;
}

/** A typed edge as the format's readers see it; the target is a link from the bundle root. */
export interface RelationEntry {
	readonly type: string;
	readonly target: string;
	readonly weight?: number;
	readonly valid_from?: string;
	readonly valid_to?: string;
}

/** What one concept file says, before it is text. Empty lists and undefined values are left out of the file. */
export interface ConceptDraft {
	readonly type: string;
	readonly title?: string | undefined;
	readonly description?: string | undefined;
	readonly tags?: readonly string[] | undefined;
	readonly aliases?: readonly string[] | undefined;
	readonly sources?: readonly SourceEntry[] | undefined;
	readonly relations?: readonly RelationEntry[] | undefined;
	readonly generated?: { readonly by?: string | undefined; readonly at?: string | undefined };
	readonly verified?:
		| readonly { readonly by: string; readonly at?: string | undefined }[]
		| undefined;
	readonly status?: Concept["status"] | undefined;
	readonly stale_after?: string | undefined;
	/** Keys of other producers, kept as they are behind ours. */
	readonly extra?: Readonly<Record<string, unknown>>;
	readonly body: string;
}

/** The text of a conforming concept file. The same draft always gives the same bytes. */
export function toConceptFile(draft: ConceptDraft): string {
	const { body, extra, ...known } = draft;
	return toMarkdownFile({ ...withoutEmpty(known), ...extra, ...withoutEmpty(known) }, body);
}

/** Front matter and body as one file; keys are written in the order given. */
export function toMarkdownFile(data: Readonly<Record<string, unknown>>, body: string): string {
	const yaml = stringify(data, { lineWidth: 0, aliasDuplicateObjects: false });
	const text = body.trim();
	return text === "" ? `---\n${yaml}---\n` : `---\n${yaml}---\n\n${text}\n`;
}

/**
 * The draft that reads back as this concept; `pathOfId` knows the files of its neighbors. Plain links live in the body,
 * so only edges that the body does not tell become relations.
 */
export function toConceptDraft(
	concept: Concept,
	pathOfId: ReadonlyMap<string, string>,
): ConceptDraft {
	const told = new Set(linkedPaths(concept));
	const isTold = (edge: Edge) =>
		edge.type === PLAIN_LINK &&
		edge.weight === 1 &&
		edge.validFrom === undefined &&
		edge.validTo === undefined &&
		told.has(pathOfId.get(edge.target) ?? "");
	return {
		type: concept.type,
		title: concept.title,
		description: concept.summary || undefined,
		tags: concept.tags,
		aliases: concept.aliases,
		sources: concept.evidence.map(toSourceEntry),
		relations: concept.edges
			.filter((edge) => !isTold(edge))
			.map((edge) => toRelationEntry(edge, pathOfId.get(edge.target) ?? edge.target)),
		generated: { by: concept.generatedBy, at: concept.generatedAt },
		verified: concept.verified,
		status: concept.status,
		stale_after: concept.staleAfter,
		body: concept.body,
	};
}

function linkedPaths({ body, path }: Concept): readonly string[] {
	return findLinkTargets(body).flatMap((written) => {
		const target = resolveLink(path, written);
		return target.kind === "internal" ? [target.path] : [];
	});
}

export function toSourceEntry(evidence: Evidence): SourceEntry {
	const entry = { id: evidence.articleId, resource: evidence.sourceUrl, title: evidence.title };
	const date = writtenDate(evidence);
	return date === undefined ? entry : { ...entry, last_modified: date };
}

/** The date as precise as the source was: `2018`, `2018-08` or `2018-08-01`; undefined for undated sources. */
export function writtenDate({
	publishedAt,
	datePrecision,
}: Pick<Evidence, "publishedAt" | "datePrecision">): string | undefined {
	const chars = { year: 4, month: 7, day: 10 };
	return publishedAt?.slice(0, chars[datePrecision ?? "day"]);
}

function toRelationEntry(edge: Edge, path: string): RelationEntry {
	return {
		type: edge.type,
		target: `/${encodePath(path)}`,
		...(edge.weight === 1 ? {} : { weight: edge.weight }),
		...(edge.validFrom ? { valid_from: edge.validFrom } : {}),
		...(edge.validTo ? { valid_to: edge.validTo } : {}),
	};
}

/** A path as a link destination: characters that would end or escape one are percent-encoded. */
export function encodePath(path: string): string {
	return encodeURI(path).replace(/[()]/g, (char) => (char === "(" ? "%28" : "%29"));
}

function withoutEmpty(data: object): Record<string, unknown> {
	return Object.fromEntries(Object.entries(data).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
	if (value === undefined || value === "") return true;
	if (Array.isArray(value)) return value.length === 0;
	return typeof value === "object" && value !== null && Object.values(value).every(isEmpty);
}
