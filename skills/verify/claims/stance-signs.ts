import {
	type Alignment,
	objectToForm,
	objectToRefutation,
	objectToSupport,
} from "./alignment-gates.js";
import { type Conflict, type Item, isSaid, weightOf } from "./findings.js";
import type { TextReading } from "./text-reading.js";
import type { AlignedWord } from "./word-alignment.js";

/** Of a claim's weight: what comes back, what comes back nearby too, and of what is said of its subject, what the sentence says. */
type Shares = Readonly<Record<"met" | "topic" | "news", number>>;
export type StanceSigns = Readonly<ReturnType<typeof readSigns>>;

/** What is measured of a claim and a sentence, each 0..1: what the weighing of a stance is fitted over (docs/adr/0043). */
export function readSigns(matter: Alignment, conflicts: readonly Conflict[], shares: Shares) {
	const { claim, sentence, aligned, items } = matter;
	const words = aligned.filter(({ word }) => word.weight > 0);
	const said = words.filter(isSaid);
	const total = weightOfWords(words);
	// The surest conflict of each kind.
	const of = (kind: Conflict["of"]) =>
		Math.max(0, ...conflicts.filter((each) => each.of === kind).map(({ sureness }) => sureness));
	const shareOf = (isMeant: (pair: AlignedWord) => boolean) =>
		share(weightOfWords(said.filter(isMeant)), total);
	const [worst] = [...conflicts].sort((a, b) => b.sureness - a.sureness);
	const turned = said.filter(({ agrees }) => !agrees);
	const claimDenies = claim.negations.length % 2 === 1;
	const there = deniesWithin(sentence, said);
	const last = words.findLast(({ word }) => word.weight >= 1);
	return {
		...shares,
		// Words of content said as such, by another word, and not at all.
		same: shareOf(({ by, place }) => by === "word" || place === "about"),
		alike: shareOf(({ by }) => by === "like" || by === "opposite"),
		lacking: share(weightOfWords(words.filter((pair) => !said.includes(pair))), total),
		returned: returnedOf(sentence, aligned),
		names: shareOfItems(items, ({ isName }) => isName === true),
		figures: shareOfItems(items, ({ isFigure }) => isFigure),
		hasNames: Number(claim.names.length > 0),
		hasFigures: Number(items.some(({ isFigure }) => isFigure)),
		order: orderOf(said),
		tail: Number(last === undefined || said.includes(last)),
		denial: of("denial"),
		opposite: of("opposite"),
		rival: of("name"),
		figure: of("figure"),
		quantity: Math.max(of("quantity"), of("trend"), of("currency")),
		unevenDenial: Number(claimDenies !== there),
		bothDeny: Number(claimDenies && there),
		turned: share(weightOfWords(turned), weightOfWords(said)),
		objection: Number(objectToSupport(matter) !== undefined),
		form: Number(objectToForm(matter) !== undefined),
		essential: Number(items.some((item) => item.isEssential && !isSaid(item))),
		refutalObjection: Number(
			worst !== undefined && objectToRefutation(matter, worst) !== undefined,
		),
	};
}

/** True when the sentence denies, an odd number of times, within or right before the words that answer the claim. */
function deniesWithin({ negations }: TextReading, said: readonly AlignedWord[]): boolean {
	const starts = said.flatMap(({ match }) => match?.start ?? []);
	const reached = negations.filter(({ from, to }) =>
		starts.some((start) => start >= from && start < to),
	);
	return reached.length % 2 === 1;
}

/** Share of the sentence's own weight that the claim has too. */
function returnedOf({ words }: TextReading, aligned: readonly AlignedWord[]): number {
	const answered = new Set(aligned.flatMap(({ match }) => match?.place ?? []));
	const back = words.filter(({ place }) => answered.has(place));
	return share(weightOf(back), weightOf(words));
}

/** Pairs of neighboring matches that stand in the claim's order, as a share of all. */
function orderOf(said: readonly AlignedWord[]): number {
	const places = said.flatMap(({ match }) => match?.place ?? []);
	const pairs = places.slice(1).map((place, index) => place >= (places[index] ?? 0));
	return pairs.length === 0 ? 1 : pairs.filter(Boolean).length / pairs.length;
}

/** Of the names or figures of a claim, the share that is there; 1 where it has none. */
function shareOfItems(items: readonly Item[], isMeant: (item: Item) => boolean): number {
	const meant = items.filter(isMeant);
	return meant.length === 0 ? 1 : meant.filter(isSaid).length / meant.length;
}

function weightOfWords(pairs: readonly AlignedWord[]): number {
	return weightOf(pairs.map(({ word }) => word));
}

function share(part: number, whole: number): number {
	return whole === 0 ? 0 : part / whole;
}
