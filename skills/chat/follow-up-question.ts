import { LIMITS } from "../../src/contract/contract.js";
import type { FollowUpKind } from "./chat-turns.js";
import {
	isBareQuestion,
	isMoreRequest,
	RELATIONAL_WORDS,
	readEllipsis,
	readOrdinal,
} from "./follow-up-forms.js";
import { replacePronouns } from "./follow-up-pronouns.js";
import type { SpokenOf, TalkContext } from "./talk-context.js";

export interface ResolvedQuestion {
	/** Stands alone. */
	readonly question: string;
	readonly kind: FollowUpKind;
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
	if (isMoreRequest(said)) return { question: `Tell me more about ${topic}.`, kind: "more" };
	const bare = isBareQuestion(said);
	if (bare !== undefined) return { question: `${bare}: ${before}`, kind: "bare" };
	const replaced = replacePronouns(said, topic, spokenOf);
	if (replaced !== undefined) return { question: replaced, kind: "pronoun" };
	const changed = readEllipsis(said);
	if (changed && isAspect(changed.text)) {
		return { question: `What about ${ofTopic(changed.text, topic)}?`, kind: "aspect" };
	}
	if (changed) return { question: changeQuestion(before, topic, changed), kind: "ellipsis" };
	if (isAspect(said)) return { question: `${ofTopic(said, topic)}?`, kind: "aspect" };
	return undefined;
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

interface Change {
	readonly text: string;
	readonly preposition: string | undefined;
}

const YEAR = /\b(?:19|20)\d{2}\b/;
const TIME =
	/^(?:(?:19|20)\d{2}|(?:last|this|next) (?:year|month|quarter|week)|today|now|q[1-4] (?:19|20)\d{2})$/i;

/** The question before, with one part of it exchanged or added. */
function changeQuestion(before: string, topic: string, { text, preposition }: Change): string {
	if (TIME.test(text)) {
		const year = YEAR.exec(text)?.[0];
		if (year !== undefined && YEAR.test(before)) return before.replace(YEAR, year);
		return `${withoutMark(before)} ${preposition ?? (year === undefined ? "" : "in")} ${text}?`.replace(
			/\s+/g,
			" ",
		);
	}
	const written = findName(before, topic);
	if (written !== undefined && takesItsPlace({ before, written, text, preposition })) {
		return before.replace(written, () => text);
	}
	if (preposition !== undefined) return `${withoutMark(before)} ${preposition} ${text}?`;
	return `${withoutMark(before)}, and what about ${text}?`;
}

/** "And EIP-712?" after one of EIP-3009; "for TLS 1.2?" after "… for TLS 1.3", or after anything on TLS 1.3. */
function takesItsPlace({
	before,
	written,
	text,
	preposition,
}: {
	before: string;
	written: string;
	text: string;
	preposition: string | undefined;
}): boolean {
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
	const words =
		withoutMark(said)
			.toLowerCase()
			.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
	const telling = words.filter((word) => !FUNCTION_WORDS.has(word));
	return (
		telling.length > 0 && telling.length <= 3 && telling.every((word) => RELATIONAL_WORDS.has(word))
	);
}

function ofTopic(side: string, topic: string): string {
	return `${withoutMark(side)} ${/alternatives?\W*$/i.test(side) ? "to" : "of"} ${topic}`;
}

function withoutMark(text: string): string {
	return text.replace(/[\s?.!]+$/, "");
}
