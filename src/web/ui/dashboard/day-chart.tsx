import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";

/** Amounts by day, beside their table. */

export interface DayPoint {
	/** UTC, `YYYY-MM-DD`. */
	readonly day: string;
	readonly usd: number;
	readonly calls: number;
}

const HEIGHT = 220;
const FONT = "12px system-ui, sans-serif";

export function DayChart({
	points,
	label,
}: {
	readonly points: readonly DayPoint[];
	readonly label: string;
}) {
	const place = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const { current: at } = place;
		if (!at) return undefined;
		let chart: uPlot | undefined;
		let isWanted = true;
		const draw = async () => {
			const { default: Plot } = await import("uplot");
			if (!isWanted) return;
			chart?.destroy();
			chart = new Plot(optionsFor(Plot, at), dataOf(points), at);
		};
		const fit = new ResizeObserver(() => chart?.setSize({ width: at.clientWidth, height: HEIGHT }));
		const redraw = () => void draw();
		const scheme = matchMedia("(prefers-color-scheme: dark)");
		redraw();
		fit.observe(at);
		document.addEventListener("themechange", redraw);
		scheme.addEventListener("change", redraw);
		return () => {
			isWanted = false;
			fit.disconnect();
			document.removeEventListener("themechange", redraw);
			scheme.removeEventListener("change", redraw);
			chart?.destroy();
		};
	}, [points]);
	return <div class="day-chart" ref={place} role="img" aria-label={label} />;
}

function dataOf(points: readonly DayPoint[]): uPlot.AlignedData {
	return [
		points.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1000),
		points.map(({ usd }) => usd),
		points.map(({ calls }) => calls),
	];
}

function optionsFor(Plot: typeof uPlot, at: HTMLElement): uPlot.Options {
	const colorOf = (name: string) => readColor(at, name);
	const axis = { stroke: colorOf("--ink-3"), font: FONT };
	const grid = { stroke: colorOf("--grid"), width: 1 };
	const bars = Plot.paths.bars?.({ size: [0.7, 40] });
	return {
		width: at.clientWidth,
		height: HEIGHT,
		// Days are of UTC, wherever the reader is.
		tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1000), "UTC"),
		legend: { show: false },
		cursor: { drag: { x: true, y: false }, points: { show: false } },
		scales: {
			// Half a day on both sides, so that no bar is cut.
			x: { range: (_self, least, most) => [least - 43_200, most + 43_200] },
			calls: { range: (_self, _least, most) => [0, Math.max(1, most)] },
			usd: { range: (_self, _least, most) => [0, Math.max(1, most * 1.08)] },
		},
		axes: [
			{
				...axis,
				size: 28,
				grid: { show: false },
				ticks: { show: false },
				values: (_self, splits) => splits.map(toShortDay),
			},
			{ ...axis, scale: "usd", grid, ticks: { show: false }, size: 56 },
			{ ...axis, scale: "calls", side: 1, grid: { show: false }, ticks: { show: false }, size: 44 },
		],
		series: [
			{},
			{
				scale: "usd",
				fill: colorOf("--s1"),
				width: 0,
				...(bars && { paths: bars }),
				points: { show: false },
			},
			{ scale: "calls", stroke: colorOf("--s2"), width: 2, points: { show: false } },
		],
	};
}

const toShortDay = (seconds: number) => new Date(seconds * 1000).toISOString().slice(5, 10);

/** Canvas knows no custom properties, and these depend on the theme: an element of the page resolves them. */
function readColor(at: HTMLElement, name: string): string {
	const probe = document.createElement("i");
	probe.style.color = `var(${name})`;
	at.append(probe);
	const { color } = getComputedStyle(probe);
	probe.remove();
	return color;
}
