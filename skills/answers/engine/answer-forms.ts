import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
} from "../../../src/evidence/evidence.js";
import { hasDate } from "./dated-events.js";
import type { QuestionReading } from "./question-reading.js";

const QUANTITY =
	/^\s*(?:(?:by |for |since |after |at |in )?how (?:many|much|large|big|long|fast|high|old)|(?:by |in )?what (?:number|percentage|share|size|fraction|proportion))\b/i;
const NUMBER_WORD =
	/\p{N}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|billions?|half|third|quarter|once|twice|single|none|no|unlimited)\b/iu;
/** "Python 3.12", "release 14", "ES2017", "the Pectra upgrade": a point in time for those who follow the releases. */
const RELEASE =
	/\bv?\d+\.\d+|\b(?:version|release|edition|draft|milestone|fork|upgrade)s?\b|\p{Lu}\w*[ -]?\d/iu;

/** "When do tides come?" asks for no date. */
const DATE_ASKED =
	/\bwhen (?:did|was|were|has|have|had|will|would)\b|\b(?:which|what) (?:[\w.'’-]+ ){0,2}(?:year|month|version|release|day|date)\b/i;

/** Whether a text can hold what a question of this form asks for: a question on when needs a date or release, one on how many a number. */
export function fitsForm(
	{ kind, parts: [{ question }] }: Pick<QuestionReading, "kind" | "parts">,
	text: string,
): boolean {
	if (kind === "when" && DATE_ASKED.test(question)) return hasDate(text) || RELEASE.test(text);
	return !QUANTITY.test(question) || NUMBER_WORD.test(text);
}

const WRITTEN = "two three four five six seven eight nine ten eleven twelve".split(" ");
const ASKED_THINGS =
	/^\s*(?:list|name|enumerate|what are|which are|what|which)\s+(?:all )?(?:the )?(?<things>[\p{L}\p{N} -]+?)(?:\s(?:are|were|is|was|do|does|did|can|could|should|must|may|have|has|had|of|in|on|for|to|from|that|with|by|as)\b|[,?.]|$)/iu;

/** "At least two", "three of the": no total. */
const BOUND =
	/\b(?:at least|at most|up to|more than|fewer than|less than|over|under|another|first|last)\s+$/i;
/** Share of what a question says beside the things it asks for that a sentence and its titles must hold to count them. */
const OTHERS_LEAST = 0.6;

/** How many of what a list question asks for there are, as a sentence says it. */
export interface StatedTotal {
	readonly total: number;
	readonly sentence: CitedSentence;
}

/** The first sentence that counts what a question asks to be listed: "three kinds of tokens". */
export function findStatedTotal(
	{ kind, parts: [{ question }] }: Pick<QuestionReading, "kind" | "parts">,
	sentences: readonly CitedSentence[],
): StatedTotal | undefined {
	const asked = kind === "list" ? ASKED_THINGS.exec(question) : null;
	const [noun] = asked?.groups?.["things"]?.match(/[^\s-]+$/) ?? [];
	if (!asked || noun === undefined || !/s$/i.test(noun)) return undefined;
	// "Types of HTTP caches" are not counted by "nine types of status messages".
	const behind = question.slice(asked.index + asked[0].length);
	const others = /\bof$/i.test(asked[0]) ? contentWords(behind) : [];
	const counted = new RegExp(
		`(?<![\\p{L}\\p{N}.,-])(?<count>${WRITTEN.join("|")}|\\d{1,4}) (?:[\\p{L}-]+ ){0,2}${noun}\\b`,
		"iu",
	);
	for (const sentence of sentences) {
		const { title, aliases } = sentence.concept;
		const terms = contentTerms([title, ...aliases, sentence.text].join("\n"));
		const isOther = others.length > 0 && coverageOf(others, terms) < OTHERS_LEAST;
		const total = isOther ? undefined : countIn(sentence.text, counted);
		if (total !== undefined) return { total, sentence };
	}
	return undefined;
}

function countIn(text: string, counted: RegExp): number | undefined {
	const found = counted.exec(text);
	const count = found?.groups?.["count"]?.toLowerCase();
	if (!found || count === undefined || BOUND.test(text.slice(0, found.index))) return undefined;
	const written = WRITTEN.indexOf(count);
	return written < 0 ? Number(count) : written + 2;
}
