import { hasName } from "./name-presence.js";
import type { Name } from "./names.js";
import type { ReadContext } from "./sentence-context.js";
import type { TextReading } from "./text-reading.js";

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
