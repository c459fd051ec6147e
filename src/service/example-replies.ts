import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Operation } from "../contract/contract.js";
import { PACKAGE_ROOT } from "../kernel/kernel.js";

export const EXAMPLE_REQUEST_ID = "req_01kg9yz3v0f6x2m8q4t7w1ab2c";

let generated: Readonly<Record<string, unknown>> | undefined;

/** What an operation answers to its example: as its definition says, else as `npm run docs` had it from the sample catalog. */
export function exampleReplyOf(operation: Operation): unknown {
	generated ??= JSON.parse(readFileSync(join(PACKAGE_ROOT, "examples", "replies.json"), "utf8"));
	const { example, id } = operation;
	if ("reply" in example) return example.reply;
	if (!("data" in example)) return generated?.[id];
	if ("sends" in operation && operation.sends) return example.data;
	const isList = "isList" in operation && operation.isList;
	const meta = { request_id: EXAMPLE_REQUEST_ID, ...(isList && { next_cursor: null }) };
	return { ok: true, data: example.data, meta };
}
