import type { Concept } from "../../knowledge/knowledge.js";
import { toPlainText } from "./plain-text.js";

/** Text of one field of a concept and how much a word in it counts against a word of the body. */
export interface WeightedText {
	readonly text: string;
	readonly weight: number;
}

const FIELD_WEIGHTS = {
	title: 3,
	aliases: 3,
	name: 2,
	tags: 2,
	summary: 1.5,
	body: 1,
	sources: 0.5,
} as const;

/** What a concept is found by: its names, what it says, and the titles of the sources that carry it. */
export function fieldsOf(concept: Concept): readonly WeightedText[] {
	return [
		...headingFieldsOf(concept),
		{ text: toPlainText(concept.body), weight: FIELD_WEIGHTS.body },
		{
			text: concept.evidence.map((source) => source.title).join("\n"),
			weight: FIELD_WEIGHTS.sources,
		},
	];
}

/** The fields that say what a concept is, as opposed to what it mentions. */
export function headingFieldsOf(concept: Concept): readonly WeightedText[] {
	return [
		{ text: concept.title, weight: FIELD_WEIGHTS.title },
		{ text: concept.aliases.join("\n"), weight: FIELD_WEIGHTS.aliases },
		{ text: fileNameOf(concept), weight: FIELD_WEIGHTS.name },
		{ text: concept.tags.join("\n"), weight: FIELD_WEIGHTS.tags },
		{ text: concept.summary, weight: FIELD_WEIGHTS.summary },
	];
}

/** The last part of a concept's id: what its author called the file. */
export function fileNameOf({ id }: Concept): string {
	return id.slice(id.lastIndexOf(".") + 1);
}
