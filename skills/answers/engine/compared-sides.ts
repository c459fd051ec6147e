import {
	contentTerms,
	contentWords,
	type EvidencePassage,
} from "../../../src/evidence/evidence.js";
import type { ScoredPassage } from "./passage-scoring.js";
import { isWrittenIn } from "./word-shares.js";

/** Share of a side's words that a passage has to hold, how much less those of its text count than those of its names, and by how much one side must lead. */
const NAMED_LEAST = 0.4;
const TEXT_SHARE = 0.9;
const NEXT_SHARE = 0.2;
/** Words that are not said as they stand in the question may mean another thing. */
const LOOSE_SHARE = 0.8;

/**
 * Place of the one name that a passage or the names of its concept speak of most, or where that is none or more than one, those of its graph
 * too: in a graph on Python no title says "Python". Undefined where they leave it open as well.
 */
export function sideOf(
	compared: readonly string[],
	{ concept, graph, text }: Pick<EvidencePassage, "concept" | "graph" | "text">,
): number | undefined {
	const names = [concept.title, ...concept.aliases].join("\n");
	return (
		sideByNames(compared, { names, text }) ??
		sideByNames(compared, { names: `${names}\n${graph.record.title}`, text })
	);
}

function sideByNames(
	compared: readonly string[],
	{ names, text }: { readonly names: string; readonly text: string },
): number | undefined {
	const [titled, ...others] = [...compared.entries()].filter(
		([, name]) => shareIn(name, names) === 1,
	);
	// What is said of one side in its own document may name the others beside it.
	if (titled && others.length === 0 && shareIn(titled[1], text) === 1) return titled[0];
	const shares = compared.map((name) =>
		Math.max(shareIn(name, names), TEXT_SHARE * shareIn(name, `${names}\n${text}`)),
	);
	const most = Math.max(0, ...shares);
	const sides = [...shares.entries()].filter(([, share]) => share > most - NEXT_SHARE);
	return most >= NAMED_LEAST && sides.length === 1 ? sides[0]?.[0] : undefined;
}

/** 1 where a text has the name as it is written, else the share of its words; an identifier counts as a whole. */
function shareIn(name: string, text: string): number {
	if (isWrittenIn(text, name)) return 1;
	const words = contentWords(name);
	const terms = contentTerms(text);
	const held = words.filter(([whole = ""]) => terms.has(whole));
	return words.length === 0 ? 0 : (LOOSE_SHARE * held.length) / words.length;
}

/** Passages by the side that they speak of. */
export function groupBySide(
	compared: readonly string[],
	passages: readonly ScoredPassage[],
): ReadonlyMap<number | undefined, readonly ScoredPassage[]> {
	const groups = new Map<number | undefined, ScoredPassage[]>();
	for (const one of passages) {
		const side = sideOf(compared, one.passage);
		const group = groups.get(side) ?? [];
		group.push(one);
		groups.set(side, group);
	}
	return groups;
}
