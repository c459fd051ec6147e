import { createServer } from "node:http";
import { connect } from "node:net";
import type { Test } from "tap";
import { type CallerReach, createCallerEgress } from "../../src/delivery/caller-egress.js";
import { listenOnLoopback } from "../support/listen-on-loopback.js";

export interface ReceivedHook {
	readonly path: string;
	readonly headers: Record<string, string>;
	readonly text: string;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly body: any;
}

/** A receiver of webhooks on loopback, behind the real guard of caller-named addresses: only the network is this machine. */
export async function startHookReceiver(t: Test, reach: CallerReach = {}) {
	const received: ReceivedHook[] = [];
	const state: { status: number; retryAfter?: string | undefined } = { status: 204 };
	const server = createServer((req, res) => {
		let text = "";
		req.setEncoding("utf8");
		req.on("data", (chunk: string) => {
			text += chunk;
		});
		req.on("end", () => {
			const headers = req.headers as Record<string, string>;
			received.push({ path: req.url ?? "", headers, text, body: JSON.parse(text) });
			// Taken, and never answered.
			if (state.status === 0) return;
			if (state.status === 302) res.setHeader("Location", "https://127.0.0.1/");
			if (state.retryAfter !== undefined) res.setHeader("Retry-After", state.retryAfter);
			res.statusCode = state.status;
			res.end();
		});
	});
	const port = await listenOnLoopback(t, server);
	const egress = createCallerEgress({
		resolve: async () => ["93.184.215.14"],
		dial: () => connect(port, "127.0.0.1"),
		...reach,
	});
	return { egress, received, state };
}
