import type { Test } from "tap";
import type { Settings } from "../../src/settings/read-settings.js";
import { type HeldClock, heldClock } from "../support/held-clock.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { createSimChain, type SimChain } from "../support/sim-chain.js";
import { createSimFacilitator, type SimFacilitator } from "../support/sim-facilitator.js";
import {
	createSimWallet,
	type SimWallet,
	toV1Payload,
	toV2Payload,
} from "../support/sim-wallet.js";
import { KNOWN_QUERY, startApp, type TestApp } from "../support/start-app.js";

/** A shop that lets anonymous agents in at `/mcp`, on a simulated chain, and an agent with 50 USD on it. */
export interface PaidMcp extends TestApp {
	readonly clock: ManualClock & HeldClock;
	readonly chain: SimChain;
	readonly facilitator: SimFacilitator;
	readonly wallet: SimWallet;
	/** Lines of the log, with all their fields. */
	readonly logged: readonly string[];
	/** One call of a tool, as an agent without an account sends it. */
	call(sent: ToolCall): Promise<Called>;
	/** What a payment of version 2 (or 1) for what was asked says. */
	pay(required: Required, version?: 1 | 2): object;
	/** What the wallet still holds on the chain. */
	funds(): Promise<bigint>;
}

export interface ToolCall {
	readonly name?: string;
	readonly args?: object;
	readonly meta?: Readonly<Record<string, unknown>>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly path?: string;
	readonly signal?: AbortSignal;
}

export interface Called {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly message: any;
	// biome-ignore lint/suspicious/noExplicitAny: the same.
	readonly result: any;
	/** What a tool that refused has said, from its error envelope. */
	// biome-ignore lint/suspicious/noExplicitAny: the same.
	readonly refusal: any;
	/** The x402 demand of a tool that wants to be paid. */
	readonly required: Required;
}

export interface Required {
	readonly accepts: readonly { readonly amount: string }[];
	readonly resource: { readonly url: string };
	readonly error: string;
}

export const SEARCH = { graph_id: "agent-payments", query: KNOWN_QUERY };

export async function startPaidMcp(t: Test, settings: Partial<Settings> = {}): Promise<PaidMcp> {
	const clock = heldClock(manualClock(new Date().toISOString()));
	const chain = createSimChain({ now: clock.now });
	const facilitator = createSimFacilitator({ chain, clock });
	const { terms } = chain;
	const onchain = { terms, facilitator, chain, close: async () => undefined };
	const wallet = createSimWallet(chain, { name: "agent", now: clock.now, balance: 50_000_000n });
	const logged: string[] = [];
	const keep = (message: string, fields?: object) => {
		logged.push(`${message} ${JSON.stringify(fields)}`);
	};
	const shop = await startApp(t, {
		clock,
		logger: { info: keep, error: keep },
		onchain,
		settings: { model: "none", mcp: { payPerCall: true, allowedOrigins: [] }, ...settings },
	});
	return {
		...shop,
		clock,
		logged,
		chain,
		facilitator,
		wallet,
		async call({
			name = "search_graph",
			args = SEARCH,
			meta,
			headers = {},
			path = "/mcp",
			signal,
		}) {
			const response = await fetch(`${shop.baseUrl}${path}`, {
				method: "POST",
				...(signal && { signal }),
				headers: {
					"Content-Type": "application/json",
					Accept: "application/json, text/event-stream",
					...headers,
				},
				body: JSON.stringify({
					jsonrpc: "2.0",
					id: 1,
					method: "tools/call",
					params: { name, arguments: args, ...(meta && { _meta: meta }) },
				}),
			});
			const text = await response.text();
			const message = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
			const { result } = message;
			const told = result?.isError ? result.content.map(readText) : [];
			const required = result?._meta?.["x402/payment-required"];
			return { status: response.status, message, result, refusal: told.at(-1), required };
		},
		pay({ accepts, resource }, version = 2) {
			const [accepted] = accepts;
			const authorization = wallet.sign({ value: BigInt(accepted?.amount ?? 0) });
			return version === 1
				? toV1Payload(authorization)
				: toV2Payload(chain, authorization, { accepted, resource });
		},
		funds: () => chain.balanceOf(terms, wallet.address),
	};
}

function readText({ text }: { readonly text: string }): unknown {
	return JSON.parse(text);
}
