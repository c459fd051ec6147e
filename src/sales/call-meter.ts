import type { Store } from "../../store/store.js";
import type { Invoke } from "../contract/contract.js";
import { toServiceError } from "../http/http.js";
import { type Clock, type ErrorCode, toIsoDay } from "../kernel/kernel.js";

/** How a call ended; only those that were answered can be in the books. */
const ENDINGS = ["answered", "challenged", "refused", "failed"] as const;
type Ending = (typeof ENDINGS)[number];

const OUR_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
	"INTERNAL",
	"UPSTREAM",
	"SETTLEMENT_UNKNOWN",
	"UNAVAILABLE",
]);

/** The latest calls, of which percentiles are told. */
const LATENCIES_MAX = 2_000;
const FLUSH_MS = 60_000;

export type CallMeter = ReturnType<typeof createCallMeter>;
export type CallCounts = Readonly<Record<Ending, number>>;

/** Counts how calls end, over all transports; a crash loses the counts of its last minute, and no money depends on them. */
export function createCallMeter({ store, clock }: { store: Store; clock: Clock }) {
	let unwritten = new Map<string, number>();
	const latenciesMs: number[] = [];
	let calls = 0;
	const add = (id: string) => unwritten.set(id, (unwritten.get(id) ?? 0) + 1);
	const count = (ending: Ending, startedMs: number) => {
		add(counterOf(toIsoDay(clock.now()), ending));
		latenciesMs[calls++ % LATENCIES_MAX] = clock.monotonicMs() - startedMs;
	};
	const flush = async (): Promise<void> => {
		if (unwritten.size === 0) return;
		const counts = unwritten;
		unwritten = new Map();
		await store.transaction(async (tx) => {
			for (const [id, more] of counts) {
				const value = ((await tx.get("counters", id))?.value ?? 0) + more;
				await tx.put("counters", { id, value });
			}
		});
	};
	const readRows = async () => {
		await flush();
		return store.read((reader) => reader.list("counters"));
	};
	return {
		watch:
			(invoke: Invoke): Invoke =>
			async (call) => {
				const startedMs = clock.monotonicMs();
				try {
					const result = await invoke(call);
					count("answered", startedMs);
					return result;
				} catch (error) {
					const { code } = toServiceError(error);
					count(endingOf(code), startedMs);
					add(`${REASON}|${toIsoDay(clock.now())}|${code}`);
					throw error;
				}
			},
		flush,
		/** Writes the counts now and then; returns how to stop. */
		start: () => clock.every(FLUSH_MS, () => void flush().catch(() => undefined)),
		/** Calls without a result by the code of their error, the most first; days are of UTC, both included. */
		async reasonsOf({ from = "", to = "9999" }: DaySpan) {
			const sums = new Map<ErrorCode, number>();
			for (const { id, value } of await readRows()) {
				const [kind, day = "", code = ""] = id.split("|");
				if (kind !== REASON || day < from || day > to) continue;
				sums.set(code as ErrorCode, (sums.get(code as ErrorCode) ?? 0) + value);
			}
			return [...sums]
				.map(([code, calls]) => ({ code, calls, ending: endingOf(code) }))
				.sort((one, other) => other.calls - one.calls || (one.code < other.code ? -1 : 1));
		},
		/** Of UTC days, both included. */
		async countsOf({ from = "", to = "9999" }: DaySpan) {
			const rows = await readRows();
			const sums: Record<Ending, number> = { answered: 0, challenged: 0, refused: 0, failed: 0 };
			for (const { id, value } of rows) {
				const [kind, day = "", ending = ""] = id.split("|");
				const known = ENDINGS.find((one) => one === ending);
				if (kind === KIND && known && day >= from && day <= to) sums[known] += value;
			}
			return sums satisfies CallCounts;
		},
		/** Of the latest calls, in milliseconds; null before the first one. */
		latency() {
			const sorted = [...latenciesMs].sort((one, other) => one - other);
			const at = (share: number) => {
				const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
				return found === undefined ? null : Math.round(found);
			};
			return { calls: sorted.length, p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) };
		},
	};
}

interface DaySpan {
	readonly from?: string | undefined;
	readonly to?: string | undefined;
}

const KIND = "calls";
const REASON = "reasons";
const counterOf = (day: string, ending: Ending) => `${KIND}|${day}|${ending}`;

/** How a call without a result ended, by the code of its error. */
export function endingOf(code: ErrorCode): Exclude<Ending, "answered"> {
	if (code === "PAYMENT_REQUIRED") return "challenged";
	return OUR_FAILURES.has(code) ? "failed" : "refused";
}
