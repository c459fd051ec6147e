export interface RawAnswer {
	readonly status: number;
	readonly headers: Headers;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly body: any;
}

export interface RawCall {
	readonly method?: string;
	readonly params?: unknown;
	/** Sent as it stands in place of a JSON-RPC request. */
	readonly text?: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** One JSON-RPC request in version 1.0, by hand. */
export function rpc(baseUrl: string, call: RawCall): Promise<RawAnswer> {
	const { method = "SendMessage", params, text, headers } = call;
	return post(`${baseUrl}/a2a/jsonrpc`, {
		text: text ?? JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
		headers: { "A2A-Version": "1.0", ...headers },
	});
}

export async function post(
	url: string,
	{ text, headers }: { text: string; headers?: Readonly<Record<string, string>> },
): Promise<RawAnswer> {
	const response = await fetch(url, {
		method: "POST",
		headers: { "Content-Type": "application/json", ...headers },
		body: text,
	});
	const body = await response.text();
	const isJson = response.headers.get("content-type")?.includes("json");
	return {
		status: response.status,
		headers: response.headers,
		body: isJson ? JSON.parse(body) : body,
	};
}

let count = 0;

/** Params of a message with one data part, as version 1.0 writes them. */
export function ask(data: unknown, messageId = `raw-${count++}`) {
	return { message: { messageId, role: "ROLE_USER", parts: [{ data }] } };
}

export function askGraph(query: string, messageId?: string) {
	return ask({ skill: "graph_search", input: { graph_id: "web-payments", query } }, messageId);
}
