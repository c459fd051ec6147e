import { isWire, type Wire } from "./advertised-route.js";

const DEPTH_MAX = 6;

/** A value that a JSON Schema plausibly takes: its own example where it has one, else the least that fits. */
export function toExample(schema: unknown, resolve: (schema: Wire) => Wire, depth = 0): unknown {
	if (!isWire(schema) || depth > DEPTH_MAX) return undefined;
	const {
		example,
		examples,
		default: usual,
		const: only,
		enum: allowed,
		...rest
	} = resolve(schema);
	if (example !== undefined) return example;
	if (Array.isArray(examples) && examples.length > 0) return examples[0];
	if (usual !== undefined) return usual;
	if (only !== undefined) return only;
	if (Array.isArray(allowed)) return allowed[0];
	const [first] = [rest["anyOf"], rest["oneOf"], rest["allOf"]].find(Array.isArray) ?? [];
	if (first !== undefined) return toExample(first, resolve, depth + 1);
	return byType(rest, resolve, depth);
}

function byType(schema: Wire, resolve: (schema: Wire) => Wire, depth: number): unknown {
	const { type, properties, minimum } = schema;
	switch (Array.isArray(type) ? type[0] : type) {
		case "integer":
		case "number":
			return typeof minimum === "number" ? minimum : 1;
		case "boolean":
			return false;
		case "array":
			return [];
		case "string":
			return "probe";
	}
	if (!isWire(properties)) return {};
	const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
	return Object.fromEntries(
		Object.entries(properties)
			.filter(([name]) => required.includes(name))
			.map(([name, property]) => [name, toExample(property, resolve, depth + 1)]),
	);
}
