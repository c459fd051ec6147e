import {
	type AdvertisedRoute,
	isWire,
	textOf,
	usdOf,
	type Wire,
	wiresOf,
} from "./advertised-routes.js";

const SOURCE = "/openapi.json";
const BODY_CHARS_MAX = 64 * 1024;
const METHODS = ["GET", "POST"] as const;

/** Operations of an OpenAPI document that carry a price: `x-svc-price-usd`, or `x-payment-info`. */
export function readOpenApi(document: Wire, origin: string): readonly AdvertisedRoute[] {
	const base = baseOf(document, origin);
	const paths = isWire(document["paths"]) ? document["paths"] : {};
	return Object.entries(paths).flatMap(([path, methods]) => {
		if (!isWire(methods)) return [];
		const place = { document, base, path, shared: wiresOf(methods["parameters"]) };
		return METHODS.flatMap((method) => {
			const operation = methods[method.toLowerCase()];
			const price = isWire(operation) ? priceOf(operation) : undefined;
			return isWire(operation) && price ? [toRoute(place, { method, operation, price })] : [];
		});
	});
}

/** The first server's address, its variables at their defaults; undefined for one that is no address. */
function baseOf(document: Wire, origin: string): URL | undefined {
	const [server = {}] = wiresOf(document["servers"]);
	const variables = isWire(server["variables"]) ? server["variables"] : {};
	const address = (textOf(server["url"]) ?? origin).replace(
		/\{([^{}]*)\}/g,
		(written, name: string) => {
			const variable = variables[name];
			return (isWire(variable) && textOf(variable["default"])) || written;
		},
	);
	return URL.canParse(address, origin) ? new URL(address, origin) : undefined;
}

interface Place {
	readonly document: Wire;
	readonly base: URL | undefined;
	readonly path: string;
	/** Parameters of every method of the path. */
	readonly shared: readonly Wire[];
}

/** A price that depends on the request is asked for, and not compared. */
function isFixed({ price, pricingMode }: Wire): boolean {
	const mode = (isWire(price) ? price["mode"] : undefined) ?? pricingMode;
	return mode === undefined || mode === "fixed";
}

function amountOf(price: unknown): string | undefined {
	return usdOf(isWire(price) ? (price["amount"] ?? price["usd"]) : price);
}

/** Undefined for an operation that costs nothing, or does not say. */
function priceOf(operation: Wire) {
	const plain = usdOf(operation["x-svc-price-usd"]);
	const info = operation["x-payment-info"];
	if (isWire(info)) {
		const usd = isFixed(info) ? (amountOf(info["price"]) ?? plain) : undefined;
		const protocols = JSON.stringify(info["protocols"] ?? []);
		return { usd, takesX402: protocols.includes('"x402"') };
	}
	if (plain === undefined || Number(plain) === 0) return undefined;
	return { usd: plain, takesX402: false };
}

function toRoute(
	place: Place,
	{
		method,
		operation,
		price,
	}: {
		readonly method: "GET" | "POST";
		readonly operation: Wire;
		readonly price: NonNullable<ReturnType<typeof priceOf>>;
	},
): AdvertisedRoute {
	const { document, base, path, shared } = place;
	const parameters = [...shared, ...wiresOf(operation["parameters"])].map((parameter) =>
		resolve(document, parameter),
	);
	const { filled, missing } = fillPath(place, parameters);
	const common = {
		sources: [SOURCE],
		label: `${method} ${base?.pathname.replace(/\/$/, "") ?? ""}${path}`,
		method,
		pricesUsd: price.usd === undefined ? {} : { [SOURCE]: price.usd },
		takesX402: price.takesX402,
		mayAskWho: wiresOf(operation["security"] ?? document["security"]).length > 0,
	};
	if (missing.length > 0) {
		const unready = `it gives no example of the path parameter "${missing.join('", "')}"`;
		return { ...common, url: undefined, unready };
	}
	const body = method === "POST" ? JSON.stringify(bodyOf(document, operation)) : undefined;
	if ((body?.length ?? 0) > BODY_CHARS_MAX) {
		return { ...common, url: undefined, unready: "its example input is too long to be one" };
	}
	const prefix = base?.href.replace(/\/$/, "");
	const url = `${prefix}${filled}${toQuery(document, parameters)}`;
	return base && URL.canParse(url)
		? { ...common, url, body }
		: {
				...common,
				url: undefined,
				unready: "its address, with that of the server, cannot be read",
			};
}

function fillPath({ document, path }: Place, parameters: readonly Wire[]) {
	const missing: string[] = [];
	const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = exampleOf(document, parameters, { name, place: "path" });
		if (value === undefined) missing.push(name);
		return encodeURIComponent(String(value));
	});
	return { filled, missing };
}

/** Required parameters alone. */
function toQuery(document: Wire, parameters: readonly Wire[]): string {
	const query = new URLSearchParams();
	for (const parameter of parameters) {
		const name = textOf(parameter["name"]);
		if (parameter["in"] !== "query" || parameter["required"] !== true || !name) continue;
		query.set(name, String(exampleOf(document, parameters, { name, place: "query" }) ?? "probe"));
	}
	return query.size > 0 ? `?${query}` : "";
}

function exampleOf(
	document: Wire,
	parameters: readonly Wire[],
	{ name, place }: { readonly name: string; readonly place: string },
): unknown {
	const found = parameters.find((one) => one["name"] === name && one["in"] === place);
	if (!found) return undefined;
	if (found["example"] !== undefined) return found["example"];
	const [first] = isWire(found["examples"]) ? Object.values(found["examples"]) : [];
	if (isWire(first)) return first["value"];
	const schema = isWire(found["schema"]) ? resolve(document, found["schema"]) : {};
	// A made-up value fits a query; in a path it would name something that does not exist.
	const { example, default: usual, enum: allowed } = schema;
	if (place === "query") return toExample(schema, { document, nodes: 0 });
	return example ?? usual ?? (Array.isArray(allowed) ? allowed[0] : undefined);
}

function bodyOf(document: Wire, operation: Wire): unknown {
	const content = resolve(document, operation["requestBody"])["content"];
	const media = isWire(content) ? content["application/json"] : undefined;
	if (!isWire(media)) return {};
	if (media["example"] !== undefined) return media["example"];
	const [first] = isWire(media["examples"]) ? Object.values(media["examples"]) : [];
	if (isWire(first) && first["value"] !== undefined) return first["value"];
	return toExample(media["schema"], { document, nodes: 0 }) ?? {};
}

/** Follows one local `$ref`; anything else is returned as it is. */
function resolve(document: Wire, value: unknown): Wire {
	if (!isWire(value)) return {};
	const ref = textOf(value["$ref"]);
	if (ref === undefined) return value;
	const found = ref
		.replace(/^#\//, "")
		.split("/")
		.reduce<unknown>((at, key) => (isWire(at) ? at[key] : undefined), document);
	return isWire(found) ? found : {};
}

const DEPTH_MAX = 6;
const NODES_MAX = 1_000;

interface Walk {
	readonly document: Wire;
	/** Values so far. */
	nodes: number;
}

/**
 * A value that a JSON Schema plausibly takes: its own example where it has one, else the least that fits. A schema that
 * names itself again and again gets a part of it.
 */
function toExample(schema: unknown, walk: Walk, depth = 0): unknown {
	if (!isWire(schema) || depth > DEPTH_MAX || ++walk.nodes > NODES_MAX) return undefined;
	const {
		example,
		examples,
		default: usual,
		const: only,
		enum: allowed,
		...rest
	} = resolve(walk.document, schema);
	if (example !== undefined) return example;
	if (Array.isArray(examples) && examples.length > 0) return examples[0];
	if (usual !== undefined) return usual;
	if (only !== undefined) return only;
	if (Array.isArray(allowed)) return allowed[0];
	const [first] = [rest["anyOf"], rest["oneOf"], rest["allOf"]].find(Array.isArray) ?? [];
	if (first !== undefined) return toExample(first, walk, depth + 1);
	return byType(rest, walk, depth);
}

function byType(schema: Wire, walk: Walk, depth: number): unknown {
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
			.map(([name, property]) => [name, toExample(property, walk, depth + 1)]),
	);
}
