import { isWire, type Wire } from "./advertised-route.js";

const DEPTH_MAX = 6;
const NODES_MAX = 1_000;

/**
 * A value that a JSON Schema plausibly takes: its own example where it has one, else the least that fits. A schema that
 * names itself again and again gets a part of it.
 */
export function toExample(schema: unknown, resolve: (schema: Wire) => Wire): unknown {
	let nodes = 0;
	const isEnough = () => ++nodes > NODES_MAX;
	return exampleOf(schema, { resolve, isEnough, depth: 0 });
}

interface Walk {
	readonly resolve: (schema: Wire) => Wire;
	/** Counts one more value. */
	readonly isEnough: () => boolean;
	readonly depth: number;
}

function exampleOf(schema: unknown, walk: Walk): unknown {
	const { resolve, isEnough, depth } = walk;
	if (!isWire(schema) || depth > DEPTH_MAX || isEnough()) return undefined;
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
	if (first !== undefined) return exampleOf(first, { ...walk, depth: depth + 1 });
	return byType(rest, walk);
}

function byType(schema: Wire, walk: Walk): unknown {
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
			.map(([name, property]) => [name, exampleOf(property, { ...walk, depth: walk.depth + 1 })]),
	);
}
