import { z } from "zod";

/** JSON Schema of one argument, as every client takes it: one type, no reference, no alternative. */
export interface FieldSchema {
	readonly type: "string" | "integer" | "number" | "boolean" | "array";
	readonly description: string;
	readonly enum?: readonly string[];
	readonly items?: { readonly type: string };
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly minItems?: number;
	readonly maxItems?: number;
}

/** Arguments of a tool, flat. */
export interface InputSchema {
	readonly type: "object";
	readonly properties: Readonly<Record<string, FieldSchema>>;
	readonly required?: readonly string[];
	readonly additionalProperties: false;
}

/** What `structuredContent` holds; read by programs, so without descriptions. */
export interface OutputSchema {
	readonly type: "object";
	readonly [keyword: string]: unknown;
}

type JsonSchema = Readonly<Record<string, unknown>>;

const KEPT = [
	"type",
	"enum",
	"minLength",
	"maxLength",
	"minimum",
	"maximum",
	"minItems",
	"maxItems",
] as const;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "number", "boolean", "array"]);

/**
 * The named fields of what an operation takes, each with a description of a few words. Some clients drop tools whose
 * schemas have references, alternatives, lists of types or exclusive bounds: none is left here, and the operation
 * itself judges what came. Throws for a field that has no flat form.
 */
export function toInputSchema(
	input: z.ZodType,
	descriptions: Readonly<Record<string, string>>,
): InputSchema {
	const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "input" });
	const names = Object.keys(descriptions);
	const fields = names.map((name) => [
		name,
		toField(name, properties[name] as JsonSchema | undefined, descriptions[name] ?? ""),
	]);
	const needed = names.filter((name) => required.includes(name));
	return {
		type: "object",
		properties: Object.fromEntries(fields),
		...(needed.length > 0 && { required: needed }),
		additionalProperties: false,
	};
}

function toField(name: string, schema: JsonSchema | undefined, description: string): FieldSchema {
	const plain = schema && withoutNull(schema);
	const { type, items } = plain ?? {};
	const isList = type === "array";
	const itemType = isList ? (items as JsonSchema | undefined)?.["type"] : undefined;
	const isFlat = isList ? TYPES.has(itemType) && itemType !== "array" : TYPES.has(type);
	if (!plain || !isFlat) throw new Error(`The argument "${name}" has no flat schema.`);
	const kept = KEPT.filter((key) => isTelling(plain[key])).map((key) => [key, plain[key]]);
	return {
		...Object.fromEntries(kept),
		description,
		...(isList && { items: { type: itemType } }),
	};
}

/** Bounds that say no more than that it is a number are noise. */
function isTelling(value: unknown): boolean {
	return value !== undefined && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
}

/** The first alternative that is a plain value: what else is taken is an alias of it, or null for "none". */
function withoutNull(schema: JsonSchema): JsonSchema {
	const { type: types, anyOf } = schema;
	if (Array.isArray(types)) return { ...schema, type: types.find((type) => TYPES.has(type)) };
	return (
		(anyOf as readonly JsonSchema[] | undefined)?.find(({ type }) => TYPES.has(type)) ?? schema
	);
}

/**
 * What an answer is sure to hold: its fields, those of the objects and rows in them, and no further down. A value that may
 * be of several kinds, or null, is left open, and so is `meta`, which is much alike in all: a model reads every list.
 */
export function toOutputSchema(output: z.ZodType): OutputSchema {
	const schema = z.toJSONSchema(output, { io: "output" }) as JsonSchema;
	const { properties, ...outline } = toOutline(schema, OUTPUT_LEVELS);
	const fields = properties as Readonly<Record<string, JsonSchema>> | undefined;
	const meta = fields?.["meta"] && { meta: { type: "object" } };
	return { ...outline, ...(fields && { properties: { ...fields, ...meta } }), type: "object" };
}

/** That of a tool that is sold: clients of 2025 hold its demand for payment against the same schema, so no field is required. */
export function toSoldOutput(output: z.ZodType): OutputSchema {
	const { required: _required, ...schema } = toOutputSchema(output);
	return schema;
}

/** The same with its topmost fields alone. */
export function toFlatOutput(schema: OutputSchema): OutputSchema {
	return { ...toOutline(schema, 1), type: "object" };
}

const OUTPUT_LEVELS = 2;

function toOutline(schema: JsonSchema, levels: number): JsonSchema {
	const { type, properties = {}, required, items, enum: values } = schema;
	const fields = Object.entries(properties as Record<string, JsonSchema>);
	if (type === "object" && fields.length > 0 && levels > 0) {
		return {
			type,
			properties: Object.fromEntries(
				fields.map(([name, field]) => [name, toOutline(field, levels - 1)]),
			),
			...(Array.isArray(required) && required.length > 0 && { required }),
		};
	}
	if (type === "array" && items !== undefined) {
		return { type, items: toOutline(items as JsonSchema, levels) };
	}
	if (type === "object" || TYPES.has(type))
		return { type, ...(Array.isArray(values) && { enum: values }) };
	return {};
}
