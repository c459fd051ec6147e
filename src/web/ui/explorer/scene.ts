import type { Drawn, Item } from "../../pages/explorer-model.js";
import type { LayoutOrder, LayoutReply } from "../explorer-layout.page.js";
import { createColors } from "./colors.js";
import { listen } from "./hands.js";
import { type Picture, paint } from "./painter.js";
import {
	centered,
	fitted,
	lengthOf,
	middleOf,
	reachOf,
	type Spot,
	toSpots,
	type View,
	zoomed,
} from "./spots.js";

/** The drawing: a canvas for the eyes, moved by pointer, wheel and keyboard. */

export interface SceneOptions {
	readonly layoutAddress: string;
	/** Undefined when what was chosen is let go. */
	readonly onChoose: (item: Item | undefined) => void;
	readonly onOpen: () => void;
}

interface Scenery extends Picture {
	spots: readonly Spot[];
	links: readonly (readonly [Spot, Spot])[];
	view: View;
	chosen: Spot | undefined;
	over: Spot | undefined;
	found: ReadonlySet<Item> | undefined;
	byId: Map<string, Spot>;
	/** Also of what is not drawn at the moment. */
	readonly known: Map<string, Spot>;
	/** What the view follows while marks find their places; nothing once the reader has moved it. */
	follows: "all" | "chosen" | "nothing";
	isMoving: boolean;
}

export function createScene(canvas: HTMLCanvasElement, options: SceneOptions) {
	const { layoutAddress, onChoose, onOpen } = options;
	const scenery: Scenery = {
		...{ spots: [], links: [], byId: new Map(), known: new Map() },
		...{ view: { scale: 1, x: 0, y: 0 }, follows: "all" as const },
		...{ chosen: undefined, over: undefined, found: undefined, isMoving: false },
	};
	const draw = createPainter(canvas, scenery);
	const noteMove = createMoveNote(scenery, draw);
	const layout = startLayout(layoutAddress, (places, isDone) => {
		takePlaces(scenery, places);
		noteMove();
		canvas.dataset["state"] = isDone ? "settled" : "moving";
		follow();
	});
	const move = (view: View, follows: Scenery["follows"] = "nothing") => {
		Object.assign(scenery, { view, follows });
		noteMove();
		draw();
	};
	const follow = () => {
		const { follows, spots, chosen, view } = scenery;
		if (follows === "all") scenery.view = fitted(spots, canvas);
		if (follows === "chosen" && chosen?.isPlaced) scenery.view = centered(chosen, view, canvas);
		draw();
	};
	const choose = (spot: Spot | undefined, isToBeSeen: boolean) => {
		scenery.chosen = spot;
		if (spot?.isPlaced && isToBeSeen) move(centered(spot, scenery.view, canvas), "chosen");
		draw();
		onChoose(spot?.item);
	};
	const fit = () => move(fitted(scenery.spots, canvas), "all");
	const zoom = (factor: number, at = middleOf(canvas)) => move(zoomed(scenery.view, factor, at));
	new ResizeObserver(follow).observe(canvas);
	listen(canvas, {
		...{ zoom, fit, choose, onOpen, scenery },
		pan: (dx, dy) => {
			const { view } = scenery;
			move({ ...view, x: view.x + dx, y: view.y + dy });
		},
		point: (spot) => {
			if (spot === scenery.over) return;
			scenery.over = spot;
			canvas.style.cursor = spot ? "pointer" : "grab";
			draw();
		},
	});
	return {
		/** Draws these from now on; what stood there keeps its place and moves little. */
		show(drawn: Drawn) {
			if (!replace(scenery, drawn)) return;
			// What was filtered away and is back stands where it stood; only what is new makes all others move.
			const isMoving = canvas.dataset["state"] === "moving";
			if (!isMoving && scenery.spots.every(({ isPlaced }) => isPlaced)) return draw();
			canvas.dataset["state"] = "moving";
			layout(scenery.spots, scenery.links);
		},
		/** What a search has found stands out; undefined for none. */
		mark(found: ReadonlySet<Item> | undefined) {
			scenery.found = found;
			draw();
		},
		choose: (id: string) => choose(scenery.byId.get(id), true),
		zoom,
		fit,
	};
}

export type Scene = ReturnType<typeof createScene>;

/** At most one frame is painted for whatever changed since the last. */
function createPainter(canvas: HTMLCanvasElement, scenery: Scenery): () => void {
	const context = canvas.getContext("2d") as CanvasRenderingContext2D;
	let isQueued = false;
	const draw = () => {
		if (isQueued) return;
		isQueued = true;
		requestAnimationFrame(() => {
			isQueued = false;
			paint(context, colors, scenery);
		});
	};
	const colors = createColors(canvas, draw);
	return draw;
}

const REST_MS = 160;

/** Says that the drawing moves, until it has rested for a moment; then it is drawn in full. */
function createMoveNote(scenery: Scenery, draw: () => void): () => void {
	let timer: ReturnType<typeof setTimeout> | undefined;
	return () => {
		scenery.isMoving = true;
		clearTimeout(timer);
		timer = setTimeout(() => {
			scenery.isMoving = false;
			draw();
		}, REST_MS);
	};
}

function takePlaces({ spots }: Scenery, places: Float32Array): void {
	for (const [at, spot] of spots.entries()) {
		spot.x = places[2 * at] ?? 0;
		spot.y = places[2 * at + 1] ?? 0;
		spot.isPlaced = true;
	}
}

/** False where these are drawn already. */
function replace(scenery: Scenery, drawn: Drawn): boolean {
	const { spots, links, known, byId, chosen } = scenery;
	for (const spot of spots) if (spot.isPlaced) known.set(spot.item.id, spot);
	const fresh = toSpots(drawn, new Map([...known, ...byId]));
	const isSame =
		fresh.spots.length === spots.length &&
		fresh.links.length === links.length &&
		fresh.spots.every(
			({ item, rings }, at) => item === spots[at]?.item && rings === spots[at]?.rings,
		);
	if (isSame) return false;
	Object.assign(scenery, fresh, { over: undefined });
	scenery.chosen = chosen && fresh.byId.get(chosen.item.id);
	return true;
}

function startLayout(
	address: string,
	onPlaces: (places: Float32Array, isDone: boolean) => void,
): (spots: readonly Spot[], links: readonly (readonly [Spot, Spot])[]) => void {
	const worker = new Worker(address, { type: "module" });
	const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
	let run = 0;
	worker.onmessage = ({ data }: MessageEvent<LayoutReply>) => {
		if (data.run === run) onPlaces(data.places, data.isDone);
	};
	return (spots, links) => {
		run += 1;
		const numbers = new Map(spots.map((spot, at) => [spot, at]));
		const order: LayoutOrder = {
			run,
			isStill,
			radii: Float32Array.from(spots, reachOf),
			places: Float32Array.from(spots.flatMap(({ x, y }) => [x, y])),
			lengths: Float32Array.from(links, lengthOf),
			links: Uint32Array.from(
				links.flatMap(([one, other]) => [numbers.get(one) ?? 0, numbers.get(other) ?? 0]),
			),
		};
		worker.postMessage(order);
	};
}
