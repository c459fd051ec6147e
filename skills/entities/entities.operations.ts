import { z } from "zod";
import {
	answer,
	EVIDENCE_LIMITS,
	PER_CALL,
	paidOperation,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { measureCoverage } from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { type GraphCatalog, toTrendId } from "../../src/knowledge/knowledge.js";
import { EVIDENCE_BILLING } from "../articles/articles.js";
import { answerIf } from "../graphs/graphs.js";
import {
	type Entity,
	type EntityMatch,
	type EntityNode,
	findEntity,
	resolveName,
	toEntityId,
} from "./entity-resolution.js";
import {
	entityIdField,
	entityInput,
	entityOutput,
	entityResolveInput,
	entityResolveOutput,
} from "./entity-wire.js";

const EXAMPLE_TITLE = "EIP-712 typed structured data";

/** Names in a text to the nodes that stand for them. Additive to the contract. */
export const entityResolve = paidOperation({
	id: "entities.resolve",
	method: "POST",
	path: "/v1/entities/resolve",
	price: PER_CALL,
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
	title: "Resolve names to nodes",
	about:
		"For each of up to 50 names the nodes that stand for it in all graphs, or in one, each with its ids, a score and why: exact title, alias, identifier, part of a name, near spelling. Not charged when no name has a candidate.",
	tags: ["entities", "names", "identifiers"],
	examples: ["Which nodes are CVE-2021-44228 and EIP-712?"],
	input: entityResolveInput,
	output: entityResolveOutput,
	capture: "onResult",
	queryOf: ({ names }) => names.join("\n"),
	graphsOf: ({ graph_id }) => (graph_id === undefined ? [] : [graph_id]),
	toText: ({ data }) =>
		data.items
			.map(({ name, candidates: [first] }) =>
				first ? `${name}: ${first.title} (${first.trend_id})` : `${name}: unknown`,
			)
			.join("\n"),
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => ({ names: ["EIP-712", "CVE-2021-44228"], limit: 2 }),
		prepare({ graph_id }) {
			if (graph_id !== undefined) catalog.assertKnown(graph_id);
		},
		async run({ names, graph_id, limit }, { signal }) {
			const graphs = graph_id === undefined ? catalog.list() : [catalog.get(graph_id)];
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

function toCandidate({ graph, named, entityId, score, why, matched }: EntityMatch) {
	return {
		entity_id: entityId,
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
	method: "GET",
	path: "/v1/entities/{entity_id}",
	price: PER_CALL,
	summary: "Read one entity over all graphs",
	description: `The nodes with its title, and those that have the title as another name, graph by graph. ${EVIDENCE_BILLING}`,
	params: z.strictObject({ entity_id: entityIdField }),
	reply: toReply("EntityReply", entityOutput),
	title: "Read one entity over all graphs",
	about:
		"What all graphs say of one entity: the nodes with its title and those that have the title as another name, graph by graph, with its names, types and coverage in numbers.",
	tags: ["entities", "coverage"],
	examples: ["What do all graphs together say of EIP-712?"],
	input: entityInput,
	output: entityOutput,
	capture: "onResult",
	queryOf: () => undefined,
	graphsOf: () => [],
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => ({ entity_id: exampleOf(catalog) }),
		prepare: async ({ entity_id }) => void (await getEntity(catalog, entity_id)),
		run: async ({ entity_id }) =>
			answer({ ok: true, data: toWire(await getEntity(catalog, entity_id)), meta: {} }),
	}),
	example: { params: { entity_id: "ent_c25953ceb7adb3626b34" } },
});

function exampleOf(catalog: GraphCatalog): string {
	const titles = catalog.list().flatMap(({ concepts }) => concepts.slice(0, 1));
	const isSample = catalog
		.find("agent-payments")
		?.concepts.some(({ title }) => title === EXAMPLE_TITLE);
	const title = isSample ? EXAMPLE_TITLE : (titles[0]?.title ?? EXAMPLE_TITLE);
	return toEntityId({ title });
}

async function getEntity(catalog: GraphCatalog, entityId: string): Promise<Entity> {
	const entity = await findEntity(catalog.list(), entityId);
	if (entity) return entity;
	throw new ServiceError(
		"NOT_FOUND",
		`No entity has the id "${entityId}"; POST /v1/entities/resolve gives the ids of names.`,
	);
}

function toWire({ entityId, name, nodes }: Entity) {
	const shown = nodes.slice(0, EVIDENCE_LIMITS.entityMentionsMax);
	const concepts = nodes.map(({ concept }) => concept);
	const others = concepts.flatMap(({ title, aliases }) => [title, ...aliases]);
	const byGraph = new Map<string, EntityNode[]>();
	for (const node of shown) {
		const { id } = node.graph.record;
		byGraph.set(id, [...(byGraph.get(id) ?? []), node]);
	}
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
