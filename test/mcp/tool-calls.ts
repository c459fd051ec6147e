import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { PaidOperationId } from "../../src/contract/operations.js";
import { OPERATIONS } from "../../src/service/service.js";
import type { Service } from "../../src/service/service-interface.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import type { AnswerToClient, ListedByClient } from "./mcp-clients.js";

const CLAIM = "The static table of HPACK contains 61 entries.";

/** Arguments that keep the work of a tool small, beside those of its operation's own example. */
const SMALLER: Readonly<Record<string, object>> = {
	resolve_entities: { limit: 1, graph_id: "ethereum-standards" },
	verify_claim: { claim: CLAIM, graph_id: "http-web-standards" },
	verify_text: { text: CLAIM, max_claims: 1, graph_id: "http-web-standards" },
	dossier: { graphs: ["agent-payments"] },
};

/** What each tool sells, and what it is called with beside the operation's example. */
const SOLD: Readonly<Record<string, readonly [PaidOperationId, (object | undefined)?]>> =
	Object.fromEntries(
		OPERATIONS.flatMap((operation) =>
			operation.kind === "paid" && operation.agent?.tool
				? [[operation.agent.name, [operation.id, SMALLER[operation.agent.name]]]]
				: [],
		),
	);
/** What models sell, of which these shops have none. */
export const OF_MODELS: readonly string[] = ["embed_texts", "rerank"];
const GRAPH = { graph_id: "agent-payments" };
const FREE: Readonly<Record<string, object>> = {
	route_query: { query: KNOWN_QUERY },
	match_experts: { question: KNOWN_QUERY },
	list_graphs: { limit: 2 },
	read_graph_readme: GRAPH,
	preview_graph: GRAPH,
	list_analysts: {},
};
/** Of an account with a balance, in a month. */
export const FREE_CALLS = 100;
const ajv = new Ajv2020({ strict: false });
const VALIDATORS = new Map<string, ValidateFunction>();

export const isSold = (name: string): boolean => name in SOLD;

/** How a tool is called so that it has an answer over the sample graphs. */
export function argumentsOf(
	{ skills }: Service,
	{ name, inputSchema: { properties = {} } }: ListedByClient,
): object {
	if (name in FREE) return FREE[name] as object;
	const [operationId, changes] = SOLD[name] ?? [];
	if (operationId === undefined) throw new Error(`Nobody has said how ${name} is called.`);
	const { exampleInput } = skills[operationId];
	const known = Object.entries({ ...exampleInput, ...changes }).filter(
		([argument]) => argument in properties,
	);
	return Object.fromEntries(known);
}

/** As a reader of the description understands it; one claim and a fast deep dive are what is asked for. */
export function priceOf({ description = "" }: ListedByClient, args: object): string {
	if (description.endsWith("Free.")) return "0.00";
	const kind = "mode" in args ? `Costs by mode: ${args.mode}` : "Costs";
	return new RegExp(`${kind} ([0-9.]+) USD`).exec(description)?.[1] ?? "no price";
}

/** What is wrong with an answer. The clients have judged it by its schema themselves; a third opinion. */
export function flawsOf(
	{ name, outputSchema }: ListedByClient,
	{ isError, content, structuredContent }: AnswerToClient,
): readonly string[] {
	if (isError) return [`${name}: ${content[0]?.text}`];
	const hasText = content.every(({ type, text }) => type === "text" && text.length > 0);
	const validate = validatorOf(outputSchema ?? {});
	const isValid = validate(structuredContent);
	return [
		...(hasText ? [] : [`${name} says nothing`]),
		...(isValid ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`]),
	];
}

/** Compiling one costs more than the call it judges, and every address lists the same. */
function validatorOf(schema: object): ValidateFunction {
	const key = JSON.stringify(schema);
	const known = VALIDATORS.get(key) ?? ajv.compile(schema);
	VALIDATORS.set(key, known);
	return known;
}
