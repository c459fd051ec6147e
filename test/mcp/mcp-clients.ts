import {
	Client as ClientV2,
	StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Test } from "tap";

/** Clients of other makers, as they come: the SDK that 2025 was written with, and the newer one in both of its eras. */
export const CLIENTS = ["sdk 1", "sdk 2, 2025", "sdk 2, 2026"] as const;
export type ClientName = (typeof CLIENTS)[number];

export interface ListedByClient {
	readonly name: string;
	readonly description?: string;
	readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> };
	readonly outputSchema?: object;
}

export interface AnswerToClient {
	readonly isError?: boolean;
	readonly content: readonly { readonly type: string; readonly text: string }[];
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly structuredContent?: any;
}

/** What both makers' clients can do, in the same words. */
export interface McpClient {
	listTools(): Promise<{ readonly tools: readonly ListedByClient[] }>;
	callTool(call: {
		readonly name: string;
		readonly arguments?: object;
		readonly _meta?: object;
	}): Promise<AnswerToClient>;
	listResources(page?: { cursor: string }): Promise<{
		readonly resources: readonly { readonly uri: string }[];
		readonly nextCursor?: string;
	}>;
	readResource(place: { uri: string }): Promise<{
		readonly contents: readonly { readonly uri: string; readonly text?: string }[];
	}>;
	listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
	getPrompt(prompt: { name: string; arguments?: Record<string, string> }): Promise<{
		readonly messages: readonly { readonly content: { readonly text?: string } }[];
	}>;
	close(): Promise<void>;
}

export interface ClientPlace {
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sends every request; the platform's where absent. */
	readonly fetch?: typeof fetch;
	/** How it comes by an access token. */
	readonly authProvider?: OAuthClientProvider;
}

/** A connected client; it is closed with the test. */
export async function connectMcp(
	t: Test,
	name: ClientName,
	{ url, headers = {}, fetch: send = fetch, authProvider }: ClientPlace,
): Promise<McpClient> {
	const about = { name: "stock-client", version: "1.0.0" };
	const options = {
		requestInit: { headers: { ...headers } },
		fetch: send,
		...(authProvider && { authProvider }),
	};
	const client =
		name === "sdk 1"
			? new ClientV1(about)
			: new ClientV2(about, {
					versionNegotiation: {
						mode: name === "sdk 2, 2026" ? { pin: "2026-07-28" } : "legacy",
					},
				});
	const transport =
		name === "sdk 1"
			? new TransportV1(new URL(url), options)
			: new TransportV2(new URL(url), options as never);
	await client.connect(transport as never);
	t.teardown(() => client.close());
	return client as unknown as McpClient;
}
