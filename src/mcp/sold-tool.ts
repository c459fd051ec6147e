import { PriceNotAgreed } from "../../payments/payments.js";
import {
	AGENT_ROWS,
	type Call,
	type CallResult,
	LIMITS,
	type PaidOperationId,
	type PaidOutput,
	type PricedOperationId,
	type PriceList,
	pricesByGraph,
	type Skill,
	type ToolTerms,
} from "../contract/contract.js";
import { readHeaders, readTraceParent, reportDelivery, watchCaller } from "../http/http.js";
import type { JobLaunchedOutput } from "../jobs/jobs.js";
import { formatUsd, invalidArgument, ServiceError } from "../kernel/kernel.js";
import { OPERATIONS } from "../service/service.js";
import { receiptMetaOf } from "./payment-meta.js";
import { findAgreedQuote, toPriceQuestion } from "./price-question.js";
import { BEGINS, READS, type Tool, type ToolAnswer, type ToolCall, type ToolDeps } from "./tool.js";
import { type InputSchema, toInputSchema, toSoldOutput } from "./tool-schema.js";

const NAMES: readonly string[] = AGENT_ROWS.map(([name]) => name);

/** One tool for each operation that says how agents find it, in the order of the table. */
export function createSoldTools(deps: ToolDeps): readonly Tool[] {
	return OPERATIONS.flatMap((operation) =>
		operation.kind === "paid" && operation.agent?.tool
			? [
					createSoldTool(deps, operation.id, {
						...operation.agent.tool,
						name: operation.agent.name,
					}),
				]
			: [],
	).sort((a, b) => NAMES.indexOf(a.listed.name) - NAMES.indexOf(b.listed.name));
}

function createSoldTool(
	deps: ToolDeps,
	operationId: PaidOperationId,
	terms: ToolTerms & { readonly name: string },
): Tool {
	const { name, title, fields, begins } = terms;
	const skill: Skill = deps.service.skills[operationId];
	const inputSchema = toInputSchema(skill.input, fields);
	const toChosen = createGraphChoice(inputSchema);
	return {
		listed: {
			name,
			title,
			// Prices of graphs change while the server runs.
			get description() {
				return `${terms.description} ${priceSentence(deps.service.prices, skill)}`;
			},
			inputSchema,
			outputSchema: toSoldOutput(skill.output),
			annotations: begins ? BEGINS : READS,
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

/** Runs the pipeline for one call of a tool, and reports to the rail what became of its answer. */
export async function sell(
	{ service, clock }: ToolDeps,
	{ name, exchange, payment, idempotencyKey, price }: ToolCall,
	{ operationId, rawInput }: Pick<Call, "operationId" | "rawInput">,
): Promise<CallResult> {
	const { response, requestId, credential } = exchange;
	const bought = { operationId, rawInput };
	const quoteId = await findAgreedQuote(service, price, bought);
	const watch = watchCaller(response, clock, LIMITS.requestTimeoutMs);
	try {
		const result = await service.invoke({
			...bought,
			maxPriceMicros: price.maxMicros,
			...(quoteId !== undefined && { quoteId, isPriceAgreed: true }),
			credential: payment?.credential ?? credential,
			payment: payment?.payment,
			idempotencyKey: idempotencyKey === undefined ? undefined : `mcp:${idempotencyKey}`,
			requestId,
			traceParent: readTraceParent(readHeaders(response.req)),
			transport: "mcp",
			// As the x402 transport for this protocol names what is bought.
			resourceUrl: `mcp://tool/${name}`,
			signal: watch.signal,
		});
		reportDelivery(response, result);
		return result;
	} catch (error) {
		if (error instanceof PriceNotAgreed && price.canAsk)
			throw await toPriceQuestion(service, error, { ...bought, name });
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
		...(skill.job && { job: (result.output as JobLaunchedOutput).data }),
	};
}

/** A misspelt argument must not be taken for one that was left out. */
function assertKnown({ args }: ToolCall, fields: Readonly<Record<string, string>>): void {
	const unknown = Object.keys(args).find((name) => !Object.hasOwn(fields, name));
	if (unknown === undefined) return;
	const path = unknown.slice(0, 80);
	const known = Object.keys(fields).join(", ");
	throw invalidArgument(`"${path}" is no argument of this tool; it takes ${known}.`, {
		details: [{ path, message: "is not known" }],
	});
}

/** What one call of an operation costs, as a tool's description ends. */
export function priceSentence(prices: PriceList, skill: Skill): string {
	const { operationId, units, pricedBy } = skill;
	const usd = (id: PricedOperationId) => formatUsd(prices.priceOf(id).amountMicros);
	if (pricedBy) {
		const kinds = Object.entries(pricedBy.as).map(([kind, id]) => `${kind} ${usd(id)} USD`);
		return `Costs by ${pricedBy.field}: ${kinds.join(", ")}.`;
	}
	if (prices.priceOf(operationId).amountMicros === 0n) return "Free.";
	const price = `Costs ${usd(operationId)} USD`;
	const usual = units ? `${price} per ${units.name}.` : `${price}; free without an answer.`;
	return pricesByGraph(prices, skill) ? `${usual} ${OWN_PRICES}` : usual;
}

const OWN_PRICES = "Some graphs have a price of their own: list_graphs names it.";
