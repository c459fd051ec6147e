/** How well-known embedding models want to be used, for folders that do not say so themselves. */
import type { ModelManner } from "./model-profile.js";

export interface KnownModel extends ModelManner {
	/** Hub id of a copy with ONNX weights. */
	readonly id: string;
	readonly dimensions: number;
	/** Longest text in tokens, where its sources agree. */
	readonly maxTokens?: number;
	/** SPDX id, or the name of its terms. */
	readonly licence: string;
}

const SEARCH_PROMPT = "Represent this sentence for searching relevant passages: ";

const plain = { output: "tokens", queryPrefix: "", passagePrefix: "" } as const;
const meanPooled = { ...plain, pooling: "mean" } as const;
const clsPooled = { ...plain, pooling: "cls" } as const;
const clsPrompted = { ...clsPooled, queryPrefix: SEARCH_PROMPT } as const;
const e5 = { ...meanPooled, queryPrefix: "query: ", passagePrefix: "passage: " } as const;
const apache = { licence: "Apache-2.0" } as const;
const mit = { licence: "MIT" } as const;

/**
 * Sources: the models' cards and the tables of MTEB (prompts, dimensions, lengths, licences) and fastembed (pooling).
 * Model2vec exports are left out: they want other inputs than a tokenized text.
 */
export const KNOWN_MODELS: readonly KnownModel[] = [
	{ id: "Xenova/all-MiniLM-L6-v2", ...meanPooled, dimensions: 384, maxTokens: 256, ...apache },
	{ id: "Xenova/all-MiniLM-L12-v2", ...meanPooled, dimensions: 384, ...apache },
	{ id: "Xenova/bge-small-en-v1.5", ...clsPrompted, dimensions: 384, maxTokens: 512, ...mit },
	{ id: "Xenova/bge-base-en-v1.5", ...clsPrompted, dimensions: 768, maxTokens: 512, ...mit },
	{ id: "Xenova/bge-m3", ...clsPooled, dimensions: 1_024, maxTokens: 8_192, ...mit },
	{ id: "Xenova/e5-small-v2", ...e5, dimensions: 384, maxTokens: 512, ...mit },
	{ id: "Xenova/multilingual-e5-small", ...e5, dimensions: 384, maxTokens: 512, ...mit },
	{ id: "Xenova/gte-small", ...meanPooled, dimensions: 384, maxTokens: 512, ...mit },
	{
		id: "nomic-ai/nomic-embed-text-v1.5",
		...meanPooled,
		queryPrefix: "search_query: ",
		passagePrefix: "search_document: ",
		dimensions: 768,
		maxTokens: 8_192,
		...apache,
	},
	{ id: "mixedbread-ai/mxbai-embed-xsmall-v1", ...meanPooled, dimensions: 384, ...apache },
	{
		id: "mixedbread-ai/mxbai-embed-large-v1",
		...clsPrompted,
		dimensions: 1_024,
		maxTokens: 512,
		...apache,
	},
	...(["xs", "s", "m"] as const).map((size) => ({
		id: `Snowflake/snowflake-arctic-embed-${size}`,
		...clsPrompted,
		dimensions: size === "m" ? 768 : 384,
		maxTokens: 512,
		...apache,
	})),
	{
		// Two dense layers follow its pooling; the export has them inside and gives the sentence's vector.
		id: "onnx-community/embeddinggemma-300m-ONNX",
		pooling: "mean",
		output: "sentence",
		queryPrefix: "task: search result | query: ",
		passagePrefix: "title: none | text: ",
		dimensions: 768,
		maxTokens: 2_048,
		licence: "Gemma terms of use",
	},
	{
		id: "Xenova/jina-embeddings-v2-small-en",
		...meanPooled,
		dimensions: 512,
		maxTokens: 8_192,
		...apache,
	},
];

const byStem = new Map(KNOWN_MODELS.map((model) => [stemOf(model.id), model]));

/** The row of a hub id, of any mirror of it or of a folder named after it: `owner/name`, `owner--name`, `name-ONNX`. */
export function findKnownModel(name: string): KnownModel | undefined {
	return byStem.get(stemOf(name));
}

function stemOf(name: string): string {
	const last = name.split(/[\\/]|--/).at(-1) ?? "";
	return last.toLowerCase().replace(/-onnx(-q)?$/, "");
}
