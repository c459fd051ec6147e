import type { z } from "zod";
import { isWebAddress, listOf, parseSourceDate } from "../../documents/documents.js";
import { type Clock, invalidArgument, notFound } from "../../kernel/kernel.js";
import {
	BUNDLE_LIMITS,
	type BundleChanges,
	type Changeable,
	type Concept,
	conceptAt,
	type Edge,
	readRelation,
	toConceptFile,
	toConceptId,
	toRelationEntry,
	toSlug,
	toSourceEntry,
} from "../../knowledge/knowledge.js";
import type { GraphRepository } from "../publication/graph-repository.js";
import {
	type ConceptText,
	changeConcepts,
	conceptOf,
	readConceptText,
	toConceptBytes,
} from "./concept-files.js";
import { mergeFiles } from "./concept-merge.js";
import type { GivenEdge, GivenNode, GivenSource, publishCommands } from "./publish-commands.js";

type Given<Name extends keyof typeof publishCommands> = z.output<(typeof publishCommands)[Name]>;

export interface NodeServices {
	readonly repository: GraphRepository;
	readonly clock: Pick<Clock, "now">;
	/** Runs one thing at a time that changes imported files. */
	readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Nodes, edges and evidence of an imported graph, written into the files of its concepts. */
export function createNodePublisher({ repository, clock, inTurn }: NodeServices) {
	const on =
		<Request extends { readonly graph_id: string }, Result>(
			work: (request: Request, open: OpenGraph) => Promise<Result>,
		) =>
		(request: Request): Promise<Result> =>
			inTurn(() => {
				const graph = repository.getOwn(request.graph_id);
				const change: OpenGraph["change"] = (files) =>
					changeConcepts({ repository, now: clock.now() }, graph, files);
				return work(request, { graph, change });
			});
	return {
		/** Adds or replaces several concepts, all of them or none. Throws NOT_FOUND, and INVALID_ARGUMENT for what is no concept. */
		putNodes: on(putNodes),
		/** Adds typed relations, or replaces those of the same type between the same concepts. Throws NOT_FOUND. */
		putEdges: on(putEdges),
		/** Takes a typed relation out. Throws NOT_FOUND, and INVALID_ARGUMENT for a link that stands in the text. */
		removeEdge: on(removeEdge),
		/** Makes two concepts one; the id of the one leads to the other. Throws NOT_FOUND. */
		mergeNodes: on(async ({ graph_id, from, into }: Given<"mergeNodes">, { graph, change }) => {
			const pair = { graph, from: conceptOf(graph, from), into: conceptOf(graph, into) };
			const files = await mergeFiles(pair);
			const before = await repository.versionOf(graph);
			const changed = await change(files);
			return {
				graph_id,
				id: pair.into.id,
				/** Files of other concepts that led to the one. */
				redirected: files.size - 2,
				nodes: changed.graph.concepts.length,
				/** Rolling back to it undoes the merge. */
				version_before: before,
			};
		}),
		/** Names a source of a concept, or of one of its sentences by a footnote. Throws NOT_FOUND. */
		addEvidence: on(addEvidence),
	};
}

/** An imported graph, and how its files are changed. */
interface OpenGraph {
	readonly graph: Changeable;
	readonly change: (files: BundleChanges) => ReturnType<typeof changeConcepts>;
}

async function putNodes({ graph_id, nodes }: Given<"putNodes">, { graph, change }: OpenGraph) {
	const files = new Map(nodes.map(toFile));
	if (files.size < nodes.length) {
		throw invalidArgument("Two of the nodes have the same path; give each its own id.");
	}
	const known = new Set(graph.concepts.map(({ path }) => path));
	const changed = await change(files);
	return {
		graph_id,
		items: [...files.keys()].map((path) => ({
			id: toConceptId(path),
			change: known.has(path) ? "changed" : "added",
		})),
		nodes: changed.graph.concepts.length,
		warnings: changed.findings.map(({ file, message }) => `${file}: ${message}`),
	};
}

async function putEdges({ graph_id, edges }: Given<"putEdges">, { graph, change }: OpenGraph) {
	const given = edges.map((one) => toEdge(graph, one));
	const files = new Map<string, Uint8Array>();
	for (const source of new Set(given.map((one) => one.source))) {
		const own = given.filter((one) => one.source === source).map(({ edge }) => edge);
		const text = await readConceptText(graph, source);
		files.set(source.path, toConceptBytes(withRelations(graph, source, text, own)));
	}
	await change(files);
	return { graph_id, items: given.map(({ source, edge }) => ({ id: toEdgeId(source.id, edge) })) };
}

async function removeEdge(
	{ graph_id, edge_id }: Given<"removeEdge">,
	{ graph, change }: OpenGraph,
) {
	const source = conceptOf(graph, edge_id.split(":")[0] ?? "");
	const edge = source.edges.find((one) => toEdgeId(source.id, one) === edge_id);
	if (!edge) {
		throw notFound(
			`No edge "${edge_id.slice(0, 200)}" is in the graph "${graph_id}"; an edge is named source:type:target.`,
		);
	}
	const text = await readConceptText(graph, source);
	const relations = relationsOf(text);
	const kept = relations.filter((one) => !isEdge(edgeOf(graph, source, one), edge));
	if (kept.length === relations.length) {
		throw invalidArgument(
			`"${edge_id}" is a link in the text of "${source.id}"; change that text to remove it.`,
		);
	}
	const changed = { ...text, data: { ...text.data, relations: kept } };
	await change(new Map([[source.path, toConceptBytes(changed)]]));
	return { graph_id, id: edge_id, change: "removed" as const };
}

async function addEvidence(
	{ graph_id, concept_id, sentence, ...source }: Given<"addEvidence">,
	{ graph, change }: OpenGraph,
) {
	const concept = conceptOf(graph, concept_id);
	const text = await readConceptText(graph, concept);
	const { id, data } = withSource(concept, text, source);
	const body = sentence === undefined ? text.body : withNote(text.body, sentence, id);
	await change(new Map([[concept.path, toConceptBytes({ data, body })]]));
	return { graph_id, concept_id: concept.id, id };
}

function toFile(given: GivenNode): readonly [string, Uint8Array] {
	if ("markdown" in given) return [given.path, new TextEncoder().encode(given.markdown)];
	const { id, title, type, description, body, tags, sources = [] } = given;
	const path = id === undefined ? `${toSlug(title)}.md` : `${id.replaceAll(".", "/")}.md`;
	const entries = sources.map((source, place) => toEntry(`s${place + 1}`, source));
	const draft = { type, title, description, tags, sources: entries, body };
	return [path, new TextEncoder().encode(toConceptFile(draft))];
}

/** Throws INVALID_ARGUMENT for an address that no one can open, and a date that is none. */
function toEntry(id: string, { url, title, date }: GivenSource) {
	if (!isWebAddress(url)) {
		throw invalidArgument(`"${url.slice(0, 200)}" is no http or https address of a source.`);
	}
	if (date !== undefined && !parseSourceDate(date)) {
		throw invalidArgument(
			`"${date}" is no date of a source; write it as 2026, 2026-01 or 2026-01-31.`,
		);
	}
	return {
		id,
		resource: url,
		title: title ?? url,
		...(date !== undefined && { last_modified: date }),
	};
}

/** Throws NOT_FOUND for a concept that is not there. */
function toEdge(graph: Changeable, given: GivenEdge): { source: Concept; edge: Edge } {
	const [source, target] = [conceptOf(graph, given.source), conceptOf(graph, given.target)];
	if (source === target) throw invalidArgument(`"${source.id}" cannot have an edge to itself.`);
	const relation = { ...given, target: `/${target.path}` };
	const { edge } = readRelation(source.path, relation, spaceOf(graph));
	if (edge) return { source, edge };
	throw invalidArgument(`No edge can lead to "${target.id}".`);
}

const spaceOf = ({ concepts }: Changeable) => ({
	idOf: (path: string) => conceptAt(concepts, path)?.id,
	isOther: () => false,
});

const relationsOf = ({ data }: ConceptText) => listOf(data["relations"]);

const edgeOf = (graph: Changeable, { path }: Concept, relation: unknown) =>
	readRelation(path, relation, spaceOf(graph)).edge;

function isEdge(edge: Edge | undefined, { type, target }: Pick<Edge, "type" | "target">): boolean {
	return edge?.type === type && edge.target === target;
}

/** No id of a concept has a colon. */
function toEdgeId(source: string, { type, target }: Edge): string {
	return `${source}:${type}:${target}`;
}

function withRelations(
	graph: Changeable,
	source: Concept,
	{ data, body }: ConceptText,
	edges: readonly Edge[],
): ConceptText {
	const kept = relationsOf({ data, body }).filter((relation) => {
		const known = edgeOf(graph, source, relation);
		return !edges.some((edge) => isEdge(known, edge));
	});
	const pathOf = (id: string) => conceptOf(graph, id).path;
	const added = edges.map((edge) => toRelationEntry(edge, pathOf(edge.target)));
	return { data: { ...data, relations: [...kept, ...added] }, body };
}

/** One address is one source, however often it is given. */
function withSource({ evidence, id }: Concept, { data }: ConceptText, source: GivenSource) {
	const known = evidence.find(({ sourceUrl }) => sourceUrl === source.url);
	if (known) return { id: known.articleId, data };
	if (evidence.length >= BUNDLE_LIMITS.sources) {
		throw invalidArgument(`"${id}" has ${evidence.length} sources, and no more are read.`);
	}
	const taken = new Set(evidence.map(({ articleId }) => articleId));
	let place = evidence.length + 1;
	while (taken.has(`s${place}`)) place += 1;
	const entry = toEntry(`s${place}`, source);
	return { id: entry.id, data: { ...data, sources: [...sourcesOf(data, evidence), entry] } };
}

/** Of a concept that names its sources in its text, those: beside a list in the front matter they would not be read. */
function sourcesOf(data: ConceptText["data"], evidence: Concept["evidence"]): readonly unknown[] {
	const written = listOf(data["sources"]);
	return written.length > 0 ? written : evidence.map(toSourceEntry);
}

function withNote(body: string, sentence: string, id: string): string {
	const [before, after, ...more] = body.split(sentence);
	if (before !== undefined && after !== undefined && more.length === 0) {
		return `${before}${sentence}[^${id}]${after}`;
	}
	throw invalidArgument(
		`"${sentence.slice(0, 200)}" has to stand exactly once in the body of the concept, as it is written there.`,
	);
}
