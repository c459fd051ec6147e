import { type ChildProcess, spawn } from "node:child_process";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/kernel/clock.js";
import { SOFTWARE_VERSION } from "../../src/kernel/package-info.js";
import { isChangeable } from "../../src/knowledge/bundle/bundle-change.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { createGraphSnapshots } from "../../src/knowledge/snapshots/graph-snapshots.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { median, round } from "../figures.js";
import { type FreeAppInput, toModelSetting } from "./free-app.js";
import { generateTextQueries } from "./generated-texts.js";
import { GRAPH_ID, readPrepared } from "./prepared-data.js";

export interface ColdStart {
	/** The engine alone: node starts, a graph is read from one file, index and model are loaded, one query is answered. */
	readonly engine_ms: number;
	readonly engine_ms_runs: readonly number[];
	/**
	 * The whole server (`--facilitator off`: the demo chain, a process of its own, is not started), from the command to the
	 * answer of a paid search over HTTP; it holds a file per concept against the graph as it was kept.
	 */
	readonly server_ms: number;
	readonly server_ms_runs: readonly number[];
	/** The same where no graph was kept, in turn with the others: every file is read. */
	readonly server_from_files_ms: number;
	readonly server_from_files_ms_runs: readonly number[];
}

const RUNS = 5;
const LONGEST_MS = 60_000;

/** From the spawn of a fresh process to its first hybrid answer, with the index on disk; a first start of each kind warms the disk and does not count. */
export async function measureColdStart(folder: string, model: ModelLocation): Promise<ColdStart> {
	const graphFile = join(folder, "graph.json");
	const graph = await readPrepared(folder);
	writeFileSync(graphFile, JSON.stringify(graph));
	const cache = join(folder, "graph-cache");
	const aside = join(folder, "graph-cache-aside");
	rmSync(aside, { recursive: true, force: true });
	const queries = generateTextQueries(3 * (RUNS + 1), 5);
	const engineRuns: number[] = [];
	const serverRuns: number[] = [];
	const fromFilesRuns: number[] = [];
	for (let run = 0; run <= RUNS; run++) {
		const [one = "", two = "", three = ""] = queries.slice(3 * run);
		const engineMs = await startEngine([folder, JSON.stringify(model), graphFile, one]);
		rmSync(cache, { recursive: true, force: true });
		const fromFilesMs = await startServer({ folder, model }, two);
		// A slow one may have kept the graph itself.
		rmSync(cache, { recursive: true, force: true });
		if (run === 0) await keepGraph(cache, graph);
		else renameSync(aside, cache);
		const serverMs = await startServer({ folder, model }, three);
		renameSync(cache, aside);
		if (run === 0) continue;
		engineRuns.push(round(engineMs, 0));
		serverRuns.push(round(serverMs, 0));
		fromFilesRuns.push(round(fromFilesMs, 0));
	}
	renameSync(aside, cache);
	return {
		engine_ms: median(engineRuns),
		engine_ms_runs: engineRuns,
		server_ms: median(serverRuns),
		server_ms_runs: serverRuns,
		server_from_files_ms: median(fromFilesRuns),
		server_from_files_ms_runs: fromFilesRuns,
	};
}

/** As a server does it in the background. */
async function keepGraph(folder: string, graph: Graph): Promise<void> {
	const clock = systemClock;
	const snapshots = createGraphSnapshots({ folder, version: SOFTWARE_VERSION, clock });
	if (!isChangeable(graph)) throw new TypeError("The graph was not read from files.");
	await snapshots.keep(graph, new AbortController().signal);
	if (!snapshots.isKept(graph)) throw new Error("The graph's files are too fresh to be trusted.");
}

function startEngine(args: readonly string[]): Promise<number> {
	return timed("./cold-start-process.js", args, async ({ mode }) => mode);
}

function startServer({ folder, model }: FreeAppInput, query: string): Promise<number> {
	const where = ["--data", folder, "--catalog", "none", "--facilitator", "off"];
	const args = ["serve", "--json", "--port", "0", ...where, "--model", toModelSetting(model)];
	return timed("./bundled-server.js", args, async ({ base_url, demo_spt }) => {
		const reply = await fetch(`${base_url}/v1/graphs/${GRAPH_ID}/search`, {
			method: "POST",
			headers: { "Content-Type": "application/json", "X-Pay-SPT": demo_spt ?? "" },
			body: JSON.stringify({ query, limit: 10 }),
		});
		const { meta } = (await reply.json()) as { meta?: { mode?: string } };
		return meta?.mode;
	});
}

interface FirstLine {
	readonly mode?: string;
	readonly base_url?: string;
	readonly demo_spt?: string | null;
}

/** Until `ask` has a hybrid answer, which it gets with the help of the process's first line. */
async function timed(
	script: string,
	args: readonly string[],
	ask: (line: FirstLine) => Promise<string | undefined>,
): Promise<number> {
	const path = fileURLToPath(new URL(script, import.meta.url));
	const start = performance.now();
	const child = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "ignore"] });
	const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
	const ended = hasEnded(child);
	try {
		const mode = await ask(JSON.parse(await firstLine(child.stdout)) as FirstLine);
		const milliseconds = performance.now() - start;
		if (mode !== "hybrid") throw new Error(`The first answer's mode is ${mode}, not hybrid.`);
		return milliseconds;
	} finally {
		clearTimeout(timer);
		child.kill("SIGTERM");
		const giveUp = setTimeout(() => child.kill("SIGKILL"), 10_000);
		await ended;
		clearTimeout(giveUp);
	}
}

async function firstLine(output: Readable): Promise<string> {
	for await (const line of createInterface({ input: output })) return line;
	throw new Error("A process ended before it answered.");
}

function hasEnded(child: ChildProcess): Promise<void> {
	return new Promise((resolve) => void child.once("exit", () => resolve()));
}
