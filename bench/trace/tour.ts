const BLOCK = /<!-- tour -->([\s\S]*?)<!-- end tour -->/;
const FILE = /`([^`\s]+\.(?:ts|mjs))`/g;

/** The files that a document's tour names, each where it is first named; undefined where the document has no tour. */
export function readTour(document: string): readonly string[] | undefined {
	const [, block] = BLOCK.exec(document) ?? [];
	if (block === undefined) return undefined;
	return [...new Set([...block.matchAll(FILE)].map(([, file]) => file as string))];
}

/** What is wrong with a tour, given the files in the order in which they are first entered; undefined when nothing is. */
export function findTourFault(
	tour: readonly string[],
	entered: readonly string[],
): string | undefined {
	if (tour.length === 0) return "The tour names no file.";
	const missing = tour.filter((file) => !entered.includes(file));
	if (missing.length > 0) return `The tour names files that do not run: ${missing.join(", ")}.`;
	for (const [index, file] of tour.entries()) {
		const next = tour[index + 1];
		if (next !== undefined && entered.indexOf(next) < entered.indexOf(file)) {
			return `The tour names ${file} before ${next}, which is entered first.`;
		}
	}
	return undefined;
}
