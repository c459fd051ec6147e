import type { Dice } from "./dice.js";
import type { Timeline } from "./timeline.js";

/** How a process ends in the middle of its work. */
export type Ending = "killed" | "power cut";

/** What becomes of one request to the disk or the network. */
export type Fate = "works" | "fails" | "dies";

/** One process between its start and its death. What it awaits after its death never comes. */
export interface Life {
	isAlive(): boolean;
	/** Takes some time and says how the request ends; with "dies" the caller does its part and calls `die`. */
	request(what: string): Promise<Fate>;
	/** Hands a value on, unless the process has died meanwhile. */
	ifAlive<T>(value: T): Promise<T>;
	die(): void;
	readonly died: Promise<Ending>;
}

export interface LifePlan {
	/** Dies at this request to the outer world; Infinity never. */
	readonly diesAt: number;
	readonly ending: Ending;
	/** The disk refuses this request. */
	readonly failsAt: number;
}

const LATENCY_MS = 0.6;

export function createLife(timeline: Timeline, dice: Dice, plan: LifePlan): Life {
	let isAlive = true;
	let requests = 0;
	let announce: (ending: Ending) => void = () => undefined;
	const died = new Promise<Ending>((resolve) => {
		announce = resolve;
	});
	const ifAlive = <T>(value: T): Promise<T> =>
		isAlive ? Promise.resolve(value) : new Promise(() => undefined);
	return {
		isAlive: () => isAlive,
		ifAlive,
		died,
		async request() {
			await ifAlive(undefined);
			await timeline.sleep(dice.next() * LATENCY_MS);
			await ifAlive(undefined);
			requests += 1;
			if (requests === plan.diesAt) return "dies";
			return requests === plan.failsAt ? "fails" : "works";
		},
		die() {
			isAlive = false;
			announce(plan.ending);
		},
	};
}
