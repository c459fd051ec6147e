import { z } from "zod";
import { SOFTWARE_VERSION } from "../kernel/kernel.js";
import { COMMAND_NAMES, COMMANDS, type CommandName } from "../operator/operator.js";
import { ARCHIVE_TYPE } from "./archive-upload.js";

/** OpenAPI 3.1 of the admin API, from the table of commands. */
export function createAdminDocument() {
	const paths: Record<string, Record<string, object>> = {};
	for (const name of COMMAND_NAMES) {
		const { at, also = [] } = COMMANDS[name];
		for (const address of [at, ...also]) {
			const [method = "", path = ""] = address.split(" ");
			const operations = paths[path] ?? {};
			operations[method.toLowerCase()] = toOperation(name, address);
			paths[path] = operations;
		}
	}
	return {
		openapi: "3.1.0",
		info: {
			title: "tollgraph admin API",
			version: SOFTWARE_VERSION,
			description:
				"For operators, with a key of theirs (tollgraph operators add), or the admin token of the data folder on its own machine.",
		},
		servers: [{ url: "/v1/admin" }],
		security: [{ operator: [] }],
		paths,
		components: {
			securitySchemes: {
				operator: { type: "http", scheme: "bearer", description: "opk_… or the admin token" },
			},
		},
	};
}

interface ObjectSchema {
	readonly properties?: Readonly<Record<string, object>>;
	readonly required?: readonly string[];
}

function toOperation(name: CommandName, address: string): object {
	const { summary, role, takes, kind, changes, at, archive } = COMMANDS[name];
	const [method = "", path = ""] = address.split(" ");
	const schema = z.toJSONSchema(takes, { io: "input", unrepresentable: "any" }) as ObjectSchema;
	const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, field = ""]) => field);
	const fields = Object.entries(schema.properties ?? {});
	const rest = fields.filter(([field]) => !inPath.includes(field));
	const required = schema.required ?? [];
	const isQuery = method === "GET";
	const isStreamed = kind !== "quick";
	return {
		operationId:
			address === at ? name : `${name}.${method.toLowerCase()}${path.replace(/\W+/g, ".")}`,
		summary,
		description: `Takes the role ${role}.`,
		"x-least-role": role,
		// What lies below another root names it, from the root of the server on.
		...(path.startsWith("/v1/") && { servers: [{ url: "/" }] }),
		parameters: [
			...inPath.map((field) => ({
				name: field,
				in: "path",
				required: true,
				schema: schema.properties?.[field] ?? { type: "string" },
			})),
			...(isQuery ? rest.map(([field, one]) => toQuery(field, one, required)) : []),
			...(changes ? CHANGE_HEADERS : []),
			...(archive === undefined ? [] : [ARCHIVE_OPTIONS]),
		],
		...(!isQuery && {
			requestBody: toBody(rest, required, { isChange: changes !== undefined, archive }),
		}),
		responses: {
			200: {
				description: isStreamed
					? "Lines of JSON; the last has the result or an error"
					: "The result",
				content: {
					[isStreamed ? "application/x-ndjson" : "application/json"]: {
						schema: { type: "object" },
					},
				},
			},
			default: { description: "An error with code and message" },
		},
	};
}

function toQuery(field: string, schema: object, required: readonly string[]) {
	return { name: field, in: "query", required: required.includes(field), schema };
}

function toBody(
	fields: readonly (readonly [string, object])[],
	required: readonly string[],
	{ isChange, archive }: { readonly isChange: boolean; readonly archive: string | undefined },
) {
	const dryRun = { type: "boolean", description: "Say what would change, and change nothing" };
	const properties = Object.fromEntries(fields);
	return {
		content: {
			"application/json": {
				schema: {
					type: "object",
					properties: { ...properties, ...(isChange && { dry_run: dryRun }) },
					required: required.filter((field) => field in properties),
					additionalProperties: false,
				},
			},
			...(archive !== undefined && {
				[ARCHIVE_TYPE]: { schema: { type: "string", format: "binary" } },
			}),
		},
	};
}

const ARCHIVE_OPTIONS = {
	name: "options",
	in: "query",
	required: false,
	description: `With a body of ${ARCHIVE_TYPE}: the other fields, as a JSON object`,
	schema: { type: "string", contentMediaType: "application/json" },
};

const CHANGE_HEADERS = [
	{
		name: "Idempotency-Key",
		in: "header",
		required: false,
		description: "The same key and input are answered with the same reply for a day",
		schema: { type: "string" },
	},
	{
		name: "If-Match",
		in: "header",
		required: false,
		description: "ETag that what is changed must still have, else 412",
		schema: { type: "string" },
	},
];
