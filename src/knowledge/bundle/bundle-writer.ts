import { stringify } from "yaml";
import {
	type FrontMatter,
	findLinkTargets,
	parseDay,
	resolveLink,
} from "../../documents/documents.js";
import type { Concept, Edge, ExpertConsent, Graph, GraphRecord } from "../model/graph.js";
import { toTermsFields } from "../model/graph-terms.js";
import { readKeptFields } from "../model/kept-fields.js";
import { type SourceEntry, toSourceEntry } from "../model/source-entry.js";
import { runAtOnce, type Steps, visitInSteps } from "../model/work-in-turns.js";
import type { BundleFiles } from "./bundle-reader.js";
import { CITES, PLAIN_LINK, sourcePathsOf } from "./concept-reader.js";

export const OKF_VERSION = "0.2";

export interface ListingEntry {
	readonly path: string;
	readonly title: string;
	readonly description: string;
}

/** A graph as the files of a conforming v0.2 bundle; the same graph always gives the same bytes. */
export function toBundleFiles(graph: Graph): BundleFiles {
	return runAtOnce(bundleFilesOf(graph));
}

/** Like `toBundleFiles`, concept by concept. */
export function* bundleFilesOf(graph: Pick<Graph, "record" | "concepts">): Steps<BundleFiles> {
	const pathOfId = new Map(graph.concepts.map(({ id, path }) => [id, path]));
	const texts = new Map<string, string>([
		["index.md", toGraphListing(graph.record.title, graph.concepts)],
		["log.md", toLogFile(graph.record.updated, [`Version ${graph.record.version}.`])],
		["graph.md", toRecordFile(graph.record)],
	]);
	for (const concept of graph.concepts) {
		const kept = readKeptFields(concept);
		const { body, ...draft } = toConceptDraft(concept, { pathOfId, kept });
		texts.set(concept.path, toMarkdownFile({ ...withoutEmpty(draft), ...kept }, body));
		yield;
	}
	return encodeFiles(texts);
}

/** The root listing of a graph: one heading per folder, concepts below it. */
export function toGraphListing(title: string, concepts: readonly Listed[]): string {
	return runAtOnce(graphListingOf(title, concepts));
}

type Listed = Pick<Concept, "path" | "title" | "summary">;

/** Like `toGraphListing`, concept by concept. */
export function* graphListingOf(title: string, concepts: readonly Listed[]): Steps<string> {
	const sections = new Map<string, ListingEntry[]>([
		["", [{ path: "graph.md", title: "About this graph", description: "Its record" }]],
	]);
	yield* visitInSteps(concepts, (concept) => {
		const folder = concept.path.split("/").slice(0, -1).join("/");
		const entries = sections.get(folder) ?? [];
		entries.push({ path: concept.path, title: concept.title, description: concept.summary });
		sections.set(folder, entries);
	});
	return yield* rootListingOf(title, sections);
}

/** A root `index.md`: `okf_version`, a title, then a heading per section (none for the section named ""). */
export function toRootListing(
	title: string,
	sections: ReadonlyMap<string, readonly ListingEntry[]>,
): string {
	return runAtOnce(rootListingOf(title, sections));
}

function* rootListingOf(
	title: string,
	sections: ReadonlyMap<string, readonly ListingEntry[]>,
): Steps<string> {
	const parts: string[] = [];
	for (const [heading, entries] of sections) {
		const list: string[] = [];
		yield* visitInSteps(entries, (entry) => {
			list.push(toListingLine(entry));
		});
		const lines = list.join("\n");
		parts.push(heading === "" ? lines : `## ${escapeText(heading)}\n\n${lines}`);
	}
	return toMarkdownFile(
		{ okf_version: OKF_VERSION },
		[`# ${escapeText(title)}`, ...parts].join("\n\n"),
	).replace(`okf_version: ${OKF_VERSION}`, `okf_version: "${OKF_VERSION}"`);
}

export function toLogFile(day: string, lines: readonly string[]): string {
	return `# Log\n\n## ${day}\n\n${lines.map((line) => `* ${line}\n`).join("")}`;
}

export function encodeFiles(texts: ReadonlyMap<string, string>): Map<string, Uint8Array> {
	const encoder = new TextEncoder();
	return inPathOrder(new Map([...texts].map(([path, text]) => [path, encoder.encode(text)])));
}

export function inPathOrder(files: BundleFiles): Map<string, Uint8Array> {
	const empty = new Uint8Array();
	const paths = [...files.keys()].sort();
	return new Map(paths.map((path) => [path, files.get(path) ?? empty]));
}

function toListingLine({ path, title, description }: ListingEntry): string {
	const link = `* [${escapeText(title)}](${encodePath(path)})`;
	return description === "" ? link : `${link} - ${escapeText(description)}`;
}

/** Brackets and line breaks would end a link's text or start a link of their own. */
function escapeText(text: string): string {
	return text.replace(/\s+/g, " ").replace(/[\\[\]]/g, "\\$&");
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
	readonly generated?:
		| { readonly by?: string | undefined; readonly at?: string | undefined }
		| undefined;
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

/** The draft that reads back as this concept; what its body or the fields it keeps say already is not said again. */
function toConceptDraft(
	concept: Concept,
	{
		pathOfId,
		kept,
	}: { readonly pathOfId: ReadonlyMap<string, string>; readonly kept: FrontMatter },
): ConceptDraft {
	const said = new Map([
		[PLAIN_LINK, new Set(linkedPaths(concept))],
		[CITES, new Set(sourcePathsOf(concept.path, kept))],
	]);
	const isSaid = (edge: Edge) =>
		edge.weight === 1 &&
		edge.validFrom === undefined &&
		edge.validTo === undefined &&
		said.get(edge.type)?.has(pathOfId.get(edge.target) ?? "");
	const isDated =
		concept.generatedBy === undefined && parseDay(kept["timestamp"]) === concept.generatedAt;
	return {
		type: concept.type,
		title: concept.title,
		description: concept.summary || undefined,
		tags: concept.tags,
		aliases: concept.aliases,
		sources: concept.evidence.map(toSourceEntry),
		relations: concept.edges
			.filter((edge) => !isSaid(edge))
			.map((edge) => toRelationEntry(edge, pathOfId.get(edge.target) ?? edge.target)),
		generated: isDated ? undefined : { by: concept.generatedBy, at: concept.generatedAt },
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

export function toRelationEntry(edge: Edge, path: string): RelationEntry {
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

/** The text of `graph.md`; reads back as the same record. */
export function toRecordFile(record: GraphRecord): string {
	const { expert, analyst } = record;
	return toMarkdownFile(
		{
			type: record.type,
			id: record.id,
			slug: record.slug,
			title: record.title,
			version: record.version,
			updated: record.updated,
			...(record.description === "" ? {} : { description: record.description }),
			...(record.topics.length === 0 ? {} : { topics: record.topics }),
			...(record.exampleQueries.length === 0 ? {} : { example_queries: record.exampleQueries }),
			...(record.contact && { contact: record.contact }),
			...(record.license && { license: record.license }),
			...(record.setByOwner && { set_by_owner: record.setByOwner }),
			...(record.curator ? { curator: record.curator } : {}),
			...(expert
				? {
						expert: {
							agent_id: expert.agentId,
							name: expert.name,
							headline: expert.headline,
							is_ai_twin: expert.isAiTwin,
							disclosure: expert.disclosure,
							...(expert.consent && { consent: toConsent(expert.consent) }),
						},
					}
				: {}),
			...(analyst ? { analyst } : {}),
			...toTermsFields(record.terms),
		},
		record.about,
	);
}

function toConsent({ basis, until }: ExpertConsent) {
	return { basis, ...(until !== undefined && { until }) };
}
