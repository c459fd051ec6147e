/** A reply as a caller gets it who reads text alone. */
import { OPERATIONS } from "../../src/service/service.js";
import type { Bought } from "./product-server.js";
import type { Product } from "./products.js";
import type { ReplyEvidence } from "./reply-evidence.js";

interface WithText {
	readonly toText?: (reply: unknown) => string;
}

const NO_ANSWER = "The curated graphs have no answer to this; nothing was charged.";

/** The document, else the text of the operation, else the passages in their order. */
export function toReplyText(
	{ operation }: Pick<Product, "operation">,
	{ isCharged, document, data }: Bought,
	{ passages }: Pick<ReplyEvidence, "passages">,
): string {
	if (!isCharged) return NO_ANSWER;
	if (document !== undefined) return document;
	const { toText } = (OPERATIONS.find(({ id }) => id === operation) ?? {}) as WithText;
	return toText ? toText({ data, meta: {} }) : passages.map(({ text }) => text).join("\n");
}
