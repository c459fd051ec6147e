import { round } from "../figures.js";

export interface QueryCost {
	readonly cpu_ms_per_query: number;
	/** By the clock, with one query under way. */
	readonly queries_per_second: number;
	readonly p50_ms: number;
	readonly p99_ms: number;
}

const WARM_UP_SHARE = 0.2;

/**
 * One query after the other; the last fifth of them comes first, warms the compiler up and is not counted. CPU time is that of
 * all threads.
 */
export async function costOfQueries(
	queries: readonly string[],
	ask: (query: string) => unknown,
): Promise<QueryCost> {
	const count = Math.floor(queries.length * (1 - WARM_UP_SHARE));
	for (const query of queries.slice(count)) await ask(query);
	const measured = queries.slice(0, count);
	const latenciesMs: number[] = [];
	const before = process.cpuUsage();
	const startedAt = performance.now();
	for (const query of measured) {
		const start = performance.now();
		await ask(query);
		latenciesMs.push(performance.now() - start);
	}
	const seconds = (performance.now() - startedAt) / 1_000;
	const { user, system } = process.cpuUsage(before);
	latenciesMs.sort((a, b) => a - b);
	return {
		cpu_ms_per_query: round((user + system) / 1_000 / measured.length, 4),
		queries_per_second: round(measured.length / seconds, 0),
		p50_ms: quantile(latenciesMs, 0.5),
		p99_ms: quantile(latenciesMs, 0.99),
	};
}

export function quantile(ascending: readonly number[], share: number): number {
	return round(ascending[Math.floor(ascending.length * share)] ?? Number.NaN, 4);
}

/** After a collection where `--expose-gc` allows one. */
export function usedMb(): number {
	globalThis.gc?.();
	const { heapUsed, arrayBuffers } = process.memoryUsage();
	return Math.round((heapUsed + arrayBuffers) / 1_048_576);
}
