import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { LIMITS, type OperationId, parseInput } from "../contract/contract.js";
import { whileCallerWaits } from "../http/http.js";
import type { JobWire } from "../jobs/jobs.js";
import { type Clock, invalidArgument } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import type { Exchange } from "./exchange.js";
import type { ShownPayment } from "./payment-meta.js";
import type { PriceTerms } from "./price-question.js";
import {
	type InputSchema,
	type OutputSchema,
	toInputSchema,
	toOutputSchema,
} from "./tool-schema.js";

/** What tools run on. */
export interface ToolDeps {
	readonly service: Service;
	readonly clock: Clock;
}

/** What a client may take for granted of a tool, as the protocol names it. */
export type ToolHints = Required<Omit<ToolAnnotations, "title">>;

/** A tool as clients see it listed. */
export interface ListedTool {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly inputSchema: InputSchema;
	readonly outputSchema?: OutputSchema;
	readonly annotations: ToolHints;
}

/** One call of a tool, its arguments not judged yet. */
export interface ToolCall {
	/** Of the tool, as it was called. */
	readonly name: string;
	readonly args: Readonly<Record<string, unknown>>;
	readonly exchange: Exchange;
	/** Pays for this call alone. */
	readonly payment?: ShownPayment | undefined;
	/** Caller's retry key (D4). */
	readonly idempotencyKey?: string | undefined;
	readonly price: PriceTerms;
}

export interface ToolAnswer {
	/** What `structuredContent` holds, and the text too for clients that read nothing else. */
	readonly data: object;
	/** Shorter words for an answer whose JSON would be too long to read. */
	readonly summary?: string | undefined;
	/** Beside the answer, e.g. where a payment settled. */
	readonly meta?: Readonly<Record<string, unknown>> | undefined;
	/** What the call began, and goes on: a task to clients that can ask for one. */
	readonly job?: JobWire | undefined;
}

/** One tool: how it is listed, and what it does. Throws ServiceError for whatever a caller can mend. */
export interface Tool {
	readonly listed: ListedTool;
	readonly answer: (call: ToolCall) => Promise<ToolAnswer>;
	/** What stands under this name where the address has chosen a graph, if that is another tool. */
	readonly forGraph?: Tool;
}

/** Reads what is there. */
export const READS: ToolHints = {
	readOnlyHint: true,
	destructiveHint: false,
	idempotentHint: true,
	openWorldHint: false,
};

/** Begins something that stays: sent twice under two retry keys it is there twice. */
export const BEGINS: ToolHints = { ...READS, readOnlyHint: false, idempotentHint: false };

/** Ends something for good. */
export const ENDS: ToolHints = { ...READS, readOnlyHint: false, destructiveHint: true };

/** A tool that no one pays for. */
export interface FreeToolTerms<Input extends z.ZodObject> {
	readonly name: string;
	readonly title: string;
	/** A sentence or two. */
	readonly description: string;
	/** Judges the arguments; each of its fields has a description. */
	readonly input: Input;
	/** What the answer is sure to have. */
	readonly output: z.ZodType;
	readonly hints?: ToolHints;
	/** How often one address may ask, counted together with the other transports; absent where it does not matter. */
	readonly rate?: { readonly operationId: OperationId; readonly perMinute: number };
	/** The signal is aborted when the caller leaves or the time is over. */
	readonly answer: (
		service: Service,
		request: {
			readonly input: z.output<Input>;
			readonly exchange: Exchange;
			readonly signal: AbortSignal;
		},
	) => object | Promise<object>;
}

export function createFreeTool<Input extends z.ZodObject>(
	{ service, clock }: ToolDeps,
	terms: FreeToolTerms<Input>,
): Tool {
	const { name, title, description, input, output, hints = READS, rate } = terms;
	const inputSchema = toInputSchema(input, describedFields(input));
	const takesGraph = "graph_id" in inputSchema.properties;
	return {
		listed: {
			name,
			title,
			description: `${description} Free.`,
			inputSchema,
			outputSchema: toOutputSchema(output),
			annotations: hints,
		},
		async answer({ args, exchange, payment }) {
			if (payment) {
				throw invalidArgument(
					"This tool is free; call it again without a payment. Nothing was run or charged.",
				);
			}
			const { graphId, response, address } = exchange;
			if (rate) service.rates.take(rate.operationId, { address, perMinute: rate.perMinute });
			const chosen = takesGraph && graphId !== undefined ? { graph_id: graphId } : {};
			const parsed = parseInput(input, { ...chosen, ...args });
			const timed = { clock, timeoutMs: LIMITS.requestTimeoutMs };
			return whileCallerWaits(response, timed, async (signal) => ({
				data: await terms.answer(service, { input: parsed, exchange, signal }),
			}));
		},
	};
}

function describedFields({ shape }: z.ZodObject): Record<string, string> {
	const fields = Object.entries(shape as Record<string, z.ZodType>);
	return Object.fromEntries(fields.map(([name, field]) => [name, field.description ?? ""]));
}
