import { normalizeName } from "../../../src/evidence/evidence.js";
import { isStopWord } from "../../../src/search/search.js";
import { findUnit } from "./units.js";

/** A name in a text. */
export interface Name {
	/** As written. */
	readonly text: string;
	/** Without case, spaces and punctuation: `eip1559`. */
	readonly key: string;
	/** `eip`; undefined for names that are no identifiers of a series. */
	readonly series: string | undefined;
	/** Where it stands first. */
	readonly start: number;
}

const IDENTIFIER =
	/(?<![\p{L}\p{N}])(?<series>\p{L}[\p{L}+#]{0,14}(?:\/\p{L}{1,8})?)(?<gap>[-\s/]?)(?<number>v?\d+(?:[.-]\d+)*(?:(?<=\.\d+)\p{Ll})?)(?![\p{L}\p{N}])/gu;
const CODE =
	/(?<![\p{L}\p{N}_.])(?:0x[0-9a-fA-F]{1,64}|\p{Ll}+(?:_\p{Ll}+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}[\p{L}\p{N}]*(?:_\p{Lu}[\p{L}\p{N}]*)+|\p{Lu}\p{L}+(?:-\p{Lu}\p{L}+)+|\p{Lu}{2,}\p{Ll}{2,}\p{L}*|\p{Lu}\d\p{Lu}|\p{Ll}{2,}\d+\p{Ll}+\d*|\.\p{Ll}{2,12}(?:-\p{Ll}+)+)(?![\p{L}\p{N}_])/gu;
const ACRONYM = /(?<![\p{L}\p{N}])\p{Lu}{2,}[\p{Lu}\p{N}]*(?:-\p{Lu}{2,})*(?![\p{L}\p{N}])/gu;
const PROPER =
	/(?<![\p{L}\p{N}-])\p{Lu}\p{Ll}{2,}(?:\s\p{Lu}\p{Ll}{2,})*(?:['’]s)?(?![\p{L}\p{N}-])/gu;
/** Words that number parts of a text or answers, not things of a series. */
const NO_SERIES =
	/^(?:in|of|to|the|and|or|by|at|on|for|than|only|about|over|under|least|most|up|from|with|since|until|between|status|code|port|section|level|type|is|are|was|has|have|had|january|february|march|april|may|june|july|august|september|october|november|december|exactly|nearly|almost|around|some|all|uses?|takes?|after|before|within|not|no|its|a|an|as|every|each|into|through|error|errors|returns?|opcode|chain|id|nonce|epoch|per|costs?|top|covers?|holds?|q|h)$/iu;
/** One thing under two names of a series. */
const SAME_SERIES: Readonly<Record<string, string>> = { erc: "eip" };
const MONTHS_AND_DAYS =
	/^(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)$/i;

/** What counts, asks or stands for a person. */
const NOT_A_NAME =
	/^(?:who(?:ever|soever)?|whatever|whichever|whenever|wherever|whoever|several|many|few|half|each|either|neither|any(?:one|body|thing)|every(?:one|body|thing)|some(?:one|body|thing)|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens|hundreds|thousands|nearly|almost|about|roughly|around|over|under)$/i;

/** Names in the order of the text: identifiers, names from code, acronyms, and words with a capital. */
export function findNames(text: string): readonly Name[] {
	const names = new Map<string, Name>();
	const spans: { readonly start: number; readonly end: number }[] = [];
	const add = (name: Omit<Name, "start">, start: number) => {
		// The RFC of "RFC 9110" is no name of its own.
		if (spans.some((span) => start >= span.start && start < span.end)) return;
		spans.push({ start, end: start + name.text.length });
		if (name.key !== "" && !names.has(name.key) && !findUnit(name.text))
			names.set(name.key, { ...name, start });
	};
	for (const match of text.matchAll(IDENTIFIER)) {
		const { series = "", gap = "", number = "" } = match.groups ?? {};
		const isWritten = gap !== " " || /\p{Lu}/u.test(series);
		if (isWritten && !NO_SERIES.test(series))
			add(toIdentifier(match[0], series, number), match.index);
	}
	const listed = findListedMembers(text).filter(({ series }) => !NO_SERIES.test(series));
	listed.forEach(({ series, number, start }) => {
		add(toIdentifier(number, series, number), start);
	});
	for (const pattern of [CODE, ACRONYM]) {
		for (const match of text.matchAll(pattern)) add(toName(match[0]), match.index);
	}
	for (const match of text.matchAll(PROPER)) {
		const name = toName(match[0]);
		if (isProper(name.text, match, text)) add(name, match.index);
	}
	return [...names.values()].sort((a, b) => a.start - b.start);
}

/** What opens a sentence has a capital anyway: only what looks like no common word is taken for a name there. */
function isProper(name: string, match: RegExpExecArray, text: string): boolean {
	if (MONTHS_AND_DAYS.test(match[0]) || isStopWord(name.toLowerCase())) return false;
	const isFirst = match.index === 0 || /[.!?:]["'”’)]*\s+$/.test(text.slice(0, match.index));
	if (!isFirst || name.includes(" ") || name !== match[0]) return true;
	// A lone noun without an article, a verb behind it: "Android accounts for", not "Several parts of".
	return (
		!NOT_A_NAME.test(name) &&
		/^\s(?:is|was|has|had|can|must|may|\p{Ll}+ed|\p{Ll}+[^s\W]s(?!\s(?:of|in|that|which|are|were|have|can|may|must|do|and|with)\b))\s/u.test(
			text.slice(match.index + match[0].length),
		) &&
		!/(?:ing|ed|s|ly|ion)$/.test(name)
	);
}

function toIdentifier(text: string, written: string, number: string): Omit<Name, "start"> {
	const lower = written.toLowerCase();
	const series = SAME_SERIES[lower] ?? lower;
	const digits = number.toLowerCase().replace(/^v/, "");
	return { text, key: `${series}${digits}`.replace(/[^\p{L}\p{N}.]/gu, ""), series };
}

function toName(written: string): Omit<Name, "start"> {
	const words = written.replace(/['’]s$/, "").split(" ");
	while (words.length > 1 && isStopWord((words[0] ?? "").toLowerCase())) words.shift();
	const text = words.join(" ");
	const key = normalizeName(text).replace(/ /g, "");
	return { text, key, series: undefined };
}

/** A number in a list that shares the name of its series with the first: the 1.1 of "TLS 1.0 and 1.1". */
export interface ListedMember {
	readonly series: string;
	readonly number: string;
	readonly start: number;
	readonly end: number;
}

const NUMBER = "\\d+(?:\\.\\d+)*";
const JOINED = "(?:,\\s(?:and\\s|or\\s)?|\\s(?:and|or|to)\\s)";
const LIST = new RegExp(
	`(?<![\\p{L}\\p{N}])(?<series>\\p{Lu}[\\p{L}+#]{1,14}(?:/\\p{L}{1,8})?)[-\\s](?<first>${NUMBER})(?<rest>(?:${JOINED}${NUMBER})+)(?![\\p{L}\\p{N}]|\\.\\d)`,
	"gu",
);
/** What stands behind a number that counts something. */
const COUNTED =
	/^[-\s](?!(?:and|or|are|is|was|were|be|been|have|has|had|can|may|must|in|on|at|to|for|from|by|with|as|which|that|both|all|together|too|not|only|need|then|than)\b)\p{Ll}/u;
const LEAST_DIGITS = 3;

/** Members of such lists but the first. Numbers must look alike, as those of one series do. */
export function findListedMembers(text: string): readonly ListedMember[] {
	return [...text.matchAll(LIST)].flatMap(({ index, 0: whole, groups }) => {
		const { series = "", first = "", rest = "" } = groups ?? {};
		const from = index + whole.length - rest.length;
		return [...rest.matchAll(new RegExp(NUMBER, "g"))].flatMap(({ index: at, 0: number }) => {
			const start = from + at;
			const end = start + number.length;
			const isCounted = COUNTED.test(text.slice(end, end + 20));
			return !isCounted && isOfOneShape(first, number) ? [{ series, number, start, end }] : [];
		});
	});
}

function isOfOneShape(first: string, number: string): boolean {
	const dots = (text: string) => text.split(".").length;
	if (dots(first) !== dots(number)) return false;
	return dots(first) > 1 || (first.length === number.length && first.length >= LEAST_DIGITS);
}

/** True where a text has a name, under whatever spelling counts as the same. */
export function hasName(
	{ names, text }: { readonly names: readonly Name[]; readonly text: string },
	{ key, text: written, series }: Name,
): boolean {
	if (names.some((other) => other.key === key)) return true;
	if (series !== undefined) return false;
	const name = written.toLowerCase();
	const short = name.replace(PEOPLE, "");
	return [name, ...(short.length >= 4 ? [short] : [])].some((one) =>
		hasWords(text.toLowerCase(), one),
	);
}

/** "Indonesian" by "Indonesia". */
const PEOPLE = /(?:i?an|n|ish|ese)s?$/;

/** True where words stand in a text as such: "MIT" is not in "permitted". A plural, a genitive or the name of a people may follow. */
function hasWords(text: string, words: string): boolean {
	for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
		const before = text[at - 1] ?? " ";
		const behind = text.slice(at + words.length);
		if (!WORD_CHAR.test(before) && /^(?:e?s|(?:i?an|n|ish|ese)s?)?(?![\p{L}\p{N}])/u.test(behind))
			return true;
	}
	return false;
}

const WORD_CHAR = /[\p{L}\p{N}]/u;
