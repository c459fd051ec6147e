import type { SegmentVectors } from "./row-planes.js";
import type { RegionLayout } from "./vector-scan.mjs";

interface RowWidths {
	readonly dimensions: number;
	/** Components of a row's prefix; 0 for none. */
	readonly prefix: number;
}

/** Rows are scored in groups of so many. */
const GROUP_ROWS = 4;
const ALIGNMENT = 64;

/** How many bytes a segment's vectors take, and where each part lies when they begin at an address above zero. */
export function planRegion(
	{ starts, scales, fines }: SegmentVectors,
	{ dimensions, prefix }: RowWidths,
): { readonly bytes: number; readonly layoutAt: (address: number) => RegionLayout } {
	const documents = starts.length - 1;
	const rows = scales.length;
	const room = roomOf(rows);
	let bytes = 0;
	const place = (size: number): number => {
		const at = bytes;
		bytes += Math.ceil(size / ALIGNMENT) * ALIGNMENT;
		return at;
	};
	const rowsAt = place(room * dimensions);
	const finesAt = fines && place(fines.length);
	const prefixesAt = place(room * prefix);
	const prefixScalesAt = place(prefix > 0 ? room * 4 : 0);
	const scalesAt = place(room * 4);
	const ownersAt = place(rows * 4);
	const startsAt = place((documents + 1) * 4);
	const layoutAt = (address: number): RegionLayout => ({
		documents,
		rows,
		rowsAt: address + rowsAt,
		finesAt: finesAt === undefined ? 0 : address + finesAt,
		prefixesAt: prefix > 0 ? address + prefixesAt : 0,
		prefixScalesAt: prefix > 0 ? address + prefixScalesAt : 0,
		scalesAt: address + scalesAt,
		ownersAt: address + ownersAt,
		startsAt: address + startsAt,
	});
	return { bytes, layoutAt };
}

interface RegionFilling extends RowWidths {
	readonly layout: RegionLayout;
	readonly vectors: SegmentVectors;
}

/** Copies a segment's vectors to where the layout says. */
export function fillRegion(buffer: SharedArrayBuffer, filling: RegionFilling): void {
	const { layout, vectors, dimensions, prefix } = filling;
	const { starts, rows, fines, scales } = vectors;
	const room = roomOf(layout.rows);
	new Int8Array(buffer, layout.rowsAt, room * dimensions).set(rows);
	if (fines) new Uint8Array(buffer, layout.finesAt, fines.length).set(fines);
	// The piece may have been used before: rows that only fill up a group must not score.
	new Float32Array(buffer, layout.scalesAt, room).fill(0, layout.rows).set(scales);
	new Uint32Array(buffer, layout.startsAt, starts.length).set(starts);
	const owners = new Uint32Array(buffer, layout.ownersAt, layout.rows);
	for (let document = 0; document < layout.documents; document++) {
		owners.fill(document, starts[document], starts[document + 1]);
	}
	if (prefix > 0) fillPrefixes(buffer, filling);
}

function fillPrefixes(buffer: SharedArrayBuffer, { layout, dimensions, prefix }: RegionFilling) {
	// Words of four components: both widths are multiples of eight.
	const source = new Uint32Array(buffer, layout.rowsAt, (layout.rows * dimensions) / 4);
	const target = new Uint32Array(buffer, layout.prefixesAt, (layout.rows * prefix) / 4);
	const components = new Int8Array(buffer, layout.prefixesAt, layout.rows * prefix);
	const room = roomOf(layout.rows);
	const scales = new Float32Array(buffer, layout.prefixScalesAt, room).fill(0, layout.rows);
	const [step, width] = [dimensions / 4, prefix / 4];
	for (let row = 0; row < layout.rows; row++) {
		const [from, to] = [row * step, row * width];
		for (let word = 0; word < width; word++) target[to + word] = source[from + word] as number;
		scales[row] = inverseLength(components, row * prefix, prefix);
	}
}

/** Of a prefix, whose cosine tells more of the whole row's than its product does. */
function inverseLength(components: Int8Array, from: number, count: number): number {
	let squares = 0;
	for (let at = from; at < from + count; at++) {
		const component = components[at] as number;
		squares += component * component;
	}
	return squares > 0 ? 1 / Math.sqrt(squares) : 0;
}

function roomOf(rows: number): number {
	return Math.ceil(rows / GROUP_ROWS) * GROUP_ROWS;
}
