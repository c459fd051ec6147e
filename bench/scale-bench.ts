/**
 * What a catalog of 300 graphs, 30,000 concepts, 4,150 experts and 175 feeds takes of a server as it is installed: its first start, with
 * and without vectors, restarts, memory, searches over all graphs, completions from the first on, experts, and an import meanwhile.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { end } from "./child.js";
import { round } from "./figures.js";
import { createFreeRequests } from "./free-requests.js";
import { generateGraph } from "./generated-graph.js";
import { type GetResult, sendGets } from "./get-load.js";
import { importOver } from "./import-stalls.js";
import { sendLoad } from "./load.js";
import { atMost, type Bar } from "./search/bars.js";
import { quantile } from "./search/query-cost.js";
import {
	FULL_SIZE,
	type SyntheticSize,
	writeSyntheticCatalog,
} from "./synthetic/synthetic-catalog.js";

const RESTARTS = 5;
const SUGGESTIONS = 1_000;
const SEARCHES = 300;
const EXPERTS = 300;
const ASKED_BY_ONE = 50;
const IMPORTED = 2_000;
const LONGEST_START_MS = 60 * 60_000;
const PAUSE_MS = 25;

interface Latencies {
	readonly first_ms: number;
	readonly p50_ms: number;
	readonly p99_ms: number;
	readonly longest_ms: number;
	readonly statuses: Readonly<Record<string, number>>;
}

interface Start {
	/** From the command to the first answer of a search over all graphs, by words or better. */
	readonly words_ms: number;
	/** Until words and vectors answer it; null where there is no model. */
	readonly hybrid_ms: number | null;
	readonly rss_mb: number;
}

export interface ScaleReport {
	readonly size: SyntheticSize & { readonly feeds: number };
	readonly first_start_without_vectors: Start;
	readonly first_start: Start;
	readonly restarts: readonly Start[];
	/** After all that is asked below. */
	readonly rss_mb: number;
	readonly peak_rss_mb: number;
	readonly suggest: Latencies;
	/** Effort fast, one caller. */
	readonly search_all: Latencies;
	readonly experts: Latencies;
	readonly importing: Omit<Latencies, "first_ms"> & {
		readonly documents: number;
		readonly seconds: number;
	};
	readonly bars: readonly Bar[];
}

/** `size` is smaller only to try the bench itself. */
export async function benchScale(folder: string, size = FULL_SIZE): Promise<ScaleReport> {
	const catalog = join(folder, "catalog");
	mkdirSync(folder, { recursive: true });
	const graphs = await writeSyntheticCatalog(size, catalog);
	writeFileSync(join(folder, "tollgraph.config.yaml"), 'prices: { search.all: "0" }\n');
	const start = (data: string, model: string) => startServer({ folder, catalog, data, model });

	const plain = await start("words", "none");
	const feeds = await countFeeds(plain.url);
	await stop(plain);
	const first = await start("data", "bundled");
	await stop(first);
	const restarts: Start[] = [];
	for (let run = 1; run < RESTARTS; run++) {
		const server = await start("data", "bundled");
		restarts.push(server.start);
		await stop(server);
	}
	const server = await start("data", "bundled");
	restarts.push(server.start);
	try {
		const requests = createFreeRequests(graphs);
		const get = (operation: "search.suggest" | "experts.search") => (count: number) =>
			sendGets({
				...{ baseUrl: server.url, connections: 1 },
				paths: requests.take(operation, count),
			});
		const suggest = await measureFromFirst(get("search.suggest"), SUGGESTIONS);
		const searchAll = await measureFromFirst((count) => searchFor(server.url, count), SEARCHES);
		const experts = await measureFromFirst(get("experts.search"), EXPERTS);
		const importing = await searchWhileImporting(folder, server);
		const figures = {
			first_start_without_vectors: plain.start,
			first_start: first.start,
			restarts,
			...{ suggest, search_all: searchAll, experts, importing },
			rss_mb: memoryOf(server.process, "VmRSS"),
			peak_rss_mb: memoryOf(server.process, "VmHWM"),
		};
		return { size: { ...size, feeds }, ...figures, bars: toBars(figures) };
	} finally {
		await stop(server);
	}
}

function toBars(figures: Omit<ScaleReport, "size" | "bars">): readonly Bar[] {
	const { restarts, first_start_without_vectors: plain, suggest, search_all: all } = figures;
	const medianOf = (values: readonly number[]) =>
		quantile(
			[...values].sort((a, b) => a - b),
			0.5,
		);
	const words = medianOf(restarts.map(({ words_ms }) => words_ms));
	const hybrid = medianOf(restarts.map(({ hybrid_ms }) => hybrid_ms ?? Infinity));
	return [
		atMost("first start without vectors, ms to the first answer", plain.words_ms, 60_000),
		atMost("restart, ms to the first answer by words", words, 3_000),
		atMost("restart, ms to the first hybrid answer", hybrid, 6_000),
		atMost("memory after all that was asked, MB", figures.rss_mb, 700),
		atMost("search over all graphs, effort fast, p50 ms", all.p50_ms, 60),
		atMost("suggest from the first call on, p99 ms", suggest.p99_ms, 50),
		atMost("suggest, the first call, ms", suggest.first_ms, 50),
	];
}

interface Running {
	readonly process: ChildProcess;
	readonly url: string;
	readonly data: string;
	readonly start: Start;
}

interface StartInput {
	readonly folder: string;
	readonly catalog: string;
	readonly data: string;
	readonly model: string;
}

async function startServer({ folder, catalog, data, model }: StartInput): Promise<Running> {
	const where = ["--data", join(folder, data), "--catalog", catalog, "--facilitator", "off"];
	const bundle = fileURLToPath(new URL("./search/bundled-server.js", import.meta.url));
	const args = [bundle, "serve", "--json", "--port", "0", ...where, "--model", model];
	const beganMs = performance.now();
	const child = spawn(process.execPath, args, {
		cwd: folder,
		stdio: ["ignore", "pipe", "inherit"],
	});
	const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_START_MS);
	try {
		const waited = () => round(performance.now() - beganMs, 0);
		const url = await untilSome(child, () => addressIn(join(folder, data), child.pid));
		let mode = await untilSome(child, () => modeOfSearch(url));
		const words = waited();
		while (model !== "none" && mode !== "hybrid") {
			mode = await untilSome(child, () => modeOfSearch(url));
		}
		const start = {
			words_ms: words,
			hybrid_ms: model === "none" ? null : waited(),
			rss_mb: memoryOf(child, "VmRSS"),
		};
		return { process: child, url, data: join(folder, data), start };
	} catch (error) {
		child.kill("SIGKILL");
		throw error;
	} finally {
		clearTimeout(timer);
	}
}

/** Asks again and again, until there is an answer or the process has ended. */
async function untilSome<T>(
	child: ChildProcess,
	ask: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
	for (;;) {
		if (child.exitCode !== null || child.signalCode !== null) {
			throw new Error("The server ended before it answered.");
		}
		const answer = await ask();
		if (answer !== undefined) return answer;
		await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
	}
}

/** Where a server listens says the file that it writes then; it answers long before all of its vectors are made. */
function addressIn(data: string, pid: number | undefined): string | undefined {
	try {
		const file = readFileSync(join(data, "server.json"), "utf8");
		const { admin_url, pid: writer } = JSON.parse(file) as { admin_url: string; pid?: number };
		return writer === undefined || writer === pid ? new URL(admin_url).origin : undefined;
	} catch {
		return undefined;
	}
}

let asked = 0;
const bodyOf = (query: string) => JSON.stringify({ query, limit: 10, effort: "fast" });
const nextQuery = () => `how is a steady valve inspected before shift ${asked++}?`;

/** Undefined while no one listens. */
async function modeOfSearch(url: string): Promise<string | undefined> {
	const reply = await fetch(`${url}/v1/search`, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: bodyOf(nextQuery()),
	}).catch(() => undefined);
	if (!reply || reply.status === 503) return undefined;
	if (reply.status !== 200) {
		throw new Error(`A search was answered ${reply.status}: ${await reply.text()}`);
	}
	const { meta } = (await reply.json()) as { readonly meta?: { readonly mode?: string } };
	return meta?.mode;
}

function searchFor(url: string, count: number) {
	const bodies = Array.from({ length: count }, () => bodyOf(nextQuery()));
	const headers = { "Content-Type": "application/json" };
	return sendLoad({ url: `${url}/v1/search`, headers, bodies, connections: 1 });
}

/** One caller searches, again and again, until the import is done. */
async function searchWhileImporting(folder: string, { url, data }: Running) {
	const source = join(folder, "documents");
	mkdirSync(source, { recursive: true });
	const { concepts } = generateGraph("imported-meanwhile", IMPORTED, 11);
	for (const [at, { title, body }] of concepts.entries()) {
		writeFileSync(join(source, `note-${at}.md`), `# ${title}\n\n${body}\n`);
	}
	let isOver = false;
	const beganMs = performance.now();
	const done = importOver(data, source, IMPORTED).finally(() => {
		isOver = true;
	});
	done.catch(() => undefined);
	const loads: Load[] = [];
	while (!isOver) loads.push(await searchFor(url, 1));
	await done;
	const seconds = round((performance.now() - beganMs) / 1_000, 1);
	return { documents: IMPORTED, seconds, ...toLatencies(loads) };
}

type Load = Pick<GetResult, "latenciesMs" | "statuses">;

/** One caller, one request after the other; the first one by itself, too. */
async function measureFromFirst(
	send: (count: number) => Promise<Load>,
	count: number,
): Promise<Latencies> {
	const first = await send(1);
	const loads = [first];
	// Each from an address of its own: what one address may ask in a minute is bounded, and a refusal is no answer.
	for (let left = count - 1; left > 0; left -= ASKED_BY_ONE) {
		loads.push(await send(Math.min(left, ASKED_BY_ONE)));
	}
	return { ...toLatencies(loads), first_ms: round(first.latenciesMs[0] ?? 0) };
}

function toLatencies(loads: readonly Load[]): Omit<Latencies, "first_ms"> {
	const sorted = loads.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
	const statuses: Record<string, number> = {};
	for (const [status, count] of loads.flatMap((load) => Object.entries(load.statuses))) {
		statuses[status] = (statuses[status] ?? 0) + count;
	}
	return {
		p50_ms: quantile(sorted, 0.5),
		p99_ms: quantile(sorted, 0.99),
		longest_ms: round(sorted.at(-1) ?? 0),
		statuses,
	};
}

interface FeedPage {
	readonly data: { readonly items: readonly unknown[] };
	readonly meta: { readonly next_cursor: string | null };
}

async function countFeeds(url: string): Promise<number> {
	let count = 0;
	for (let cursor: string | null = ""; cursor !== null; ) {
		const reply: Response = await fetch(
			`${url}/v1/supplemental/feeds?limit=50${cursor && `&cursor=${cursor}`}`,
		);
		const { data, meta } = (await reply.json()) as FeedPage;
		count += data.items.length;
		cursor = meta.next_cursor;
	}
	return count;
}

/** Megabytes of a process, by the kernel's own count. */
function memoryOf({ pid }: ChildProcess, field: "VmRSS" | "VmHWM"): number {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1];
	return Math.round(Number(kilobytes) / 1_024);
}

async function stop({ process: child }: Pick<Running, "process">): Promise<void> {
	const giveUp = setTimeout(() => child.kill("SIGKILL"), 30_000);
	await end(child, "SIGTERM");
	clearTimeout(giveUp);
}
