/** The measured side of `npm run bench -- load`: a whole server over a synthetic catalog, and two plain Express routes beside it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import express from "express";
import { createApp } from "../src/app/create-app.js";
import { createSyntheticCatalog, type SyntheticSize } from "./synthetic/synthetic-catalog.js";

export interface CatalogServerReady {
	readonly baseUrl: string;
	/** `/bare` answers a small object, `/catalog` the catalog's own data, as Express would. */
	readonly plainUrl: string;
}

/** What can be asked of this process; each is answered by one message. */
export type CatalogServerOrder = "cpu" | "change" | "stall";

export interface CatalogServerAnswer {
	readonly cpuMs: number;
	readonly rssMb: number;
	/** Longest that the event loop was held since the last change. */
	readonly longestMs: number;
}

process.once("disconnect", () => process.exit(1));
const [folder = "", sizeText = "", model = "none"] = process.argv.slice(2);
const graphs = createSyntheticCatalog(JSON.parse(sizeText) as SyntheticSize);
const app = await createApp({
	settings: {
		profile: "demo",
		host: "127.0.0.1",
		port: 0,
		data: folder,
		catalog: "none",
		model,
		judge: "none",
		publicUrl: undefined,
		onchain: { facilitator: "off" },
		prices: {},
	},
	logger: { info: () => undefined, error: () => undefined },
	isServing: true,
});
for (const graph of graphs) app.catalog.put(graph);
await app.ready();
const { port } = await app.listen({ host: "127.0.0.1", port: 0 });

const plain = express();
plain.get("/bare", (_request, response) => void response.json({ ok: true }));
plain.get("/catalog", (_request, response) => void response.json(app.service.free.graphsCatalog()));
const plainServer = createServer(plain);
await new Promise<void>((resolve) => plainServer.listen(0, "127.0.0.1", resolve));

const RESOLUTION_MS = 1;
const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let changes = 0;

/** One graph in a new version, as an import would leave it; what derives from the catalog is rebuilt when it is asked for. */
async function change(): Promise<void> {
	changes += 1;
	const graph = graphs[0];
	if (!graph) return;
	app.catalog.put({
		...graph,
		contentHash: graph.contentHash.replace(/^.{8}/, String(changes).padStart(8, "0")),
	});
	await app.ready();
	globalThis.gc?.();
	loop.enable();
	await new Promise((resolve) => setTimeout(resolve, 20));
	loop.reset();
}

function answer(): CatalogServerAnswer {
	const { user, system } = process.cpuUsage();
	return {
		cpuMs: (user + system) / 1_000,
		rssMb: Math.round(process.memoryUsage.rss() / 1_048_576),
		longestMs: Math.max(0, loop.max / 1e6 - RESOLUTION_MS),
	};
}

process.on("message", (order: CatalogServerOrder) => {
	const done = order === "change" ? change() : Promise.resolve();
	done.then(
		() => process.send?.(answer()),
		() => process.exit(1),
	);
});
const ready: CatalogServerReady = {
	baseUrl: `http://127.0.0.1:${port}`,
	plainUrl: `http://127.0.0.1:${(plainServer.address() as AddressInfo).port}`,
};
process.send?.(ready);
