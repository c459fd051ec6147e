import type { ExplorerData, SoldOperation } from "../../pages/explorer-model.js";

/** What was bought in this tab of a graph as it is, so that a page loaded again shows it. A graph that has changed is bought anew. */

export interface KeptAnswer {
	readonly operation: SoldOperation;
	/** Of the offer. */
	readonly key: string;
	readonly body: unknown;
}

type Named = ExplorerData["graph"];

const nameOf = ({ id, revision }: Named) => `bought ${id} ${revision}`;
/** Lists go on where they ended, so behind an answer that found no room no other is kept. */
const full = new Set<string>();

/** Hands over what is kept, in the order in which it was bought; what cannot be read any more is forgotten. */
export function restoreAnswers(graph: Named, join: (answer: KeptAnswer) => void): void {
	try {
		const kept = JSON.parse(sessionStorage.getItem(nameOf(graph)) ?? "[]");
		for (const answer of kept as readonly KeptAnswer[]) join(answer);
	} catch {
		forget(graph);
	}
}

/** False where the browser keeps no more. */
export function keepAnswer(graph: Named, answer: KeptAnswer): boolean {
	const name = nameOf(graph);
	if (full.has(name)) return false;
	try {
		const kept = JSON.parse(sessionStorage.getItem(name) ?? "[]");
		sessionStorage.setItem(name, JSON.stringify([...kept, answer]));
		return true;
	} catch {
		full.add(name);
		return false;
	}
}

function forget(graph: Named): void {
	try {
		sessionStorage.removeItem(nameOf(graph));
	} catch {
		// Nothing is kept where nothing may be.
	}
}
