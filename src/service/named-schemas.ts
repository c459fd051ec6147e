import { type JsonSchema, toComponentSchemas } from "./openapi-schemas.js";

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
