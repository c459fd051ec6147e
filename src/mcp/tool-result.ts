/** What a call of a tool ends as: its answer, or a refusal that a model can act on. */

import type { CallToolResult } from "@modelcontextprotocol/server";
import { toErrorReply } from "../http/http.js";
import type { ServiceError } from "../kernel/kernel.js";
import type { Exchange } from "./exchange.js";
import { demandOf, receiptMetaOf, toToolEnvelope } from "./payment-meta.js";
import type { ToolAnswer } from "./tool.js";

/** Characters of text that are worth a model's attention; what is longer is in `structuredContent`. */
const TEXT_CHARS_MAX = 24_000;

/** The answer twice: as data, and as text for clients that read nothing else. */
export function toToolResult({ data, summary, meta }: ToolAnswer): CallToolResult {
	return {
		content: [{ type: "text", text: textOf(data, summary) }],
		structuredContent: { ...data },
		...(meta && { _meta: { ...meta } }),
	};
}

/**
 * A refusal the model can act on: the contract's error envelope, after the demand that clients of x402 look for in the first
 * text and in `structuredContent` where a payment can mend it. Other refusals have none: it would have to match the tool's
 * output schema.
 */
export function toRefusal(
	error: ServiceError,
	{ requestId, takesPayments }: Pick<Exchange, "requestId" | "takesPayments">,
): CallToolResult {
	const { body, headers } = toErrorReply(error, requestId);
	const receipt = receiptMetaOf(headers);
	const demand = takesPayments ? demandOf(error, receipt) : undefined;
	const texts = [...(demand?.x402 ? [demand.x402] : []), toToolEnvelope(body, takesPayments)];
	return {
		isError: true,
		content: texts.map((reported) => ({ type: "text", text: JSON.stringify(reported) })),
		...(demand?.x402 && { structuredContent: demand.x402 }),
		...((demand || receipt) && { _meta: { ...receipt, ...demand?.meta } }),
	};
}

function textOf(data: object, summary: string | undefined): string {
	const json = JSON.stringify(data);
	if (json.length <= TEXT_CHARS_MAX) return json;
	const { meta } = data as { readonly meta?: { readonly cost?: unknown } };
	const short = (summary ?? json).slice(0, TEXT_CHARS_MAX);
	return `${short}\n\n${JSON.stringify({ shortened: true, cost: meta?.cost })}`;
}
