import type { SpokenOf } from "./talk-context.js";

/** Forms in which people leave out what was said before. */

const ORDINALS: Readonly<Record<string, number>> = {
	first: 0,
	"1st": 0,
	former: 0,
	second: 1,
	"2nd": 1,
	third: 2,
	"3rd": 2,
	fourth: 3,
	"4th": 3,
	fifth: 4,
	"5th": 4,
	last: -1,
	latter: -1,
	"#1": 0,
	"#2": 1,
	"#3": 2,
	"number one": 0,
	"number two": 1,
	"number three": 2,
	"number 1": 0,
	"number 2": 1,
	"number 3": 2,
};

const ORDINAL_FORMS =
	/(?:\b(?:the )?(first|1st|second|2nd|third|3rd|fourth|4th|fifth|5th|last) (?:one|of (?:them|those|these)|point|item|option|result|standard|source|entry)\b|\bthe (former|latter)\b|\b(?:the )?(number (?:one|two|three|[123]))\b|(?<=^|\s)(#[123])(?=\W|$))/i;

/** With "the second one" said by its name; undefined where nothing is pointed at, or nothing is there. */
export function readOrdinal(said: string, spokenOf: readonly SpokenOf[]): string | undefined {
	const match = ORDINAL_FORMS.exec(said);
	const form = match?.slice(1).find((group) => group !== undefined);
	const place = form === undefined ? undefined : ORDINALS[form.toLowerCase()];
	const name = place === undefined ? undefined : spokenOf.at(place)?.name;
	if (!match || name === undefined) return undefined;
	const rest = said.replace(match[0], name);
	return /^[\p{L}\p{N}]/u.test(rest) && rest.replace(/[?.!]+$/, "") === name
		? `Tell me about ${name}.`
		: rest;
}

const MORE =
	/^(?:(?:please|ok(?:ay)?|and|so|can you|could you)[, ]+)*(?:tell me more|say more|more(?: details?| please)?|go on|continue|elaborate|explain(?: more| further)?|keep going|what else|anything else|expand|in more detail|details)(?: please)?[.?!…]*$/i;

/** Somebody who wants to hear more of the same. */
export function isMoreRequest(said: string): boolean {
	return MORE.test(said);
}

const BARE =
	/^(?:(?:and|but|so|ok(?:ay)?)[, ]+)*(why(?: not| so| is that| exactly)?|how(?: so| come| exactly)?|since when|until when|when(?: exactly)?|where(?: exactly)?|who(?: says so| exactly)?|says who|for what|by whom|according to whom|in what way|to what extent|with what evidence|how (?:much|many|often|long))[?.!]*$/i;

/** The word that asks, where nothing but it was said: "Why". */
export function isBareQuestion(said: string): string | undefined {
	const word = BARE.exec(said)?.[1];
	if (word === undefined) return undefined;
	return `${word[0]?.toUpperCase()}${word.slice(1)}`;
}

const WHAT_ABOUT =
	/^(?:(?:and|but|so|ok(?:ay)?|then)[, ]+)*(?:what|how) about (?:(in|for|with|on|under|since|before|after|by|at) )?(.+?)[?.!]*$/i;
const AND_FOR =
	/^(?:(?:and|but|or|also|same|now|the same|likewise)[, ]+)+(?:(in|for|with|on|under|since|before|after|by|at|to|from) |about )?(.+?)(?: (?:instead|too|as well|then))?[?.!]*$/i;
const FRAGMENT =
	/^(in|for|with|on|under|since|before|after|by|at) ((?:\S+ ){0,4}\S+?)(?: instead)?[?.!]*$/i;
const INSTEAD = /^(?:(in|for|with|on) )?((?:\S+ ){0,4}\S+?) instead[?.!]*$/i;
/** "And how does X work?" is a question of its own. */
const OWN_QUESTION =
	/^(?:who|what|which|when|where|why|how|whose|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must|tell|show|list|give|explain|compare|describe|define|find)\b/i;
/** More words than a fragment has. */
const FRAGMENT_WORDS = 8;

/** What a fragment puts into the question before, and behind which preposition. */
export function readEllipsis(
	said: string,
): { readonly text: string; readonly preposition: string | undefined } | undefined {
	for (const form of [WHAT_ABOUT, AND_FOR, FRAGMENT, INSTEAD]) {
		const match = form.exec(said);
		const text = match?.[2]?.trim();
		if (!text || OWN_QUESTION.test(text)) continue;
		if (text.split(" ").length > FRAGMENT_WORDS) continue;
		return { text, preposition: match?.[1]?.toLowerCase() };
	}
	return undefined;
}

/** Sides that something has: asked for alone, they are those of what was spoken of. */
export const RELATIONAL_WORDS: ReadonlySet<string> = new Set(
	"risk risks drawback drawbacks advantage advantages disadvantage disadvantages benefit benefits limitation limitations limit limits alternative alternatives example examples cost costs status author authors deadline date dates version versions requirement requirements dependency dependencies step steps source sources evidence reason reasons downside downsides upside upsides impact impacts consequence consequences successor successors predecessor predecessors use uses usage purpose security performance difference differences origin origins history timeline adoption criticism criticisms problem problems weakness weaknesses strength strengths attack attacks mitigation mitigations exception exceptions detail details part parts field fields parameter parameters type types variant variants implementation implementations maintainer maintainers owner owners editor editors background scope".split(
		" ",
	),
);
