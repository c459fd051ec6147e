import type { createColors } from "./colors.js";
import { type Spot, sizeAt, type View } from "./spots.js";

interface Scenery {
	/** What lies in view. */
	readonly seen: readonly Spot[];
	/** What stands out; undefined where nothing does. */
	readonly lit: ReadonlySet<Spot> | undefined;
	readonly focus: Spot | undefined;
	readonly dim: number;
	readonly size: { readonly width: number; readonly height: number };
	readonly view: View;
}

const CHARS_MAX = 34;
const LABELS_MAX = 60;
/** Names looked at for one frame; most of those that do not fit are beside one that does. */
const TRIED_MAX = 240;
const SMALL_WIDTH = 520;

/** Names of the most important marks in view; one that would cover another is left out. */
export function placeLabels(
	context: CanvasRenderingContext2D,
	colors: ReturnType<typeof createColors>,
	scenery: Scenery,
): void {
	const { lit, dim, focus } = scenery;
	const taken: Box[] = [];
	context.textAlign = "center";
	context.lineJoin = "round";
	context.lineWidth = 3.5;
	context.strokeStyle = colors.of("bg");
	for (const spot of candidates(scenery).slice(0, TRIED_MAX)) {
		if (taken.length >= LABELS_MAX) break;
		const isBig = spot === focus || spot.item.mark === "graph" || spot.item.mark === "kind";
		const label = fit(context, spot, { ...scenery, isBig, taken });
		if (!label) continue;
		taken.push(label.box);
		context.globalAlpha = lit && !lit.has(spot) ? Math.max(0.5, dim) : 1;
		context.strokeText(label.text, label.x, label.y);
		context.fillStyle = colors.of(isBig ? "ink" : "ink-2");
		context.fillText(label.text, label.x, label.y);
	}
	context.globalAlpha = 1;
}

/** Left, top, right, bottom. */
type Box = readonly [number, number, number, number];

const RANKS = { graph: 0, kind: 1, concept: 2, topic: 3, host: 3, source: 4 } as const;

function candidates({ seen, lit, focus, view: { scale } }: Scenery): readonly Spot[] {
	const rankOf = (spot: Spot): number => {
		if (spot === focus) return -2;
		if (lit?.has(spot)) return RANKS[spot.item.mark] - 1;
		return RANKS[spot.item.mark] + 1;
	};
	const least = scale > 2.1 ? 9 : scale > 0.9 ? 3 : 2;
	return seen
		.map((spot) => ({ spot, rank: rankOf(spot), degree: spot.near.length }))
		.filter(({ spot, rank }) => rank <= least || lit?.has(spot))
		.sort((one, other) => one.rank - other.rank || other.degree - one.degree)
		.map(({ spot }) => spot);
}

function fit(
	context: CanvasRenderingContext2D,
	spot: Spot,
	{ size, view, isBig, taken }: Scenery & { isBig: boolean; taken: readonly Box[] },
) {
	const points = isBig ? (size.width < SMALL_WIDTH ? 11 : 13) : 11.5;
	context.font = `${isBig ? 600 : 400} ${points}px system-ui, sans-serif`;
	const text = shorten(spot.item.name);
	const half = context.measureText(text).width / 2 + 3;
	const middle = spot.x * view.scale + view.x;
	const x = Math.max(half + 2, Math.min(size.width - half - 2, middle));
	const above = spot.y * view.scale + view.y - spot.radius * sizeAt(view.scale) - 5;
	if (Math.abs(x - middle) > half || above < 2) return undefined;
	const below = above + 2 * spot.radius * sizeAt(view.scale) + 20;
	for (const y of isBig ? [above, below] : [above]) {
		const box: Box = [x - half, y - 13, x + half, y + 4];
		if (!taken.some((other) => covers(box, other))) return { text, x, y, box };
	}
	return undefined;
}

/** Directions of writing are closed, so that a name turns nothing but itself. */
const shorten = (name: string): string =>
	`\u2068${name.length > CHARS_MAX ? `${name.slice(0, CHARS_MAX - 1)}…` : name}\u2069`;

const covers = (one: Box, other: Box): boolean =>
	one[0] < other[2] && one[2] > other[0] && one[1] < other[3] && one[3] > other[1];
