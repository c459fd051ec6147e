import {
	type CallResult,
	LIMITS,
	type PaidOperationId,
	type PaidOutput,
	type Skill,
} from "../contract/contract.js";
import { reportDelivery, watchCaller } from "../http/http.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { receiptMetaOf } from "./payment-meta.js";
import { READS, type Tool, type ToolAnswer, type ToolCall, type ToolHints } from "./tool.js";
import { priceSentence } from "./tool-price.js";
import { type InputSchema, toInputSchema, toOutputSchema } from "./tool-schema.js";

/** A tool that sells one operation. */
export interface SoldToolTerms {
	readonly name: string;
	readonly operationId: PaidOperationId;
	readonly title: string;
	/** A sentence or two; what it costs is added. */
	readonly description: string;
	/** Arguments it takes of those the operation knows, each in a few words. */
	readonly fields: Readonly<Record<string, string>>;
	/** Looking something up where absent. */
	readonly hints?: ToolHints;
	/** Arguments where the caller says nothing. */
	readonly defaults?: Readonly<Record<string, unknown>>;
}

export interface SellDeps {
	readonly service: Service;
	readonly clock: Clock;
}

export function createSoldTool(deps: SellDeps, terms: SoldToolTerms): Tool {
	const { name, operationId, title, fields, hints = READS } = terms;
	const skill: Skill = deps.service.skills[operationId];
	const inputSchema = toInputSchema(skill.input, fields);
	const toChosen = createGraphChoice(inputSchema);
	return {
		listed: {
			name,
			title,
			description: `${terms.description} ${priceSentence(deps.service.prices, skill)}`,
			inputSchema,
			outputSchema: toOutputSchema(skill.output),
			annotations: hints,
		},
		async answer(call) {
			const { graphId } = call.exchange;
			const chosen = graphId === undefined ? {} : toChosen(graphId);
			assertKnown(call, fields);
			const rawInput = { ...terms.defaults, ...chosen, ...call.args };
			return toAnswer(skill, await sell(deps, call, { operationId, rawInput }), call);
		},
	};
}

/** The argument that names a graph, or several; none where a tool takes neither. */
function createGraphChoice({ properties }: InputSchema): (graphId: string) => object {
	if ("graph_id" in properties) return (graphId) => ({ graph_id: graphId });
	return "graphs" in properties ? (graphId) => ({ graphs: [graphId] }) : () => ({});
}

interface ToolSale {
	readonly operationId: PaidOperationId;
	readonly rawInput: unknown;
}

/** Runs the pipeline for one call of a tool, and tells the rail what became of its answer. */
export async function sell(
	{ service, clock }: SellDeps,
	{ name, exchange, payment, idempotencyKey }: ToolCall,
	{ operationId, rawInput }: ToolSale,
): Promise<CallResult> {
	const { response, requestId, credential } = exchange;
	const watch = watchCaller(response, clock, LIMITS.requestTimeoutMs);
	try {
		const result = await service.invoke({
			operationId,
			rawInput,
			credential: payment?.credential ?? credential,
			payment: payment?.payment,
			idempotencyKey: idempotencyKey === undefined ? undefined : `mcp:${idempotencyKey}`,
			requestId,
			transport: "mcp",
			// As the x402 transport for this protocol names what is bought.
			resourceUrl: `mcp://tool/${name}`,
			signal: watch.signal,
		});
		reportDelivery(response, result);
		return result;
	} catch (error) {
		throw error instanceof ServiceError ? error : (watch.timeout() ?? error);
	} finally {
		watch.stop();
	}
}

/** The body REST would have sent. */
export function toSoldBody({ output, cost }: CallResult, requestId: string): PaidOutput {
	const answer = output as PaidOutput;
	return { ...answer, meta: { ...answer.meta, request_id: requestId, cost } };
}

function toAnswer(skill: Skill, result: CallResult, { exchange }: ToolCall): ToolAnswer {
	return {
		data: toSoldBody(result, exchange.requestId),
		summary: result.isAnswer ? skill.toText?.(result.output) : undefined,
		meta: receiptMetaOf(result.paymentHeaders),
	};
}

/** A misspelt argument must not be taken for one that was left out. */
function assertKnown({ args }: ToolCall, fields: Readonly<Record<string, string>>): void {
	const unknown = Object.keys(args).find((name) => !Object.hasOwn(fields, name));
	if (unknown === undefined) return;
	const path = unknown.slice(0, 80);
	const known = Object.keys(fields).join(", ");
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${path}" is no argument of this tool; it takes ${known}.`,
		{
			details: [{ path, message: "is not known" }],
		},
	);
}
