import type { Item, Mark } from "../../pages/explorer-model.js";
import type { createColors } from "./colors.js";
import { placeLabels } from "./labels.js";
import { RING, reachOf, ringPlace, type Spot, sizeAt, type View } from "./spots.js";

/** One frame of the drawing. */

export interface Picture {
	readonly spots: readonly Spot[];
	readonly links: readonly (readonly [Spot, Spot])[];
	readonly view: View;
	readonly chosen: Spot | undefined;
	readonly over: Spot | undefined;
	readonly found: ReadonlySet<Item> | undefined;
	/** While it is moved, links stand for others, so that it follows the hand. */
	readonly isMoving: boolean;
}

type Colors = ReturnType<typeof createColors>;
const PIXEL_RATIO_MAX = 2;
const LINKS_MOVING_MAX = 1_000;
const MARKS: readonly (readonly [Item["mark"], string])[] = [
	...([
		["source", "s3"],
		["host", "s5"],
		["topic", "s4"],
		["concept", "s1"],
	] as const),
	...([
		["kind", "ink-2"],
		["graph", "ink"],
	] as const),
];

export function paint(context: CanvasRenderingContext2D, colors: Colors, picture: Picture): void {
	const size = clear(context);
	const { chosen, over, found, spots, view } = picture;
	const focus = over ?? chosen;
	const lit = focus || found ? new Set(spots.filter((one) => isLit(one, focus, found))) : undefined;
	// A name that is looked for dims the rest, choosing only sets it back.
	const dim = over || found ? 0.28 : 0.75;
	const seen = spots.filter((spot) => spot.isPlaced && isInView(spot, view, size));
	paintLinks(context, colors, picture, { focus, dim: lit ? dim : 1 });
	for (const spot of seen) if (spot.rings > 0) paintRings(context, colors, spot, { view, size });
	for (const [mark, color] of MARKS) {
		const alike = seen.filter(({ item }) => item.mark === mark);
		context.fillStyle = colors.of(color);
		const [bright, dimmed] = parted(alike, lit);
		context.globalAlpha = dim;
		fillMarks(context, dimmed, view);
		context.globalAlpha = 1;
		fillMarks(context, bright, view);
	}
	if (chosen?.isPlaced) paintChosen(context, colors, chosen, view);
	placeLabels(context, colors, { seen, lit, focus, dim, size, view });
}

const ratioNow = () => Math.min(devicePixelRatio || 1, PIXEL_RATIO_MAX);

/** An empty canvas of the size that it has in the page. */
function clear(context: CanvasRenderingContext2D) {
	const { canvas } = context;
	const size = { width: canvas.clientWidth, height: canvas.clientHeight };
	const ratio = ratioNow();
	for (const side of ["width", "height"] as const) {
		const wanted = Math.round(size[side] * ratio);
		if (canvas[side] !== wanted) canvas[side] = wanted;
	}
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, size.width, size.height);
	return size;
}

function parted(spots: readonly Spot[], lit: ReadonlySet<Spot> | undefined) {
	if (!lit) return [spots, []] as const;
	return [spots.filter((spot) => lit.has(spot)), spots.filter((spot) => !lit.has(spot))] as const;
}

const isLit = (spot: Spot, focus: Spot | undefined, found: Picture["found"]): boolean =>
	spot === focus || focus?.near.includes(spot) === true || found?.has(spot.item) === true;

function isInView(
	spot: Spot,
	{ scale, x, y }: View,
	{ width, height }: { readonly width: number; readonly height: number },
): boolean {
	const reach = reachOf(spot) * scale + 20;
	const [px, py] = [spot.x * scale + x, spot.y * scale + y];
	return px > -reach && py > -reach && px < width + reach && py < height + reach;
}

/** Each line is a path of its own: one of thousands of lines takes a processor half as long again to fill. */
function paintLinks(
	context: CanvasRenderingContext2D,
	colors: Colors,
	{ links, isMoving, view: { scale, x, y } }: Picture,
	{ focus, dim }: { readonly focus: Spot | undefined; readonly dim: number },
): void {
	const line = ([one, other]: readonly [Spot, Spot]) => {
		if (!one.isPlaced || !other.isPlaced) return;
		context.beginPath();
		context.moveTo(one.x * scale + x, one.y * scale + y);
		context.lineTo(other.x * scale + x, other.y * scale + y);
		context.stroke();
	};
	context.lineWidth = 1;
	context.strokeStyle = colors.of("line-strong");
	context.globalAlpha = 0.34 * dim;
	const step = isMoving ? Math.ceil(links.length / LINKS_MOVING_MAX) : 1;
	for (let at = 0; at < links.length; at += step) line(links[at] as (typeof links)[number]);
	if (!focus) return;
	context.strokeStyle = colors.of("ink-2");
	context.globalAlpha = 0.95;
	for (const link of links) if (link.includes(focus)) line(link);
}

function paintRings(
	context: CanvasRenderingContext2D,
	colors: Colors,
	spot: Spot,
	{ view, size }: { view: View; size: { width: number; height: number } },
): void {
	const ratio = ratioNow();
	const radius = Math.max(0.7, RING.radius * Math.min(2.2, view.scale));
	const ring = colors.ring(radius, ratio);
	const half = ring.width / ratio / 2;
	context.globalAlpha = 0.9;
	for (let at = 0; at < spot.rings; at++) {
		const [x, y] = ringPlace(spot, at);
		const [px, py] = [x * view.scale + view.x, y * view.scale + view.y];
		if (px < -half || py < -half || px > size.width + half || py > size.height + half) continue;
		context.drawImage(ring, px - half, py - half, 2 * half, 2 * half);
	}
}

function fillMarks(
	context: CanvasRenderingContext2D,
	spots: readonly Spot[],
	{ scale, x, y }: View,
): void {
	for (const spot of spots) {
		const radius = spot.radius * sizeAt(scale);
		context.beginPath();
		SHAPES[spot.item.mark](context, spot.x * scale + x, spot.y * scale + y, radius);
		context.fill("evenodd");
	}
}

type Outline = (context: CanvasRenderingContext2D, x: number, y: number, radius: number) => void;
const circle: Outline = (context, x, y, radius) => {
	context.moveTo(x + radius, y);
	context.arc(x, y, radius, 0, 2 * Math.PI);
};
const polygon =
	(...corners: readonly (readonly [number, number])[]): Outline =>
	(context, x, y, radius) => {
		for (const [at, [dx, dy]] of corners.entries()) {
			if (at === 0) context.moveTo(x + dx * radius, y + dy * radius);
			else context.lineTo(x + dx * radius, y + dy * radius);
		}
		context.closePath();
	};
const SHAPES: Readonly<Record<Exclude<Mark, "paid">, Outline>> = {
	graph: circle,
	concept: circle,
	kind: (context, x, y, radius) => {
		circle(context, x, y, radius);
		circle(context, x, y, radius * 0.5);
	},
	topic: polygon([0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]),
	source: polygon([-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]),
	host: polygon([0, -1.15], [1.1, 0.85], [-1.1, 0.85]),
};

function paintChosen(
	context: CanvasRenderingContext2D,
	colors: Colors,
	spot: Spot,
	{ scale, x, y }: View,
): void {
	context.globalAlpha = 1;
	context.lineWidth = 2.5;
	context.strokeStyle = colors.of("focus");
	context.beginPath();
	circle(context, spot.x * scale + x, spot.y * scale + y, spot.radius * sizeAt(scale) + 4);
	context.stroke();
}
