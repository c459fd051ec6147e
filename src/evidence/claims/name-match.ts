import type { Name } from "./names.js";
import type { Conflict, Item } from "./stance-comparator.js";
import type { TextReading } from "./text-reading.js";

const NAME_WEIGHT = 1.6;

/** Whether a sentence speaks of what a claim names; another one of the same series is another thing. */
export function compareNames(
	claim: TextReading,
	sentence: TextReading,
	about: TextReading,
): { readonly items: readonly Item[]; readonly conflicts: readonly Conflict[] } {
	const items: Item[] = [];
	const conflicts: Conflict[] = [];
	for (const name of claim.names) {
		const isThere = hasName(sentence, name);
		const isGranted = !isThere && isAbout(name, sentence, about);
		items.push({ weight: NAME_WEIGHT, isMet: isThere || isGranted, isGranted });
		if (isThere || isGranted) continue;
		const rival = rivalOf(name, claim, sentence, about);
		if (rival)
			conflicts.push({
				reason: `speaks of ${rival.text}, the claim of ${name.text}`,
				sureness: 0.7,
			});
		else if (name.series) conflicts.push({ reason: `does not speak of ${name.text}`, sureness: 0 });
	}
	return { items, conflicts };
}

function hasName({ names, text }: TextReading, { key, text: written }: Name): boolean {
	return (
		names.some((other) => other.key === key) || text.toLowerCase().includes(written.toLowerCase())
	);
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

function rivalOf(
	name: Name,
	claim: TextReading,
	sentence: TextReading,
	about: TextReading,
): Name | undefined {
	if (!name.series) return undefined;
	const isRival = (other: Name) =>
		other.series === name.series && other.key !== name.key && !hasName(claim, other);
	return sentence.names.find(isRival) ?? about.names.find(isRival);
}
