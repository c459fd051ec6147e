/** What callers of a server notice while it imports very many small files for its operator. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, end } from "./child.js";
import { round } from "./figures.js";
import { createSeededNumbers, generateGraph } from "./generated-graph.js";
import type { LoopReport } from "./loop-watch.js";

const FILES = 60_000;
const PER_FOLDER = 200;
const QUIET_MS = 5_000;
const CALL_EVERY_MS = 20;

interface Watched {
	readonly server: LoopReport;
	/** A process beside it that does nothing: what the machine itself takes. */
	readonly idle: LoopReport;
	readonly calls: number;
	readonly p99_ms: number;
	readonly longest_ms: number;
}

export interface StallReport {
	readonly files: number;
	readonly seconds: number;
	readonly quiet: Watched;
	readonly importing: Watched;
}

const WATCH = new URL("./loop-watch.js", import.meta.url);
const watched = { execArgv: ["--import", WATCH.href] };

/** `entry` is the command line. */
export async function measureStalls(folder: string, entry: URL): Promise<StallReport> {
	const source = join(folder, "many");
	writeNotes(source);
	const data = join(folder, "beside");
	const without = ["--catalog", "none", "--model", "none", "--judge", "none"];
	const settings = ["--data", data, "--json", "--facilitator", "off", "--port", "0", ...without];
	const server = fork(entry, ["serve", ...settings], {
		...watched,
		stdio: ["ignore", "pipe", "inherit", "ipc"],
	});
	const idle = fork(new URL("./idle-process.js", import.meta.url), watched);
	try {
		const [line] = server.stdout ? await once(server.stdout, "data") : [];
		const { base_url } = JSON.parse(String(line)) as { readonly base_url: string };
		const watch = <T>(work: Promise<T>) => watchDuring({ server, idle, url: base_url }, work);
		const quiet = await watch(new Promise((resolve) => setTimeout(resolve, QUIET_MS)));
		const beganMs = performance.now();
		const importing = await watch(importOver(data, source, FILES));
		const seconds = round((performance.now() - beganMs) / 1_000, 1);
		return { files: FILES, seconds, quiet, importing };
	} finally {
		await Promise.all([end(server, "SIGTERM"), end(idle, "SIGKILL")]);
	}
}

/** Through the admin API, as the command does; throws unless so many documents were imported. */
export async function importOver(data: string, source: string, documents: number): Promise<void> {
	const { admin_url, token } = JSON.parse(readFileSync(join(data, "server.json"), "utf8")) as {
		readonly admin_url: string;
		readonly token: string;
	};
	const response = await fetch(`${admin_url}/imports`, {
		method: "POST",
		headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
		body: JSON.stringify({ source, as: "many" }),
	});
	const { result } = JSON.parse((await response.text()).trim().split("\n").at(-1) ?? "{}") as {
		readonly result?: { readonly imported: number };
	};
	if (result?.imported !== documents) {
		throw new Error(`${result?.imported} of ${documents} documents were imported.`);
	}
}

interface Processes {
	readonly server: ChildProcess;
	readonly idle: ChildProcess;
	readonly url: string;
}

async function watchDuring(
	{ server, idle, url }: Processes,
	work: Promise<unknown>,
): Promise<Watched> {
	await Promise.all([reportOf(server), reportOf(idle)]);
	let isOver = false;
	const end = () => {
		isOver = true;
	};
	work.then(end, end);
	const latencies: number[] = [];
	while (!isOver) {
		const sentMs = performance.now();
		await (await fetch(`${url}/v1/graphs`)).text();
		latencies.push(performance.now() - sentMs);
		await new Promise((resolve) => setTimeout(resolve, CALL_EVERY_MS));
	}
	await work;
	latencies.sort((a, b) => a - b);
	return {
		server: await reportOf(server),
		idle: await reportOf(idle),
		calls: latencies.length,
		p99_ms: Math.round(latencies[Math.floor(latencies.length * 0.99)] ?? 0),
		longest_ms: Math.round(latencies.at(-1) ?? 0),
	};
}

const reportOf = (child: ChildProcess) => ask<LoopReport>(child, "report");

function writeNotes(source: string): void {
	const next = createSeededNumbers(19);
	const sentences = generateGraph("measured", 2_000).concepts.map(({ summary }) => summary);
	const sentence = () => sentences[Math.floor(next() * sentences.length)] ?? "";
	for (let at = 0; at < FILES; at += 1) {
		const folder = join(source, String(Math.floor(at / PER_FOLDER)));
		if (at % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
		const other = (at + 1) % PER_FOLDER === 0 ? at - 1 : at + 1;
		const text = `---\ntitle: Note ${at}\ncreated: 2024-05-01\ntags: [t${at % 40}]\n---\n\nSee [the next one](note-${other}.md) and [a report](https://example.org/${at}).\n\n${sentence()} ${sentence()}\n`;
		writeFileSync(join(folder, `note-${at}.md`), text);
	}
}
