/** What the free operations take over a large catalog and a large roster, and whether callers who ask for nothing slow down those who do. */
import { type ChildProcess, fork } from "node:child_process";
import type {
	CatalogServerAnswer,
	CatalogServerOrder,
	CatalogServerReady,
} from "./catalog-server.js";
import { ask, nextMessage } from "./child.js";
import { round } from "./figures.js";
import { createFreeRequests, type FreeRequests, type MeasuredOperation } from "./free-requests.js";
import { type GetResult, sendGets } from "./get-load.js";
import { openIdleSockets } from "./idle-sockets.js";
import { leaveFirstCore, pinToFirstCore, useAllCores } from "./one-core.js";
import { type Bar, below } from "./search/bars.js";
import {
	createSyntheticCatalog,
	FULL_SIZE,
	type SyntheticSize,
} from "./synthetic/synthetic-catalog.js";

const CALLERS = 16;
const ROUNDS = 5;
const REQUESTS_PER_ROUND = 1_000;
const WARM_UP = 2_000;
const IDLE_SOCKETS = 10_000;
const P99_MS = 10;
const STALL_MS = 50;

interface OperationFigures {
	readonly p50_ms: number;
	/** Of all rounds together. */
	readonly p99_ms: number;
	/** Of each alone: where they differ much, something else was running. */
	readonly p99_ms_rounds: readonly number[];
	readonly cpu_ms_per_request: number;
	readonly bytes_per_reply: number;
	readonly requests: number;
	readonly statuses: Readonly<Record<string, number>>;
}

interface AfterChange {
	readonly first_reply_ms: number;
	/** Longest that the event loop was held meanwhile. */
	readonly longest_ms: number;
}

interface IdleFigures {
	readonly wanted: number;
	/** When the measurement began and when it ended; the server bounds its connections and ends those that send no request. */
	readonly open: readonly [number, number];
	readonly reopened: number;
	readonly operations: Readonly<Record<string, OperationFigures>>;
}

export interface CatalogLoadReport {
	readonly size: SyntheticSize;
	readonly callers: number;
	readonly is_pinned_to_one_core: boolean;
	readonly rss_mb: number;
	/** Plain Express in the same process: a small object, and the catalog's data serialized for each reply. */
	readonly plain: Readonly<Record<"bare" | "catalog", OperationFigures>>;
	readonly operations: Readonly<Record<string, OperationFigures>>;
	/** Without a bar. */
	readonly others: Readonly<Record<string, OperationFigures>>;
	readonly after_change: Readonly<Record<string, AfterChange>>;
	readonly idle_sockets: IdleFigures;
	readonly bars: readonly Bar[];
}

interface Measured {
	readonly server: ChildProcess;
	readonly ready: CatalogServerReady;
	readonly requests: FreeRequests;
}

/** The server's threads share core 0, the load comes from the others. */
export async function benchCatalogLoad(
	folder: string,
	{ size = FULL_SIZE, model = "none" } = {},
): Promise<CatalogLoadReport> {
	const args = [folder, JSON.stringify(size), model];
	const server = fork(new URL("./catalog-server.js", import.meta.url), args, {
		execArgv: process.execArgv,
	});
	try {
		const ready = await nextMessage<CatalogServerReady>(server);
		const requests = createFreeRequests(createSyntheticCatalog(size));
		const isPinned = pinToFirstCore(server.pid) && leaveFirstCore();
		const figures = await measure({ server, ready, requests });
		return {
			size,
			callers: CALLERS,
			is_pinned_to_one_core: isPinned,
			...figures,
			bars: toBars(figures),
		};
	} finally {
		useAllCores();
		server.kill("SIGKILL");
	}
}

async function measure(measured: Measured) {
	const { server, ready, requests } = measured;
	const routes = new Map<string, () => Promise<Round>>();
	const plain = (path: string) => () =>
		run(server, ready.plainUrl, new Array<string>(REQUESTS_PER_ROUND).fill(path));
	routes.set("bare", plain("/bare")).set("catalog", plain("/catalog"));
	for (const operation of requests.operations) {
		await run(server, ready.baseUrl, requests.take(operation, WARM_UP));
		routes.set(operation, () => sendRound(measured, operation));
	}
	const figures = await alternate(routes);
	const { bare, catalog, ...operations } = figures;
	const others = await alternate(
		new Map(requests.others.map((operation) => [operation, () => sendRound(measured, operation)])),
	);
	const afterChange = await measureChanges(measured);
	const idle = await measureIdle(measured);
	const { rssMb } = await tell(server, "cpu");
	return {
		rss_mb: rssMb,
		plain: { bare, catalog } as CatalogLoadReport["plain"],
		operations,
		others,
		after_change: afterChange,
		idle_sockets: idle,
	};
}

interface Round {
	readonly cpuMs: number;
	readonly load: GetResult;
}

function sendRound(
	{ server, ready, requests }: Measured,
	operation: MeasuredOperation,
): Promise<Round> {
	return run(server, ready.baseUrl, requests.take(operation, REQUESTS_PER_ROUND));
}

async function run(
	server: ChildProcess,
	baseUrl: string,
	paths: readonly string[],
): Promise<Round> {
	const before = await tell(server, "cpu");
	const load = await sendGets({ baseUrl, paths, connections: CALLERS });
	const after = await tell(server, "cpu");
	return { cpuMs: after.cpuMs - before.cpuMs, load };
}

/** Round by round, so that a drifting machine touches all alike. */
async function alternate(
	routes: ReadonlyMap<string, () => Promise<Round>>,
): Promise<Record<string, OperationFigures>> {
	const rounds = new Map<string, Round[]>();
	for (let round = 0; round < ROUNDS; round++) {
		for (const [name, send] of routes) {
			rounds.set(name, [...(rounds.get(name) ?? []), await send()]);
		}
	}
	return Object.fromEntries([...rounds].map(([name, all]) => [name, figuresOf(all)]));
}

function figuresOf(rounds: readonly Round[]): OperationFigures {
	const loads = rounds.map(({ load }) => load);
	const latenciesMs = loads.flatMap((load) => load.latenciesMs).sort((a, b) => a - b);
	const requests = latenciesMs.length;
	const statuses: Record<string, number> = {};
	for (const load of loads) {
		for (const [status, count] of Object.entries(load.statuses)) {
			statuses[status] = (statuses[status] ?? 0) + count;
		}
	}
	const sum = (figure: (round: Round) => number) =>
		rounds.reduce((total, one) => total + figure(one), 0);
	return {
		p50_ms: quantile(latenciesMs, 0.5),
		p99_ms: quantile(latenciesMs, 0.99),
		p99_ms_rounds: loads.map((load) => quantile(load.latenciesMs, 0.99)),
		cpu_ms_per_request: round(sum(({ cpuMs }) => cpuMs) / requests),
		bytes_per_reply: Math.round(sum(({ load }) => load.bytes) / requests),
		requests,
		statuses,
	};
}

function quantile(ascending: readonly number[], share: number): number {
	return round(ascending[Math.floor(ascending.length * share)] ?? Number.NaN);
}

/** The first request of each operation after a change of the catalog: what it rebuilds must not hold up everybody else. */
async function measureChanges({ server, ready, requests }: Measured) {
	const figures: Record<string, AfterChange> = {};
	for (const operation of requests.operations) {
		await tell(server, "change");
		const paths = requests.take(operation, 1);
		const { latenciesMs } = await sendGets({ baseUrl: ready.baseUrl, paths, connections: 1 });
		const { longestMs } = await tell(server, "stall");
		figures[operation] = {
			first_reply_ms: round(latenciesMs[0] ?? Number.NaN),
			longest_ms: round(longestMs),
		};
	}
	return figures;
}

async function measureIdle(measured: Measured): Promise<IdleFigures> {
	const idle = await openIdleSockets(new URL(measured.ready.baseUrl), IDLE_SOCKETS);
	try {
		const open = idle.open();
		const routes = measured.requests.operations.map(
			(operation) => [operation, () => sendRound(measured, operation)] as const,
		);
		const operations = await alternate(new Map(routes));
		const { reopened } = idle.counts;
		return { wanted: IDLE_SOCKETS, open: [open, idle.open()], reopened, operations };
	} finally {
		idle.close();
	}
}

function toBars({
	operations,
	after_change: afterChange,
	idle_sockets: idle,
}: Pick<CatalogLoadReport, "operations" | "after_change" | "idle_sockets">): readonly Bar[] {
	const bars = (figures: CatalogLoadReport["operations"], when: string) =>
		Object.entries(figures).flatMap(([name, { p99_ms, requests, statuses }]) => [
			below(`${name}${when}, p99 ms`, p99_ms, P99_MS),
			below(`${name}${when}, requests not answered with 200`, requests - (statuses["200"] ?? 0), 1),
		]);
	return [
		...bars(operations, ""),
		...bars(idle.operations, ` beside ${idle.wanted} idle sockets`),
		...Object.entries(afterChange).map(([name, { longest_ms }]) =>
			below(`${name}, event loop held after a change, ms`, longest_ms, STALL_MS),
		),
	];
}

const tell = (server: ChildProcess, order: CatalogServerOrder) =>
	ask<CatalogServerAnswer>(server, order);
