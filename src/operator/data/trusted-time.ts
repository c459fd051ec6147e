import type { Store } from "../../../store/store.js";
import { type Clock, type Logger, ServiceError, toIsoTime } from "../../kernel/kernel.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The one row of its table. */
const ROW = "clock";

interface Seen {
	readonly now: number;
	readonly expectedAt: number;
}

function report(logger: Pick<Logger, "error">, { now, expectedAt }: Seen): void {
	const help = "Set the clock right; where it is right, run: tollgraph clock accept";
	logger.error(
		"the clock is more than a day ahead of where it should be: nothing is deleted and no schedule runs",
		{ clock: toIsoTime(now), expected: toIsoTime(expectedAt), help },
	);
}

export type TrustedTime = ReturnType<typeof createTrustedTime>;

/**
 * Whether the time of this machine can be trusted: it may be at most a day beyond the last moment that the store knows and
 * what the process has run since. A clock that is wrong by a year must not delete what has a year to live (docs/adr/0061).
 */
export function createTrustedTime({
	store,
	clock,
	logger,
}: {
	readonly store: Pick<Store, "read" | "transaction">;
	readonly clock: Clock;
	readonly logger: Pick<Logger, "error">;
}) {
	let last: { readonly at: number; readonly readAtMs: number } | undefined;
	let savedAt = 0;
	let isReported = false;
	const open = async () => {
		const row = await store.read((reader) => reader.get("trusted_times", ROW));
		savedAt = row?.at ?? 0;
		last ??= { at: row?.at ?? clock.now(), readAtMs: clock.monotonicMs() };
		return last;
	};
	const save = async (at: number) => {
		await store.transaction((tx) => tx.put("trusted_times", { id: ROW, at }));
		savedAt = at;
	};
	/** Where the clock should be by now. */
	const look = async () => {
		const { at, readAtMs } = last ?? (await open());
		const expectedAt = at + (clock.monotonicMs() - readAtMs);
		const now = clock.now();
		return { now, expectedAt, isTrusted: now - expectedAt <= DAY_MS };
	};
	return {
		/** Whether what time decides may be done now; keeps the moment on the disk, once an hour. */
		async check(): Promise<boolean> {
			const seen = await look();
			if (!seen.isTrusted) {
				if (!isReported) report(logger, seen);
				isReported = true;
				return false;
			}
			isReported = false;
			// A clock that was put back, or has not been set yet after a start, takes nothing away from what is known.
			const at = Math.max(seen.now, seen.expectedAt);
			last = { at, readAtMs: clock.monotonicMs() };
			if (at - savedAt >= HOUR_MS) await save(at);
			return true;
		},
		/** Throws CONFLICT while the time cannot be trusted. */
		async assertTrusted(): Promise<void> {
			const { now, expectedAt, isTrusted } = await look();
			if (isTrusted) return;
			throw new ServiceError(
				"CONFLICT",
				`The clock says ${toIsoTime(now)}, more than a day after ${toIsoTime(expectedAt)}, where it should be; nothing is deleted by it. Set the clock right, or run "tollgraph clock accept" where it is right.`,
			);
		},
		/** The clock, and where it should be at most a day before. */
		async state() {
			const { now, expectedAt, isTrusted } = await look();
			return {
				status: isTrusted ? ("trusted" as const) : ("ahead" as const),
				now: toIsoTime(now),
				expected: toIsoTime(expectedAt),
			};
		},
		/** The operator says that the clock is right. */
		async accept() {
			const at = clock.now();
			last = { at, readAtMs: clock.monotonicMs() };
			isReported = false;
			await save(at);
			return { status: "trusted" as const, now: toIsoTime(at), expected: toIsoTime(at) };
		},
	};
}
