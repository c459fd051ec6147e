import { stemWord } from "../../../src/search/search.js";
import {
	type Compared,
	type Conflict,
	type Findings,
	type Item,
	type ItemPlace,
	isSaid,
} from "./findings.js";
import { hasName, type Name } from "./names.js";
import type { TextReading } from "./text-reading.js";

const NAME_WEIGHT = 2;
const SURE_RIVAL = 0.85;

/** Whether a sentence speaks of what a claim names; another one of the same series is another thing. */
export function compareNames(compared: Compared): Findings {
	const found = compared.claim.names.map((name) => compareName(name, compared));
	const items = found.map(({ item }) => item);
	// Where two names are missing, it is another matter.
	const missing = items.filter((item) => !isSaid(item));
	return { items, conflicts: missing.length > 1 ? [] : found.flatMap((each) => each.conflicts) };
}

function compareName(name: Name, compared: Compared) {
	const { claim, sentence, context } = compared;
	const place = placeOf(name, compared);
	const rival = isSaid({ place }) ? undefined : rivalOf(name, compared);
	const sureness = rival ? surenessOf({ name, other: rival }, compared) : 0;
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
	const nearer = place === "sentence" ? nearerRival(name, compared) : undefined;
	if (nearer) conflicts.push({ reason: nearer, sureness: 0.95, of: "name" });
	if (isFixedIn(name, claim, sentence)) {
		const reason = `speaks of what is before ${name.text}`;
		conflicts.push({ reason, sureness: 0.9, of: "figure" });
	}
	return { item, conflicts };
}

function placeOf(name: Name, { claim, sentence, context }: Compared): ItemPlace {
	if (hasName(sentence, name)) return "sentence";
	// What a claim names behind its subject must be said, not taken for granted.
	if (
		name === claim.names[0] ? isAbout(name, sentence, context.about) : hasName(context.title, name)
	)
		return "about";
	return context.around.some((other) => hasName(other, name)) || hasName(context.about, name)
		? "around"
		: "nowhere";
}

/** What a sentence is about is granted, unless it names others of the series and its subject goes by several. */
function isAbout(name: Name, sentence: TextReading, about: TextReading): boolean {
	if (!hasName(about, name)) return false;
	if (!name.series) return true;
	const inSeries = ({ names }: TextReading) => names.filter(({ series }) => series === name.series);
	const others = new Set(inSeries(about).map(({ key }) => key));
	return others.size <= 1 || inSeries(sentence).length === 0;
}

/** Another name of the series; for names without one, any that neither the claim nor the subject has. */
function rivalOf(name: Name, compared: Compared): Name | undefined {
	const { claim, sentence, context } = compared;
	const { about, unknown } = context;
	const isOther = (other: Name) => other.key !== name.key && !hasName(claim, other);
	if (!name.series) {
		// What no graph knows is not denied by what they know.
		const words = name.text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
		if (words.some((word) => unknown.has(word))) return undefined;
		return sentence.names.find((other) => isOther(other) && isAlike({ name, other }, compared));
	}
	const isRival = (other: Name) => other.series === name.series && isOther(other);
	return (
		sentence.names.find(isRival) ?? (hasName(about, name) ? undefined : about.names.find(isRival))
	);
}

type Rivals = { readonly name: Name; readonly other: Name };

/** Names of one shape: both acronyms, both written with capitals, both with one beginning. */
function isAlike({ name, other }: Rivals, { claim, sentence, context }: Compared): boolean {
	if (other.series) return false;
	const isNews = !hasName(context.about, other);
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

function surenessOf({ name, other }: Rivals, { claim, sentence }: Compared): number {
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
function nearerRival(name: Name, { claim, sentence, context }: Compared): string | undefined {
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
		(anchor) => anchor.series !== name.series && !hasName(context.domain, anchor),
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

/** What follows stands nearer than what precedes: numbers stand behind names. */
function distance(at: number, from: number): number {
	return at >= from ? at - from : 2 * (from - at);
}
