import type { ListedTool } from "../../src/mcp/tool.js";

/** What a strict client is known to take; whatever else stands in a schema is complained of. */
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "number", "boolean", "array"]);
const ROOT_KEYS: ReadonlySet<string> = new Set([
	"type",
	"properties",
	"required",
	"additionalProperties",
]);
const FIELD_KEYS: ReadonlySet<string> = new Set([
	"type",
	"description",
	"enum",
	"items",
	"minLength",
	"maxLength",
	"minimum",
	"maximum",
	"minItems",
	"maxItems",
]);
const CHARS_MAX = 1_024;

type Json = Readonly<Record<string, unknown>>;

/** What such a client would stumble over in a tool, each complaint with its place; none where it takes the tool. */
export function complaintsOf(tool: ListedTool): string[] {
	const { name, title, description, inputSchema, outputSchema } = tool;
	const texts = { name, title, description };
	const long = Object.entries(texts).filter(([, text]) => text.length > CHARS_MAX || text === "");
	return [
		...long.map(([key]) => `${key} has no fit length`),
		...(/^[a-z][a-z_]{0,63}$/.test(name) ? [] : [`"${name}" is no name`]),
		...inputComplaintsOf(inputSchema),
		...(outputSchema === undefined ? [] : rootComplaintsOf(outputSchema, "output", isFlatOutput)),
	];
}

/** The part of it that holds at every address. */
export function inputComplaintsOf(schema: object): string[] {
	const complaints = rootComplaintsOf(schema, "input", isFlatField);
	const { additionalProperties } = schema as Json;
	return additionalProperties === false ? complaints : [...complaints, "input is open"];
}

function rootComplaintsOf(
	schema: object,
	at: string,
	isFlat: (field: unknown) => boolean,
): string[] {
	const { type, properties, required = [], additionalProperties = false } = schema as Json;
	if (!isRecord(properties)) return [`${at} has no properties`];
	const isNamed = (name: unknown) => typeof name === "string" && Object.hasOwn(properties, name);
	return [
		...unknownKeysOf(schema, ROOT_KEYS).map((key) => `${at}: ${key}`),
		...(type === "object" ? [] : [`${at} is no object`]),
		...(additionalProperties === false ? [] : [`${at}: additionalProperties`]),
		...(Array.isArray(required) && required.every(isNamed) ? [] : [`${at}: required`]),
		...Object.entries(properties).flatMap(([name, field]) =>
			isFlat(field) ? [] : [`${at}.${name}: ${JSON.stringify(field)}`],
		),
	];
}

/** One type, bounds that are numbers, values that are strings. */
function isFlatField(field: unknown): boolean {
	if (!isRecord(field) || !TYPES.has(field["type"])) return false;
	const { type, description, enum: values, items, ...bounds } = field;
	return (
		unknownKeysOf(field, FIELD_KEYS).length === 0 &&
		typeof description === "string" &&
		description.length <= CHARS_MAX &&
		description !== "" &&
		areStrings(values) &&
		(type === "array" ? isPlain(items, false) : items === undefined) &&
		Object.values(bounds).every((bound) => typeof bound === "number")
	);
}

/** No one reads words in what comes back; a value of several kinds has no type at all. */
function isFlatOutput(field: unknown): boolean {
	if (!isRecord(field) || Object.keys(field).length === 0) return isRecord(field);
	if (field["type"] === "array" && field["items"] !== undefined) {
		const { items, ...array } = field;
		return isPlain(items, true) && isPlain(array, true);
	}
	return isPlain(field, true);
}

function isPlain(schema: unknown, mayBeObject: boolean): boolean {
	if (!isRecord(schema)) return false;
	const { type, enum: values, ...others } = schema;
	const isKnown = TYPES.has(type) || (mayBeObject && type === "object");
	return isKnown && areStrings(values) && Object.keys(others).length === 0;
}

function areStrings(values: unknown): boolean {
	if (values === undefined) return true;
	return (
		Array.isArray(values) && values.length > 0 && values.every((each) => typeof each === "string")
	);
}

function unknownKeysOf(schema: object, known: ReadonlySet<string>): string[] {
	return Object.keys(schema).filter((key) => !known.has(key));
}

function isRecord(value: unknown): value is Json {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
