import type { Test } from "tap";
import type { Settings } from "../../src/settings/read-settings.js";
import { type HeldClock, heldClock } from "../support/held-clock.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { startApp, type TestApp } from "../support/start-app.js";
import { handJudge, reading } from "../support/word-judge.js";

/** A shop with keyword search over the sample graphs, one account with money, and the addresses of the protocol. */
export interface McpShop extends TestApp {
	readonly clock: ManualClock & HeldClock;
	readonly key: string;
	readonly accountId: string;
	/** Lines of the log, with all their fields. */
	readonly logged: readonly string[];
	/** One message; with the account's key, unless the address holds a secret or other headers are given. */
	rpc(path: string, method: string, params?: object, headers?: object): Promise<RpcReply>;
	callTool(name: string, args?: object, path?: string): Promise<RpcReply>;
	balance(): Promise<bigint>;
}

export interface RpcReply {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly message: any;
	// biome-ignore lint/suspicious/noExplicitAny: the same.
	readonly result: any;
}

export async function startMcp(
	t: Test,
	{ usd = "100.00", settings = {} }: { usd?: string; settings?: Partial<Settings> } = {},
): Promise<McpShop> {
	const clock = heldClock(manualClock("2026-03-10T12:00:00Z"));
	const logged: string[] = [];
	const keep = (message: string, fields?: object) => {
		logged.push(`${message} ${JSON.stringify(fields)}`);
	};
	const shop = await startApp(t, {
		clock,
		settings: { model: "none", ...settings },
		// Claims of examples are true.
		judge: handJudge(() => reading("supports", 0.9)),
		logger: { info: keep, error: keep },
	});
	const { key, account_id: accountId } = await shop.app.operator.createKey({ usd });
	const rpc: McpShop["rpc"] = async (path, method, params = {}, headers) => {
		const isSecret = path.startsWith("/c/");
		const response = await fetch(`${shop.baseUrl}${path}`, {
			method: "POST",
			headers: {
				"Content-Type": "application/json",
				Accept: "application/json, text/event-stream",
				...(headers ?? (isSecret ? {} : { "X-API-Key": key })),
			},
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
		});
		const text = await response.text();
		const message = messageOf(text) as RpcReply["message"];
		const { status } = response;
		return { status, headers: response.headers, text, message, result: message?.result };
	};
	return {
		...shop,
		clock,
		key,
		accountId,
		logged,
		rpc,
		callTool: (name, args = {}, path = "/mcp") =>
			rpc(path, "tools/call", { name, arguments: args }),
		balance: () => shop.app.store.read((reader) => reader.balance(`cust:${accountId}`)),
	};
}

/** The message of a reply, however it is framed; undefined for a reply that is none. */
function messageOf(text: string): unknown {
	const [, framed = text] = /^data: (.*)$/m.exec(text) ?? [];
	try {
		return JSON.parse(framed);
	} catch {
		return undefined;
	}
}
