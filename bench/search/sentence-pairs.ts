import { createSeededNumbers } from "../generated-graph.js";
import { loadFirstCatalog } from "../labelled/first-catalog.js";

const WORDS_MIN = 6;

/** Passages without end for scans: each is two sentences of the sample catalog, so that their vectors lie as those of prose do. */
export async function createSentencePairs(): Promise<() => string> {
	const graphs = await loadFirstCatalog();
	const sentences = graphs.flatMap(({ concepts }) =>
		concepts.flatMap(({ summary, body }) =>
			[summary, body].flatMap((text) =>
				text.split(/(?<=[.!?;:])\s+/).filter((part) => part.split(" ").length >= WORDS_MIN),
			),
		),
	);
	const next = createSeededNumbers(9);
	const pick = () => sentences[Math.floor(next() * sentences.length)] ?? "";
	return () => `${pick()} ${pick()}`;
}
