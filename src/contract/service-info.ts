export interface ServiceInfo {
	/** Software version. */
	readonly version: string;
	/** Public base address without a trailing slash; known once the server listens. */
	readonly baseUrl: () => string;
	/** Base address of the MCP server; null until it is known. */
	readonly mcpUrl: () => string | null;
	readonly profile: "demo" | "production";
	/** Where security reports go, as an address with a scheme; undefined when the operator names none. */
	readonly contact?: string | undefined;
}

/** What an operation answers: the `data` of the envelope. */
export type Json = Record<string, unknown>;
