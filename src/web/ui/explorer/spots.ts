import type { Drawn, Item } from "../../pages/explorer-model.js";

/** Where marks stand, and how much of that is in view. */

/** A mark in its place; `rings` of concepts without a name stand round it. */
export interface Spot {
	readonly item: Item;
	readonly radius: number;
	readonly rings: number;
	readonly near: Spot[];
	x: number;
	y: number;
	isPlaced: boolean;
}

export interface View {
	/** Pixels of the canvas per unit of the layout, and where its middle lies. */
	readonly scale: number;
	readonly x: number;
	readonly y: number;
}

const SCALE = { least: 0.05, most: 6, toRead: 1.1 } as const;
const RADII: Readonly<Record<Item["mark"], number>> = {
	...{ graph: 12, kind: 7, concept: 5.5, topic: 4.5, source: 4, host: 5.5 },
};
export const RING = { radius: 2.6, step: 6.4 } as const;
/** Neighboring rings of a sunflower stand this far apart, in turns. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** What was drawn before keeps its place. */
export function toSpots({ items, rings }: Drawn, known: ReadonlyMap<string, Spot>) {
	const byId = new Map<string, Spot>();
	for (const item of items) {
		const { x = Number.NaN, y = Number.NaN, isPlaced = false } = known.get(item.id) ?? {};
		const place = { x, y, isPlaced };
		const own = { item, rings: rings.get(item.id) ?? 0, radius: RADII[item.mark] };
		byId.set(item.id, { ...own, ...place, near: [] });
	}
	const spots = [...byId.values()];
	const links = spots.flatMap((spot) => linksOf(spot, byId));
	for (const spot of spots) if (!spot.isPlaced) standBeside(spot);
	return { spots, links, byId };
}

/** Each link comes from one of its ends alone. */
function linksOf(spot: Spot, byId: ReadonlyMap<string, Spot>): (readonly [Spot, Spot])[] {
	const links: (readonly [Spot, Spot])[] = [];
	for (const id of spot.item.links.keys()) {
		const other = byId.get(id);
		if (!other) continue;
		spot.near.push(other);
		if (spot.item.id < id) links.push([spot, other]);
	}
	return links;
}

/** What is new begins beside what it is linked with. */
function standBeside(spot: Spot): void {
	const neighbor = spot.near.find(({ isPlaced }) => isPlaced);
	if (!neighbor) return;
	const at = neighbor.near.indexOf(spot);
	spot.x = neighbor.x + Math.cos(at) * (20 + at);
	spot.y = neighbor.y + Math.sin(at) * (20 + at);
}

/** With its rings. */
export const reachOf = ({ radius, rings }: Spot): number =>
	rings === 0 ? radius : radius + 4 + RING.step * Math.sqrt(rings);

const GAP = 26;
/** Topics and publishers hang on the graph itself: beyond its kinds, as a wreath. */
const WREATH = { topic: 190, host: 150 } as const;

/** How far the ends of a link stand apart. */
export function lengthOf([one, other]: readonly [Spot, Spot]): number {
	const marks = [one.item.mark, other.item.mark];
	const outer = (["topic", "host"] as const).find((mark) => marks.includes(mark));
	if (outer && marks.includes("graph")) return WREATH[outer];
	return GAP + reachOf(one) + reachOf(other);
}

/** The rings of a kind, from the inside out, as on a sunflower. */
export function ringPlace(spot: Spot, at: number): readonly [number, number] {
	const far = spot.radius + 4 + RING.step * Math.sqrt(at + 0.5);
	return [spot.x + far * Math.cos(at * GOLDEN_ANGLE), spot.y + far * Math.sin(at * GOLDEN_ANGLE)];
}

/** Marks grow less than distances, so that a near view has room for names. */
export const sizeAt = (scale: number): number => Math.max(0.5, Math.min(2.2, Math.sqrt(scale)));

export const middleOf = ({ clientWidth, clientHeight }: HTMLCanvasElement) => ({
	x: clientWidth / 2,
	y: clientHeight / 2,
});

export function fitted(spots: readonly Spot[], canvas: HTMLCanvasElement): View {
	const middle = middleOf(canvas);
	let [left, top, right, bottom] = [-40, -40, 40, 40];
	for (const spot of spots) {
		if (!spot.isPlaced) continue;
		const reach = reachOf(spot);
		left = Math.min(left, spot.x - reach);
		right = Math.max(right, spot.x + reach);
		top = Math.min(top, spot.y - reach);
		bottom = Math.max(bottom, spot.y + reach);
	}
	const room = Math.min((2 * middle.x) / (right - left), (2 * middle.y) / (bottom - top));
	const scale = Math.max(SCALE.least, Math.min(2, room * 0.92));
	return {
		scale,
		x: middle.x - (scale * (left + right)) / 2,
		y: middle.y - (scale * (top + bottom)) / 2,
	};
}

export function centered({ x, y }: Spot, view: View, canvas: HTMLCanvasElement): View {
	const scale = Math.max(view.scale, SCALE.toRead);
	const middle = middleOf(canvas);
	return { scale, x: middle.x - x * scale, y: middle.y - y * scale };
}

export function zoomed(
	view: View,
	factor: number,
	at: { readonly x: number; readonly y: number },
): View {
	const scale = Math.max(SCALE.least, Math.min(SCALE.most, view.scale * factor));
	const ratio = scale / view.scale;
	return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}
