import type { Clock } from "../../src/kernel/kernel.js";

/** How often each host is asked: never twice within its interval, nor while it asks to be left alone, whoever asks. */
export interface HostPace {
	/**
	 * Takes the next free moment at a host and resolves when it has come. Resolves to false at once, and takes nothing, when
	 * that is later than the patience given.
	 */
	turn(
		host: string,
		rules: { readonly intervalMs: number; readonly patienceMs: number },
	): Promise<boolean>;
	/** Keeps everybody from a host that says how long it takes no more; never shorter than it said before. */
	hold(host: string, waitMs: number): void;
	isHeld(host: string): boolean;
}

export function createHostPace(clock: Clock): HostPace {
	/** Monotonic moments, one for each host of the registry. */
	const free = new Map<string, number>();
	const holds = new Map<string, { readonly until: number; readonly waitMs: number }>();
	const isHeld = (host: string): boolean => {
		const { until = 0, waitMs = 0 } = holds.get(host) ?? {};
		const leftMs = until - clock.now();
		// A clock that was set back must not keep us away for longer.
		return leftMs > 0 && leftMs <= waitMs;
	};
	return {
		hold(host, waitMs) {
			const until = clock.now() + waitMs;
			const { until: untilNow = 0 } = holds.get(host) ?? {};
			if (!isHeld(host) || until > untilNow) holds.set(host, { until, waitMs });
		},
		isHeld,
		async turn(host, { intervalMs, patienceMs }) {
			const now = clock.monotonicMs();
			const moment = Math.max(now, free.get(host) ?? now);
			const waitMs = moment - now;
			if (waitMs > patienceMs) return false;
			free.set(host, moment + intervalMs);
			if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
			return true;
		},
	};
}
