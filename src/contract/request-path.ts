import type { OperationAddress } from "./operations.js";

/** One concrete request of an operation: its path with parameters and query filled in, and what is left for the body. */
export interface RequestPath {
	/** With the query of a GET. */
	readonly path: string;
	/** Without it: what a challenge names, so that a facilitator is not told what was asked. */
	readonly resource: string;
	readonly body: Readonly<Record<string, unknown>>;
}

/**
 * `POST /v1/graphs/{graph_id}/search` and an input become `/v1/graphs/tides/search` and the rest of the input; of a GET
 * the rest is the query.
 */
export function toRequestPath(
	{ method, path: template }: OperationAddress,
	input: Readonly<Record<string, unknown>>,
): RequestPath {
	const rest = { ...input };
	const resource = template.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = String(rest[name]);
		delete rest[name];
		return encodeURIComponent(value);
	});
	if (method !== "GET") return { path: resource, resource, body: rest };
	const given = Object.entries(rest).filter(([, value]) => value !== undefined);
	const query = new URLSearchParams(
		given.map(([name, value]): [string, string] => [name, String(value)]),
	);
	return { path: query.size > 0 ? `${resource}?${query}` : resource, resource, body: {} };
}
