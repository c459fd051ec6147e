import { catalogFolders, loadGraphs } from "../../src/app/content.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { createSeededNumbers } from "../generated-graph.js";

const WORDS_MIN = 6;

/** Passages without end for scans: each is two sentences of the sample catalog, so that their vectors lie as those of prose do. */
export async function createSentencePairs(): Promise<() => string> {
	const quiet = { info: () => undefined, error: () => undefined };
	const [shipped] = catalogFolders("sample", PACKAGE_ROOT);
	const graphs = await loadGraphs(shipped ? [shipped] : [], quiet);
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
