import { reachOf, type Spot, sizeAt, type View } from "./spots.js";

/** Pointer, wheel and keys over the drawing. */

const HIT_PIXELS = 14;

export interface Hands {
	readonly scenery: {
		readonly spots: readonly Spot[];
		readonly view: View;
		readonly chosen: Spot | undefined;
	};
	readonly pan: (dx: number, dy: number) => void;
	readonly zoom: (factor: number, at?: { readonly x: number; readonly y: number }) => void;
	readonly fit: () => void;
	readonly point: (spot: Spot | undefined) => void;
	readonly choose: (spot: Spot | undefined, isToBeSeen: boolean) => void;
	readonly onOpen: () => void;
}

export function listen(canvas: HTMLCanvasElement, hands: Hands): void {
	let drag: { x: number; y: number; far: number } | undefined;
	canvas.addEventListener(
		"wheel",
		(event) => {
			// Otherwise the page could not be scrolled past the drawing.
			if (!event.ctrlKey && document.activeElement !== canvas) return;
			event.preventDefault();
			hands.zoom(event.deltaY < 0 ? 1.12 : 0.89, { x: event.offsetX, y: event.offsetY });
		},
		{ passive: false },
	);
	canvas.addEventListener("pointerdown", (event) => {
		drag = { x: event.clientX, y: event.clientY, far: 0 };
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", (event) => {
		if (!drag) return hands.point(spotAt(hands, event));
		const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
		drag = { x: event.clientX, y: event.clientY, far: drag.far + Math.abs(dx) + Math.abs(dy) };
		hands.pan(dx, dy);
	});
	canvas.addEventListener("pointerup", (event) => {
		if (drag && drag.far < 5) hands.choose(spotAt(hands, event), false);
		drag = undefined;
	});
	canvas.addEventListener("pointercancel", () => {
		drag = undefined;
	});
	canvas.addEventListener("pointerleave", () => hands.point(undefined));
	canvas.addEventListener("keydown", (event) => onKey(event, hands));
}

/** A ring is a way to the kind it stands round. */
function spotAt(
	{ scenery: { spots, view } }: Hands,
	{ offsetX, offsetY }: MouseEvent,
): Spot | undefined {
	const { scale, x, y } = view;
	let [best, least]: [Spot | undefined, number] = [undefined, HIT_PIXELS];
	let round: Spot | undefined;
	for (const spot of spots) {
		if (!spot.isPlaced) continue;
		const far = Math.hypot(spot.x * scale + x - offsetX, spot.y * scale + y - offsetY);
		if (far - spot.radius * sizeAt(scale) < least) {
			[best, least] = [spot, far - spot.radius * sizeAt(scale)];
		}
		if (spot.rings > 0 && far < reachOf(spot) * scale) round = spot;
	}
	return best ?? round;
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number] | undefined>> = {
	ArrowLeft: [-1, 0],
	ArrowRight: [1, 0],
	ArrowUp: [0, -1],
	ArrowDown: [0, 1],
};

function onKey(event: KeyboardEvent, hands: Hands): void {
	const direction = DIRECTIONS[event.key];
	const actions: Readonly<Record<string, (() => void) | undefined>> = {
		"+": () => hands.zoom(1.25),
		"=": () => hands.zoom(1.25),
		"-": () => hands.zoom(0.8),
		"0": hands.fit,
		Escape: () => hands.choose(undefined, false),
		Enter: () => hands.scenery.chosen && hands.onOpen(),
	};
	const action = direction
		? () => {
				const next = nextSpot(hands.scenery, direction);
				if (next) hands.choose(next, true);
			}
		: actions[event.key];
	if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
	event.preventDefault();
	action();
}

/** The neighbor that lies that way, or the nearest mark that does where no neighbor is. */
function nextSpot(
	{ spots, chosen }: Hands["scenery"],
	[dx, dy]: readonly [number, number],
): Spot | undefined {
	if (!chosen) return spots[0];
	const bestOf = (among: readonly Spot[]): Spot | undefined => {
		let [best, least]: [Spot | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
		for (const spot of among) {
			const [x, y] = [spot.x - chosen.x, spot.y - chosen.y];
			const along = x * dx + y * dy;
			const aside = Math.abs(x * dy + y * dx);
			if (spot === chosen || along <= 0 || along < aside * 0.6) continue;
			const cost = along + 2.2 * aside;
			if (cost < least) [best, least] = [spot, cost];
		}
		return best;
	};
	return bestOf(chosen.near) ?? bestOf(spots);
}
