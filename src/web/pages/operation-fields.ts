import type { Operation } from "../../contract/contract.js";
import { toInlineSchema } from "../../service/service.js";

/** Fields of an operation as a form asks for them, read from its schemas. */

export type FieldPlace = "params" | "query" | "body";
export type FieldKind = "text" | "long" | "number" | "flag" | "choice" | "lines" | "json";

export interface OperationField {
	readonly name: string;
	readonly place: FieldPlace;
	readonly kind: FieldKind;
	readonly isRequired: boolean;
	readonly about: string;
	readonly choices: readonly string[];
	/** As it stands in its field. */
	readonly example: string;
	/** Type and bounds in a few words. */
	readonly terms: string;
}

interface FieldSchema {
	readonly type?: string | readonly string[];
	readonly description?: string;
	readonly enum?: readonly unknown[];
	readonly items?: { readonly type?: string };
	readonly maxLength?: number;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly default?: unknown;
	readonly properties?: Readonly<Record<string, FieldSchema>>;
	readonly required?: readonly string[];
}

const LONG_NAMES = /^(query|question|text|claim|topic|message|context|jws)$/;

export function fieldsOf(operation: Operation): readonly OperationField[] {
	const { params, query, example } = operation;
	const body = "body" in operation ? operation.body : undefined;
	const places = [
		["params", params, example.params],
		["query", query, example.query],
		["body", body, example.body],
	] as const;
	return places.flatMap(([place, schema, given]) => {
		if (!schema) return [];
		const { properties = {}, required = [] } = toInlineSchema(schema) as FieldSchema;
		return Object.entries(properties).map(([name, field]) =>
			toField({ name, place, field, example: given?.[name], isRequired: required.includes(name) }),
		);
	});
}

function toField({
	name,
	place,
	field,
	example,
	isRequired,
}: {
	readonly name: string;
	readonly place: FieldPlace;
	readonly field: FieldSchema;
	readonly example: unknown;
	readonly isRequired: boolean;
}): OperationField {
	const kind = kindOf(name, field);
	return {
		...{ name, place, kind, isRequired },
		about: field.description ?? "",
		choices: kind === "choice" ? (field.enum ?? []).map(String) : [],
		example: toText(kind, example),
		terms: termsOf(kind, field),
	};
}

function kindOf(name: string, { type, enum: choices, items }: FieldSchema): FieldKind {
	if (choices) return "choice";
	if (type === "boolean") return "flag";
	if (type === "integer" || type === "number") return "number";
	if (type === "array" && items?.type === "string") return "lines";
	if (type === "string") return LONG_NAMES.test(name) ? "long" : "text";
	return "json";
}

/** The text of a field that stands for a value. */
function toText(kind: FieldKind, value: unknown): string {
	if (value === undefined || value === null) return "";
	if (kind === "lines") return (value as readonly unknown[]).map(String).join("\n");
	if (kind === "json") return JSON.stringify(value, undefined, 2);
	return String(value);
}

const NAMES: Readonly<Record<FieldKind, string>> = {
	text: "text",
	long: "text",
	number: "number",
	flag: "yes or no",
	choice: "one of these",
	lines: "one a line",
	json: "JSON",
};

function termsOf(
	kind: FieldKind,
	{ maxLength, minimum, maximum, default: usual }: FieldSchema,
): string {
	const bounds = [
		minimum === undefined ? "" : `from ${minimum}`,
		maximum === undefined ? "" : `to ${maximum}`,
		maxLength === undefined ? "" : `up to ${maxLength.toLocaleString("en-US")} characters`,
		usual === undefined || typeof usual === "object" ? "" : `usually ${String(usual)}`,
	].filter(Boolean);
	return [NAMES[kind], ...bounds].join(", ");
}
