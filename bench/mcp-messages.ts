/** Messages of the Model Context Protocol as clients of both eras put them on the wire. */

export type Era = "2025-11-25" | "2026-07-28";

export interface RawCall {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

const CLIENT = { name: "bench", version: "1.0.0" };

/** One request of a method, with whatever its era wants beside it. */
export function toRawCall(era: Era, method: string, params: Record<string, unknown> = {}): RawCall {
	const isModern = era === "2026-07-28";
	const envelope = {
		"io.modelcontextprotocol/protocolVersion": era,
		"io.modelcontextprotocol/clientInfo": CLIENT,
		"io.modelcontextprotocol/clientCapabilities": {},
	};
	const name = params["name"];
	const message = {
		jsonrpc: "2.0",
		id: 1,
		method,
		params: { ...params, ...(isModern && { _meta: envelope }) },
	};
	return {
		headers: {
			Accept: "application/json, text/event-stream",
			"MCP-Protocol-Version": era,
			...(isModern && { "Mcp-Method": method }),
			...(isModern && typeof name === "string" && { "Mcp-Name": name }),
		},
		body: JSON.stringify(message),
	};
}

/** How a client of 2025 begins; a stateless server forgets it at once. */
export const INITIALIZE = toRawCall("2025-11-25", "initialize", {
	protocolVersion: "2025-11-25",
	capabilities: {},
	clientInfo: CLIENT,
});
