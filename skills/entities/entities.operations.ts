import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import {
	answer,
	EVIDENCE_LIMITS,
	paidOperation,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { createBestOf, measureCoverage, normalizeName } from "../../src/evidence/evidence.js";
import { notFound } from "../../src/kernel/kernel.js";
import {
	type Concept,
	type Graph,
	type GraphCatalog,
	type Steps,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { EVIDENCE_BILLING, graphsNamed } from "../articles/articles.js";
import { answerIf, createGraphIndex } from "../graphs/graphs.js";
import {
	entityIdField,
	entityInput,
	entityOutput,
	entityResolveInput,
	entityResolveOutput,
} from "./entity-wire.js";
import {
	addToList,
	type NameEntry,
	type NameIndex,
	type NameMatch,
	toNameIndex,
} from "./name-index.js";

const EXAMPLE_TITLE = "EIP-712 typed structured data";

/** Names in a text to the nodes that stand for them. Additive to the contract. */
export const entityResolve = paidOperation({
	id: "entities.resolve",
	at: "POST /v1/entities/resolve",
	agent: {
		name: "resolve_entities",
		tool: {
			title: "Resolve names",
			description:
				"Which entities of the graphs are meant by names, with aliases and near matches.",
			fields: {
				names: "Titles, other names or identifiers",
				graph_id: "Only this graph",
				limit: "Candidates for each name; 5 if left out",
			},
		},
	},
	summary: "Resolve names to nodes",
	description: `For each name the nodes that stand for it, with a score and why: exact title, alias, identifier, part of a name, near spelling. ${EVIDENCE_BILLING}`,
	body: entityResolveInput,
	reply: toReply("EntityResolveReply", entityResolveOutput),
	about:
		"For each of up to 50 names the nodes that stand for it in all graphs, or in one, each with its ids, a score and why: exact title, alias, identifier, part of a name, near spelling. Not charged when no name has a candidate.",
	tags: ["entities", "names", "identifiers"],
	examples: ["Which nodes are CVE-2021-44228 and EIP-712?"],
	output: entityResolveOutput,
	queryOf: ({ names }) => names.join("\n"),
	toText: ({ data }) =>
		data.items
			.map(({ name, candidates: [first] }) =>
				first ? `${name}: ${first.title} (${first.trend_id})` : `${name}: unknown`,
			)
			.join("\n"),
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => ({ names: ["EIP-712", "CVE-2021-44228"], limit: 2 }),
		prepare: ({ graph_id }) => void graphsNamed(catalog, graph_id),
		async run({ names, graph_id, limit }, { signal }) {
			const graphs = graphsNamed(catalog, graph_id);
			const items = [];
			for (const name of names) {
				signal.throwIfAborted();
				const found = await resolveName(graphs, name, limit);
				items.push({ name, candidates: found.map(toCandidate) });
			}
			const isWorth = items.some(({ candidates }) => candidates.length > 0);
			return answerIf(isWorth, { ok: true, data: { items }, meta: {} });
		},
	}),
	example: { body: { names: ["EIP-712"], limit: 2 } },
});

/** A node found under a name. */
interface EntityMatch extends NameMatch<Concept> {
	readonly graph: Graph;
}

/** Graphs looked through before others are served. */
const GRAPHS_PER_TURN = 8;

/** Nodes called so in any of the graphs, best first, those of one score in the order of the graphs. */
async function resolveName(
	graphs: readonly Graph[],
	name: string,
	limit: number,
): Promise<readonly EntityMatch[]> {
	const best = createBestOf<EntityMatch>(limit, (a, b) => b.score - a.score);
	for (const [index, graph] of graphs.entries()) {
		if (index % GRAPHS_PER_TURN === 0) await setImmediate();
		const { names } = await entityNames.ready(graph);
		for (const match of names.find(name, limit)) best.add({ ...match, graph });
	}
	return best.inOrder();
}

function toCandidate({ graph, named, score, why, matched }: EntityMatch) {
	return {
		entity_id: toEntityId(named),
		trend_id: toTrendId(graph.record.id, named.id),
		graph_id: graph.record.id,
		node_id: named.id,
		title: named.title,
		type: named.type,
		score: Math.round(score * 1000) / 1000,
		why,
		matched,
	};
}

/** One entity over all graphs. Additive to the contract. */
export const entity = paidOperation({
	id: "entities.get",
	at: "GET /v1/entities/{entity_id}",
	summary: "Read one entity over all graphs",
	description: `The nodes with its title, and those that have the title as another name, graph by graph. ${EVIDENCE_BILLING}`,
	params: z.strictObject({ entity_id: entityIdField }),
	reply: toReply("EntityReply", entityOutput),
	about:
		"What all graphs say of one entity: the nodes with its title and those that have the title as another name, graph by graph, with its names, types and coverage in numbers.",
	tags: ["entities", "coverage"],
	examples: ["What do all graphs together say of EIP-712?"],
	input: entityInput,
	output: entityOutput,
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => ({ entity_id: exampleOf(catalog) }),
		prepare: async ({ entity_id }) => void (await getEntity(catalog, entity_id)),
		run: async ({ entity_id }) =>
			answer({ ok: true, data: toWire(await getEntity(catalog, entity_id)), meta: {} }),
	}),
	example: { params: { entity_id: "ent_c25953ceb7adb3626b34" } },
});

function exampleOf(catalog: GraphCatalog): string {
	const sample = catalog.find("agent-payments")?.concepts ?? [];
	const isSample = sample.some(({ title }) => title === EXAMPLE_TITLE);
	const [first] = catalog.list().flatMap(({ concepts }) => concepts.slice(0, 1));
	return toEntityId(first && !isSample ? first : { title: EXAMPLE_TITLE });
}

interface EntityNode {
	readonly graph: Graph;
	readonly concept: Concept;
	readonly namedAs: "title" | "alias";
}

/** The title of an entity, and its nodes by graph. Throws NOT_FOUND when no node of any graph has such a title. */
async function getEntity(catalog: GraphCatalog, entityId: string) {
	const graphs = catalog.list();
	const name = await titleOf(graphs, entityId);
	const nodes: EntityNode[] = [];
	for (const graph of graphs) {
		const { names } = await entityNames.ready(graph);
		const seen = new Set<Concept>();
		for (const { kind, named } of names.called(name)) {
			if (kind === "identifier" || seen.has(named)) continue;
			seen.add(named);
			nodes.push({ graph, concept: named, namedAs: kind });
		}
	}
	return { entityId, name, nodes };
}

async function titleOf(graphs: readonly Graph[], entityId: string): Promise<string> {
	for (const graph of graphs) {
		const title = (await entityNames.ready(graph)).titles.get(entityId);
		if (title !== undefined) return title;
	}
	throw notFound(
		`No entity has the id "${entityId}"; POST /v1/entities/resolve gives the ids of names.`,
	);
}

function toWire({ entityId, name, nodes }: Awaited<ReturnType<typeof getEntity>>) {
	const shown = nodes.slice(0, EVIDENCE_LIMITS.entityMentionsMax);
	const concepts = nodes.map(({ concept }) => concept);
	const others = concepts.flatMap(({ title, aliases }) => [title, ...aliases]);
	const byGraph = new Map<string, EntityNode[]>();
	for (const node of shown) addToList(byGraph, node.graph.record.id, node);
	return {
		entity_id: entityId,
		name,
		types: [...new Set(concepts.map(({ type }) => type))],
		aliases: [...new Set(others)].filter((other) => other !== name),
		tags: [...new Set(concepts.flatMap(({ tags }) => tags))],
		coverage: {
			graphs: new Set(nodes.map(({ graph }) => graph)).size,
			nodes: nodes.length,
			...measureCoverage(concepts),
		},
		mentions: [...byGraph].map(([graphId, members]) => ({
			graph_id: graphId,
			graph_title: members[0]?.graph.record.title ?? graphId,
			nodes: members.map(toMention),
		})),
		is_complete: shown.length === nodes.length,
	};
}

function toMention({ graph, concept, namedAs }: EntityNode) {
	const { id, title, type, summary, evidence } = concept;
	return {
		trend_id: toTrendId(graph.record.id, id),
		node_id: id,
		title,
		type,
		summary,
		named_as: namedAs,
		evidence_count: evidence.length,
	};
}

const ID_DIGITS = 20;

/** `ent_` and the beginning of the normalized title's sha256: nodes of one title are one entity, in every graph. */
function toEntityId({ title }: Pick<Concept, "title">): string {
	const key = normalizeName(title) || title;
	return `ent_${createHash("sha256").update(key).digest("hex").slice(0, ID_DIGITS)}`;
}

/** The first node that is called just so, by title, alias or a code within its title; undefined when none is. */
export async function findCalled(
	graphs: readonly Graph[],
	name: string,
): Promise<{ readonly graph: Graph; readonly concept: Concept } | undefined> {
	for (const graph of graphs) {
		const [entry] = (await entityNames.ready(graph)).names.called(name);
		if (entry) return { graph, concept: entry.named };
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
