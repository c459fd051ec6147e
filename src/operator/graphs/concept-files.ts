import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FrontMatter, parseMarkdown } from "../../documents/documents.js";
import { invalidArgument, notFound, toIsoDay } from "../../kernel/kernel.js";
import {
	type BundleChanges,
	type Changeable,
	type Concept,
	createPathClaims,
	type Finding,
	findConcept,
	findSuccessor,
	type Graph,
	RECORD_PATH,
	readMemory,
	reasonAgainstPath,
	reasonToSkip,
	toMarkdownFile,
	toRecordFile,
} from "../../knowledge/knowledge.js";
import type { GraphRepository } from "../publication/graph-repository.js";

/** Files of concepts, changed in one go: all of them or none. */

export interface ConceptText {
	readonly data: FrontMatter;
	readonly body: string;
}

/** Throws INVALID_ARGUMENT for a file that cannot be a concept of this graph. */
export async function changeConcepts(
	{ repository, now }: { readonly repository: GraphRepository; readonly now: number },
	graph: Changeable,
	files: BundleChanges,
): Promise<{ readonly graph: Graph; readonly findings: readonly Finding[] }> {
	await readMemory(graph);
	const claim = createPathClaims();
	for (const [path, bytes] of files) {
		const fault = bytes && reasonToSkip(bytes);
		const reason =
			reasonAgainstPath(path, graph) ??
			claim(path) ??
			(fault && `"${path}" cannot be a concept. ${fault}`);
		if (bytes && reason !== undefined) throw invalidArgument(reason);
	}
	let found: readonly Finding[] = [];
	const changes = new Map([...files, ...renewRecord(graph, toIsoDay(now))]);
	const next = await repository.change(graph, changes, "concept", ({ findings }) => {
		assertNoError(findings);
		found = findings;
		return undefined;
	});
	return { graph: next, findings: found };
}

/** Also by the id of one that it has taken in. Throws NOT_FOUND. */
export function conceptOf(graph: Changeable, id: string): Concept {
	const known = findConcept(graph, id) ?? findSuccessor(graph, id);
	if (known) return known;
	throw notFound(`The graph "${graph.record.id}" has no concept "${id.slice(0, 200)}".`);
}

/** What the file of a concept says, as it was written. */
export async function readConceptText(
	{ folder }: Changeable,
	{ path }: Concept,
): Promise<ConceptText> {
	const { data, body } = parseMarkdown(await readFile(join(folder, path), "utf8"));
	return { data, body };
}

export function toConceptBytes({ data, body }: ConceptText): Uint8Array {
	return new TextEncoder().encode(toMarkdownFile(data, body));
}

function assertNoError(findings: readonly Finding[]): void {
	const errors = findings.filter(({ severity }) => severity === "error");
	const [first] = errors;
	if (!first) return;
	throw invalidArgument(`"${first.file}" cannot be a concept. ${first.message}`, {
		details: errors.map(({ message }) => ({ path: "markdown", message })),
	});
}

/** The record shows callers how fresh a graph is. The listing is left to the next import: it is as long as the graph. */
function renewRecord(
	{ record }: Changeable,
	today: string,
): readonly (readonly [string, Uint8Array])[] {
	if (record.updated >= today) return [];
	const text = toRecordFile({ ...record, updated: today });
	return [[RECORD_PATH, new TextEncoder().encode(text)]];
}
