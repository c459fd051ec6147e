/** The mutants below these paths in an order that the seed alone decides, so that each part of it from the start is a fair sample. */
export function chooseMutants(mutants, { paths, seed, keys, count = Number.POSITIVE_INFINITY }) {
	const random = mulberry32(seed);
	return mutants
		.filter(({ file }) => paths.length === 0 || paths.some((path) => isIn(file, path)))
		.filter(({ key }) => keys === undefined || keys.has(key))
		.map((mutant) => ({ mutant, place: random() }))
		.sort((a, b) => a.place - b.place)
		.slice(0, count)
		.map(({ mutant }) => mutant);
}

function isIn(file, path) {
	const plain = path.replace(/^\.\//, "").replace(/\/$/, "");
	return file === plain || file.startsWith(`${plain}/`);
}

/** Numbers from 0 to 1; Tommy Ettinger's generator of 32 bits. */
function mulberry32(seed) {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
