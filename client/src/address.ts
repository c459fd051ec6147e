/** Where a call goes, and what it carries there. */
import { invalidArgument } from "./errors.js";
import { OPERATIONS } from "./operations.js";
import type { components } from "./schema.js";

/** Input and output of every operation, by its id. */
export type Operations = components["schemas"]["Operations"];
export type OperationId = keyof Operations & keyof typeof OPERATIONS;

type Row = (typeof OPERATIONS)[OperationId];
type OfKind<Kind extends string> = {
	[Id in OperationId]: (typeof OPERATIONS)[Id] extends `${Kind}${"*" | ""} ${string}` ? Id : never;
}[OperationId];

export type StreamOperationId = OfKind<"stream">;
export type JobOperationId = OfKind<"job">;
/** What `quote` can price. */
export type PaidOperationId = OfKind<"paid" | "stream" | "job">;
/** What is answered at once. */
export type CallOperationId = Exclude<OperationId, StreamOperationId | JobOperationId>;

/** What is sold, how it is answered: at once, as events, or as a job; a purchase costs what its input names. */
export type OperationKind = "paid" | "stream" | "job" | "purchase" | "owner" | "free";

export interface Address {
	readonly id: OperationId;
	readonly kind: OperationKind;
	/** Whether its answer is JSON, always. */
	readonly isJson: boolean;
	readonly method: string;
	/** Path and query. */
	readonly path: string;
	/** JSON; undefined where there is nothing to say. */
	readonly body: string | undefined;
}

/** Throws INVALID_ARGUMENT for an unknown operation and a missing part of the path. */
export function toAddress(id: OperationId, input: object): Address {
	const row: Row | undefined = Object.hasOwn(OPERATIONS, id) ? OPERATIONS[id] : undefined;
	if (row === undefined)
		throw invalidArgument(`No operation is called "${String(id).slice(0, 80)}".`);
	const [kind = "", method = "", template = "", ...queries]: string[] = row.split(" ");
	const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
	const path = template.replace(/\{(\w+)\}/g, (_, name: string) => takePart(fields, name));
	const hasBody = method !== "GET" && method !== "DELETE";
	const search = new URLSearchParams();
	for (const [name, value] of fields) {
		if (hasBody && !queries.includes(name)) continue;
		search.set(name, String(value));
		fields.delete(name);
	}
	return {
		id,
		kind: kind.replace("*", "") as OperationKind,
		isJson: !kind.endsWith("*"),
		method,
		path: search.size > 0 ? `${path}?${search}` : path,
		body: hasBody && fields.size > 0 ? JSON.stringify(Object.fromEntries(fields)) : undefined,
	};
}

function takePart(fields: Map<string, unknown>, name: string): string {
	const value = fields.get(name);
	fields.delete(name);
	// A dot segment would lead to another address.
	if (typeof value === "string" && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
	throw invalidArgument(`"${name}" must be a text that is not empty.`);
}
