import { z } from "zod";
import type { ListedRequest, Quote } from "../payments.js";

/** What catalogs of paid resources read of a request: the bazaar extension of x402 v2, and `outputSchema` of v1 (docs/adr/0063). */
export interface Discovery {
	readonly bazaar: Readonly<Record<string, unknown>>;
	readonly outputSchema: Readonly<Record<string, unknown>>;
}

/** The extension by which a payment of version 2 brings its own retry key; `readPaymentId` reads it. */
export const PAYMENT_IDENTIFIER = {
	"payment-identifier": {
		info: { required: false },
		schema: {
			$schema: "https://json-schema.org/draft/2020-12/schema",
			type: "object",
			properties: {
				required: { type: "boolean" },
				id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" },
			},
			required: ["required"],
		},
	},
};

type Fields = Readonly<Record<string, unknown>>;

/** Undefined where the quote is of no request over HTTP. */
export function toDiscovery({ resourceUrl, listed }: Quote): Discovery | undefined {
	if (!listed) return undefined;
	const { method, path } = listed.address;
	const pathParams = readPathParams(path, resourceUrl);
	const isSent = ([name]: [string, unknown]) => !Object.hasOwn(pathParams, name);
	const given = Object.fromEntries(
		Object.entries(listed.example).filter(([, value]) => value !== undefined),
	);
	const sent = Object.fromEntries(Object.entries(given).filter(isSent));
	const { fields, required, output } = summarize(listed);
	const sentFields = Object.fromEntries(Object.entries(fields).filter(isSent));
	const hasPath = Object.keys(pathParams).length > 0;
	const isQuery = method === "GET";
	const place = isQuery ? { queryParams: sent } : { bodyType: "json", body: sent };
	const requiredSent = required.filter((name) => Object.hasOwn(sentFields, name));
	return {
		bazaar: {
			...(hasPath && { routeTemplate: path.replace(PARAMETER, ":$1") }),
			info: {
				input: { type: "http", method, ...place, ...(hasPath && { pathParams }) },
				output: { type: "json" },
			},
			schema: toInfoSchema({ isQuery, method, pathParams, fields: sentFields }),
		},
		outputSchema: {
			input: {
				type: "http",
				method,
				discoverable: true,
				...(isQuery
					? { queryParams: sentFields }
					: { bodyType: "json", bodyFields: sentFields, required: requiredSent }),
			},
			output,
		},
	};
}

const PARAMETER = /\{(\w+)\}/g;

/** A public address may stand below a path of its own, so that segments are counted from the end. */
function readPathParams(template: string, resourceUrl: string): Readonly<Record<string, string>> {
	const segments = template.split("/");
	const own = new URL(resourceUrl).pathname.split("/").slice(-segments.length);
	return Object.fromEntries(
		segments.flatMap((segment, place) => {
			const name = segment.startsWith("{") ? segment.slice(1, -1) : undefined;
			return name === undefined ? [] : [[name, decodeURIComponent(own[place] ?? "")]];
		}),
	);
}

/** The schema of `info`. It stands in a header, so it says of each field its type alone; the OpenAPI document says the rest. */
function toInfoSchema({
	isQuery,
	method,
	pathParams,
	fields,
}: {
	readonly isQuery: boolean;
	readonly method: string;
	readonly pathParams: Fields;
	readonly fields: Readonly<Record<string, Fields>>;
}): object {
	const types = Object.entries(fields).map(([name, { type }]) => [name, type ? { type } : {}]);
	const sent = { type: "object", properties: Object.fromEntries(types) };
	const names = Object.keys(pathParams);
	const strings = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
	const place = isQuery ? ["queryParams"] : ["bodyType", "body"];
	const path = names.length > 0 ? ["pathParams"] : [];
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		type: "object",
		properties: {
			input: {
				type: "object",
				properties: {
					type: { const: "http" },
					method: { const: method },
					...(isQuery ? { queryParams: sent } : { bodyType: { const: "json" }, body: sent }),
					...(names.length > 0 && { pathParams: { type: "object", properties: strings } }),
				},
				required: ["type", "method", ...place, ...path],
				additionalProperties: false,
			},
			output: {
				type: "object",
				properties: { type: { const: "json" }, example: { type: "object" } },
				required: ["type"],
			},
		},
		required: ["input"],
	};
}

interface Summary {
	readonly fields: Readonly<Record<string, Fields>>;
	readonly required: readonly string[];
	readonly output: Fields;
}

/** Anyone can ask for a challenge, and schemas do not change: each is read once. */
const summaries = new WeakMap<z.ZodType, Summary>();

function summarize({ input, output }: ListedRequest): Summary {
	const known = summaries.get(input);
	if (known) return known;
	const { properties, required } = toObjectSchema(input, "input");
	const replied = toObjectSchema(output, "output");
	const summary = {
		fields: properties,
		required,
		output: { type: "object", properties: replied.properties },
	};
	summaries.set(input, summary);
	return summary;
}

function toObjectSchema(schema: z.ZodType, io: "input" | "output") {
	const { properties = {}, required = [] } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
	const short = Object.entries(properties).map(([name, field]) => {
		const { type, enum: values, description } = field as Fields;
		return [
			name,
			{
				...(type !== undefined && { type }),
				...(values !== undefined && { enum: values }),
				...(description !== undefined && { description }),
			},
		];
	});
	return { properties: Object.fromEntries(short) as Summary["fields"], required };
}
