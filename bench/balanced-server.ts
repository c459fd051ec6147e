/** One of the measured servers: words only over a generated graph, on a journal or on a database, with tokens for its callers. */
import { createApp } from "../src/app/create-app.js";
import { readSettings } from "../src/settings/read-settings.js";
import { generateGraph } from "./generated-graph.js";

export interface BalancedServerReady {
	readonly port: number;
	readonly tokens: readonly string[];
}

export interface BalancedServerOrder {
	readonly folder: string;
	/** The journal in its folder without it. */
	readonly storeUrl: string | undefined;
	/** Folder that processes on one database share. */
	readonly keys: string;
	readonly graphId: string;
	readonly concepts: number;
	/** How many to issue. */
	readonly tokens: number;
}

process.once("disconnect", () => process.exit(1));
const order = JSON.parse(process.argv[2] ?? "") as BalancedServerOrder;
const { folder, storeUrl, keys } = order;
const flags = {
	...{ data: folder, port: "0", model: "none", judge: "none", catalog: "none", facilitator: "off" },
	...(storeUrl !== undefined && { store_url: storeUrl, keys }),
};
const app = await createApp({
	settings: readSettings({ flags, environment: {}, folder }),
	logger: { info: () => undefined, error: () => undefined },
	isServing: true,
});
app.catalog.put(generateGraph(order.graphId, order.concepts));
await app.ready();
const { port } = await app.listen({ host: "127.0.0.1", port: 0 });
process.once("SIGTERM", () => void app.close().then(() => process.exit(0)));
const tokens: string[] = [];
for (let left = order.tokens; left > 0; left--)
	tokens.push((await app.operator.issueSpt({ usd: "9000" })).token);
const ready: BalancedServerReady = { port, tokens };
process.send?.(ready);
