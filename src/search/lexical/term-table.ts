/** Sorted strings in two typed arrays: read from a file without parsing, and nothing for the garbage collector to walk. */
export interface TermTable {
	readonly size: number;
	/** Number of a string, which is its place in the order; undefined when it is not there. */
	get(term: string): number | undefined;
	/** The string of a number below `size`. */
	at(number: number): string;
	keys(): IterableIterator<string>;
	readonly cells: TermCells;
}

/** String `n` is the UTF-16 code units `units[offsets[n] .. offsets[n + 1])`. */
export interface TermCells {
	readonly units: Uint16Array;
	readonly offsets: Uint32Array;
}

/** Queries ask for the same words again and again; so many answers are remembered. */
const REMEMBERED = 4_096;
/** Longer strings are not passed to a function letter by letter. */
const SHORT = 64;

/** The strings must be in ascending order of their code units, each once. */
export function createTermTable(cells: TermCells): TermTable {
	const size = cells.offsets.length - 1;
	const remembered = new Map<string, number>();
	const at = (number: number) => stringAt(cells, number);
	return {
		size,
		get(term) {
			const known = remembered.get(term);
			if (known !== undefined) return known < 0 ? undefined : known;
			const place = seekTerm(cells, term);
			const isThere = place < size && compareAt(cells, place, term) === 0;
			if (remembered.size >= REMEMBERED) remembered.clear();
			remembered.set(term, isThere ? place : -1);
			return isThere ? place : undefined;
		},
		at,
		*keys() {
			for (let number = 0; number < size; number++) yield at(number);
		},
		cells,
	};
}

/** Strings end to end, in the order given. */
export function toCells(strings: readonly string[]): TermCells {
	const offsets = new Uint32Array(strings.length + 1);
	strings.forEach((text, number) => {
		offsets[number + 1] = (offsets[number] ?? 0) + text.length;
	});
	const units = new Uint16Array(offsets.at(-1) ?? 0);
	Buffer.from(units.buffer).write(strings.join(""), "utf16le");
	return { units, offsets };
}

export function fromCells({ units, offsets }: TermCells): string[] {
	const text = textOf(units);
	const at = (number: number) => offsets[number] ?? 0;
	return Array.from({ length: offsets.length - 1 }, (_, number) =>
		text.slice(at(number), at(number + 1)),
	);
}

function textOf({ buffer, byteOffset, byteLength }: Uint16Array): string {
	return Buffer.from(buffer, byteOffset, byteLength).toString("utf16le");
}

function stringAt({ units, offsets }: TermCells, number: number): string {
	const from = offsets[number] ?? 0;
	const to = offsets[number + 1] ?? from;
	if (to - from <= SHORT) return String.fromCharCode(...units.subarray(from, to));
	return textOf(units.subarray(from, to));
}

/** Place of the first string that is not before `term`. */
function seekTerm(cells: TermCells, term: string): number {
	let low = 0;
	let high = cells.offsets.length - 1;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (compareAt(cells, middle, term) < 0) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Below zero when the string of this number comes before `term`. */
function compareAt({ units, offsets }: TermCells, number: number, term: string): number {
	const from = offsets[number] as number;
	const length = (offsets[number + 1] as number) - from;
	const shared = Math.min(length, term.length);
	for (let at = 0; at < shared; at++) {
		const difference = (units[from + at] as number) - term.charCodeAt(at);
		if (difference !== 0) return difference;
	}
	return length - term.length;
}
