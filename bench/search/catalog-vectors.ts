import { rm } from "node:fs/promises";
import { join } from "node:path";
import { mentionsByBrand } from "../../skills/brands/brand-mentions.js";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import { toPassages } from "../../src/search/lexical/concept-text.js";
import type { Embedder, TextKind } from "../../src/search/model/embedder.js";
import { KNOWN_VECTORS_FILE, writeKnownVectors } from "../../src/search/model/known-vectors.js";
import { FOREIGN_QUESTIONS } from "../../src/search/ranking/foreign-questions.js";
import { loadSampleCatalog } from "../labelled/first-catalog.js";

/** Models that come with vectors. */
export const MODELS_WITH_VECTORS = ["encoder", "table"] as const;

interface Text {
	readonly text: string;
	readonly kind: TextKind;
}

/** Every text whose vector is to come with a model, once. */
export async function catalogTexts(): Promise<readonly Text[]> {
	const graphs = await loadSampleCatalog();
	const passages = new Set(graphs.flatMap(({ concepts }) => concepts.flatMap(toPassages)));
	for (const text of await textsOfBrands(graphs)) passages.add(text);
	const of = (texts: Iterable<string>, kind: TextKind) =>
		[...texts].map((text) => ({ text, kind }));
	return [...of(passages, "passage"), ...of(FOREIGN_QUESTIONS, "query")];
}

/**
 * What the first question about a brand has compared, so that an unpaid call need not wait for the encoder. Every word counts as common
 * here, which asks for no fewer.
 */
async function textsOfBrands(graphs: readonly Graph[]): Promise<readonly string[]> {
	const texts: string[] = [];
	const embed: Embedder["embed"] = async (asked) => {
		texts.push(...asked);
		return asked.map(() => new Float32Array());
	};
	const catalog = { list: () => graphs, revision: "" };
	await mentionsByBrand({ catalog, search: { embedder: { embed }, isCommonWord: () => true } });
	return texts;
}

/** How many texts each model knows now. */
export async function writeCatalogVectors(): Promise<{ readonly texts: number }> {
	const texts = await catalogTexts();
	for (const model of MODELS_WITH_VECTORS) await writeVectorsOf(model, texts);
	return { texts: texts.length };
}

async function writeVectorsOf(model: string, texts: readonly Text[]): Promise<void> {
	const folder = join(PACKAGE_ROOT, "models", model);
	// The embedder would answer from the old ones.
	await rm(join(folder, KNOWN_VECTORS_FILE), { force: true });
	const embedder = await createTransformersEmbedder(systemClock, { folder, sums: "required" });
	try {
		const known: (Text & { readonly vector: Float32Array })[] = [];
		for (const kind of ["passage", "query"] as const) {
			const ofKind = texts.filter((one) => one.kind === kind).map(({ text }) => text);
			const vectors = await embedder.embed(ofKind, kind);
			vectors.forEach((vector, at) => void known.push({ text: ofKind[at] ?? "", kind, vector }));
		}
		await writeKnownVectors(folder, embedder.identity, known);
	} finally {
		await embedder.close();
	}
}
