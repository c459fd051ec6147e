import { rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import { toPassages } from "../../src/search/lexical/concept-text.js";
import type { TextKind } from "../../src/search/model/embedder.js";
import { KNOWN_VECTORS_FILE, writeKnownVectors } from "../../src/search/model/known-vectors.js";
import { FOREIGN_QUESTIONS } from "../../src/search/ranking/foreign-questions.js";
import { loadSampleCatalog } from "../labelled/first-catalog.js";

const FOLDER = join(PACKAGE_ROOT, "models", "encoder");

interface Text {
	readonly text: string;
	readonly kind: TextKind;
}

/** Every text whose vector is to come with the encoder, once. */
export async function catalogTexts(): Promise<readonly Text[]> {
	const graphs = await loadSampleCatalog();
	const passages = new Set(graphs.flatMap(({ concepts }) => concepts.flatMap(toPassages)));
	const of = (texts: Iterable<string>, kind: TextKind) =>
		[...texts].map((text) => ({ text, kind }));
	return [...of(passages, "passage"), ...of(FOREIGN_QUESTIONS, "query")];
}

export async function writeCatalogVectors(): Promise<{ texts: number }> {
	await rm(join(FOLDER, KNOWN_VECTORS_FILE), { force: true });
	const embedder = await createTransformersEmbedder(systemClock, {
		folder: FOLDER,
		sums: "required",
	});
	const texts = await catalogTexts();
	const known: (Text & { readonly vector: Float32Array })[] = [];
	for (const kind of ["passage", "query"] as const) {
		const own = texts.filter((one) => one.kind === kind).map(({ text }) => text);
		const vectors = await embedder.embed(own, kind);
		vectors.forEach((vector, at) => void known.push({ text: own[at] ?? "", kind, vector }));
	}
	await writeKnownVectors(FOLDER, embedder.identity, known);
	await embedder.close();
	return { texts: texts.length };
}
