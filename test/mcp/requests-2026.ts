import type { RpcReply } from "./start-mcp.js";

const VERSION = "2026-07-28";

/** What a client declares that can ask for tasks. */
export const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
/** What a client declares that can put a form to its user. */
export const ASKS = { elicitation: { form: {} } };

interface Place {
	readonly path?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly capabilities: object;
}

/** Sends requests as clients of 2026-07-28 do: each says by itself what the client can do. */
export function rpc2026(
	baseUrl: string,
	{ path = "/mcp", headers = {}, capabilities }: Place,
): (method: string, params?: Readonly<Record<string, unknown>>) => Promise<RpcReply> {
	return async (method, params = {}) => {
		const name = params["name"] ?? params["uri"] ?? params["taskId"];
		const response = await fetch(`${baseUrl}${path}`, {
			method: "POST",
			headers: {
				"Content-Type": "application/json",
				Accept: "application/json, text/event-stream",
				"MCP-Protocol-Version": VERSION,
				"Mcp-Method": method,
				...(name !== undefined && { "Mcp-Name": String(name) }),
				...headers,
			},
			body: JSON.stringify({
				jsonrpc: "2.0",
				id: 1,
				method,
				params: {
					...params,
					_meta: {
						"io.modelcontextprotocol/protocolVersion": VERSION,
						"io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
						"io.modelcontextprotocol/clientCapabilities": capabilities,
						...(params["_meta"] as object | undefined),
					},
				},
			}),
		});
		const text = await response.text();
		const message = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
		const { status } = response;
		return { status, headers: response.headers, text, message, result: message.result };
	};
}
