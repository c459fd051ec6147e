/** The measured side of the protocol's calls: one shop on loopback, its CPU time and its heap on request. */
import { setImmediate } from "node:timers/promises";
import { createApp } from "../src/app/create-app.js";
import { readSettings } from "../src/settings/read-settings.js";
import { generateGraph } from "./generated-graph.js";

export interface McpServerReady {
	readonly baseUrl: string;
	/** Of an account that can pay for every call. */
	readonly key: string;
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

process.on("message", async (asked) => {
	const answer = asked === "heap" ? { heap: await heapBytes() } : { cpu: process.cpuUsage() };
	process.send?.(answer);
});
const ready: McpServerReady = { baseUrl: `http://127.0.0.1:${server.port}`, key };
process.send?.({ ready });
