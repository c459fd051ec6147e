/** REST: decodes a request into a call, asks the service, encodes the answer; one route table feeds router and documents. */
import { z } from "zod";

/** Schemas with a name of their own in the OpenAPI document: what callers send, and what they get. */
export const requestComponents = z.registry<{ id: string }>();
export const replyComponents = z.registry<{ id: string }>();

/** Names a schema callers send; the name appears under `components/schemas`. */
export function requestComponent<S extends z.ZodType>(id: string, schema: S): S {
	requestComponents.add(schema, { id });
	return schema;
}

/** Names a schema callers get; the name appears under `components/schemas`. */
export function replyComponent<S extends z.ZodType>(id: string, schema: S): S {
	replyComponents.add(schema, { id });
	return schema;
}

/** A reply that is a list of items. */
export function replyList<S extends z.ZodType>(id: string, item: S) {
	return replyComponent(id, z.object({ items: z.array(item) }));
}

/** What a paid operation answers with. */
export function outputOf<D extends z.ZodType, M extends z.ZodType>(data: D, meta: M) {
	return z.object({ ok: z.literal(true), data, meta });
}
