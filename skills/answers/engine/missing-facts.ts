import type { EvidencePassage } from "../../../src/evidence/evidence.js";
import { lackingOf, readFacts } from "../../verify/verify.js";

/**
 * Names, figures, dates and versions of a question that no passage has, as written: what is said of Python 3.12 answers no question
 * on 3.16. A name may also stand elsewhere in the passage's concept or in the title of its graph: a text on Python need not say so in every
 * sentence.
 */
export function findMissingFacts(
	question: string,
	passages: readonly EvidencePassage[],
): readonly string[] {
	const asked = readFacts(question);
	let missing = lackingOf(asked, readFacts(""));
	for (const { graph, concept, heading = "", text } of passages) {
		if (missing.length === 0) break;
		const { title, aliases, tags } = concept;
		const about = [graph.record.title, title, ...aliases, ...tags, heading].join(" ; ");
		const lacking = new Set(lackingOf(asked, readFacts(`${about} ; ${text}`)));
		missing = missing.filter((fact) => lacking.has(fact) && !isNamedIn(concept.body, fact));
	}
	return missing;
}

/** Whether a name stands in a text as a whole; figures are looked for beside what they are said of, never here. */
function isNamedIn(text: string, name: string): boolean {
	if (/\p{N}/u.test(name)) return false;
	for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
		const around = `${text[at - 1] ?? " "}${text[at + name.length] ?? " "}`;
		if (!/[\p{L}\p{N}]/u.test(around)) return true;
	}
	return false;
}
