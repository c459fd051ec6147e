import { z } from "zod";
import { ServiceError } from "../kernel/kernel.js";
import { dataRoute } from "./define-route.js";
import {
	errorGuideSchema,
	interfaceChangesSchema,
	namedSchemaSchema,
	readinessSchema,
	versionSchema,
} from "./discovery-schemas.js";
import { findNamedSchema, schemaNames } from "./named-schemas.js";
import type { DataRoute } from "./route.js";

type DiscoveryOperationId = "ready" | "version" | "errors" | "schemas.get" | "changelog";

const nothing = z.strictObject({});
const NAMES_TOLD = 12;

/** What this service is, in which version, and what its answers mean; additions to the contract. */
export const DISCOVERY_ROUTES: Readonly<Record<DiscoveryOperationId, DataRoute>> = {
	ready: dataRoute({
		operationId: "ready",
		summary: "Readiness",
		description: "200 when a paid call could be answered now, else 503 with Retry-After.",
		path: nothing,
		query: nothing,
		isList: false,
		freshness: "live",
		data: readinessSchema,
		answer: (free) => free.discovery.ready(),
		example: {
			data: {
				ready: true,
				graphs: 12,
				search: { mode: "hybrid", concepts: 240, pending_vectors: 0 },
			},
		},
	}),
	version: dataRoute({
		operationId: "version",
		summary: "Versions",
		description: "Versions of software, interface and formats, and what is going to end when.",
		path: nothing,
		query: nothing,
		isList: false,
		freshness: "catalog",
		data: versionSchema,
		answer: (free) => free.discovery.version(),
		example: {
			data: {
				software: "0.1.0",
				interface: "1.7.0",
				openapi: "3.1.0",
				okf: "0.2",
				a2a: ["1.0", "0.3"],
				x402: [2, 1],
				deprecations: [],
			},
		},
	}),
	errors: dataRoute({
		operationId: "errors",
		summary: "Error codes",
		description: "Every error code with its status, whether a retry may help, and the way on.",
		path: nothing,
		query: nothing,
		isList: true,
		freshness: "catalog",
		data: errorGuideSchema,
		answer: (free) => free.discovery.errors(),
		example: {
			data: {
				items: [
					{
						code: "NOT_FOUND",
						status: 404,
						retryable: false,
						meaning: "Nothing here has this name.",
						what_to_do: "Look the name up in /v1/graphs/catalog.",
					},
				],
			},
		},
	}),
	"schemas.get": dataRoute({
		operationId: "schemas.get",
		summary: "JSON Schema of a record",
		description:
			"One named schema of the interface on its own, as /openapi.json lists it under components.",
		path: z.strictObject({
			name: z
				.string()
				.regex(/^[A-Za-z][A-Za-z0-9]{0,63}$/, "must be a name of components.schemas")
				.describe("Name under components.schemas of /openapi.json"),
		}),
		query: nothing,
		isList: false,
		freshness: "catalog",
		data: namedSchemaSchema,
		answer: (_free, { path }) => {
			const schema = findNamedSchema(path.name);
			if (schema) return schema;
			const names = schemaNames().slice(0, NAMES_TOLD).join(", ");
			throw new ServiceError(
				"NOT_FOUND",
				`No schema is called "${path.name}"; there are ${names} and more in /openapi.json.`,
			);
		},
		example: {
			path: { name: "Evidence" },
			data: { name: "Evidence", schema: { type: "object" } },
		},
	}),
	changelog: dataRoute({
		operationId: "changelog",
		summary: "Changes of the interface",
		description: "What changed in the interface, newest first.",
		path: nothing,
		query: nothing,
		isList: true,
		freshness: "catalog",
		data: interfaceChangesSchema,
		answer: (free) => free.discovery.changelog(),
		example: {
			data: { items: [{ version: "1.7.0", changes: ["Added: signed receipts."] }] },
		},
	}),
};
