import { stemWord } from "../../../src/search/search.js";
import type { Conflict, Findings, Item, ItemPlace } from "./comparison-items.js";
import { hasName, type Name } from "./names.js";
import type { ReadContext, TextReading } from "./text-reading.js";

const NAME_WEIGHT = 2;
const SURE_RIVAL = 0.85;

/** Whether a sentence speaks of what a claim names; another one of the same series is another thing. */
export function compareNames(
	claim: TextReading,
	sentence: TextReading,
	context: ReadContext,
): Findings {
	const compared = claim.names.map((name, index) =>
		compareName(name, { isFirst: index === 0, claim, sentence, context }),
	);
	const items = compared.flatMap((each) => each.items);
	// Where two names are missing, it is another matter.
	const missing = items.filter(({ place }) => place !== "sentence" && place !== "about");
	const conflicts = missing.length > 1 ? [] : compared.flatMap((each) => each.conflicts);
	return { items, conflicts };
}

interface NameMatter {
	readonly isFirst: boolean;
	readonly claim: TextReading;
	readonly sentence: TextReading;
	readonly context: ReadContext;
}

function compareName(name: Name, matter: NameMatter): Findings {
	const { isFirst, claim, sentence, context } = matter;
	const place = placeOf(name, isFirst, sentence, context);
	const isThere = place === "sentence" || place === "about";
	const rival = isThere ? undefined : rivalOf(name, claim, sentence, context);
	const sureness = rival ? surenessOf({ name, other: rival }, claim, sentence) : 0;
	const isSure = sureness >= SURE_RIVAL;
	const item: Item = {
		...{ weight: NAME_WEIGHT, isName: true, isFigure: false, isEssential: true, text: name.text },
		isSubject: hasName(context.about, name),
		place: isSure ? "rival" : place,
	};
	const conflicts: Conflict[] = [];
	if (rival) {
		const reason = `speaks of ${rival.text}, the claim of ${name.text}`;
		conflicts.push({ reason, sureness, isDecisive: isSure, of: "name" });
	}
	const nearer = place === "sentence" ? nearerRival(name, claim, sentence, context) : undefined;
	if (nearer) conflicts.push({ reason: nearer, sureness: 0.95, of: "name" });
	if (isFixedIn(name, claim, sentence)) {
		conflicts.push({
			reason: `speaks of what is before ${name.text}`,
			sureness: 0.9,
			of: "figure",
		});
	}
	return { items: [item], conflicts };
}

function placeOf(
	name: Name,
	isFirst: boolean,
	sentence: TextReading,
	context: ReadContext,
): ItemPlace {
	if (hasName(sentence, name)) return "sentence";
	// What a claim names behind its subject must be told, not taken for granted.
	if (isFirst ? isAbout(name, sentence, context.about) : hasName(context.title, name))
		return "about";
	return context.around.some((other) => hasName(other, name)) || hasName(context.about, name)
		? "around"
		: "nowhere";
}

/** What a sentence is about is granted, unless it names others of the series and its subject goes by several. */
function isAbout(name: Name, sentence: TextReading, about: TextReading): boolean {
	if (!hasName(about, name)) return false;
	if (!name.series) return true;
	const inSeries = (reading: TextReading) =>
		new Set(reading.names.filter(({ series }) => series === name.series).map(({ key }) => key))
			.size;
	return inSeries(about) <= 1 || inSeries(sentence) === 0;
}

/** Another name of the series; for names without one, any that neither the claim nor the subject has. */
function rivalOf(
	name: Name,
	claim: TextReading,
	sentence: TextReading,
	{ about, unknown }: ReadContext,
): Name | undefined {
	const isOther = (other: Name) => other.key !== name.key && !hasName(claim, other);
	if (!name.series) {
		// What no graph knows is not denied by what they know.
		if (
			name.text
				.toLowerCase()
				.split(/[^\p{L}\p{N}]+/u)
				.some((word) => unknown.has(word))
		)
			return undefined;
		return sentence.names.find(
			(other) =>
				isOther(other) && isAlike({ name, other }, claim, sentence, !hasName(about, other)),
		);
	}
	const isRival = (other: Name) => other.series === name.series && isOther(other);
	return (
		sentence.names.find(isRival) ?? (hasName(about, name) ? undefined : about.names.find(isRival))
	);
}

/** Names of one shape: both acronyms, both written with capitals, both with one beginning. */
function isAlike(
	{ name, other }: { name: Name; other: Name },
	claim: TextReading,
	sentence: TextReading,
	isNews: boolean,
): boolean {
	if (other.series) return false;
	const isAcronym = shapeOf(name.text) === "acronym" && shapeOf(other.text) === "acronym";
	if (isNews && (isAcronym || beginsAlike(name, other))) return true;
	const slot = slotOf(name, claim);
	return slot !== undefined && slot === slotOf(other, sentence);
}

/** What stands before a name: "from the W3C", "from MLCommons"; before "in" the verb too, as "in" alone says little. */
function slotOf({ start }: Name, { text }: TextReading): string | undefined {
	const match =
		/(?:\b(?<verb>\p{L}+)\s+)?\b(?<word>from|by|with|to|into|at|under|in|on|of|as)\s+(?:the\s+|an?\s+)?$/iu.exec(
			text.slice(Math.max(0, start - 60), start),
		);
	const { verb = "", word } = match?.groups ?? {};
	if (word === undefined) return undefined;
	return /^(?:in|on|of|as)$/i.test(word) ? `${stemWord(verb.toLowerCase())} ${word}` : word;
}

function shapeOf(text: string): string {
	if (/^[\p{Lu}\p{N}-]+$/u.test(text)) return text.length <= 3 ? "short acronym" : "acronym";
	return /^\p{Lu}/u.test(text) ? "proper" : "code";
}

function beginsAlike(a: Name, b: Name): boolean {
	const [one = "", other = ""] = [a.text.split(/[-\s]/)[0], b.text.split(/[-\s]/)[0]];
	return one.length > 2 && one === other;
}

function surenessOf(
	{ name, other }: { name: Name; other: Name },
	claim: TextReading,
	sentence: TextReading,
): number {
	if (beginsAlike(name, other)) return 0.95;
	const slot = slotOf(name, claim);
	return name.series || (slot !== undefined && slot === slotOf(other, sentence)) ? 0.85 : 0.7;
}

/** "1.0.1 before 1.0.1g": the version named is the first that is not meant. */
function isFixedIn({ number }: Name, claim: TextReading, sentence: TextReading): boolean {
	if (!number?.includes(".")) return false;
	const before = (text: string) =>
		text
			.split(/\b(?:before|prior to|earlier than|below)\s+/i)
			.slice(1)
			.some((rest) => rest.slice(0, 40).includes(number));
	return before(sentence.text) && !before(claim.text);
}

/** "ARI (RFC 9773) … STAR (RFC 8739)": which number of a series stands by another name of the claim. */
export function nearerRival(
	name: Name,
	claim: TextReading,
	sentence: TextReading,
	{ domain }: ReadContext,
): string | undefined {
	const rivals = sentence.names.filter(
		({ series, key }) => series === name.series && key !== name.key,
	);
	if (!name.series || rivals.length === 0) return undefined;
	const text = sentence.text.toLowerCase();
	const at = ({ text: written, start }: Name) =>
		// The 1.1 of "TLS 1.0 and 1.1" may stand elsewhere as a number.
		/^\d/.test(written) ? start : text.indexOf(written.toLowerCase());
	const own = sentence.names.find(({ key }) => key === name.key);
	if (!own) return undefined;
	const anchors = claim.names.filter(
		(anchor) => anchor.series !== name.series && !hasName(domain, anchor),
	);
	for (const anchor of anchors) {
		const place = at(anchor);
		if (place < 0 || text.indexOf(anchor.text.toLowerCase(), place + 1) >= 0) continue;
		const far = (one: Name) => distance(at(one), place);
		const [nearest = own] = [own, ...rivals].sort((a, b) => far(a) - far(b));
		const isOther = nearest.key !== name.key && !hasName(claim, nearest);
		if (isOther && !isListedBehind(text, place, [nearest, own])) {
			return `names ${nearest.text} with ${anchor.text}, the claim ${name.text}`;
		}
	}
	return undefined;
}

/** "NetScaler, CVE-1 (added in May) and CVE-2": what is said of the one is said of the other. */
function isListedBehind(
	text: string,
	anchor: number,
	[one, other]: readonly [Name, Name],
): boolean {
	const from = text.indexOf(one.text.toLowerCase());
	const to = text.indexOf(other.text.toLowerCase());
	const between = text.slice(from + one.text.length, to).replace(/\([^)]{0,200}\)/g, " ");
	return anchor < from && from < to && /^\s*(?:,|and|or|,\s*(?:and|or))\s*$/.test(between);
}

/** What follows stands nearer than what precedes: numbers are told behind names. */
function distance(at: number, from: number): number {
	return at >= from ? at - from : 2 * (from - at);
}
