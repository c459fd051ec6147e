/** A mutex for each key, first come, first served. */
export interface TurnQueue {
	/** Whether other processes wait in it as well. */
	readonly isShared: boolean;
	/**
	 * Resolves to the function that releases the key. Rejects with the signal's reason when that is aborted before, and with what
	 * `admit` throws, which is given how many hold or wait already.
	 */
	enter(key: string, options?: TurnOptions): Promise<() => void>;
	/** Lets those go on that wait for processes which have ended. */
	forgetEnded(): Promise<void>;
}

export interface TurnOptions {
	readonly signal?: AbortSignal;
	readonly admit?: (size: number) => void;
}

interface Line {
	last: Promise<void>;
	size: number;
}

export function createTurnQueue(): TurnQueue {
	const lines = new Map<string, Line>();
	return {
		isShared: false,
		forgetEnded: async () => undefined,
		async enter(key, { signal, admit } = {}) {
			admit?.(lines.get(key)?.size ?? 0);
			const line = lines.get(key) ?? { last: Promise.resolve(), size: 0 };
			lines.set(key, line);
			line.size += 1;
			const before = line.last;
			let letNext = () => undefined as unknown;
			const mine = new Promise<void>((resolve) => {
				letNext = () => resolve();
			});
			line.last = before.then(() => mine);
			let isDone = false;
			const leave = () => {
				if (isDone) return;
				isDone = true;
				line.size -= 1;
				if (line.size === 0) lines.delete(key);
				letNext();
			};
			try {
				await (signal ? unlessAborted(before, signal) : before);
				signal?.throwIfAborted();
			} catch (error) {
				leave();
				throw error;
			}
			return leave;
		},
	};
}

async function unlessAborted(awaited: Promise<void>, signal: AbortSignal): Promise<void> {
	let go = () => undefined as unknown;
	const left = new Promise<never>((_, reject) => {
		go = () => reject(signal.reason);
		signal.addEventListener("abort", go, { once: true });
	});
	try {
		await Promise.race([awaited, left]);
	} finally {
		signal.removeEventListener("abort", go);
	}
}
