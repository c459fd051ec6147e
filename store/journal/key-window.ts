import { LEDGER_KEY_WINDOW_MS } from "../store.js";

const HOUR_MS = 3_600_000;

/** The keys that were added within one hour; append only. */
export interface KeyHour {
	readonly hour: number;
	readonly keys: readonly string[];
}

/** Keys of recent ledger transactions: kept at least `LEDGER_KEY_WINDOW_MS` by the clock, and an hour more at most. */
export interface KeyWindow {
	has(key: string, now: number): boolean;
	/** A clock that runs backwards does not make a key older: it joins the newest hour. */
	add(key: string, now: number): void;
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

	const forgetBefore = (now: number) => {
		const oldest = Math.floor((now - LEDGER_KEY_WINDOW_MS) / HOUR_MS);
		while (hours[0] && hours[0].hour < oldest) {
			for (const key of hours[0].keys) known.delete(key);
			hours.shift();
		}
	};

	return {
		has(key, now) {
			forgetBefore(now);
			return known.has(key);
		},
		add(key, now) {
			const hour = Math.floor(now / HOUR_MS);
			let newest = hours.at(-1);
			if (!newest || hour > newest.hour) {
				forgetBefore(now);
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
