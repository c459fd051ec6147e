import { LEDGER_KEY_WINDOW_MS } from "../store.js";

const HOUR_MS = 3_600_000;
/** Hours forgotten when a new one begins: more than come, so that what a pause left behind goes. */
const FORGOTTEN_AT_ONCE = 2;

/** The keys that were added within one hour; append only. */
export interface KeyHour {
	readonly hour: number;
	readonly keys: readonly string[];
}

/**
 * Keys of recent ledger transactions: kept at least `LEDGER_KEY_WINDOW_MS` by the clock, an hour more while it runs
 * evenly, longer after a pause. A commit forgets them, never a look, and the oldest few at a time: a clock that leaps
 * ahead and comes back makes no recent key acceptable again.
 */
export interface KeyWindow {
	has(key: string): boolean;
	/**
	 * `at` is the time of the frame, so that a replay forgets what was forgotten. A clock that runs backwards does not
	 * make a key older: it joins the newest hour.
	 */
	add(key: string, at: number): void;
	size(): number;
	/** What is kept, oldest first, as of now; later additions do not show. */
	capture(): readonly KeyHour[];
}

export function createKeyWindow(kept: readonly KeyHour[] = []): KeyWindow {
	const known = new Set<string>();
	const hours: { readonly hour: number; readonly keys: string[] }[] = [];
	for (const { hour, keys } of kept) {
		hours.push({ hour, keys: [...keys] });
		for (const key of keys) known.add(key);
	}

	const forgetSome = (at: number) => {
		const oldest = Math.floor((at - LEDGER_KEY_WINDOW_MS) / HOUR_MS);
		for (let count = 0; count < FORGOTTEN_AT_ONCE; count++) {
			const [first] = hours;
			if (!first || first.hour >= oldest) return;
			for (const key of first.keys) known.delete(key);
			hours.shift();
		}
	};

	return {
		has: (key) => known.has(key),
		add(key, at) {
			const hour = Math.floor(at / HOUR_MS);
			let newest = hours.at(-1);
			if (!newest || hour > newest.hour) {
				forgetSome(at);
				newest = { hour, keys: [] };
				hours.push(newest);
			}
			newest.keys.push(key);
			known.add(key);
		},
		size: () => known.size,
		capture: () =>
			hours.map(({ hour, keys }, index) => ({
				hour,
				// Only the newest hour still grows.
				keys: index === hours.length - 1 ? keys.slice() : keys,
			})),
	};
}
