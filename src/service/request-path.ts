/** One concrete request of a path template: the path with its parameters filled in, and what is left for the body. */
export interface RequestPath {
	readonly path: string;
	readonly body: Readonly<Record<string, unknown>>;
}

/** `/v1/graphs/{graph_id}/search` and an input become `/v1/graphs/tides/search` and the rest of the input. */
export function toRequestPath(
	template: string,
	input: Readonly<Record<string, unknown>>,
): RequestPath {
	const body = { ...input };
	const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = String(body[name]);
		delete body[name];
		return encodeURIComponent(value);
	});
	return { path, body };
}
