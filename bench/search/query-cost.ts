import { round } from "../figures.js";

export interface QueryCost {
	readonly cpu_ms_per_query: number;
	readonly p50_ms: number;
	readonly p99_ms: number;
}

const WARM_UP_SHARE = 0.2;

/** One query after the other; the first ones warm the compiler up and are not counted. CPU time is that of all threads. */
export async function costOfQueries(
	queries: readonly string[],
	ask: (query: string) => unknown,
): Promise<QueryCost> {
	const warmUp = Math.ceil(queries.length * WARM_UP_SHARE);
	for (const query of queries.slice(0, warmUp)) await ask(query);
	const measured = queries.slice(warmUp);
	const latenciesMs: number[] = [];
	const before = process.cpuUsage();
	for (const query of measured) {
		const start = performance.now();
		await ask(query);
		latenciesMs.push(performance.now() - start);
	}
	const { user, system } = process.cpuUsage(before);
	latenciesMs.sort((a, b) => a - b);
	return {
		cpu_ms_per_query: round((user + system) / 1_000 / measured.length, 4),
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
