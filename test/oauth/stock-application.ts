import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
	Client as ClientV2,
	StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Test } from "tap";
import type { McpClient } from "../mcp/mcp-clients.js";

/** Who made the part of an application that speaks the protocol and asks for access. */
export type Maker = "sdk 1" | "sdk 2";

export interface Tokens {
	access_token: string;
	refresh_token?: string;
}

/** An application on the user's machine, of stock parts: it remembers, and waits on a loopback port for the browser. */
export interface StockApplication {
	readonly name: string;
	/** Every request that it has sent, as "POST /chatgpt 401". */
	readonly requests: readonly string[];
	/** What it holds now. */
	readonly tokens: () => Tokens | undefined;
	readonly clientId: () => string;
	/** Tries to connect; where the user is to be sent instead. */
	ask(): Promise<string>;
	/** What came back with the browser. */
	readonly answer: () => URLSearchParams;
	/** Exchanges what came back, and connects. */
	connect(): Promise<McpClient>;
	/** Replaces what it holds. */
	hold(tokens: Tokens): void;
}

const STATE = "state-of-this-request";

export async function startApplication(
	t: Test,
	{ maker, url, name }: { maker: Maker; url: string; name: string },
): Promise<StockApplication> {
	const landing = await startLanding(t);
	const requests: string[] = [];
	const memory = new Map<string, unknown>();
	const keep = (what: string) => (value: unknown) => void memory.set(what, value);
	const provider = {
		redirectUrl: landing.url,
		clientMetadata: { client_name: name, redirect_uris: [landing.url] },
		state: () => STATE,
		clientInformation: () => memory.get("client"),
		saveClientInformation: keep("client"),
		tokens: () => memory.get("tokens"),
		saveTokens: keep("tokens"),
		codeVerifier: () => memory.get("verifier"),
		saveCodeVerifier: keep("verifier"),
		discoveryState: () => memory.get("discovery"),
		saveDiscoveryState: keep("discovery"),
		invalidateCredentials: (what: string) =>
			void (what === "all" ? memory.clear() : memory.delete(what)),
		redirectToAuthorization: ({ href }: URL) => void memory.set("sentTo", href),
	};
	const send: typeof fetch = async (input, init) => {
		const response = await fetch(input, init);
		const { pathname } = new URL(input instanceof Request ? input.url : input);
		requests.push(`${init?.method ?? "GET"} ${pathname} ${response.status}`);
		return response;
	};
	const open = () => {
		const options = { authProvider: provider, fetch: send } as never;
		return maker === "sdk 1"
			? new TransportV1(new URL(url), options)
			: new TransportV2(new URL(url), options);
	};
	const about = { name, version: "1.0.0" };
	const createClient = () =>
		maker === "sdk 1"
			? new ClientV1(about)
			: new ClientV2(about, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
	let transport = open();
	return {
		name,
		requests,
		tokens: () => memory.get("tokens") as Tokens | undefined,
		clientId: () => (memory.get("client") as { client_id: string }).client_id,
		async ask() {
			await t.rejects(createClient().connect(transport as never), /unauthorized/i);
			return String(memory.get("sentTo"));
		},
		answer: landing.answer,
		async connect() {
			const answer = landing.answer();
			if (answer.get("state") !== STATE) throw new Error("This is no answer to the request.");
			// The older maker takes the code alone.
			const code = answer.get("code") ?? "";
			await (transport instanceof TransportV1
				? transport.finishAuth(code)
				: transport.finishAuth(answer));
			transport = open();
			const client = createClient();
			await client.connect(transport as never);
			t.teardown(() => client.close());
			return client as unknown as McpClient;
		},
		hold: keep("tokens"),
	};
}

/** Where browsers come back to. */
async function startLanding(t: Test) {
	let last: URLSearchParams | undefined;
	const server = createServer((req, res) => {
		const { pathname, searchParams } = new URL(req.url ?? "/", "http://127.0.0.1");
		if (pathname === "/callback") last = searchParams;
		res.setHeader("Content-Type", "text/html").setHeader("Connection", "close");
		res.end('<!doctype html><title>Done</title><link rel="icon" href="data:,"><h1>Done</h1>');
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	t.teardown(() => void server.close());
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
		answer() {
			if (last === undefined) throw new Error("Nobody has come back yet.");
			return last;
		},
	};
}
