import type { Conflict, Findings, Item } from "./comparison-items.js";
import type { DateSpan } from "./date-spans.js";
import type { Name } from "./names.js";
import { fitDate, fitQuantity } from "./number-match.js";
import type { Quantity } from "./quantities.js";
import type { ReadContext } from "./sentence-context.js";
import type { TextReading } from "./text-reading.js";

const FIGURE_WEIGHT = 1.2;
const BREAKS = /[,;:()]|\s(?:and|but|while|against|then)\s/g;

/** Numbers, dates and units of a claim against those of a sentence and of its sources. */
export function compareFigures(
	claim: TextReading,
	sentence: TextReading,
	context: ReadContext,
	sourceDates: readonly DateSpan[],
): Findings {
	const known = [...claim.names, ...context.about.names];
	const parts = [
		...claim.quantities.map((quantity) => compareQuantity(quantity, claim, sentence)),
		...claim.dates.map((date) => compareDate(date, known, sentence, sourceDates)),
		compareUnits(claim, sentence),
	];
	return {
		items: parts.flatMap(({ items }) => items),
		conflicts: parts.flatMap(({ conflicts }) => conflicts),
	};
}

const UNSURE_SHARE = 0.6;

/** Who says nothing of a figure of the claim may speak of another matter with other figures and names. */
export function weakenByOpenFigures(
	items: readonly Item[],
	conflicts: readonly Conflict[],
): readonly Conflict[] {
	const open = items.filter(({ isFigure, place }) => isFigure && place === "nowhere").length;
	if (open <= conflicts.filter(({ of }) => of === "figure").length) return conflicts;
	return conflicts.map((conflict) =>
		conflict.of === "figure" || conflict.of === "name"
			? { ...conflict, sureness: conflict.sureness * UNSURE_SHARE, isDecisive: false }
			: conflict,
	);
}

function compareQuantity(quantity: Quantity, claim: TextReading, sentence: TextReading): Findings {
	// "The two" names what was told before, and counts nothing.
	if (
		/\b(?:the|these|those|both)\s$/i.test(claim.text.slice(0, quantity.start)) &&
		quantity.value <= 2
	) {
		return { items: [], conflicts: [] };
	}
	const near = quantitiesBeside(claim.dates, sentence);
	const { fit, found, isSure } = fitQuantity(quantity, near ?? sentence.quantities);
	const isShare = fit !== "same" && isShareOf(quantity, sentence.quantities);
	const item = figure(quantity.text, fit === "same" || isShare);
	if (fit !== "other" || isShare) return { items: [item], conflicts: [] };
	const reason = `says ${found ?? "another number"}, the claim ${quantity.text}`;
	return {
		items: [item],
		conflicts: [{ reason, sureness: isSure || near ? 1 : 0.6, isDecisive: true, of: "figure" }],
	};
}

/** Points by which a share may be told rounded. */
const SHARE_POINTS = 0.6;

/** "Three quarters" against 16 rows of which 12 are flagged: one count is that share of another. */
function isShareOf({ dimension, value, bound }: Quantity, there: readonly Quantity[]): boolean {
	if (dimension !== "percent") return false;
	const counts = there.filter((each) => each.isCount).map((each) => each.value);
	const points = bound === "about" ? 2 * SHARE_POINTS : SHARE_POINTS;
	return counts.some((part) =>
		counts.some((whole) => whole > part && Math.abs((100 * part) / whole - value) <= points),
	);
}

/** In a list of figures by date, those that stand beside the claim's date; undefined where there is no such list. */
function quantitiesBeside(
	dates: readonly DateSpan[],
	sentence: TextReading,
): readonly Quantity[] | undefined {
	const [date, ...more] = dates;
	if (!date || more.length > 0 || sentence.dates.length < 3) return undefined;
	const places = sentence.dates.filter(({ from, to }) => from >= date.from && to <= date.to);
	const chunks = chunksOf(sentence.text);
	const beside = sentence.quantities.filter((quantity) =>
		places.some((place) => chunks(place.start) === chunks(quantity.start)),
	);
	return beside.length > 0 ? beside : undefined;
}

/** Which piece between commas and the like a place belongs to. */
function chunksOf(text: string): (at: number) => number {
	const breaks = [...text.matchAll(BREAKS)].map(({ index }) => index);
	return (at) => breaks.filter((place) => place < at && !/\(/.test(text[place] ?? "")).length;
}

function compareDate(
	date: DateSpan,
	known: readonly Name[],
	sentence: TextReading,
	sourceDates: readonly DateSpan[],
): Findings {
	const told = fitDate(date, sentence.dates);
	const granted = told.fit === "absent" ? fitDate(date, sourceDates) : told;
	const isGranted = told.fit !== "same" && granted.fit === "same";
	const item = figure(date.text, told.fit === "same");
	const items: readonly Item[] = [isGranted ? { ...item, place: "about" } : item];
	const own = sentence.dates.filter((each) => !isOfOtherName(each, known, sentence));
	if (told.fit !== "other" || fitDate(date, own).fit !== "other") return { items, conflicts: [] };
	const reason = `says ${told.found ?? "another date"}, the claim ${date.text}`;
	return { items, conflicts: [{ reason, sureness: 0.95, isDecisive: true, of: "figure" }] };
}

/** "RFC 9114 (June 2022)": the date of a document of which neither the claim nor the concept speaks. */
function isOfOtherName(
	{ start }: DateSpan,
	known: readonly Name[],
	{ text, names }: TextReading,
): boolean {
	const before = /\s\($/.exec(text.slice(0, start));
	if (!before) return false;
	const owner = names.find(
		({ series, text: written }) =>
			series !== undefined && text.slice(0, before.index).endsWith(written),
	);
	return owner !== undefined && !known.some(({ key }) => key === owner.key);
}

/** "Expressed in seconds" against milliseconds. */
function compareUnits(claim: TextReading, sentence: TextReading): Findings {
	const conflicts: Conflict[] = claim.bareUnits.flatMap(({ written, dimension, factor }) => {
		const there = sentence.bareUnits.filter((unit) => unit.dimension === dimension);
		const [other] = there;
		if (!other || there.some((unit) => unit.factor === factor)) return [];
		return [
			{
				reason: `speaks of ${other.written}, the claim of ${written}`,
				sureness: 1,
				isDecisive: true,
				of: "figure",
			},
		];
	});
	return { items: [], conflicts };
}

function figure(text: string, isMet: boolean): Item {
	const place = isMet ? "sentence" : "nowhere";
	return { weight: FIGURE_WEIGHT, place, isEssential: true, isFigure: true, text };
}
