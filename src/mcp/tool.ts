import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { Clock } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import type { Exchange } from "./exchange.js";
import type { ShownPayment } from "./payment-meta.js";
import type { InputSchema, OutputSchema } from "./tool-schema.js";

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
}

export interface ToolAnswer {
	/** What `structuredContent` holds, and the text too for clients that read nothing else. */
	readonly data: object;
	/** Shorter words for an answer whose JSON would be too long to read. */
	readonly summary?: string | undefined;
	/** Beside the answer, e.g. where a payment settled. */
	readonly meta?: Readonly<Record<string, unknown>> | undefined;
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
