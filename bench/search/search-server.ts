/** The measured server, a process of its own over a prepared data folder: it searches for nothing, and watches its event loop. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createApp } from "../../src/app/create-app.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { round } from "../figures.js";
import { freeApp } from "./free-app.js";
import { generateTextGraph } from "./generated-texts.js";
import { GRAPH_ID } from "./prepared-data.js";

export interface SearchServerReady {
	readonly url: string;
}

export interface LoopDelay {
	readonly embedded_concepts: number;
	readonly embed_seconds: number;
	/** How much later than due a timer of ten milliseconds came. */
	readonly p50_ms: number;
	readonly p99_ms: number;
	readonly longest_ms: number;
}

const RESOLUTION_MS = 10;

process.once("disconnect", () => process.exit(1));
const [folder = "", modelText = ""] = process.argv.slice(2);
const app = await createApp(freeApp({ folder, model: JSON.parse(modelText) as ModelLocation }));
await app.ready();
const { port } = await app.listen({ host: "127.0.0.1", port: 0 });
process.on("message", ({ embed }: { embed: number }) => {
	void watchEmbedding(embed).then((delay) => process.send?.(delay));
});
const ready: SearchServerReady = {
	url: `http://127.0.0.1:${port}/v1/graphs/${GRAPH_ID}/search`,
};
process.send?.(ready);

/** How late the event loop is while a new graph is indexed and embedded. */
async function watchEmbedding(concepts: number): Promise<LoopDelay> {
	const graph = generateTextGraph("generated-too", concepts, "long");
	const watched = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	watched.enable();
	const start = performance.now();
	app.catalog.put(graph);
	await app.ready();
	const seconds = (performance.now() - start) / 1_000;
	watched.disable();
	const late = (nanoseconds: number) => round(Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS), 2);
	return {
		embedded_concepts: concepts,
		embed_seconds: round(seconds, 2),
		p50_ms: late(watched.percentile(50)),
		p99_ms: late(watched.percentile(99)),
		longest_ms: late(watched.max),
	};
}
