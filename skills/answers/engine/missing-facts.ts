import type { EvidencePassage } from "../../../src/evidence/evidence.js";
import { lackingOf, readFacts } from "../../verify/verify.js";

/** The names, figures, dates and versions of a question, held against passages. */
export interface AskedFacts {
	/**
	 * Those that no passage has, as written: what is said of Python 3.12 answers no question on 3.16. A name may also stand elsewhere in the
	 * passage's concept or in the title of its graph: a text on Python need not say so in every sentence.
	 */
	findMissing(passages: readonly EvidencePassage[]): readonly string[];
	/** Whether a passage has one of them at least, where the question has any. */
	areTouchedBy(passage: EvidencePassage): boolean;
}

export function readAskedFacts(question: string): AskedFacts {
	// The verb is no part of the name behind it.
	const asked = readFacts(question.replace(/^\s*compare\s+/i, ""));
	const all = lackingOf(asked, readFacts("")).filter((fact) => !COUNT.test(fact));
	const known = new Map<EvidencePassage, readonly string[]>();
	const missingIn = (passage: EvidencePassage): readonly string[] => {
		const missing = known.get(passage) ?? readMissing(passage);
		known.set(passage, missing);
		return missing;
	};
	const readMissing = ({ graph, concept, heading = "", text, sentences }: EvidencePassage) => {
		const { title, aliases, tags } = concept;
		const about = [graph.record.title, title, ...aliases, ...tags, heading].join(" ; ");
		const lacking = lackingOf(asked, readFacts(`${about} ; ${text}`));
		const left = lacking.filter((fact) => !isNamedIn(concept.body.slice(0, BODY_CHARS), fact));
		if (!left.some(isNumberedName)) return left;
		// A passage on one criterion that cites WCAG 2.2 need not name it in every sentence; dates of sources say nothing of what it tells.
		const titles = sentences.flatMap(({ sources }) => sources.map((source) => source.title));
		const notCited = new Set(lackingOf(asked, readFacts(titles.join(" ; ").replace(/[()]/g, ""))));
		return left.filter((fact) => !isNumberedName(fact) || notCited.has(fact));
	};
	return {
		findMissing: (passages) =>
			passages.reduce((missing, passage) => {
				if (missing.length === 0) return missing;
				const lacking = new Set(missingIn(passage));
				return missing.filter((fact) => lacking.has(fact));
			}, all),
		areTouchedBy: (passage) => all.length === 0 || missingIn(passage).length < all.length,
	};
}

/** "WCAG 2.2", "Python 3.12": a name with a number of its own. */
const isNumberedName = (fact: string) => /^\p{L}[\p{L}-]* \p{N}/u.test(fact);

/** What a text is about is named by then. */
const BODY_CHARS = 50_000;
/** "Name 10 of them" asks for no text that holds a 10. */
const COUNT = /^\p{N}{1,3}$/u;

/** Whether a name stands in a text as a whole; figures are looked for beside what they are said of, never here. */
function isNamedIn(text: string, name: string): boolean {
	if (/\p{N}/u.test(name)) return false;
	for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
		const around = `${text[at - 1] ?? " "}${text[at + name.length] ?? " "}`;
		if (!/[\p{L}\p{N}]/u.test(around)) return true;
	}
	return false;
}
