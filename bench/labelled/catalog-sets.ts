/** Labelled sets over the sample catalog for what products answer: near misses, comparisons and dated events (README.md beside each). */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

const placeSchema = z.strictObject({
	/** Below `graphs/`. */
	file: z.string(),
	/** Word for word but for spaces. */
	quote: z.string().min(8),
});

const nearMissSchema = z.strictObject({
	id: z.string().regex(/^nm-\d{3}$/),
	question: z.string(),
	nearest: z.string(),
	/** What is asked for that no file says. */
	miss: z.enum(["attribute", "version", "time", "entity"]),
	/** Patterns: no file that has the subject has any of those that were searched for. */
	subject: z.string(),
	searched: z.array(z.string()).min(1),
	/** No one looks at what is answered to it. */
	held: z.boolean(),
});

const comparisonSchema = z.strictObject({
	id: z.string().regex(/^cmp-\d{2}$/),
	question: z.string(),
	/** Cells that the graphs can fill, each with all places that do. */
	cells: z
		.array(
			z.strictObject({
				/** A word that heads its column. */
				subject: z.string(),
				attribute: z.string(),
				evidence: z.array(placeSchema).min(1),
			}),
		)
		.min(3),
});
export type Comparison = z.infer<typeof comparisonSchema>;

const eventSchema = placeSchema.extend({
	id: z.string().regex(/^ev-\d{3}$/),
	question: z.string(),
	event: z.string(),
	/** As precise as the text tells it. */
	date: z.string().regex(/^\d{4}(?:-\d{2}){0,2}$/),
});
export type DatedEvent = z.infer<typeof eventSchema>;

export const loadNearMisses = () => readSet("near-misses/questions.jsonl", nearMissSchema);
export const loadComparisons = () => readSet("comparisons/questions.jsonl", comparisonSchema);
export const loadEvents = () => readSet("events/events.jsonl", eventSchema);

/** Half of all texts, the same half whenever it is asked. */
export function isHeldByText(text: string): boolean {
	return (createHash("sha256").update(text).digest()[0] ?? 0) % 2 === 1;
}

function readSet<Item>(path: string, schema: z.ZodType<Item>): readonly Item[] {
	const text = readFileSync(join(PACKAGE_ROOT, "bench", "labelled", path), "utf8");
	return text
		.trimEnd()
		.split("\n")
		.map((line) => schema.parse(JSON.parse(line)));
}
