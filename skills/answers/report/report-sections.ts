import { type CitedSentence, daysOf } from "../../../src/evidence/evidence.js";
import { type DateSpan, findDateSpans } from "../../verify/verify.js";
import { groupSources } from "./findings.js";

const DAY_MS = 86_400_000;

/** Something a sentence dates, or the day its source appeared. */
export interface TimelineEntry {
	/** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, as precise as it is known. */
	readonly date: string;
	readonly sentence: CitedSentence;
	/** "told" when the sentence names the date, "published" when it is that of its source. */
	readonly basis: "told" | "published";
}

const DATE_CHARS = { day: 10, month: 7, year: 4 } as const;

/**
 * Dated sentences, oldest first; of one date those that name it come before those whose source bears it. A sentence stands
 * here once, at the first date it names; nothing after `until` (`YYYY-MM-DD`) is taken from sources.
 */
export function toTimeline(
	sentences: readonly CitedSentence[],
	{ until, limit }: { readonly until: string; readonly limit: number },
): readonly TimelineEntry[] {
	const told = sentences.flatMap((sentence) => toldEntry(sentence) ?? []);
	const telling = new Set(told.map(({ sentence }) => sentence));
	const published = sentences
		.filter((sentence) => !telling.has(sentence))
		.flatMap((sentence) => publishedEntry(sentence, until) ?? []);
	return [...told, ...published].slice(0, limit).sort(byDate);
}

function toldEntry(sentence: CitedSentence): TimelineEntry | undefined {
	const told = findToldDate(sentence.text);
	return told && { date: told.date, sentence, basis: "told" };
}

/** The first date that a sentence gives for what it says, and where it stands; undefined where it gives none. */
export function findToldDate(text: string) {
	const span = findDateSpans(text).find((one) => isMeantAsDate(text, one));
	if (!span) return undefined;
	const { from, precision, start, end } = span;
	const day = new Date(from * DAY_MS).toISOString();
	return { date: day.slice(0, DATE_CHARS[precision]), start, end };
}

/**
 * A bare number of four digits is a year only where the words before it say so: keys have 1952 bytes. A day that its month
 * does not have is none.
 */
function isMeantAsDate(text: string, span: DateSpan): boolean {
	const { precision, start } = span;
	if (precision === "day") return dayTold(span.text) === new Date(span.from * DAY_MS).getUTCDate();
	if (precision === "month") return true;
	return /\b(?:in|since|until|by|of|from|before|after|during|between|late|early|mid|year)[\s-]+$/i.test(
		text.slice(0, start),
	);
}

/** The day of the month that a date begins with: `2024-02-28`, "28 February 2024", "February 28th, 2024". */
function dayTold(date: string): number {
	const [, day] = /^\d{4}-\d\d-(\d\d)/.exec(date) ?? /(?<!\d)(\d{1,2})(?!\d)/.exec(date) ?? [];
	return Number(day);
}

function publishedEntry(sentence: CitedSentence, until: string): TimelineEntry | undefined {
	const [source] = sentence.sources;
	const { publishedAt, datePrecision = "day" } = source ?? {};
	if (publishedAt === undefined || publishedAt > until) return undefined;
	return { date: publishedAt.slice(0, DATE_CHARS[datePrecision]), sentence, basis: "published" };
}

function byDate(a: TimelineEntry, b: TimelineEntry): number {
	if (a.date !== b.date) return a.date < b.date ? -1 : 1;
	return a.basis === b.basis ? 0 : a.basis === "told" ? -1 : 1;
}

/** Something the evidence leaves open. */
export interface ReportGap<S extends CitedSentence = CitedSentence> {
	readonly kind: "not_covered" | "open_question" | "single_source" | "outdated" | "undated";
	readonly message: string;
	/** The sentence that says so itself; absent where the report counts. */
	readonly sentence?: S | undefined;
}

/** Sentences in which evidence says itself what is not known. */
const OPEN =
	/\b(?:open (?:question|issue)s?|unclear|not (?:yet )?(?:known|clear|settled|decided|measured|specified)|remains? (?:open|unclear|undecided)|undecided|unresolved|(?:does|do) not (?:say|tell|specify|state)|no (?:data|figures|evidence))\b/i;
const OPEN_MAX = 5;
const OLD_DAYS = 3 * 365;

/** What is not known: words nothing covers, questions the evidence leaves open itself, findings of one publisher, old or undated sources. */
export function findGaps<S extends CitedSentence>(found: {
	readonly missing: readonly string[];
	readonly sentences: readonly S[];
	/** Independent sources of each finding. */
	readonly groups: readonly number[];
	readonly profile: Pick<ReturnType<typeof profileSources>, "date_span" | "undated">;
	readonly asOf: string;
}): readonly ReportGap<S>[] {
	const { missing, sentences, groups, profile, asOf } = found;
	const {
		undated,
		date_span: { newest },
	} = profile;
	const single = groups.filter((count) => count <= 1).length;
	const isOld = newest !== null && Date.parse(asOf) - Date.parse(newest) > OLD_DAYS * DAY_MS;
	const gaps: (ReportGap<S> | false)[] = [
		missing.length > 0 && {
			kind: "not_covered",
			message: `Nothing covers: ${missing.join(", ")}.`,
		},
		...sentences
			.filter(({ text }) => OPEN.test(text))
			.slice(0, OPEN_MAX)
			.map((sentence) => ({ kind: "open_question" as const, message: sentence.text, sentence })),
		single > 0 && {
			kind: "single_source",
			message: `${single} of ${groups.length} findings rest on one publisher alone.`,
		},
		isOld && { kind: "outdated", message: `The newest source dates from ${newest}.` },
		undated > 0 && { kind: "undated", message: `${undated} sources have no date.` },
	];
	return gaps.filter((gap) => gap !== false);
}

const PUBLISHERS_MAX = 10;

/** What a report rests on, in numbers; tiers count sentences by how their concept was checked. */
export function profileSources(sentences: readonly CitedSentence[]) {
	const tiers = { "human-reviewed": 0, "machine-confirmed": 0, unverified: 0 };
	for (const { concept } of sentences) tiers[concept.trust] += 1;
	const all = sentences.flatMap(({ sources }) => sources);
	const distinct = [...new Map(all.map((source) => [source.sourceUrl, source])).values()];
	const groups = groupSources(distinct);
	return {
		tiers,
		sources: distinct.length,
		independent_groups: groups.length,
		publishers: groups
			.map(({ publisher, sources }) => ({ publisher, sources: sources.length }))
			.sort((a, b) => b.sources - a.sources)
			.slice(0, PUBLISHERS_MAX),
		date_span: daysOf(distinct.map(({ publishedAt }) => publishedAt)),
		undated: distinct.filter(({ publishedAt }) => publishedAt === undefined).length,
	};
}
