import { LIMITS } from "../contract/contract.js";
import { isLoopback, listen, type RunningServer } from "../http/http.js";
import { JOB_LIMITS } from "../jobs/jobs.js";
import { invalidArgument, type Logger, unavailable } from "../kernel/kernel.js";
import { startSnapshotKeeper } from "../knowledge/knowledge.js";
import { startHousekeeping } from "../operator/operator.js";
import { startScheduleWorkers, startWebhookDispatch } from "./schedules.js";
import type { Ports, Wiring } from "./services.js";
import { openGrpc } from "./transports.js";

/** What listens, and where gRPC and metrics do. */
export interface AppServer extends RunningServer {
	/** Host and port; undefined where gRPC is not offered. */
	readonly grpcUrl: string | undefined;
	/** Where Prometheus reads metrics; undefined where it does not. */
	readonly metricsUrl: string | undefined;
}

/** From listening to the last flush. */
export type AppLife = ReturnType<typeof createAppLife>;

type Running = Pick<
	Wiring,
	| keyof Ports
	| "store"
	| "money"
	| "catalog"
	| "snapshots"
	| "search"
	| "sharedGraphs"
	| "address"
	| "retention"
	| "time"
	| "operator"
	| "chainBooks"
	| "schedules"
	| "webhooks"
	| "stagedTurns"
	| "jobs"
	| "processes"
	| "streams"
	| "a2a"
	| "mcp"
	| "http"
>;

export function createAppLife(running: Running) {
	const { settings, clock, logger, store, money, catalog, search, a2a } = running;
	const { address, http, telemetry } = running;
	// What was started, to be ended in reverse order.
	const endings: (() => Promise<void>)[] = [
		// Last, because it frees the folder for the next process.
		() => store.close(),
		async () => running.onchain?.close(),
		() => search.close(),
		// What it reads of the parts above it reads while they are open.
		telemetry.close,
		money.meter.flush,
		() => running.streams.stop(),
	];
	let closing: Promise<void> | undefined;
	return {
		/** Serves on this address, gives the service the address where callers reach it, and starts what is done beside calls. */
		async listen({ host, port }: { host: string; port: number }): Promise<AppServer> {
			if (settings.profile === "demo") assertLoopback(host);
			await takeUpWork(running, endings);
			const metricsUrl = await telemetry.listen();
			const handler = telemetry.handler(http.handler);
			const server = await listen(handler, { host, port, clock, messages: http.messages });
			address.baseUrl = settings.publicUrl ?? toBaseUrl(host, server.port);
			const grpc = await openGrpc(running, host).catch(async (error: unknown) => {
				await server.drain();
				throw error;
			});
			const drain = async () => void (await Promise.all([server.drain(), grpc?.drain()]));
			if (closing !== undefined) {
				await drain();
				throw unavailable("The service was closed while it was being started.");
			}
			let workers: ReturnType<typeof startWorkers> | undefined;
			endings.push(
				async () => workers?.end(),
				// Once nothing is owed: its library answers anyone who still waits with nothing, and what they bought is paid.
				running.mcp.close,
				drain,
				// Anyone who follows a job is sent away to come back.
				running.jobs.close,
				a2a.close,
				// At once, so that nothing is sold while the others end.
				async () => void drain(),
				async () => workers?.halt(),
			);
			await a2a.start();
			workers = startWorkers(running);
			return { ...server, drain, grpcUrl: grpc?.url, metricsUrl };
		},
		/**
		 * Resolves once search is in step with the catalog, vectors included; safe to call again. Where they are on the disk,
		 * links are left for later: answers do without them until then.
		 */
		async ready(): Promise<void> {
			await search.sync(catalog.list(), { vectors: "background" });
			await running.sharedGraphs?.step();
			running.jobs.start();
			if (search.status().mode !== "hybrid") await search.sync(catalog.list());
		},
		/** Refuses new calls, finishes those under way, ends what is done beside them, flushes the journal and frees the data folder. */
		close(): Promise<void> {
			closing ??= endAll([...endings].reverse(), logger);
			return closing;
		},
	};
}

/** What processes left that have ended is taken up before any call comes, and from then on. */
async function takeUpWork(
	{ processes, jobs, stagedTurns, a2a }: Running,
	endings: (() => Promise<void>)[],
): Promise<void> {
	endings.push(await processes.start());
	await jobs.resume();
	await stagedTurns.recover();
	processes.also(stagedTurns.recover);
	processes.also(a2a.recover);
}

/** One ending that fails must not keep the others from happening. */
async function endAll(endings: readonly (() => Promise<void>)[], logger: Logger): Promise<void> {
	for (const end of endings) {
		await end().catch((error: unknown) =>
			logger.error("not everything could be closed", { error: String(error) }),
		);
	}
}

function toBaseUrl(host: string, port: number): string {
	return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Paper money must never be taken for real money by somebody far away. */
function assertLoopback(host: string): void {
	if (isLoopback(host)) return;
	throw invalidArgument(
		`The demo profile sells for paper money and listens on loopback only, not on "${host}". Use --host 127.0.0.1 or --profile production.`,
	);
}

/** Less than what process supervisors leave between asking and killing. */
const END_MS = 4_000;
/** What a facilitator says of money that was sent is heard, and persisted before the store closes. */
const HOUSEKEEPING_END_MS = LIMITS.settleTimeoutMs + 2_000;

/** What other processes were asked to cancel of the jobs that are worked on here. */
function startJobWatch({ jobs, processes, clock, logger }: Running) {
	let looking: Promise<void> = Promise.resolve();
	const stop = clock.every(JOB_LIMITS.lookMs, () => {
		if (processes.count() === 1) return;
		looking = jobs
			.look()
			.catch((error: unknown) =>
				logger.error("the jobs could not be looked at", { error: String(error) }),
			);
	});
	return async () => {
		stop();
		await looking;
	};
}

/** What is done beside calls: briefings that are due, events that are sent, housekeeping, and graphs kept for the next start. */
function startWorkers(deps: Running) {
	const { schedules, webhooks, money, retention, time, clock, logger, settings, processes } = deps;
	const { reconcileHours = 0 } = settings;
	const isCompared = deps.chainBooks.isReadable && reconcileHours > 0;
	const chainBooks = isCompared
		? { reconcile: () => deps.operator.reconcileLedger({}), everyMs: reconcileHours * 3_600_000 }
		: undefined;
	const stopCounting = money.meter.start();
	const all = [
		{ stop: async () => stopCounting(), endMs: END_MS },
		{ stop: startScheduleWorkers({ ...schedules, time, clock, logger, processes }), endMs: END_MS },
		{ stop: startWebhookDispatch({ ...webhooks, clock, logger, processes }), endMs: END_MS },
		{ stop: startSnapshotKeeper(deps), endMs: END_MS },
		{ stop: startJobWatch(deps), endMs: END_MS },
		{ stop: deps.sharedGraphs?.start() ?? (async () => undefined), endMs: END_MS },
		{
			stop: startHousekeeping({
				...{ ...money, chainBooks, retention, time, clock, logger },
				isLeader: processes.isLeader,
			}),
			endMs: HOUSEKEEPING_END_MS,
		},
	];
	const endOne = ({ stop, endMs }: (typeof all)[number]): Promise<void> =>
		new Promise((resolve) => {
			const cancel = clock.after(endMs, resolve);
			stop()
				.catch((error: unknown) => {
					logger.error("what is done beside calls could not be ended", { error: String(error) });
				})
				.finally(() => {
					cancel();
					resolve();
				});
		});
	let ended: Promise<unknown> | undefined;
	const endAll = () => {
		ended ??= Promise.all(all.map(endOne));
		return ended;
	};
	return {
		/** Nothing more is begun; waits for nothing. */
		halt: () => void endAll(),
		/** Waits for what is under way, some seconds at most since it was halted: what it leaves, the next process does again. */
		end: async () => void (await endAll()),
	};
}
