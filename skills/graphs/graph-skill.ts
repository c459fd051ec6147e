import {
	answer,
	defineSkill,
	noAnswer,
	type Outcome,
	type PaidOperationId,
	type PaidOutput,
	type Skill,
	type SkillContext,
} from "../../src/contract/contract.js";
import {
	type Concept,
	type Graph,
	type GraphCatalog,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import type { EdgeWire, NodeItemWire } from "./graph-wire.js";
import { degreeAt, type GraphIndex, graphMaps, mapOf, placeOf } from "./reading/graph-map.js";
import type { Step } from "./reading/walk.js";

export interface GraphSkillDeps {
	readonly catalog: GraphCatalog;
}

type Described =
	| "title"
	| "description"
	| "tags"
	| "examples"
	| "input"
	| "output"
	| "units"
	| "toText";

/** What sets one way of reading a graph apart from the others. */
interface GraphReading<Id extends PaidOperationId, Input, Output>
	extends Pick<Skill<Id, Input, Output>, Described> {
	readonly operationId: Id;
	/** The input beside the graph's id, of two nodes of that graph. */
	readonly example: (nodeIds: readonly [string, string]) => object;
	/** What it reads beside the map of the graph. */
	readonly index?: GraphIndex<unknown>;
	/** Throws NOT_FOUND for nodes that do not exist and INVALID_ARGUMENT, before anybody pays. */
	readonly check?: (graph: Graph, input: Input) => void;
	readonly queryOf?: (input: Input) => string | undefined;
	readonly read: (
		graph: Graph,
		input: Input,
		context: SkillContext,
	) => Outcome<Output> | Promise<Outcome<Output>>;
}

/** A skill that reads one graph of the catalog. */
export function defineGraphSkill<
	Id extends PaidOperationId,
	Input extends { readonly graph_id: string },
	Output extends PaidOutput,
>(
	{ catalog }: GraphSkillDeps,
	{ example, index, check, queryOf, read, ...about }: GraphReading<Id, Input, Output>,
): Skill<Id> {
	/** What is read is derived first, while others are served; a graph that changed meanwhile is another graph. */
	const makeReady = async ({ graph_id }: Input): Promise<Graph> => {
		const graph = catalog.get(graph_id);
		await graphMaps.ready(graph);
		await index?.ready(graph);
		return graph;
	};
	return defineSkill<Id, Input, Output>({
		...about,
		get exampleInput() {
			const graph = exampleGraph(catalog);
			return { graph_id: graph?.record.id ?? EXAMPLE_GRAPH, ...example(exampleNodes(graph)) };
		},
		isOffered: () => catalog.list().some(({ concepts }) => concepts.length > 1),
		capture: "onResult",
		queryOf: (input) => queryOf?.(input),
		graphsOf: ({ graph_id }) => [graph_id],
		prepare: async (input) => {
			check?.(await makeReady(input), input);
		},
		run: async (input, context) => read(await makeReady(input), input, context),
	});
}

const EXAMPLE_GRAPH = "agent-payments";
const EXAMPLE_NODES = [
	"authorizations.eip-3009-transfer-with-authorization",
	"authorizations.eip-712-typed-data",
] as const;

function exampleGraph(catalog: GraphCatalog): Graph | undefined {
	const graphs = catalog.list();
	const withNodes = graphs.find(({ concepts }) => concepts.length > 1);
	return catalog.find(EXAMPLE_GRAPH) ?? withNodes ?? graphs[0];
}

/** Documents and probes use them as they stand, so they are nodes of the graph wherever it has any. */
function exampleNodes(graph: Graph | undefined): readonly [string, string] {
	const [first, second] = graph?.concepts ?? [];
	const isSample = graph && EXAMPLE_NODES.every((id) => mapOf(graph).places.has(id));
	return isSample || !first ? EXAMPLE_NODES : [first.id, (second ?? first).id];
}

/** An answer when there is something in it to pay for. */
export function answerIf<Output>(isWorth: boolean, result: Output): Outcome<Output> {
	return isWorth ? answer(result) : noAnswer(result);
}

export function metaOf({ record }: Graph) {
	return { graph_id: record.id, version: record.version };
}

export function toNodeItem(graph: Graph, concept: Concept): NodeItemWire {
	return {
		node_id: concept.id,
		trend_id: toTrendId(graph.record.id, concept.id),
		title: concept.title,
		type: concept.type,
		summary: concept.summary,
		tags: [...concept.tags],
		aliases: [...concept.aliases],
		status: concept.status,
		trust_tier: concept.trust,
		evidence_count: concept.evidence.length,
		degree: degreeAt(mapOf(graph), placeOf(graph, concept.id)),
	};
}

/** The edge of a step as it points, whichever way it was walked. */
export function toEdge({ from, to, edge, direction }: Step): EdgeWire {
	const isOut = direction === "out";
	return {
		source: isOut ? from.id : to.id,
		type: edge.type,
		target: isOut ? to.id : from.id,
		weight: edge.weight,
		valid_from: edge.validFrom ?? null,
		valid_to: edge.validTo ?? null,
	};
}
