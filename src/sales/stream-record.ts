import type { SkillEvent } from "../contract/contract.js";

/** An event with its place in its stream, counted from 1. */
export interface NumberedEvent extends Pick<SkillEvent, "event" | "data"> {
	readonly id: number;
}

/** A stream that anybody who may can follow from any place on, while it runs and afterwards. */
export interface FollowedStream {
	readonly id: string;
	/** True when nothing behind this place is there or will ever come. */
	endsAt(after: number): boolean;
	/** Events behind a place, as they come; ends with the stream, or quietly with the signal. */
	follow(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void, undefined>;
}

/** A stream while it is being written. */
export interface StreamRecord extends FollowedStream {
	add(event: Pick<SkillEvent, "event" | "data">): void;
	/** Nothing follows; reported to everybody who waits. */
	end(): void;
	readonly events: readonly Pick<SkillEvent, "event" | "data">[];
}

export function createStreamRecord(
	id: string,
	kept: readonly Pick<SkillEvent, "event" | "data">[] = [],
): StreamRecord {
	const events = kept.map(({ event, data }) => ({ event, data }));
	const waiting = new Set<() => void>();
	let isEnded = false;
	const wake = () => {
		const woken = [...waiting];
		waiting.clear();
		for (const go of woken) go();
	};
	return {
		id,
		events,
		add(event) {
			events.push({ event: event.event, data: event.data });
			wake();
		},
		end() {
			isEnded = true;
			wake();
		},
		endsAt: (after) => isEnded && after >= events.length,
		async *follow(after, signal) {
			for (let place = after; !signal.aborted; ) {
				const next = events[place];
				if (next) {
					place += 1;
					yield { ...next, id: place };
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
