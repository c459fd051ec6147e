import { type Conflict, CREDIT, type Findings, type Item } from "./comparison-items.js";
import type { Name } from "./names.js";
import type { ReadContext } from "./sentence-context.js";
import type { TextReading } from "./text-reading.js";

const NAME_WEIGHT = 1.6;

/** Whether a sentence speaks of what a claim names; another one of the same series is another thing. */
export function compareNames(
	claim: TextReading,
	sentence: TextReading,
	context: ReadContext,
): Findings {
	const items: Item[] = [];
	const conflicts: Conflict[] = [];
	for (const name of claim.names) {
		const place = placeOf(name, sentence, context);
		items.push({
			weight: NAME_WEIGHT,
			credit: CREDIT[place],
			isOwn: place === "sentence",
			isEssential: true,
			text: name.text,
		});
		const isFar = place === "nowhere" || place === "around";
		const rival = isFar ? rivalOf(name, claim, sentence, context) : undefined;
		if (rival) {
			const reason = `speaks of ${rival.text}, the claim of ${name.text}`;
			conflicts.push({ reason, sureness: name.series ? 0.85 : 0.7 });
		}
	}
	return { items, conflicts };
}

function placeOf(
	name: Name,
	sentence: TextReading,
	{ about, around }: ReadContext,
): keyof typeof CREDIT {
	if (hasName(sentence, name)) return "sentence";
	if (isAbout(name, sentence, about)) return "about";
	return hasName(around, name) ? "around" : "nowhere";
}

function hasName({ names, text }: TextReading, { key, text: written }: Name): boolean {
	if (names.some((other) => other.key === key)) return true;
	return text.toLowerCase().includes(written.toLowerCase());
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

/** Another name of the series; for names without one, any that the claim does not have. */
function rivalOf(
	name: Name,
	claim: TextReading,
	sentence: TextReading,
	{ about }: ReadContext,
): Name | undefined {
	const isOther = (other: Name) => other.key !== name.key && !hasName(claim, other);
	if (!name.series) return sentence.names.find((other) => isOther(other) && other.series === undefined && !hasName(about, other));
	const isRival = (other: Name) => other.series === name.series && isOther(other);
	return sentence.names.find(isRival) ?? about.names.find(isRival);
}
