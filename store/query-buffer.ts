import { type Clock, toIsoDay } from "../src/kernel/kernel.js";
import { createSerialQueue } from "./serial-queue.js";
import type { QueryLogRow } from "./store-port.js";

const FLUSH_MS = 1_000;
/** Written early beyond this, dropped beyond eight times this. */
const FLUSH_CHARS = 256 * 1024;
const MAX_CHARS = 8 * FLUSH_CHARS;

/** A row as it is to be written: its UTC day, its owner, and its JSON. */
export interface QueryLine {
	readonly day: string;
	readonly owner: string;
	readonly json: string;
	/** With the end of its line. */
	readonly chars: number;
}

/** Rows of the query log on their way to where they are kept: what cannot be written costs rows, never a call. */
export function createQueryBuffer({
	clock,
	write,
	onDropped,
}: {
	readonly clock: Clock;
	/** Keeps the rows of one day; those it throws for are lost. */
	readonly write: (day: string, lines: readonly QueryLine[]) => Promise<void>;
	/** Called, at most once for each time the rows are written, with how many were lost. */
	readonly onDropped?: ((count: number) => void) | undefined;
}) {
	const inTurn = createSerialQueue();
	let lines: QueryLine[] = [];
	let chars = 0;
	let dropped = 0;
	const stopTimer = clock.every(FLUSH_MS, () => void flush());

	const writeAll = async () => {
		const taken = lines;
		lines = [];
		chars = 0;
		for (const day of new Set(taken.map((line) => line.day))) {
			const ofDay = taken.filter((line) => line.day === day);
			await write(day, ofDay).catch(() => {
				dropped += ofDay.length;
			});
		}
		if (dropped > 0) onDropped?.(dropped);
		dropped = 0;
	};
	const flush = () => inTurn(writeAll);

	return {
		append(row: QueryLogRow): void {
			const line = toLine(row);
			if (line === undefined || chars + line.chars > MAX_CHARS) {
				dropped += 1;
				return;
			}
			lines.push(line);
			chars += line.chars;
			// Once, when the line is crossed.
			if (chars > FLUSH_CHARS && chars - line.chars <= FLUSH_CHARS) void flush();
		},
		/** Runs a task between two writes, after what waits is written. */
		afterAll: <T>(task: () => Promise<T>): Promise<T> =>
			inTurn(async () => {
				await writeAll();
				return task();
			}),
		/** Runs a task between two writes, after the rows of days before one are forgotten. */
		withoutBefore: <T>(day: string, task: () => Promise<T>): Promise<T> =>
			inTurn(async () => {
				lines = lines.filter((line) => line.day >= day);
				chars = lines.reduce((sum, line) => sum + line.chars, 0);
				return task();
			}),
		async close(): Promise<void> {
			stopTimer();
			await flush();
		},
	};
}

/** Undefined for a row that has no day or no JSON: logging must not throw into a call. */
function toLine(row: QueryLogRow): QueryLine | undefined {
	try {
		const json = JSON.stringify(row);
		return { day: toIsoDay(row.at), owner: row.owner, json, chars: json.length + 1 };
	} catch {
		return undefined;
	}
}
