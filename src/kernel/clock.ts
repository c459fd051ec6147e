/** Time, injected: nothing else in this codebase reads the clock or sets timers. */
export interface Clock {
	/** Milliseconds since the epoch; may jump backwards with the system clock. */
	now(): number;
	/** Milliseconds that never run backwards; for durations only. */
	monotonicMs(): number;
	/** Runs the task again and again until the returned function is called; never keeps the process alive. */
	every(intervalMs: number, task: () => void): () => void;
	/**
	 * Runs the task once, unless the returned function is called before; keeps the process alive only where a promise that
	 * someone waits for hangs on it.
	 */
	after(delayMs: number, task: () => void, waits?: "awaited"): () => void;
}

export const systemClock: Clock = {
	now: Date.now,
	monotonicMs: performance.now.bind(performance),
	every(intervalMs, task) {
		const timer = setInterval(task, intervalMs);
		timer.unref();
		return () => clearInterval(timer);
	},
	after(delayMs, task, waits) {
		const timer = setTimeout(task, delayMs);
		if (waits !== "awaited") timer.unref();
		return () => clearTimeout(timer);
	},
};

/** Resolves after the time, or when the signal is aborted. */
export function pause(
	delayMs: number,
	{ clock, signal }: { readonly clock: Pick<Clock, "after">; readonly signal: AbortSignal },
): Promise<void> {
	return new Promise((resolve) => {
		const end = () => {
			cancel();
			signal.removeEventListener("abort", end);
			resolve();
		};
		const cancel = clock.after(delayMs, end);
		signal.addEventListener("abort", end, { once: true });
		if (signal.aborted) end();
	});
}

/** Resolves after the time; the process stays for it. */
export function wait(delayMs: number, clock: Pick<Clock, "after">): Promise<void> {
	return new Promise((resolve) => void clock.after(delayMs, resolve, "awaited"));
}

/** Does it up to `tries` times, until it does not throw; throws what the last one did. */
export async function tryAgain<T>(
	work: () => Promise<T>,
	{ clock, tries, everyMs }: { clock: Pick<Clock, "after">; tries: number; everyMs: number },
): Promise<T> {
	for (let left = tries; ; left--) {
		try {
			return await work();
		} catch (error) {
			if (left <= 1) throw error;
			await wait(everyMs, clock);
		}
	}
}

/** `2026-01-31T23:59:59.123Z` of an instant in milliseconds. */
export function toIsoTime(ms: number): string {
	return new Date(ms).toISOString();
}

/** UTC day, `2026-01-31`, of an instant in milliseconds. */
export function toIsoDay(ms: number): string {
	return toIsoTime(ms).slice(0, 10);
}

/** UTC month, `2026-01`, of an instant in milliseconds. */
export function toIsoMonth(ms: number): string {
	return toIsoTime(ms).slice(0, 7);
}

/** The instant at which the next UTC month begins. */
export function nextUtcMonth(ms: number): number {
	const date = new Date(ms);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
