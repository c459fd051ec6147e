import { runInTurns, type Steps } from "../knowledge/knowledge.js";
import { createBestOf } from "./best-of.js";
import { normalizeName, similarityOf, trigramsOf } from "./name-likeness.js";

const COUNT = 3;
const LEAST = 0.3;

/** A few names written like one that nobody has, most alike first. */
export function findNearNames(wanted: string, names: Iterable<string>): Promise<readonly string[]> {
	return runInTurns(nearest(wanted, names));
}

function* nearest(wanted: string, names: Iterable<string>): Steps<readonly string[]> {
	const asked = trigramsOf(normalizeName(wanted));
	const best = createBestOf<{ readonly name: string; readonly likeness: number }>(
		COUNT,
		(a, b) => b.likeness - a.likeness,
	);
	for (const name of names) {
		yield;
		const likeness = similarityOf(asked, trigramsOf(normalizeName(name)));
		if (likeness >= LEAST) best.add({ name, likeness });
	}
	return best.inOrder().map(({ name }) => name);
}
