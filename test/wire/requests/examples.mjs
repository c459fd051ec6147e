/** Requests made of the examples that the server's own OpenAPI document gives. */

/** Every operation as `{id, method, path, price, wants, parameters, body}`. */
export function listOperations(openapi) {
	return Object.entries(openapi.paths).flatMap(([path, { parameters = [], ...methods }]) =>
		Object.entries(methods).map(([method, operation]) => ({
			id: operation.operationId,
			method: method.toUpperCase(),
			path,
			price: Number(operation["x-svc-price-usd"] ?? 0),
			wants: (operation.security ?? []).flatMap((way) => Object.keys(way)),
			parameters: [...parameters, ...(operation.parameters ?? [])].map((known) =>
				resolveReference(openapi, known),
			),
			body: exampleBody(resolveReference(openapi, operation.requestBody)),
		})),
	);
}

/** A request with the examples, and with what is given in their place. */
export function toRequest({ method, path, parameters, body }, given = {}) {
	const target = path.replace(/\{(\w+)\}/g, (_, name) =>
		encodeURIComponent(given.path?.[name] ?? exampleOf(parameters, name) ?? "missing"),
	);
	const query = parameters
		.filter((known) => known.in === "query")
		.map(({ name }) => [name, exampleOf(parameters, name)])
		.filter(([, value]) => value !== undefined);
	const search = new URLSearchParams(
		Object.entries({ ...Object.fromEntries(query), ...given.query }),
	);
	return {
		method,
		path: search.size > 0 ? `${target}?${search}` : target,
		...(given.headers && { headers: given.headers }),
		...((given.body ?? body) !== undefined && { body: given.body ?? body }),
	};
}

/** Every argument of an operation by its example, wherever REST puts it. */
export function exampleArguments({ parameters, body }) {
	const examples = parameters
		.filter((known) => known.in !== "header")
		.map(({ name }) => [name, exampleOf(parameters, name)])
		.filter(([, value]) => value !== undefined);
	return { ...Object.fromEntries(examples), ...body };
}

function exampleOf(parameters, wanted) {
	const found = parameters.find(({ name }) => name === wanted);
	return found?.example ?? found?.schema?.example ?? found?.schema?.examples?.[0];
}

function exampleBody(requestBody) {
	return Object.values(requestBody?.content ?? {})[0]?.example;
}

function resolveReference(document, value) {
	if (value?.$ref === undefined) return value;
	const steps = value.$ref.slice("#/".length).split("/");
	return steps.reduce((found, step) => found[step.replaceAll("~1", "/")], document);
}
