import type { ChildProcess } from "node:child_process";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { median, round } from "../figures.js";
import { type LoadResult, sendLoad } from "../load.js";
import { leaveFirstCore, pinToFirstCore, useAllCores } from "../one-core.js";
import type { FreeAppInput } from "./free-app.js";
import { generateTextQueries } from "./generated-texts.js";
import { nextMessage, startProcess } from "./measured-process.js";
import { quantile } from "./query-cost.js";
import type { LoopDelay, SearchServerReady } from "./search-server.js";

const START_MS = 120_000;
const LIMIT = 10;

export interface HttpRate {
	readonly connections: number;
	readonly is_pinned_to_one_core: boolean;
	readonly requests_per_second: number;
	readonly requests_per_second_rounds: readonly number[];
	readonly p50_ms: number;
	readonly p99_ms: number;
}

const ROUNDS = 5;
const REQUESTS_PER_ROUND = 1_000;
const CONNECTIONS = 16;

/** Distinct searches for nothing over loopback: the server on one core, the load from the others. */
export async function measureHttpRate(folder: string, model: ModelLocation): Promise<HttpRate> {
	return withServer({ folder, model }, async (server, { url }) => {
		const bodies = createBodies((ROUNDS + 1) * REQUESTS_PER_ROUND);
		const send = () =>
			sendSearches({ url, bodies: bodies.take(REQUESTS_PER_ROUND), connections: CONNECTIONS });
		const isPinned = pinToFirstCore(server.pid) && leaveFirstCore();
		const rounds: LoadResult[] = [];
		try {
			await send();
			for (let index = 0; index < ROUNDS; index++) rounds.push(await send());
		} finally {
			useAllCores(); // Processes started from here on would share what this one may use.
		}
		const rates = rounds.map(({ requests, seconds }) => round(requests / seconds, 0));
		const latenciesMs = rounds.flatMap((load) => load.latenciesMs).sort((a, b) => a - b);
		return {
			connections: CONNECTIONS,
			is_pinned_to_one_core: isPinned,
			requests_per_second: median(rates),
			requests_per_second_rounds: rates,
			p50_ms: quantile(latenciesMs, 0.5),
			p99_ms: quantile(latenciesMs, 0.99),
		};
	});
}

export interface LoopReport extends LoopDelay {
	readonly clients: number;
	readonly searches: number;
	readonly searches_per_second: number;
	readonly search_p99_ms: number;
}

const CLIENTS = 50;
const EMBEDDED_CONCEPTS = 1_000;
const LOAD_REQUESTS = 200;
const LOOP_MS = 120_000;

/** How late the server's event loop is while it embeds, and as many clients search as fast as they get answers. */
export async function measureLoopDelay(folder: string, model: ModelLocation): Promise<LoopReport> {
	return withServer({ folder, model }, async (server, { url }) => {
		const bodies = createBodies(50_000);
		const send = () =>
			sendSearches({ url, bodies: bodies.take(LOAD_REQUESTS), connections: CLIENTS });
		for (let index = 0; index < 5; index++) await send();
		let delay: LoopDelay | undefined;
		const watched = nextMessage(server, LOOP_MS).then((message) => {
			delay = message as LoopDelay;
			return delay;
		});
		watched.catch(() => undefined);
		server.send({ embed: EMBEDDED_CONCEPTS });
		const loads: LoadResult[] = [];
		const start = performance.now();
		while (!delay && performance.now() - start < LOOP_MS) loads.push(await send());
		const seconds = (performance.now() - start) / 1_000;
		const latenciesMs = loads.flatMap((load) => load.latenciesMs).sort((a, b) => a - b);
		return {
			...(await watched),
			clients: CLIENTS,
			searches: latenciesMs.length,
			searches_per_second: round(latenciesMs.length / seconds, 0),
			search_p99_ms: quantile(latenciesMs, 0.99),
		};
	});
}

async function withServer<T>(
	{ folder, model }: FreeAppInput,
	work: (server: ChildProcess, ready: SearchServerReady) => Promise<T>,
): Promise<T> {
	const server = startProcess("./search-server.js", [folder, JSON.stringify(model)]);
	try {
		const ready = (await nextMessage(server, START_MS)) as SearchServerReady;
		await assertHybrid(ready.url);
		return await work(server, ready);
	} finally {
		server.kill("SIGKILL");
	}
}

/** A server without vectors would be fast for the wrong reason. */
async function assertHybrid(url: string): Promise<void> {
	const headers = { "Content-Type": "application/json" };
	const body = JSON.stringify({ query: "any question", limit: LIMIT });
	const reply = await fetch(url, { method: "POST", headers, body });
	const { meta } = (await reply.json()) as { readonly meta?: { readonly mode?: string } };
	if (meta?.mode !== "hybrid") throw new Error(`The server's mode is ${meta?.mode}, not hybrid.`);
}

function createBodies(count: number) {
	const queries = generateTextQueries(count);
	let used = 0;
	return {
		take(some: number): string[] {
			used += some;
			return queries
				.slice(used - some, used)
				.map((query) => JSON.stringify({ query, limit: LIMIT }));
		},
	};
}

async function sendSearches(plan: {
	readonly url: string;
	readonly bodies: readonly string[];
	readonly connections: number;
}): Promise<LoadResult> {
	const load = await sendLoad({ ...plan, headers: {} });
	if (load.statuses["200"] !== load.requests) {
		throw new Error(`Not every search was answered: ${JSON.stringify(load.statuses)}.`);
	}
	return load;
}
