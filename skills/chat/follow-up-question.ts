import { LIMITS } from "../../src/contract/contract.js";
import type { FollowUpKind, SpokenOf, TalkContext } from "./chat-turns.js";

export interface ResolvedQuestion {
	/** Stands alone. */
	readonly question: string;
	readonly kind: FollowUpKind;
	/** What was put beside all that the question before asks, so that it alone would still be answered. */
	readonly added?: string | undefined;
	/** What it may mean, where several things are as likely: to be asked back. */
	readonly choices?: readonly string[] | undefined;
}

/**
 * Makes a follow-up stand alone by rules: what "it", "that standard", "the second one" stand for, what "what about 2024",
 * "and for TLS 1.2?" change in the question before, what "why?" and "the risks?" are about. Text that refers to nothing, or
 * to what is not there, stays as it is; so does one that would become longer than a question may be.
 */
export function resolveFollowUp(message: string, context: TalkContext): ResolvedQuestion {
	const said = message.trim().replace(/\s+/g, " ");
	const resolved = resolve(said, context);
	return resolved && resolved.question.length <= LIMITS.queryChars
		? resolved
		: { question: said, kind: "alone" };
}

function resolve(said: string, context: TalkContext): ResolvedQuestion | undefined {
	const { spokenOf } = context;
	if (context.question === undefined) return undefined;
	const before = withoutFollowUps(context.question);
	const topic = topicOf(before, spokenOf);
	if (topic === undefined) return undefined;
	const pointed = readOrdinal(said, spokenOf);
	if (pointed !== undefined) return { question: pointed, kind: "ordinal" };
	if (MORE.test(said)) return { question: `Tell me more about ${topic}.`, kind: "more" };
	const bare = isBareQuestion(said);
	if (bare !== undefined) return { question: `${bare}: ${before}`, kind: "bare" };
	const replaced = replacePronouns(said, topic, spokenOf);
	if (replaced !== undefined) {
		const choices = chooseAmong(before, said, spokenOf);
		return { question: replaced, kind: "pronoun", ...(choices && { choices }) };
	}
	const changed = readEllipsis(said);
	if (changed && isAspect(changed.text)) {
		return { question: `What about ${ofTopic(changed.text, topic)}?`, kind: "aspect" };
	}
	if (changed) return { ...changeQuestion(before, topic, changed), kind: "ellipsis" };
	if (isAspect(said)) return { question: `${ofTopic(said, topic)}?`, kind: "aspect" };
	return undefined;
}

/** One thing is meant, and the question before named several that its answer spoke of: each of them is as likely. */
function chooseAmong(
	before: string,
	said: string,
	spokenOf: readonly SpokenOf[],
): readonly string[] | undefined {
	if (MANY_THINGS.test(said) || OF_THINGS.test(said)) return undefined;
	const named = spokenOf.flatMap(({ name, aliases }) => {
		const found = [name, ...aliases].flatMap((one) => findName(before, one) ?? []);
		return found.sort((a, b) => b.length - a.length)[0] ?? [];
	});
	const distinct = [...new Set(named)].filter(
		(name) => !named.some((other) => other !== name && other.includes(name)),
	);
	if (distinct.length < 2) return undefined;
	return distinct.flatMap((name) => replacePronouns(said, name, []) ?? []);
}

/** What earlier follow-ups put around a question, so that one behind the other does not pile up. */
function withoutFollowUps(question: string): string {
	const asked = /^[^:]{1,30}: (.+)$/s.exec(question);
	const inner =
		asked?.[1] && isBareQuestion(question.slice(0, question.indexOf(":"))) ? asked[1] : question;
	return inner.replace(/, and what about [^?]+\?$/, "?");
}

/** The name that the question before used for what its answer spoke of; the first of these where it used none. */
function topicOf(question: string, spokenOf: readonly SpokenOf[]): string | undefined {
	const names = spokenOf.flatMap(({ name, aliases }) => [name, ...aliases]);
	const asked = names
		.flatMap((name) => findName(question, name) ?? [])
		.sort((a, b) => b.length - a.length)[0];
	return asked ?? namedIn(question) ?? spokenOf[0]?.name;
}

/** The name as it is written in a text; undefined where it is not there as a whole. */
function findName(text: string, name: string): string | undefined {
	if (name.length < 2) return undefined;
	const at = text.toLowerCase().indexOf(name.toLowerCase());
	if (at < 0) return undefined;
	const [left, right] = [text[at - 1] ?? " ", text[at + name.length] ?? " "];
	return /[\p{L}\p{N}]/u.test(left) || /[\p{L}\p{N}]/u.test(right)
		? undefined
		: text.slice(at, at + name.length);
}

/** A run of words written as names are (capitals, digits), not counting the question's own first word. */
const NAME_RUN =
	/(?<=\s)(?:\p{Lu}[\p{L}\p{N}.-]*|\p{L}+[-.]?\d[\p{L}\p{N}.-]*)(?:\s+(?:\p{Lu}[\p{L}\p{N}.-]*|v?\d[\d.]*))*/gu;

function namedIn(question: string): string | undefined {
	const runs = [...question.matchAll(NAME_RUN)].map(([run]) => run.replace(/[.?!,;:]+$/, ""));
	return runs.sort((a, b) => b.length - a.length)[0];
}

type Change = { readonly text: string; readonly preposition: string | undefined };

const YEAR = /\b(?:19|20)\d{2}\b/;
const TIME =
	/^(?:(?:19|20)\d{2}|(?:last|this|next) (?:year|month|quarter|week)|today|now|q[1-4] (?:19|20)\d{2})$/i;

/** The question before, with one part of it exchanged or added. */
function changeQuestion(
	before: string,
	topic: string,
	{ text, preposition }: Change,
): Omit<ResolvedQuestion, "kind"> {
	if (TIME.test(text)) return { question: changeTime(before, { text, preposition }) };
	const written = findName(before, topic);
	if (written !== undefined && takesItsPlace(before, written, { text, preposition })) {
		return { question: before.replace(written, () => text) };
	}
	const link = preposition === undefined ? ", and what about" : ` ${preposition}`;
	return { question: `${withoutMark(before)}${link} ${text}?`, added: text };
}

function changeTime(before: string, { text, preposition }: Change): string {
	const year = YEAR.exec(text)?.[0];
	if (year !== undefined && YEAR.test(before)) return before.replace(YEAR, year);
	const link = preposition ?? (year === undefined ? "" : "in");
	return `${withoutMark(before)} ${link} ${text}?`.replace(/\s+/g, " ");
}

/** "And EIP-712?" after one of EIP-3009; "for TLS 1.2?" after "… for TLS 1.3", or after anything on TLS 1.3. */
function takesItsPlace(before: string, written: string, { text, preposition }: Change): boolean {
	if (preposition === undefined) return true;
	return standsBehind(before, preposition, written) || familyOf(text) === familyOf(written);
}

/** "EIP" of "EIP-712", "TLS" of "TLS 1.2". */
function familyOf(name: string): string {
	return (/^[^\s\d-]+/.exec(name)?.[0] ?? name).toLowerCase();
}

function standsBehind(before: string, preposition: string, name: string): boolean {
	const at = before.indexOf(name);
	return new RegExp(`\\b${preposition}(?: the| an?)? $`, "i").test(before.slice(0, at));
}

const FUNCTION_WORDS = new Set(
	"what which who when where how why is are was were do does did has have had can could will would should the a an any some there main known biggest current latest and or but also so then its their of to for in on by from with between these those me tell show list give please many much it be been".split(
		" ",
	),
);

/** A question about a side of something, without the something: every word that says anything is such a side. */
function isAspect(said: string): boolean {
	const plain = withoutMark(said).toLowerCase();
	const words = plain.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
	const telling = words.filter((word) => !FUNCTION_WORDS.has(word));
	const isShort = telling.length > 0 && telling.length <= 3;
	return isShort && telling.every((word) => RELATIONAL_WORDS.has(word));
}

function ofTopic(side: string, topic: string): string {
	return `${withoutMark(side)} ${/alternatives?\W*$/i.test(side) ? "to" : "of"} ${topic}`;
}

function withoutMark(text: string): string {
	return text.replace(/[\s?.!]+$/, "");
}

const ORDINALS = new Map<string, number>();
for (const [names, place] of [
	["first|1st|former|#1|number one|number 1", 0],
	["second|2nd|#2|number two|number 2", 1],
	["third|3rd|#3|number three|number 3", 2],
	["fourth|4th", 3],
	["fifth|5th", 4],
	["last|latter", -1],
] as const) {
	for (const name of names.split("|")) ORDINALS.set(name, place);
}

/** Words that name a place, for patterns. */
export const ORDINAL_WORDS = [...ORDINALS.keys()].join("|");

/** "second" is 1, "last" -1. */
export function placeNamed(word: string): number | undefined {
	return ORDINALS.get(word.toLowerCase());
}

const ORDINAL_FORMS =
	/(?:\b(?:the )?(first|1st|second|2nd|third|3rd|fourth|4th|fifth|5th|last) (?:one|of (?:them|those|these)|point|item|option|result|standard|source|entry)\b|\bthe (former|latter)\b|\b(?:the )?(number (?:one|two|three|[123]))\b|(?<=^|\s)(#[123])(?=\W|$))/i;

/** With "the second one" said by its name; undefined where nothing is pointed at, or nothing is there. */
function readOrdinal(said: string, spokenOf: readonly SpokenOf[]): string | undefined {
	const match = ORDINAL_FORMS.exec(said);
	const form = match?.slice(1).find((group) => group !== undefined);
	const place = form === undefined ? undefined : ORDINALS.get(form.toLowerCase());
	const name = place === undefined ? undefined : spokenOf.at(place)?.name;
	if (!match || name === undefined) return undefined;
	const rest = said.replace(match[0], name);
	return /^[\p{L}\p{N}]/u.test(rest) && rest.replace(/[?.!]+$/, "") === name
		? `Tell me about ${name}.`
		: rest;
}

const MORE =
	/^(?:(?:please|ok(?:ay)?|and|so|can you|could you)[, ]+)*(?:tell me more|say more|more(?: details?| please)?|go on|continue|elaborate|explain(?: more| further)?|keep going|what else|anything else|expand|in more detail|details)(?: please)?[.?!…]*$/i;

const BARE =
	/^(?:(?:and|but|so|ok(?:ay)?)[, ]+)*(why(?: not| so| is that| exactly)?|how(?: so| come| exactly)?|since when|until when|when(?: exactly)?|where(?: exactly)?|who(?: says so| exactly)?|says who|for what|by whom|according to whom|in what way|to what extent|with what evidence|how (?:much|many|often|long))[?.!]*$/i;

/** The word that asks, where nothing but it was said: "Why". */
function isBareQuestion(said: string): string | undefined {
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
function readEllipsis(said: string): Change | undefined {
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
const RELATIONAL_WORDS: ReadonlySet<string> = new Set(
	"risk risks drawback drawbacks advantage advantages disadvantage disadvantages benefit benefits limitation limitations limit limits alternative alternatives example examples cost costs status author authors deadline date dates version versions requirement requirements dependency dependencies step steps source sources evidence reason reasons downside downsides upside upsides impact impacts consequence consequences successor successors predecessor predecessors use uses usage purpose security performance difference differences origin origins history timeline adoption criticism criticisms problem problems weakness weaknesses strength strengths attack attacks mitigation mitigations exception exceptions detail details part parts field fields parameter parameters type types variant variants implementation implementations maintainer maintainers owner owners editor editors background scope".split(
		" ",
	),
);

/** Nouns that "that", "this" and "the same" are put before without naming anything new. */
const GENERAL_NOUNS =
	"standard|specification|spec|proposal|protocol|algorithm|method|code|header|rule|idea|approach|vulnerability|cve|kep|eip|erc|rfc|pep|feature|concept|mechanism|extension|scheme|technique|model|format|version|document|draft|framework|library|tool|system|technology|practice|pattern|process|policy|token|field|change|flaw|bug|attack|index|metric|term|thing|one|topic|subject|paper|article|product|service|company|brand|project|process|law|regulation|directive";
const ONE_THING = new RegExp(
	`\\b(?:that|this|the same|said)\\s+(?:${GENERAL_NOUNS})\\b(['’]s)?`,
	"i",
);
const OF_THINGS = /\b(?:they|them|their|theirs)\b/i;

/** "it" that stands for nothing: "is it possible to", "it is true that". */
const EMPTY_IT =
	/\b(?:(?:is|was|would|does|will) it|it(?:['’]s| is| was| would be)?)\s+(?:be |still |really |also |even )?(?:possible|true|necessary|safe|ok(?:ay)?|better|worth|common|allowed|required|recommended|fair|likely|important|take|make sense|matter)\b(?:\s+(?:to|that|for|if|whether|how|until)\b)/i;
const POSSESSIVE = /\bits\b/i;
const IT = /\b(?:it|itself)\b(?!['’]s\b)|\bit(?=['’]s\b)/i;
/** "that" and "this" where no noun follows them and nothing they would join stands before them. */
const BEFORE_THAT =
	"about|of|for|to|with|than|like|by|from|in|on|under|is|was|are|does|did|do|has|can|could|will|would|should|why|how|when|where|and|but|so|after|before|since|use|uses|support|supports|replace|replaces|implement|implements|mean|explain|compare|define|describe|change|fix|affect|break|solve|prevent|adopt";
const BEHIND_THAT =
	"is|was|does|did|has|had|can|could|will|would|should|may|might|must|mean|means|work|works|differ|differs|apply|applies|happen|happens|relate|relates|compare|compares|replace|replaces|change|changes|start|begin|end|cost|need|require|exist|not|to|with|from|in|for|and|or|still|again|today|now|so|too|safe|secure|deprecated|stable|standardised|standardized|published|supported|finished|final|important|related";
const BARE_THAT = new RegExp(
	`(?<=^|\\b(?:${BEFORE_THAT})\\s)(?:that|this)(?=\\s*(?:[?.!,;:]|$)|\\s+(?:${BEHIND_THAT})\\b)`,
	"i",
);

const GENERAL_PLURALS = GENERAL_NOUNS.split("|")
	.map((noun) => (noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`))
	.join("|");
const MANY_THINGS = new RegExp(
	`\\b(?:all of (?:them|these|those)|the two|(?:these|those)(?: two)?|both)(?:\\s+(?:of (?:them|these|those)|${GENERAL_PLURALS})\\b|(?=\\s*(?:[?.!,;:]|$))|(?=\\s+(?:${BEHIND_THAT})\\b))`,
	"i",
);

/** Where one clause ends and the next begins. */
const CLAUSE_END = /\b(?:and|but|or|when|if|because|while|so|whether|although|though)\b|[,;:.]/i;
const NAME_LIKE =
	/(?:\s|^)(?:\p{Lu}{2,}[\p{L}\p{N}.-]*|\p{L}+[-.]?\d[\p{L}\p{N}.-]*|(?<=\s)\p{Lu}[\p{Ll}\p{N}.-]+)/u;

/**
 * The message with its pronouns said by name; undefined where it has none, or names what they stand for itself ("What is
 * EIP-712 and how does it work?").
 */
function replacePronouns(
	said: string,
	topic: string,
	spokenOf: readonly SpokenOf[],
): string | undefined {
	const first = replaceFirst(said, topic, spokenOf);
	if (!first) return undefined;
	const { head, tail } = first;
	// The rest of the sentence may speak of the same thing again; what was put in is not looked at.
	return `${head}${CLAUSE_END.test(tail) ? tail : (replacePronouns(tail, topic, []) ?? tail)}`;
}

/** A form, and what it stands for. */
type NameFor = readonly [form: RegExp, name: (match: RegExpExecArray) => string];

/** The first place where a pronoun stands for what was spoken of before; the head ends with the name that was put in. */
function replaceFirst(said: string, topic: string, spokenOf: readonly SpokenOf[]) {
	const nameFor: readonly NameFor[] = [
		[MANY_THINGS, () => namesOf(topic, spokenOf)],
		[ONE_THING, ([, genitive = ""]) => `${topic}${genitive}`],
		...(EMPTY_IT.test(said) ? [] : [[IT, () => topic] satisfies NameFor]),
		[POSSESSIVE, () => `${topic}'s`],
		[OF_THINGS, ([word]) => (/^their/i.test(word) ? `${topic}'s` : topic)],
		[BARE_THAT, () => topic],
	];
	for (const [form, name] of nameFor) {
		const match = form.exec(said);
		if (!match || hasOwnName(said.slice(0, match.index))) continue;
		const head = `${said.slice(0, match.index)}${name(match)}`;
		return { head, tail: said.slice(match.index + match[0].length) };
	}
	return undefined;
}

/** A clause before the pronoun's names something: then it stands for that. */
function hasOwnName(before: string): boolean {
	const clauses = before.split(CLAUSE_END);
	return clauses.slice(0, -1).some((clause) => NAME_LIKE.test(clause));
}

const THINGS_MAX = 3;

function namesOf(topic: string, spokenOf: readonly SpokenOf[]): string {
	const names = [...new Set(spokenOf.map(({ name }) => name))].slice(0, THINGS_MAX);
	const last = names.at(-1);
	if (last === undefined || names.length === 1) return topic;
	return `${names.slice(0, -1).join(", ")} and ${last}`;
}
