/** Imported into a process whose event loop is watched (`--import`); it answers every message with what it saw since the last one. */
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface LoopReport {
	/** Longest that the loop was held, and the value that 99 of 100 delays stay below. */
	readonly longestMs: number;
	readonly p99Ms: number;
	/**
	 * The same without the time in which the machine ran other processes: processor time of all threads between two ticks
	 * of a timer, where that is less than the time between them.
	 */
	readonly longestOfOwnMs: number;
	/** Ticks whose own time was longer than a caller notices. */
	readonly stalls: readonly number[];
}

const TICK_MS = 5;
const RESOLUTION_MS = 10;
const NOTICED_MS = 100;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
let [lastMs, lastUsage] = [performance.now(), process.cpuUsage()];
let longestOfOwnMs = 0;
let stalls: number[] = [];

setInterval(() => {
	const now = performance.now();
	const { user, system } = process.cpuUsage(lastUsage);
	const ownMs = Math.min(now - lastMs, (user + system) / 1_000);
	[lastMs, lastUsage] = [now, process.cpuUsage()];
	longestOfOwnMs = Math.max(longestOfOwnMs, ownMs);
	if (ownMs > NOTICED_MS) stalls.push(Math.round(ownMs));
}, TICK_MS).unref();

process.on("message", () => {
	const report: LoopReport = {
		longestMs: Math.round(delays.max / 1e6),
		p99Ms: Math.round(delays.percentile(99) / 1e6),
		longestOfOwnMs: Math.round(longestOfOwnMs),
		stalls,
	};
	process.send?.(report);
	delays.reset();
	[longestOfOwnMs, stalls] = [0, []];
});
// A listener would keep the watched process alive after its own work has ended.
process.channel?.unref();
