import Ajv, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** What the contract tests read of `/openapi.json`: nothing else shows them what there is. */
export interface Operation {
	readonly operationId: string;
	readonly method: string;
	readonly path: string;
	readonly security: readonly Readonly<Record<string, readonly string[]>>[];
	readonly parameters: readonly Parameter[];
	readonly body: { readonly schema: Schema; readonly example: unknown } | undefined;
	readonly priceUsd: number;
	/** Statuses it declares, as text. */
	readonly statuses: readonly string[];
	/** Complaints about a reply's body; none for one that fits. */
	judge(status: number, mediaType: string, body: unknown): readonly string[];
}

export interface Parameter {
	readonly name: string;
	readonly in: "path" | "query" | "header";
	readonly required: boolean;
	readonly schema: Schema;
	readonly example?: unknown;
}

export interface Schema {
	readonly [keyword: string]: unknown;
	readonly type?: string | readonly string[];
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
}

type Json = Record<string, unknown>;
const DOCUMENT = "https://contract.example/openapi.json";

/** Every operation of the description that the server gives. */
export async function readOperations(baseUrl: string): Promise<readonly Operation[]> {
	const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Json;
	const ajv = new Ajv.Ajv2020({ strict: false, allErrors: true });
	addFormats.default(ajv);
	ajv.addSchema({ $id: DOCUMENT, ...document });
	const judges = new Map<string, ValidateFunction>();
	const judgeAt = (pointer: string) => {
		const known = judges.get(pointer);
		if (known) return known;
		const made = ajv.compile({ $ref: `${DOCUMENT}#${pointer}` });
		judges.set(pointer, made);
		return made;
	};
	const at = (pointer: string) => lookUp(document, pointer);
	const paths = document["paths"] as Record<string, Record<string, Json>>;
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => {
			const responses = operation["responses"] as Record<string, Json>;
			const here = `/paths/${escapePointer(path)}/${method}/responses`;
			return {
				operationId: String(operation["operationId"]),
				method: method.toUpperCase(),
				path,
				security: operation["security"] as Operation["security"],
				parameters: (operation["parameters"] as Json[]).map(
					(parameter) => resolve(at, parameter) as unknown as Parameter,
				),
				body: readBody(at, operation["requestBody"] as Json | undefined),
				priceUsd: Number(operation["x-svc-price-usd"]),
				statuses: Object.keys(responses),
				judge: createJudge(responses, { here, at, judgeAt }),
			} satisfies Operation;
		}),
	);
}

interface Judging {
	/** Pointer to the operation's responses. */
	readonly here: string;
	readonly at: (pointer: string) => unknown;
	readonly judgeAt: (pointer: string) => ValidateFunction;
}

function createJudge(responses: Record<string, Json>, { here, at, judgeAt }: Judging) {
	const pointerTo = (status: number) => {
		const reference = responses[status]?.["$ref"];
		return typeof reference === "string" ? reference.slice(1) : `${here}/${status}`;
	};
	return (status: number, mediaType: string, body: unknown): readonly string[] => {
		if (!responses[status]) return [`status ${status} is not declared`];
		const { content = {} } = at(pointerTo(status)) as { content?: Json };
		const declared = Object.keys(content).find((type) => sameType(type, mediaType));
		if (declared === undefined) {
			return mediaType === "" ? [] : [`${mediaType} is not declared for ${status}`];
		}
		if (!declared.includes("json")) return [];
		const judge = judgeAt(`${pointerTo(status)}/content/${escapePointer(declared)}/schema`);
		if (judge(body)) return [];
		return (judge.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
	};
}

/** The operation's own example, with names put in the place of the example's. */
export function exampleOf(
	{ path, parameters, body }: Operation,
	names: Readonly<Record<string, string>> = {},
) {
	const textOf = (name: string) => {
		const example = parameters.find((parameter) => parameter.name === name)?.example;
		return names[name] ?? String(example);
	};
	const sent = parameters.filter(
		(one) => one.in === "query" && (one.example !== undefined || one.required || one.name in names),
	);
	return {
		path: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(name))),
		query: Object.fromEntries(sent.map(({ name }) => [name, textOf(name)])),
		body: body && JSON.stringify(withNames(body.example, names)),
	};
}

/** What a body names has to be there, as what a path names. */
function withNames(example: unknown, names: Readonly<Record<string, string>>): unknown {
	const members = Object.entries(example as object).map(([name, value]) => [
		name,
		names[name] ?? value,
	]);
	return Object.fromEntries(members);
}

function readBody(at: (pointer: string) => unknown, body: Json | undefined): Operation["body"] {
	const content = body?.["content"] as Record<string, Json> | undefined;
	const json = content?.["application/json"];
	if (!json) return undefined;
	const schema = resolve(at, json["schema"] as Json) as Schema;
	return { schema, example: json["example"] ?? {} };
}

function resolve(at: (pointer: string) => unknown, value: Json): Json {
	const reference = value["$ref"];
	return typeof reference === "string" ? (at(reference.slice(1)) as Json) : value;
}

function lookUp(document: Json, pointer: string): unknown {
	return pointer
		.split("/")
		.slice(1)
		.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
		.reduce<unknown>((value, key) => (value as Json)[key], document);
}

function escapePointer(part: string): string {
	return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function sameType(declared: string, sent: string): boolean {
	return declared.split(";")[0]?.trim() === sent.split(";")[0]?.trim();
}
