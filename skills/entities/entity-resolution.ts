import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { createBestOf, normalizeName } from "../../src/evidence/evidence.js";
import type { Concept, Graph, Steps } from "../../src/knowledge/knowledge.js";
import { createGraphIndex } from "../graphs/graphs.js";
import { type NameEntry, type NameIndex, type NameMatch, toNameIndex } from "./name-index.js";

/** A node found under a name. */
export interface EntityMatch extends NameMatch<Concept> {
	readonly graph: Graph;
	readonly entityId: string;
}

/** Something that graphs speak of: the nodes with its title, and those that have the title as another name. */
export interface Entity {
	readonly entityId: string;
	/** The title as most graphs write it. */
	readonly name: string;
	/** By graph, in the order of the ids. */
	readonly nodes: readonly EntityNode[];
}

export interface EntityNode {
	readonly graph: Graph;
	readonly concept: Concept;
	readonly namedAs: "title" | "alias";
}

const ID_DIGITS = 20;
/** Graphs looked through before others are served. */
const GRAPHS_PER_TURN = 8;

/** `ent_` and the beginning of the normalized title's sha256: nodes of one title are one entity, in every graph. */
export function toEntityId({ title }: Pick<Concept, "title">): string {
	const key = normalizeName(title) || title;
	return `ent_${createHash("sha256").update(key).digest("hex").slice(0, ID_DIGITS)}`;
}

/** Nodes called so in any of the graphs, best first, those of one score in the order of the graphs. */
export async function resolveName(
	graphs: readonly Graph[],
	name: string,
	limit: number,
): Promise<readonly EntityMatch[]> {
	const best = createBestOf<EntityMatch>(limit, (a, b) => b.score - a.score);
	for (const [index, graph] of graphs.entries()) {
		if (index % GRAPHS_PER_TURN === 0) await setImmediate();
		const { names } = await entityNames.ready(graph);
		for (const match of names.find(name, limit)) {
			best.add({ ...match, graph, entityId: toEntityId(match.named) });
		}
	}
	return best.inOrder();
}

/** Title of the first node that is called just so, by title, alias or a code within its title; undefined when none is. */
export async function findTitleOf(
	graphs: readonly Graph[],
	name: string,
): Promise<string | undefined> {
	for (const graph of graphs) {
		const [entry] = (await entityNames.ready(graph)).names.called(name);
		if (entry) return entry.named.title;
	}
	return undefined;
}

/** Undefined when no node of any graph has such a title. */
export async function findEntity(
	graphs: readonly Graph[],
	entityId: string,
): Promise<Entity | undefined> {
	const title = await findTitle(graphs, entityId);
	if (title === undefined) return undefined;
	const nodes: EntityNode[] = [];
	for (const graph of graphs) {
		const { names } = await entityNames.ready(graph);
		const seen = new Set<Concept>();
		for (const { kind, named } of names.called(title)) {
			if (kind === "identifier" || seen.has(named)) continue;
			seen.add(named);
			nodes.push({ graph, concept: named, namedAs: kind });
		}
	}
	return { entityId, name: title, nodes };
}

async function findTitle(graphs: readonly Graph[], entityId: string): Promise<string | undefined> {
	for (const graph of graphs) {
		const title = (await entityNames.ready(graph)).titles.get(entityId);
		if (title !== undefined) return title;
	}
	return undefined;
}

interface EntityNames {
	readonly names: NameIndex<Concept>;
	/** Title by entity id. */
	readonly titles: ReadonlyMap<string, string>;
}

/** The names of each graph's nodes. */
const entityNames = createGraphIndex<EntityNames>(toEntityNames);

function* toEntityNames(graph: Graph): Steps<EntityNames> {
	const titles = new Map<string, string>();
	for (const concept of graph.concepts) {
		yield;
		if (normalizeName(concept.title) !== "") titles.set(toEntityId(concept), concept.title);
	}
	return { names: yield* toNameIndex(entriesOf(graph)), titles };
}

function* entriesOf({ record, concepts }: Graph): Iterable<NameEntry<Concept>> {
	for (const named of concepts) {
		const { id, title, aliases } = named;
		yield { text: title, kind: "title", named };
		for (const text of aliases) yield { text, kind: "alias", named };
		const identifiers = [id, `${record.id}:${id}`, id.slice(id.lastIndexOf(".") + 1)];
		for (const text of [...identifiers, ...codesIn(title)]) {
			yield { text, kind: "identifier", named };
		}
	}
}

const CODE = /(?<![\p{L}\p{N}])\p{L}{2,12}[-\s]?\d+(?:[-.]\d+)*(?![\p{L}\p{N}])/gu;

/** Names of standards, advisories and the like within a title: `CVE-2021-44228`, `EIP 712`. */
function codesIn(title: string): readonly string[] {
	return title.slice(0, 500).match(CODE) ?? [];
}
