import { join } from "node:path";
import type { Test } from "tap";
import type { OnchainParts } from "../../payments/onchain/facilitator.js";
import { type App, createApp } from "../../src/app/create-app.js";
import type { Clock } from "../../src/kernel/clock.js";
import type { Logger } from "../../src/kernel/logger.js";
import type { Egress } from "../../src/kernel/outbound.js";
import type { PairJudge } from "../../src/search/judge/pair-judge.js";
import type { Settings } from "../../src/settings/read-settings.js";

/** A whole server on a loopback port, on a folder of its own; closed when the test ends. */
export interface TestApp {
	readonly app: App;
	readonly baseUrl: string;
	readonly folder: string;
	issueSpt(usd: string): Promise<{ token: string; id: string }>;
	/** One graph search over REST. */
	search(call?: SearchCall): Promise<Answer>;
	/** Any request; JSON bodies are parsed. */
	send(path: string, init?: RequestInit): Promise<Answer>;
	close(): Promise<void>;
}

export interface SearchCall {
	readonly graph?: string;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	readonly token?: string | undefined;
}

export interface Answer {
	readonly status: number;
	readonly headers: Headers;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly body: any;
}

export const KNOWN_QUERY = "Which HTTP status code asks for payment?";

export function testSettings(folder: string, changes: Partial<Settings> = {}): Settings {
	return {
		profile: "demo",
		host: "127.0.0.1",
		port: 0,
		data: folder,
		catalog: "sample",
		model: "table",
		judge: "none",
		publicUrl: undefined,
		contact: undefined,
		onchain: { facilitator: "off" },
		prices: {},
		...changes,
	};
}

export async function startApp(
	t: Test,
	options: {
		settings?: Partial<Settings>;
		clock?: Clock;
		folder?: string;
		onchain?: OnchainParts;
		slack?: Egress;
		callerEgress?: Egress;
		judge?: PairJudge;
		logger?: Logger;
		isShared?: boolean;
	} = {},
): Promise<TestApp> {
	const folder = options.folder ?? join(t.testdir({}), "data");
	const settings = testSettings(folder, options.settings);
	const silent = { info: () => undefined, error: () => undefined };
	const app = await createApp({
		settings,
		logger: options.logger ?? silent,
		...(options.clock && { clock: options.clock }),
		...(options.onchain && { onchain: options.onchain }),
		...(options.slack && { slack: options.slack }),
		...(options.callerEgress && { callerEgress: options.callerEgress }),
		...(options.judge && { judge: options.judge }),
		...(options.isShared && { isShared: true }),
	});
	const server = await app.listen({ host: "127.0.0.1", port: 0 });
	await app.ready();
	const baseUrl = `http://127.0.0.1:${server.port}`;
	let isClosed = false;
	const close = async () => {
		if (isClosed) return;
		isClosed = true;
		await server.drain();
		await app.close();
	};
	t.teardown(close);

	const send: TestApp["send"] = async (path, init) => {
		const response = await fetch(`${baseUrl}${path}`, init);
		const text = await response.text();
		const isJson = response.headers.get("content-type")?.includes("json");
		return {
			status: response.status,
			headers: response.headers,
			body: isJson ? JSON.parse(text) : text,
		};
	};
	return {
		app,
		baseUrl,
		folder,
		issueSpt: (usd) => app.operator.issueSpt({ usd }),
		send,
		search: ({
			graph = "agent-payments",
			body = { query: KNOWN_QUERY, limit: 3 },
			headers = {},
			token,
		} = {}) =>
			send(`/v1/graphs/${graph}/search`, {
				method: "POST",
				headers: {
					"Content-Type": "application/json",
					...(token !== undefined && { "X-Pay-SPT": token }),
					...headers,
				},
				body: typeof body === "string" ? body : JSON.stringify(body),
			}),
		close,
	};
}

/** All money in the ledger added up: zero, always. */
export async function sumOfAllEntries(app: App): Promise<bigint> {
	const balances = await app.store.read((reader) => reader.balances());
	return [...balances.values()].reduce((sum, amount) => sum + amount, 0n);
}
