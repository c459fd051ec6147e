import type { AdviceStance } from "../../src/contract/contract.js";
import { contentTerms, contentWords, coverageOf } from "../../src/evidence/evidence.js";

const ADVICE =
	/\b(?:should|must|shall|recommend(?:s|ed)?|prefer(?:s|red)?|advis(?:e|es|ed) to|best practice|is required|make sure|worth)\b|\baction:|^(?:use|choose|adopt|enable|publish|set|rotate|treat|return|send|sign|staple|keep|require|negotiate|give|list|add|serve|raise|monitor|verify|start|accept|answer|make)\b/i;
const WARNING =
	/\b(?:avoid(?:s|ed)?|never|do not|does not recommend|don['’]t|must not|should not|shall not|not recommended|advis(?:e|es|ed) against|discourage[sd]?|deprecate[sd]?|obsoletes?|obsolete|insecure|unsafe|forbid(?:s|den)?|reject(?:s|ed)?|withdrawn|prohibit(?:s|ed)?|remove the|(?:leave|keep|turn|switch) \S+(?: \S+)? off)\b/i;
const CONDITION =
	/\b(?:if|unless|depends?|only (?:if|when|where)|otherwise|except|provided that)\b/i;
/** Asks what to do, not what is. */
const ASKS_ADVICE =
	/\b(?:should|shall|how (?:do|should|can|must|to|would)|recommend|advise|best|better|safe|worth|avoid|deploy|adopt|use|enable|choose|prefer|need to|have to|ought|ok to|okay to|good idea|may (?:i|we|a)|can (?:i|we))\b/i;
/** Is answered by yes or no: then advice on something else is no yes. */
const YES_OR_NO = /^\s*(?:should|shall|is|are|can|may|do|does|must|would|could|will)\b/i;
const YES_SHARE = 0.5;
/** Say what is to be done, not what with. */
const ACTIONS =
	/\b(?:use|using|deploy|adopt|enable|choose|pick|prefer|send|add|need|best|better|good|idea|safe|worth|recommend(?:ed)?|allowed|okay?)\b/gi;
const CLAUSE_END = /[;:,.]|\b(?:but|while|whereas|and)\b/i;

export type Polarity = "for" | "against" | "conditional";

/** A sentence and the title it stands under. */
export interface TitledText {
	readonly text: string;
	readonly title: string;
}

interface Asked {
	readonly subject: readonly (readonly string[])[];
	readonly isYesOrNo: boolean;
}

/** What a text says of a subject: a warning counts where its own clause is about the subject, advice also where its title is. */
function polaritiesOf(
	{ text, title }: TitledText,
	{ subject, isYesOrNo }: Asked,
): ReadonlySet<Polarity> {
	const found = new Set<Polarity>();
	const isAbout = (part: string, least = 0) => {
		const share = coverageOf(subject, contentTerms(part));
		return share > 0 && share >= least;
	};
	const warned = text.split(CLAUSE_END).filter((clause) => WARNING.test(clause));
	if (warned.some((clause) => isAbout(clause))) found.add("against");
	const rest = text.replace(new RegExp(WARNING, "gi"), " ");
	if (ADVICE.test(rest.trim()) && isAbout(`${text}\n${title}`, isYesOrNo ? YES_SHARE : 0))
		found.add("for");
	if (found.size > 0 && CONDITION.test(text)) found.add("conditional");
	return found;
}

/** Least weight of advice that is one, and how much one side must outweigh the other. */
const LEAST = 0.3;
const CLEAR = 2;
/** Share of conditional advice from which it depends. */
const CONDITIONAL_SHARE = 0.7;
/** Words of the question that a title must hold for its advice to count. */
const TITLE_SHARE = 0.3;

/**
 * What sentences, best first, and the titles they stand under come to for a question: each counts 1 / rank for or against.
 * More than twice as much on one side decides, unless most of it is tied to conditions; a question that asks for no advice has none.
 */
export function stanceOf(question: string, sentences: readonly TitledText[]): AdviceStance {
	if (!ASKS_ADVICE.test(question)) return "neutral";
	const named = contentWords(question.replace(ACTIONS, " "));
	const subject = named.length > 0 ? named : contentWords(question);
	const asked = { subject, isYesOrNo: YES_OR_NO.test(question) };
	const counted = { for: 0, against: 0, conditional: 0 };
	const count = (sentence: TitledText, weight: number) => {
		for (const polarity of polaritiesOf(sentence, asked)) counted[polarity] += weight;
	};
	const titles = sentences.map(({ title }) => title);
	const heading = titles.find((one) => coverageOf(subject, contentTerms(one)) >= TITLE_SHARE);
	if (heading !== undefined) count({ text: heading, title: "" }, 1);
	for (const [rank, sentence] of sentences.entries()) count(sentence, 1 / (rank + 1));
	const total = counted.for + counted.against;
	if (total < LEAST) return "neutral";
	if (counted.conditional / total >= CONDITIONAL_SHARE) return "depends";
	if (counted.against > CLEAR * counted.for) return "advises against";
	return counted.for > CLEAR * counted.against ? "recommends" : "depends";
}
