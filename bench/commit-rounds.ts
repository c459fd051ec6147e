/** Durable commits per second and their latency, by parallel callers; and what the disk does without any store. */

import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { median, toFourDigits } from "./figures.js";

export const CALLERS = [1, 16, 256] as const;
export type CallerCount = `${(typeof CALLERS)[number]}`;
type ByCallers = Readonly<Record<CallerCount, number>>;

export interface CommitFigures {
	/** Durable transactions per second; median of the rounds. */
	readonly commits_per_s: ByCallers;
	/** The same over the rate of bare appends in its own round; median of the rounds. */
	readonly over_fdatasync: ByCallers;
	/** The same over the journal's rate in the same round; median of the rounds. */
	readonly over_journal: ByCallers;
	readonly p50_ms: ByCallers;
	readonly p99_ms: ByCallers;
	/** Processor time of a transaction, all threads. */
	readonly cpu_us: ByCallers;
	/** Share of the time in which the event loop could serve nothing else; 1 is always. */
	readonly loop_busy: ByCallers;
}

export interface CommitRound {
	readonly perSecond: number;
	readonly latenciesMs: readonly number[];
	readonly cpuUs: number;
	readonly loopBusy: number;
	/** Bare appends per second in the same round. */
	readonly bare: number;
	/** What the journal reached in the same round. */
	readonly journal: number;
}

/** Every caller waits until its transaction is durable and then begins the next one. */
export async function runCallers(
	commit: () => Promise<void>,
	{ callers, ms }: { callers: number; ms: number },
): Promise<Omit<CommitRound, "bare" | "journal">> {
	const latenciesMs: number[] = [];
	const cpu = process.cpuUsage();
	const loop = performance.eventLoopUtilization();
	const startedMs = performance.now();
	const caller = async () => {
		while (performance.now() - startedMs < ms) {
			const beganMs = performance.now();
			await commit();
			latenciesMs.push(performance.now() - beganMs);
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	const elapsedSeconds = (performance.now() - startedMs) / 1000;
	const { user, system } = process.cpuUsage(cpu);
	const { length } = latenciesMs;
	return {
		perSecond: length / elapsedSeconds,
		latenciesMs,
		cpuUs: (user + system) / length,
		loopBusy: performance.eventLoopUtilization(loop).utilization,
	};
}

export function summarize(rounds: ReadonlyMap<number, readonly CommitRound[]>): CommitFigures {
	const byCallers = (figure: (rounds: readonly CommitRound[]) => number) =>
		Object.fromEntries(
			[...rounds].map(([callers, list]) => [String(callers), toFourDigits(figure(list))]),
		) as Record<CallerCount, number>;
	const percentile = (share: number) => (list: readonly CommitRound[]) => {
		const all = list.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
		return all[Math.floor(all.length * share)] ?? 0;
	};
	const middle = (figure: (round: CommitRound) => number) => (list: readonly CommitRound[]) =>
		median(list.map(figure));
	return {
		commits_per_s: byCallers(middle(({ perSecond }) => perSecond)),
		over_fdatasync: byCallers(middle(({ perSecond, bare }) => perSecond / bare)),
		over_journal: byCallers(middle(({ perSecond, journal }) => perSecond / journal)),
		p50_ms: byCallers(percentile(0.5)),
		p99_ms: byCallers(percentile(0.99)),
		cpu_us: byCallers(middle(({ cpuUs }) => cpuUs)),
		loop_busy: byCallers(middle(({ loopBusy }) => loopBusy)),
	};
}

/** What the disk does when nothing is in between: a growing file, a write and an fdatasync, again and again. */
export function measureDisk(
	path: string,
	{ frameBytes, ms }: { frameBytes: number; ms: number },
): number {
	const fd = openSync(path, "w", 0o600);
	try {
		const bytes = Buffer.alloc(frameBytes, "x");
		const startedMs = performance.now();
		let count = 0;
		while (performance.now() - startedMs < ms) {
			writeSync(fd, bytes);
			fdatasyncSync(fd);
			count += 1;
		}
		return count / ((performance.now() - startedMs) / 1000);
	} finally {
		closeSync(fd);
	}
}
