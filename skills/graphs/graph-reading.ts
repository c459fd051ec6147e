import { z } from "zod";
import {
	answer,
	graphIdField,
	noAnswer,
	type Outcome,
	type PaidOutput,
	paidOperation,
	readCursor,
	type SkillContext,
	type SkillServices,
	toCursor,
} from "../../src/contract/contract.js";
import { sentenceOfLink } from "../../src/evidence/evidence.js";
import {
	type Concept,
	type Graph,
	type GraphCatalog,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { type EdgeWire, type NodeItemWire, nodeIdField } from "./graph-wire.js";
import { degreeAt, type GraphIndex, graphMaps, mapOf, placeOf } from "./reading/graph-map.js";
import type { Step } from "./reading/walk.js";

type Written<Input, Output extends PaidOutput, Needed extends Partial<SkillServices>> = Parameters<
	typeof paidOperation<z.ZodObject, z.ZodObject, Input, Output, Needed>
>[0];

/** What sets one way of reading a graph apart from the others. */
interface GraphReading<Input, Output extends PaidOutput, Needed extends Partial<SkillServices>>
	extends Omit<Written<Input, Output, Needed>, "input" | "create"> {
	/** The input beside the graph's id, of two nodes of that graph. */
	readonly exampleInput: (nodeIds: readonly [string, string]) => object;
	/** What it reads beside the map of the graph. */
	readonly index?: GraphIndex<unknown>;
	/** Throws NOT_FOUND for nodes that do not exist and INVALID_ARGUMENT, before anybody pays. */
	readonly check?: (graph: Graph, input: Input) => void;
	readonly input: z.ZodType<Input>;
	readonly create: (
		services: Needed,
	) => (
		graph: Graph,
		input: Input,
		context: SkillContext,
	) => Outcome<Output> | Promise<Outcome<Output>>;
}

const BILLING =
	"Paid per call; a graph or node that does not exist, and an answer without anything in it, cost nothing.";

const graphParams = z.strictObject({ graph_id: graphIdField });
export const nodeParams = graphParams.extend({ node_id: nodeIdField });

/** A paid operation that reads one graph of the catalog. */
export function readingOperation<
	Input extends { readonly graph_id: string },
	Output extends PaidOutput,
	Needed extends Partial<SkillServices> = Pick<SkillServices, "catalog">,
>({
	exampleInput,
	index,
	check,
	create,
	description,
	...operation
}: GraphReading<Input, Output, Needed>) {
	const written: Written<Input, Output, Needed & Pick<SkillServices, "catalog">> = {
		params: graphParams,
		...operation,
		description: `${description} ${BILLING}`,
		create: (services) => {
			const { catalog } = services;
			const read = create(services);
			/** What is read is derived first, while others are served; a graph that changed meanwhile is another graph. */
			const makeReady = async ({ graph_id }: Input): Promise<Graph> => {
				const graph = catalog.get(graph_id);
				await graphMaps.ready(graph);
				await index?.ready(graph);
				return graph;
			};
			return {
				exampleInput: () => {
					const graph = exampleGraph(catalog);
					return {
						graph_id: graph?.record.id ?? GRAPH_PARAMS.graph_id,
						...exampleInput(exampleNodes(graph)),
					};
				},
				isOffered: () => catalog.list().some(({ concepts }) => concepts.length > 1),
				prepare: async (input) => {
					check?.(await makeReady(input), input);
				},
				run: async (input, context) => read(await makeReady(input), input, context),
			};
		},
	};
	return paidOperation(written);
}

function exampleGraph(catalog: GraphCatalog): Graph | undefined {
	const graphs = catalog.list();
	const withNodes = graphs.find(({ concepts }) => concepts.length > 1);
	return catalog.find(GRAPH_PARAMS.graph_id) ?? withNodes ?? graphs[0];
}

/** Documents and probes use them as they stand, so they are nodes of the graph wherever it has any. */
function exampleNodes(graph: Graph | undefined): readonly [string, string] {
	const [first, second] = graph?.concepts ?? [];
	const sample = [NODE_ID, OTHER_ID] as const;
	const isSample = graph && sample.every((id) => mapOf(graph).places.has(id));
	return isSample || !first ? sample : [first.id, (second ?? first).id];
}

/** An answer when there is something in it to pay for. */
export function answerIf<Output>(isWorth: boolean, result: Output): Outcome<Output> {
	return isWorth ? answer(result) : noAnswer(result);
}

/** The answer of a reading of one graph. */
export function answerOn<Data, Meta extends object = object>(
	{ record }: Graph,
	isWorth: boolean,
	data: Data,
	meta = {} as Meta,
) {
	const about = { graph_id: record.id, version: record.version };
	return answerIf(isWorth, { ok: true as const, data, meta: { ...about, ...meta } });
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
	const [source, target] = direction === "out" ? [from, to] : [to, from];
	return {
		source: source.id,
		type: edge.type,
		target: target.id,
		weight: edge.weight,
		valid_from: edge.validFrom ?? null,
		valid_to: edge.validTo ?? null,
		sentence: sentenceOfLink(source, target) ?? null,
	};
}

/** Which page of which list: the key behind which it begins. */
export function toPage<Asked extends { readonly cursor?: string | undefined; limit: number }>(
	list: string,
	{ cursor, limit: _, ...asked }: Asked,
	keyLength: number,
) {
	const identity = { list, asked };
	return {
		after: cursor === undefined ? undefined : readCursor(cursor, identity, keyLength),
		/** The cursor behind the page's last item; null when nothing comes after it. */
		next: (hasMore: boolean, key: readonly string[] | undefined) =>
			hasMore && key ? toCursor(identity, key) : null,
	};
}

/** What the example requests about a graph name: nodes of the sample catalog. */
export const NODE_ID = "authorizations.eip-3009-transfer-with-authorization";
export const OTHER_ID = "authorizations.eip-712-typed-data";
export const GRAPH_PARAMS = { graph_id: "agent-payments" };
export const NODE_PARAMS = { ...GRAPH_PARAMS, node_id: NODE_ID };
