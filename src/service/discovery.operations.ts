import { z } from "zod";
import { dataOperation, replyComponent, type Services } from "../contract/contract.js";
import { ERROR_CODES, notFound } from "../kernel/kernel.js";
import { findNamedSchema, schemaNames } from "./openapi-schemas.js";

/** What a caller learns about the interface itself. */

const readinessSchema = replyComponent(
	"Readiness",
	z.object({
		ready: z.literal(true),
		graphs: z.int(),
		search: z.object({
			mode: z.enum(["hybrid", "keyword"]),
			concepts: z.int(),
			pending_vectors: z.int(),
		}),
	}),
);

const versionSchema = replyComponent(
	"VersionInfo",
	z.object({
		software: z.string(),
		interface: z.string().describe("Version of the interface, as info.version of /openapi.json"),
		openapi: z.string(),
		okf: z.string().describe("Open Knowledge Format of graphs and exports"),
		a2a: z.array(z.string()),
		x402: z.array(z.int()),
		deprecations: z.array(
			z.object({ operation: z.string(), sunset: z.iso.date(), instead: z.string() }),
		),
	}),
);

const errorGuideSchema = replyComponent(
	"ErrorGuide",
	z.object({
		items: z.array(
			z.object({
				code: z.enum(ERROR_CODES),
				status: z.int(),
				retryable: z.boolean(),
				meaning: z.string(),
				what_to_do: z.string(),
			}),
		),
	}),
);

const interfaceChangesSchema = replyComponent(
	"InterfaceChanges",
	z.object({
		items: z.array(z.object({ version: z.string(), changes: z.array(z.string()) })),
	}),
);

const namedSchemaSchema = replyComponent(
	"NamedSchema",
	z.object({
		name: z.string(),
		schema: z.looseObject({}).describe("JSON Schema, dialect 2020-12; named parts are in $defs"),
	}),
);

const NAMES_TOLD = 12;

/** What this service is, in which version, and what its answers mean; additions to the contract. */
export const ready = dataOperation({
	id: "ready",
	at: "GET /v1/ready",
	summary: "Readiness",
	description: "200 when a paid call could be answered now, else 503 with Retry-After.",
	data: readinessSchema,
	answer: ({ discovery }: Pick<Services, "discovery">) => discovery.ready(),
});

export const version = dataOperation({
	id: "version",
	at: "GET /v1/version",
	summary: "Versions",
	description: "Versions of software, interface and formats, and what is going to end when.",
	freshness: "catalog",
	data: versionSchema,
	answer: ({ discovery }: Pick<Services, "discovery">) => discovery.version(),
});

export const errors = dataOperation({
	id: "errors",
	at: "GET /v1/errors",
	summary: "Error codes",
	description: "Every error code with its status, whether a retry may help, and the way on.",
	isList: true,
	freshness: "catalog",
	data: errorGuideSchema,
	answer: ({ discovery }: Pick<Services, "discovery">) => discovery.errors(),
});

export const schemasGet = dataOperation({
	id: "schemas.get",
	at: "GET /v1/schemas/{name}",
	summary: "JSON Schema of a record",
	description:
		"One named schema of the interface on its own, as /openapi.json lists it under components.",
	params: z.strictObject({
		name: z
			.string()
			.regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/, "must be a name of components.schemas")
			.describe("Name under components.schemas of /openapi.json"),
	}),
	freshness: "catalog",
	data: namedSchemaSchema,
	answer: (_services, { params }) => {
		const schema = findNamedSchema(params.name);
		if (schema) return schema;
		const names = schemaNames().slice(0, NAMES_TOLD).join(", ");
		throw notFound(
			`No schema is called "${params.name}"; there are ${names} and more in /openapi.json.`,
		);
	},
	example: { params: { name: "Evidence" } },
});

export const changelog = dataOperation({
	id: "changelog",
	at: "GET /v1/changelog",
	summary: "Changes of the interface",
	description: "What changed in the interface, newest first.",
	isList: true,
	freshness: "catalog",
	data: interfaceChangesSchema,
	answer: ({ discovery }: Pick<Services, "discovery">) => discovery.changelog(),
});
