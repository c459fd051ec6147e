import { z } from "zod";
import { replyComponents, requestComponents } from "../contract/contract.js";

export type JsonSchema = Record<string, unknown>;

type Registry = typeof requestComponents;
type Direction = "input" | "output";

const toRef = (id: string) => `#/components/schemas/${id}`;

/** Every named schema, as `components/schemas` wants them. */
export function toComponentSchemas(): Record<string, JsonSchema> {
	return {
		...fromRegistry(requestComponents, "input"),
		...fromRegistry(replyComponents, "output"),
	};
}

/** A reference to a named schema. Throws for one without a name: everything that travels as a body has one. */
export function referTo(registry: Registry, schema: z.ZodType): { $ref: string } {
	const id = registry.get(schema)?.id;
	if (!id) throw new Error("A request or reply schema has no component name.");
	return { $ref: toRef(id) };
}

/** A schema that stands where it is used: a parameter. */
export function toInlineSchema(schema: z.core.$ZodType): JsonSchema {
	return withoutIdentity(z.toJSONSchema(schema, { io: "input", override: tidy }));
}

function fromRegistry(registry: Registry, io: Direction): Record<string, JsonSchema> {
	const { schemas } = z.toJSONSchema(registry, { io, uri: toRef, override: tidy });
	return Object.fromEntries(
		Object.entries(schemas).map(([id, schema]) => [id, withoutIdentity(schema)]),
	);
}

/** Ids and dialects would make the document's own references relative to them. */
function withoutIdentity(schema: object): JsonSchema {
	const { $schema: _dialect, $id: _id, "~standard": _standard, ...rest } = schema as JsonSchema;
	return rest;
}

interface Overridden {
	readonly zodSchema: z.core.$ZodType;
	readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** Bounds no one set and patterns a format already says are noise; replies may gain fields within /v1. */
function tidy({ zodSchema, jsonSchema }: Overridden): void {
	if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
	if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
	if (jsonSchema.format === "date") delete jsonSchema.pattern;
	if (mayGrow(zodSchema)) delete jsonSchema.additionalProperties;
}

/** Neither strict nor loose: nothing is said about further fields. */
function mayGrow(schema: z.core.$ZodType): boolean {
	return schema instanceof z.ZodObject && schema.def.catchall === undefined;
}

const REFERENCE = "#/components/schemas/";

let made: Readonly<Record<string, JsonSchema>> | undefined;

/** Registered while the route table is loaded, so read at the first question. */
function components(): Readonly<Record<string, JsonSchema>> {
	made ??= toComponentSchemas();
	return made;
}

const found = new Map<string, { readonly name: string; readonly schema: JsonSchema }>();

/** Names under `components.schemas`, sorted. */
export function schemaNames(): readonly string[] {
	return Object.keys(components()).sort();
}

/** One schema that stands by itself: what it refers to is in its `$defs`. Undefined for a name no one gave. */
export function findNamedSchema(name: string) {
	const known = found.get(name);
	if (known) return known;
	const all = components();
	if (!Object.hasOwn(all, name)) return undefined;
	const parts = new Set<string>();
	const collect = (part: string) => {
		for (const reference of referencesOf(all[part])) {
			if (parts.has(reference)) continue;
			parts.add(reference);
			collect(reference);
		}
	};
	collect(name);
	const schema = {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		...toLocal(all[name]),
		...(parts.size > 0 && {
			$defs: Object.fromEntries([...parts].sort().map((part) => [part, toLocal(all[part])])),
		}),
	};
	const answer = { name, schema };
	found.set(name, answer);
	return answer;
}

function referencesOf(schema: unknown): string[] {
	return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].flatMap(
		([, name]) => name ?? [],
	);
}

function toLocal(schema: unknown): JsonSchema {
	return JSON.parse(JSON.stringify(schema).replaceAll(`"${REFERENCE}`, '"#/$defs/'));
}
