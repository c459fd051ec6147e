import type { JobRow } from "../../store/store.js";
import { isOpenJob, type JobEventName, type JobJson } from "../contract/contract.js";
import { formatUsd, toIsoTime } from "../kernel/kernel.js";
import { JOB_LIMITS } from "./job-schemas.js";

export interface JobEvent {
	/** Rises by one or more from one event to the next, over restarts too. */
	readonly id: number;
	readonly event: JobEventName;
	readonly data: JobJson;
}

/** The events of one open job, for anyone who listens now or comes later. */
export type EventLog = ReturnType<typeof createEventLog>;

/** A log that begins where an earlier process may have ended: its ids are not given again. */
export function createEventLog(row: JobRow, earlier: readonly JobEvent[], firstFreeId: number) {
	const emitted: JobEvent[] = [createdEvent(row), ...earlier];
	const waiting = new Set<() => void>();
	let nextId = firstFreeId;
	let isOver = false;
	let listeners = 0;
	const wake = () => {
		for (const listener of waiting) listener();
		waiting.clear();
	};
	return {
		/** Keeps an event and sends it to listeners; beyond the bounds it is dropped. */
		emit(event: JobEventName, data: JobJson): void {
			if (isOver || emitted.length >= JOB_LIMITS.events) return;
			if (JSON.stringify(data).length > JOB_LIMITS.eventChars) return;
			emitted.push({ id: nextId, event, data });
			nextId += 1;
			wake();
		},
		/** Every event so far but the first, which follows from the row. */
		events: () => emitted.slice(1),
		lastId: () => nextId - 1,
		/** The last events of a job that has ended; after them there are none. */
		end(last: readonly JobEvent[]): void {
			if (!isOver) emitted.push(...last);
			isOver = true;
			wake();
		},
		/** Listeners go without a last event: the job goes on after a restart. */
		leave(): void {
			isOver = true;
			wake();
		},
		/** Everything after an id, until the end or until the signal is aborted. */
		async *follow(after: number, signal: AbortSignal): AsyncGenerator<JobEvent, void, undefined> {
			listeners += 1;
			try {
				let place = 0;
				while (!signal.aborted && !(isOver && place === emitted.length)) {
					if (place === emitted.length) await nextEvent(waiting, signal);
					const fresh = emitted.slice(place);
					place += fresh.length;
					yield* fresh.filter(({ id }) => id > after);
				}
			} finally {
				listeners -= 1;
			}
		},
		listeners: () => listeners,
	};
}

/** Resolves with the next event, or when the signal is aborted; leaves no listener behind. */
function nextEvent(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const done = () => {
			waiting.delete(done);
			signal.removeEventListener("abort", done);
			resolve();
		};
		waiting.add(done);
		signal.addEventListener("abort", done, { once: true });
		if (signal.aborted) done();
	});
}

/** The first event of every job. */
export function createdEvent({ id, mode, passes, createdAt }: JobRow): JobEvent {
	const data = { job_id: id, mode: mode ?? null, passes, created_at: toIsoTime(createdAt) };
	return { id: 1, event: "research.created", data };
}

const LAST_EVENT_OF: Readonly<Record<string, JobEventName>> = {
	completed: "research.completed",
	failed: "research.failed",
	cancelled: "research.cancelled",
};

/** What a job ends with: what it cost, then the one last event. */
export function lastEventsOf(row: JobRow): readonly JobEvent[] {
	const event = LAST_EVENT_OF[row.state];
	if (!event) return [];
	const { id, lastEventId, stopReason = null, considered, read } = row;
	const progress = { percent: row.percent, sources_considered: considered, sources_read: read };
	return [
		{ id: lastEventId - 1, event: "research.usage", data: { cost: toJobCost(row) } },
		{
			id: lastEventId,
			event,
			data: { job_id: id, status: row.state, stop_reason: stopReason, ...progress },
		},
	];
}

export function progressOf({ percent, passes, passesBegun, considered, read }: JobRow): JobJson {
	return {
		percent,
		pass: passes[passesBegun - 1] ?? null,
		pass_number: passesBegun,
		passes: passes.length,
		sources_considered: considered,
		sources_read: read,
	};
}

/** What a job costs, as its caller sees it at any time: the price while it is held, then what was taken of it. */
export function toJobCost(row: JobRow) {
	const isHeld = isOpenJob(row.state) && row.holdId !== undefined;
	const chargedMicros = row.chargedMicros ?? 0n;
	return {
		amount_usd: formatUsd(isHeld ? row.priceMicros : chargedMicros),
		price_usd: formatUsd(row.priceMicros),
		billing_type: row.billingType,
		rail: row.rail,
		receipt_id: row.receiptId ?? null,
		charged: chargedMicros > 0n,
		held: isHeld,
	};
}
