import type { CitedSentence } from "../../../src/evidence/evidence.js";
import type { PairJudge } from "../../../src/search/search.js";
import { decideStance, readStances } from "../../verify/verify.js";
import type { QuestionReading } from "./question-reading.js";

/** What the evidence says to a question that asks whether something holds. */
export interface YesNo {
	/** The question as a claim. */
	readonly claim: string;
	/** "open" unless one side is sure enough to be told as a verdict on a claim would be. */
	readonly verdict: "yes" | "no" | "open";
	/** Places of the passages that bear it out, and that speak against it. */
	readonly supporting: readonly number[];
	readonly opposing: readonly number[];
}

/** Passages held against what a yes-no question asks; undefined for other questions, and where no model reads. */
export async function readYesNo(
	judge: PairJudge | undefined,
	{ kind, parts: [{ question }] }: Pick<QuestionReading, "kind" | "parts">,
	quoted: readonly (readonly CitedSentence[])[],
	signal: AbortSignal,
): Promise<YesNo | undefined> {
	const claim = kind === "yes-no" ? toClaim(question) : undefined;
	if (claim === undefined) return undefined;
	const passages = quoted.map((sentences) => ({
		text: sentences.map(({ text }) => text).join(" "),
		names: sentences.slice(0, 1).flatMap(({ concept }) => [concept.title, ...concept.aliases]),
	}));
	const { stances, problem } = await readStances(judge, { claim, passages }, signal);
	if (problem !== undefined) return undefined;
	const { stance } = decideStance(stances);
	const placesOf = (side: "supports" | "refutes") =>
		[...stances.entries()].flatMap(([place, one]) => (one.stance === side ? [place] : []));
	return {
		claim,
		verdict: VERDICTS[stance],
		supporting: placesOf("supports"),
		opposing: placesOf("refutes"),
	};
}

const VERDICTS = { supports: "yes", refutes: "no", neutral: "open" } as const;

const ASKED =
	/^(?<before>(?:[^?]*, )?)(?<verb>is|are|was|were|do|does|did|can|could|may|might|must|should|has|have|had|would)(?:n['’]t)?\s+(?<rest>[^?]+?)\s*\??\s*$/i;
/** A choice has no yes, and of "is it not so" a yes may mean both. */
const NO_CLAIM = /\b(?:or|not|never)\b/i;
/** Words that begin what is said of a subject. */
const SAID_NEXT =
	/^(?:not|still|already|always|never|ever|only|also|be|been|become|a|an|the|any|to|in|on|at|by|with|for|from|of|as|enough|able|required|allowed|there)$|(?:ed|able|ible|ful|ing)$/i;

/**
 * "Is GET safe?" and "Isn't GET safe?" → "GET is safe." The verb moves behind the subject, which ends where a word stands that begins what is said of it;
 * undefined where the question has another form.
 */
export function toClaim(question: string): string | undefined {
	const { before = "", verb = "", rest } = ASKED.exec(question.trim())?.groups ?? {};
	if (rest === undefined || NO_CLAIM.test(rest)) return undefined;
	const words = rest.split(/\s+/);
	if (words.length < 2) return undefined;
	const isEmpty = /^(?:do|does|did)$/i.test(verb);
	const start = /^(?:a|an|the|this|that|its|our|my)$/i.test(words[0] ?? "") ? 2 : 1;
	const found = words.findIndex((word, at) => at >= start && SAID_NEXT.test(word));
	const end = found < 0 ? words.length - 1 : found;
	const said = isEmpty ? words : [...words.slice(0, end), verb.toLowerCase(), ...words.slice(end)];
	const claim = `${before}${said.join(" ")}`;
	return `${claim.charAt(0).toUpperCase()}${claim.slice(1)}.`;
}
