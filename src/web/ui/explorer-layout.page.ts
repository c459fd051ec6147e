/** A thread of its own: finds a place for each mark, so that the page stays quick meanwhile. */
import {
	forceCollide,
	forceLink,
	forceManyBody,
	forceSimulation,
	forceX,
	forceY,
	type SimulationNodeDatum,
} from "d3-force";

export interface LayoutOrder {
	/** Replies carry it: an order ends the one before. */
	readonly run: number;
	/** Radius of each mark with what stands round it, and its place, two numbers each; NaN where it has none yet. */
	readonly radii: Float32Array;
	readonly places: Float32Array;
	/** Pairs of marks, and how far the ends of each stand apart. */
	readonly links: Uint32Array;
	readonly lengths: Float32Array;
	/** Only the end is sent, for who wants nothing to move. */
	readonly isStill: boolean;
}

export interface LayoutReply {
	readonly run: number;
	readonly places: Float32Array;
	readonly isDone: boolean;
}

interface Body extends SimulationNodeDatum {
	readonly radius: number;
}

/** It works and rests by turns: machines with few cores paint meanwhile. */
const TURN_MS = 20;
const REST_MS = 16;
const thread = globalThis as unknown as {
	onmessage: (event: MessageEvent<LayoutOrder>) => void;
	postMessage(reply: LayoutReply, transfer: readonly ArrayBuffer[]): void;
};
let current = 0;

thread.onmessage = ({ data: order }) => {
	current = order.run;
	const bodies = toBodies(order);
	const simulation = forceSimulation(bodies)
		.force(
			"charge",
			forceManyBody<Body>().strength(({ radius }) => -26 - radius * 4),
		)
		.force(
			"links",
			forceLink<Body, Tie>(toLinks(order)).distance(({ length }) => length),
		)
		.force(
			"apart",
			forceCollide<Body>(({ radius }) => radius + 4),
		)
		.force("x", forceX(0).strength(0.04))
		.force("y", forceY(0).strength(0.055))
		// What was placed before moves little.
		.alpha(order.places.some((place) => !Number.isNaN(place)) ? 0.5 : 1)
		.alphaDecay(0.03)
		.stop();
	const go = () => {
		if (order.run !== current) return;
		const startedMs = performance.now();
		while (simulation.alpha() > simulation.alphaMin() && performance.now() - startedMs < TURN_MS) {
			simulation.tick();
		}
		const isDone = simulation.alpha() <= simulation.alphaMin();
		if (isDone || !order.isStill) send(order.run, bodies, isDone);
		if (!isDone) setTimeout(go, REST_MS);
	};
	go();
};

function toBodies({ radii, places }: LayoutOrder): Body[] {
	return [...radii].map((radius, at) => {
		const [x = Number.NaN, y = Number.NaN] = [places[2 * at], places[2 * at + 1]];
		// The graph itself is the middle.
		if (at === 0) return { radius, fx: 0, fy: 0 };
		return Number.isNaN(x) ? { radius } : { radius, x, y };
	});
}

interface Tie {
	readonly source: number;
	readonly target: number;
	readonly length: number;
}

function toLinks({ links, lengths }: LayoutOrder): Tie[] {
	return Array.from(lengths, (length, at) => ({
		...{ source: links[2 * at] ?? 0, target: links[2 * at + 1] ?? 0 },
		length,
	}));
}

function send(run: number, bodies: readonly Body[], isDone: boolean): void {
	const places = Float32Array.from(bodies.flatMap(({ x = 0, y = 0 }) => [x, y]));
	thread.postMessage({ run, places, isDone }, [places.buffer]);
}
