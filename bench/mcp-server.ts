/** The measured side of the protocol's calls: one shop on loopback, its CPU time, its heap and its state on request. */
import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { createApp } from "../src/app/create-app.js";
import { readSettings } from "../src/settings/read-settings.js";
import { generateGraph } from "./generated-graph.js";

export interface McpServerReady {
	readonly baseUrl: string;
	readonly grpcUrl: string;
	/** Of an account that can pay for every call. */
	readonly key: string;
}

export interface McpServerState {
	readonly rss: number;
	/** After a collection. */
	readonly heap: number;
	/** 0 where the system does not show them. */
	readonly descriptors: number;
	/** Of the event loop's delay since it was asked before. */
	readonly loopP99Ms: number;
}

const GRAPH_ID = "generated";
const CONCEPTS = 10_000;
const PRICE_MICROS = 100n;

/** Words only: what the model costs is the same for every transport, and would hide what differs. */
const flags = {
	data: process.argv[2] ?? "",
	port: "0",
	model: "none",
	catalog: "none",
	facilitator: "off",
	grpc_port: "0",
};
const settings = readSettings({ flags, environment: {}, folder: flags.data });
const silent = { info: () => undefined, error: () => undefined };
const price = { amountMicros: PRICE_MICROS, billingType: "per_call" } as const;
const app = await createApp({
	settings: { ...settings, prices: { "graphs.search": price } },
	logger: silent,
});
app.catalog.put(generateGraph(GRAPH_ID, CONCEPTS));
await app.ready();
const server = await app.listen({ host: "127.0.0.1", port: 0 });
const { key } = await app.operator.createKey({ usd: "9000" });

async function heapBytes(): Promise<number> {
	// What ended in this turn is let go of in the next ones.
	for (let turn = 0; turn < 3; turn++) {
		await setImmediate();
		globalThis.gc?.();
	}
	return process.memoryUsage().heapUsed;
}

const loop = monitorEventLoopDelay({ resolution: 5 });
loop.enable();

async function state(): Promise<McpServerState> {
	const loopP99Ms = loop.percentile(99) / 1e6;
	const heap = await heapBytes();
	// The collection is of the measurement.
	loop.reset();
	return { rss: process.memoryUsage.rss(), heap, descriptors: countDescriptors(), loopP99Ms };
}

function countDescriptors(): number {
	try {
		return readdirSync("/proc/self/fd").length;
	} catch {
		return 0;
	}
}

process.on("message", async (asked) => {
	if (asked === "state") process.send?.(await state());
	else if (asked === "heap") process.send?.({ heap: await heapBytes() });
	else process.send?.({ cpu: process.cpuUsage() });
});
const { port, grpcUrl = "" } = server;
const ready: McpServerReady = { baseUrl: `http://127.0.0.1:${port}`, grpcUrl, key };
process.send?.({ ready });
