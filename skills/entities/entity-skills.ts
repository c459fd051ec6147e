import { answer, defineSkill, EVIDENCE_LIMITS, type Skill } from "../../src/contract/contract.js";
import { measureCoverage } from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { type GraphCatalog, toTrendId } from "../../src/knowledge/knowledge.js";
import { answerIf, type CatalogSkillDeps } from "../graphs/graphs.js";
import {
	type Entity,
	type EntityMatch,
	type EntityNode,
	findEntity,
	resolveName,
	toEntityId,
} from "./entity-resolution.js";
import {
	entityInput,
	entityOutput,
	entityResolveInput,
	entityResolveOutput,
} from "./entity-wire.js";

const EXAMPLE_TITLE = "EIP-712 typed structured data";

/** Names in a text to the nodes that stand for them. */
export const createEntityResolve = ({ catalog }: CatalogSkillDeps): Skill<"entities.resolve"> =>
	defineSkill({
		operationId: "entities.resolve",
		title: "Resolve names to nodes",
		description:
			"For each of up to 50 names the nodes that stand for it in all graphs, or in one, each with its ids, a score and why: exact title, alias, identifier, part of a name, near spelling. Not charged when no name has a candidate.",
		tags: ["entities", "names", "identifiers"],
		examples: ["Which nodes are CVE-2021-44228 and EIP-712?"],
		exampleInput: { names: ["EIP-712", "CVE-2021-44228"], limit: 2 },
		input: entityResolveInput,
		output: entityResolveOutput,
		capture: "onResult",
		queryOf: ({ names }) => names.join("\n"),
		graphsOf: ({ graph_id }) => (graph_id === undefined ? [] : [graph_id]),
		prepare({ graph_id }) {
			if (graph_id !== undefined) catalog.assertKnown(graph_id);
		},
		toText: ({ data }) =>
			data.items
				.map(({ name, candidates: [first] }) =>
					first ? `${name}: ${first.title} (${first.trend_id})` : `${name}: unknown`,
				)
				.join("\n"),
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

/** One entity over all graphs. */
export const createEntity = ({ catalog }: CatalogSkillDeps): Skill<"entities.get"> =>
	defineSkill({
		operationId: "entities.get",
		title: "Read one entity over all graphs",
		description:
			"What all graphs say of one entity: the nodes with its title and those that have the title as another name, graph by graph, with its names, types and coverage in numbers.",
		tags: ["entities", "coverage"],
		examples: ["What do all graphs together say of EIP-712?"],
		get exampleInput() {
			return { entity_id: exampleOf(catalog) };
		},
		input: entityInput,
		output: entityOutput,
		capture: "onResult",
		queryOf: () => undefined,
		graphsOf: () => [],
		prepare: async ({ entity_id }) => void (await getEntity(catalog, entity_id)),
		run: async ({ entity_id }) =>
			answer({ ok: true, data: toWire(await getEntity(catalog, entity_id)), meta: {} }),
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
