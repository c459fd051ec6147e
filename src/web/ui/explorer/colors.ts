/** Colors of the page for a canvas, which knows no variables of style sheets; read again when the theme changes. */
export function createColors(canvas: HTMLCanvasElement, onChange: () => void) {
	const known = new Map<string, string>();
	const rings = new Map<string, HTMLCanvasElement>();
	const forget = () => {
		known.clear();
		rings.clear();
		onChange();
	};
	document.addEventListener("themechange", forget);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", forget);
	const of = (name: string): string => {
		const color = known.get(name) ?? read(canvas, name);
		known.set(name, color);
		return color;
	};
	return {
		/** By the name of the variable, such as "ink". */
		of,
		/** One dotted ring as a picture: dashing thousands of them for each frame would be slow. */
		ring(radius: number, ratio: number): HTMLCanvasElement {
			const tenths = Math.round(radius * 10);
			const key = `${tenths} ${ratio}`;
			const ring = rings.get(key) ?? drawRing(tenths / 10, ratio, of("toll-mark"));
			rings.set(key, ring);
			return ring;
		},
	};
}

function read(canvas: HTMLCanvasElement, name: string): string {
	const probe = document.createElement("i");
	probe.style.color = `var(--${name})`;
	canvas.parentElement?.append(probe);
	const { color } = getComputedStyle(probe);
	probe.remove();
	return color;
}

const DASHES = 7;

function drawRing(radius: number, ratio: number, color: string): HTMLCanvasElement {
	const ring = document.createElement("canvas");
	const half = Math.ceil((radius + 1) * ratio);
	ring.width = 2 * half;
	ring.height = 2 * half;
	const context = ring.getContext("2d") as CanvasRenderingContext2D;
	context.strokeStyle = color;
	context.lineWidth = ratio * Math.min(1.4, radius / 2);
	context.setLineDash([(Math.PI * radius * ratio) / DASHES]);
	context.beginPath();
	context.arc(half, half, radius * ratio, 0, 2 * Math.PI);
	context.stroke();
	return ring;
}
