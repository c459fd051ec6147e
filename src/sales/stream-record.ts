import type { SkillEvent } from "../contract/contract.js";

/** An event with its place in its stream, counted from 1. */
export interface NumberedEvent extends Pick<SkillEvent, "event" | "data"> {
	readonly id: number;
}

/** A stream while it is being written. */
export type StreamRecord = ReturnType<typeof createStreamRecord>;

/** A stream that anybody who may can follow from any place on, while it runs and afterwards. */
export type FollowedStream = Pick<StreamRecord, "id" | "endsAt" | "follow">;

/** More than a stream has events; ids of events have six digits. */
const PLACES = 10_000;
export const GENERATIONS_MAX = 90;

/**
 * Events of a stream that was begun anew have higher ids than any of the earlier ones: a place in an earlier one is before its
 * first event, so that nothing of it is left out.
 */
export function createStreamRecord(
	id: string,
	kept: readonly Pick<SkillEvent, "event" | "data">[] = [],
	generation = 0,
) {
	const before = generation * PLACES;
	const events: Pick<SkillEvent, "event" | "data">[] = kept.map(({ event, data }) => ({
		event,
		data,
	}));
	const waiting = new Set<() => void>();
	let isEnded = false;
	const wake = () => {
		const woken = [...waiting];
		waiting.clear();
		for (const go of woken) go();
	};
	return {
		...{ id, generation },
		events: events as readonly Pick<SkillEvent, "event" | "data">[],
		add(event: Pick<SkillEvent, "event" | "data">): void {
			events.push({ event: event.event, data: event.data });
			wake();
		},
		/** Nothing follows; reported to everybody who waits. */
		end(): void {
			isEnded = true;
			wake();
		},
		/** True when nothing behind this place is there or will ever come. */
		endsAt: (after: number) => isEnded && after - before >= events.length,
		/** Events behind a place, as they come; ends with the stream, or quietly with the signal. */
		async *follow(
			after: number,
			signal: AbortSignal,
		): AsyncGenerator<NumberedEvent, void, undefined> {
			for (let place = Math.max(0, after - before); !signal.aborted; ) {
				const next = events[place];
				if (next) {
					place += 1;
					yield { ...next, id: before + place };
				} else if (isEnded) return;
				else await untilWoken(waiting, signal);
			}
		},
	};
}

/** Leaves neither a waiter nor a listener behind, whichever comes first. */
function untilWoken(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const go = () => {
			waiting.delete(go);
			signal.removeEventListener("abort", go);
			resolve();
		};
		waiting.add(go);
		signal.addEventListener("abort", go, { once: true });
	});
}
