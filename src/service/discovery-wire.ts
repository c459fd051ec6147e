import { z } from "zod";
import { replyComponent } from "../contract/contract.js";
import { ERROR_CODES } from "../kernel/kernel.js";

/** What a caller learns about the interface itself. */

export const readinessSchema = replyComponent(
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

export const versionSchema = replyComponent(
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

export const errorGuideSchema = replyComponent(
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

export const interfaceChangesSchema = replyComponent(
	"InterfaceChanges",
	z.object({
		items: z.array(z.object({ version: z.string(), changes: z.array(z.string()) })),
	}),
);

export const namedSchemaSchema = replyComponent(
	"NamedSchema",
	z.object({
		name: z.string(),
		schema: z.looseObject({}).describe("JSON Schema, dialect 2020-12; named parts are in $defs"),
	}),
);
