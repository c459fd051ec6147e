/** What an import of many documents takes from the command line, and an update of ten of them: time and memory of a process of its own. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { end } from "./child.js";
import { round } from "./figures.js";
import { createSeededNumbers, generateGraph } from "./generated-graph.js";
import { measureStalls, type StallReport } from "./import-stalls.js";
import { atMost, type Bar } from "./search/bars.js";

const DOCUMENTS = 10_000;
const CHARS = 5_000;
const CHANGED = 10;
const PER_FOLDER = 100;
const POLL_MS = 50;

interface Run {
	readonly seconds: number;
	readonly peak_rss_mb: number;
}

export interface ImportReport {
	readonly documents: number;
	readonly characters: number;
	/** By a command alone. */
	readonly first: Run;
	/** By a command that has a running server do it, which knows the import before. */
	readonly update_of_ten: Run;
	/** Of very many small ones by a server that answers calls meanwhile. */
	readonly stalls: StallReport;
	readonly bars: readonly Bar[];
}

export async function benchImport(folder: string): Promise<ImportReport> {
	const source = join(folder, "documents");
	writeDocuments(source);
	const importTo = (data: string, ...more: readonly string[]) => {
		const settings = ["--data", join(folder, data), "--model", "none", "--json"];
		return measureCommand(["import", source, "--as", "measured", ...settings, ...more]);
	};
	const first = await importTo("alone");
	const server = await startServer(join(folder, "served"));
	try {
		await importTo("served");
		for (let at = 0; at < CHANGED; at += 1) {
			const path = join(source, pathOf(at * 997));
			writeFileSync(path, `${readFileSync(path, "utf8")}\nOne more sentence stands here.\n`);
		}
		const { seconds } = await importTo("served", "--update");
		const update = { seconds, peak_rss_mb: peakOf(server) };
		const stalls = await measureStalls(folder, ENTRY);
		return {
			documents: DOCUMENTS,
			characters: CHARS,
			first,
			update_of_ten: update,
			stalls,
			bars: [
				atMost("import of 10,000 documents of 5 kB, seconds", first.seconds, 90),
				atMost("its peak memory, MB", first.peak_rss_mb, 1_536),
				atMost("update of ten of them by a server, seconds", update.seconds, 3),
				atMost("peak memory of that server, MB", update.peak_rss_mb, 1_536),
				atMost(
					"longest stall of a server that imports 60,000 files, ms of its own",
					stalls.importing.server.longestOfOwnMs,
					250,
				),
			],
		};
	} finally {
		await end(server, "SIGTERM");
	}
}

const ENTRY = new URL("../src/cli/entry.js", import.meta.url);

async function startServer(data: string): Promise<ChildProcess> {
	const settings = ["--catalog", "none", "--model", "none", "--judge", "none"];
	const onchain = ["--facilitator", "off", "--port", "0"];
	const server = fork(ENTRY, ["serve", "--data", data, "--json", ...settings, ...onchain], {
		stdio: ["ignore", "pipe", "inherit", "ipc"],
	});
	if (server.stdout) await once(server.stdout, "data");
	return server;
}

const pathOf = (at: number) => join(String(Math.floor(at / PER_FOLDER)), `document-${at}.md`);

/** Headings, paragraphs, a link to another document and one to the outside, as folders of people have. */
function writeDocuments(source: string): void {
	const next = createSeededNumbers(18);
	const sentences = generateGraph("measured", 2_000).concepts.map(({ summary }) => summary);
	const sentence = () => sentences[Math.floor(next() * sentences.length)] ?? "";
	for (let at = 0; at < DOCUMENTS; at += 1) {
		const path = join(source, pathOf(at));
		if (at % PER_FOLDER === 0) mkdirSync(join(path, ".."), { recursive: true });
		const other = (at + 1) % PER_FOLDER === 0 ? at - 1 : at + 1;
		let text = `---\ntitle: Document ${at}\ncreated: 2024-05-01\ntags: [t${at % 40}]\n---\n\nSee [the next one](document-${other}.md) and [a report](https://example.org/${at}).\n`;
		for (let part = 1; text.length < CHARS; part += 1) {
			text += `\n## Part ${part}\n\n${sentence()} ${sentence()} ${sentence()}\n\n- ${sentence()}\n- ${sentence()}\n`;
		}
		writeFileSync(path, text);
	}
}

/** Rejects when the command fails. */
export async function measureCommand(args: readonly string[]): Promise<Run> {
	const beganMs = performance.now();
	const child = fork(ENTRY, args, {
		stdio: ["ignore", "ignore", "inherit", "ipc"],
	});
	let peak = 0;
	const timer = setInterval(() => {
		peak = Math.max(peak, peakOf(child));
	}, POLL_MS);
	try {
		const [code] = (await once(child, "exit")) as [number | null];
		if (code !== 0) throw new Error(`tollgraph ${args[0]} ended with ${code}.`);
		return { seconds: round((performance.now() - beganMs) / 1_000, 1), peak_rss_mb: peak };
	} finally {
		clearInterval(timer);
	}
}

/** In megabytes; 0 where the process is gone, or the system does not tell. */
function peakOf({ pid }: ChildProcess): number {
	try {
		const [, kb = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
		return Math.round(Number(kb) / 1_024);
	} catch {
		return 0;
	}
}
