import type { CitedSentence } from "../../src/evidence/evidence.js";
import { findEventDate } from "../answers/answers.js";
import type { DossierPassage } from "./dossier-passages.js";
import { DOSSIER_LIMITS } from "./dossier-wire.js";

/** Something a passage dates. */
export interface DossierEvent {
	/** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, as precise as it is written. */
	readonly date: string;
	readonly sentence: CitedSentence;
	/** The words around the date. */
	readonly excerpt: string;
	readonly passage: DossierPassage;
}

/** What passages date themselves, oldest first; when a source was published is no event. */
export function toEvents(passages: readonly DossierPassage[]): readonly DossierEvent[] {
	const events = passages.flatMap((passage) =>
		passage.sentences.flatMap((sentence): readonly DossierEvent[] => {
			const found = findEventDate(sentence.text);
			if (!found) return [];
			const { date, start, end } = found;
			return [{ date, sentence, passage, excerpt: excerptOf(sentence.text, { start, end }) }];
		}),
	);
	return events
		.slice(0, DOSSIER_LIMITS.timelineMax)
		.sort((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date)));
}

/** A few words of a sentence on either side of a place in it; the first ones where none is given. */
export function excerptOf(text: string, { start, end } = { start: 0, end: 0 }): string {
	const { excerptWords: most } = DOSSIER_LIMITS;
	const words = [...text.matchAll(/\S+/g)];
	if (words.length <= most) return text;
	const first = words.findIndex(({ index, 0: word }) => index + word.length > start);
	const last = words.findLastIndex(({ index }) => index < Math.max(end, 1));
	const room = most - (last - first + 1);
	const from = Math.max(0, Math.min(first - Math.floor(room / 2), words.length - most));
	const shown = words.slice(from, from + most).map(([word]) => word);
	const isEnd = from + most >= words.length;
	return `${from > 0 ? "… " : ""}${shown.join(" ")}${isEnd ? "" : " …"}`;
}
