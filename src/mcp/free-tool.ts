import type { z } from "zod";
import { LIMITS, type OperationId, parseInput } from "../contract/contract.js";
import { whileCallerWaits } from "../http/http.js";
import { ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import type { Exchange } from "./exchange.js";
import { READS, type Tool, type ToolDeps, type ToolHints } from "./tool.js";
import { toInputSchema, toOutputSchema } from "./tool-schema.js";

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
				throw new ServiceError(
					"INVALID_ARGUMENT",
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
