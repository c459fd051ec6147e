import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/kernel/clock.js";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { toBundleFiles } from "../../src/knowledge/bundle/bundle-writer.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { round } from "../figures.js";
import { generateTextGraph } from "./generated-texts.js";

export const GRAPH_ID = "generated";

export interface PrepareInput {
	readonly concepts: number;
	/** Becomes a data folder: the graph as an imported bundle, and its index. */
	readonly folder: string;
	readonly model: ModelLocation;
}

export interface PrepareFigures {
	readonly read_seconds: number;
	/** Until words can be searched, and until every passage has its vector and all is on disk. */
	readonly keywords_seconds: number;
	readonly build_seconds: number;
	readonly build_cpu_seconds: number;
	readonly index_mb: number;
}

/** Writes a graph to disk and builds its index, as an import and a first start do. */
export async function prepareData({
	concepts,
	folder,
	model,
}: PrepareInput): Promise<PrepareFigures> {
	for (const [path, bytes] of toBundleFiles(generateTextGraph(GRAPH_ID, concepts, "long"))) {
		const file = join(folder, "graphs", GRAPH_ID, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, bytes);
	}
	const readStart = performance.now();
	const graph = await readPrepared(folder);
	const readSeconds = (performance.now() - readStart) / 1_000;
	const indexFolder = join(folder, "index");
	const engine = await createSearchEngine({ folder: indexFolder, clock: systemClock, model });
	const start = performance.now();
	const cpuBefore = process.cpuUsage();
	let keywordsMs = 0;
	await engine.sync([graph], {
		onProgress({ stage }) {
			if (stage === "vectors" && keywordsMs === 0) keywordsMs = performance.now() - start;
		},
	});
	const buildMs = performance.now() - start;
	const { user, system } = process.cpuUsage(cpuBefore);
	const { mode, reason } = engine.status();
	if (mode !== "hybrid") throw new Error(`The index has no vectors. ${reason}`);
	await engine.close();
	return {
		read_seconds: round(readSeconds, 2),
		keywords_seconds: round(keywordsMs / 1_000, 2),
		build_seconds: round(buildMs / 1_000, 2),
		build_cpu_seconds: round((user + system) / 1e6, 2),
		index_mb: round(folderBytes(indexFolder) / 1_048_576, 1),
	};
}

export function readPrepared(folder: string): Promise<Graph> {
	return readGraph(join(folder, "graphs", GRAPH_ID));
}

function folderBytes(folder: string): number {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => statSync(join(folder, name)))
		.reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
