import { z } from "zod";
import type { TextKind } from "./embedder.js";

/** How a model was trained to be used. */
interface ModelManner {
	readonly pooling: "mean" | "cls";
	/** "tokens": vectors of tokens that are pooled here; "sentence": the graph pools and projects itself. */
	readonly output: "tokens" | "sentence";
	/** Put before a query, respectively before a passage. */
	readonly queryPrefix: string;
	readonly passagePrefix: string;
	/** Longest text in tokens; left out where the sources disagree. */
	readonly maxTokens?: number;
}

/** What is done to a text beside the model's own weights; two profiles make two kinds of vectors. */
export interface ModelProfile extends ModelManner {
	readonly maxTokens: number;
}

/** The text as the model was trained to see it. */
export function prepareText(profile: ModelManner, text: string, lane: TextKind): string {
	return (lane === "query" ? profile.queryPrefix : profile.passagePrefix) + text;
}

/** Files of a folder in the layout of sentence-transformers that say how to use a model; each may be missing. */
export const PROFILE_FILES = [
	"modules.json",
	"1_Pooling/config.json",
	"config_sentence_transformers.json",
	"sentence_bert_config.json",
] as const;

/** What is read of config.json: the width under the names it goes by, and how many positions there are. */
export const modelConfig = z.looseObject({
	hidden_size: z.int().min(16).max(4_096).optional(),
	n_embd: z.int().min(16).max(4_096).optional(),
	dim: z.int().min(16).max(4_096).optional(),
	model_type: z.string().optional(),
	max_position_embeddings: z.number().optional(),
	_name_or_path: z.string().optional().catch(undefined),
	/** Widths to which vectors may be cut, in the manner of Jina's models. */
	matryoshka_dimensions: z.array(z.int().positive()).optional().catch(undefined),
});
type ModelConfig = z.infer<typeof modelConfig>;

/** Passages are shorter; what is longer is no prose, and attention over it would take the memory of all others. */
const MAX_TOKENS = 512;
/** These count positions from the padding's number on. */
const OFFSET_TYPES = /^(roberta|xlm-roberta|camembert|mpnet)$/;
const POSITION_OFFSET = 2;

const RUNNABLE_MODULES = new Set(["Transformer", "Pooling", "Normalize"]);

const modulesFile = z.array(z.looseObject({ type: z.string() }));
const poolingFile = z.looseObject({
	word_embedding_dimension: z.int().optional(),
	pooling_mode: z.string().optional(),
});
const promptsFile = z.looseObject({
	prompts: z.record(z.string(), z.string().nullable()).optional(),
});

/**
 * What the folder says of itself, the table of known models where it says nothing, mean pooling without prefixes where
 * neither does. Throws an Error with the end of a sentence when the model needs what is not done here.
 */
export async function readProfile(
	/** A JSON file of the model's folder; undefined when it is not there. */
	readJson: (name: string) => Promise<unknown>,
	dimensions: number,
	config: ModelConfig,
	known: ModelManner | undefined,
): Promise<ModelProfile> {
	const output = known?.output ?? "tokens";
	if (output === "tokens") assertRunnable(await readJson("modules.json"));
	const pooling = readPooling(await readJson("1_Pooling/config.json"), dimensions);
	const prompts = readPrompts(await readJson("config_sentence_transformers.json"));
	// Empty prompts are what the format's writer puts where no one chose any.
	return {
		pooling: pooling ?? known?.pooling ?? "mean",
		output,
		queryPrefix: prompts["query"] || (known?.queryPrefix ?? ""),
		passagePrefix: prompts["document"] || prompts["passage"] || (known?.passagePrefix ?? ""),
		maxTokens: longestText(config, [
			known?.maxTokens,
			readLength(await readJson("tokenizer_config.json"), "model_max_length"),
			readLength(await readJson("sentence_bert_config.json"), "max_seq_length"),
		]),
	};
}

/** A text beyond the model's positions would fail, and take those in its batch along. */
function longestText(config: ModelConfig, lengths: readonly (number | undefined)[]): number {
	const offset = OFFSET_TYPES.test(config.model_type ?? "") ? POSITION_OFFSET : 0;
	const positions = (config.max_position_embeddings ?? Number.POSITIVE_INFINITY) - offset;
	const known = lengths.filter((length) => length !== undefined);
	return Math.max(1, Math.floor(Math.min(MAX_TOKENS, positions, ...known)));
}

function readLength(file: unknown, key: string): number | undefined {
	const length = (file as Readonly<Record<string, unknown>> | null | undefined)?.[key];
	return typeof length === "number" && length >= 1 ? length : undefined;
}

/** A layer after the pooling is not part of the ONNX graph: without it, vectors would be wrong and look right. */
function assertRunnable(file: unknown): void {
	if (file === undefined) return;
	const modules = modulesFile.safeParse(file);
	if (!modules.success) throw new Error("its modules.json is no list of modules");
	const kinds = modules.data.map(({ type }) => type.split(".").at(-1) ?? type);
	const other = kinds.find((kind) => !RUNNABLE_MODULES.has(kind));
	if (other) throw new Error(`its modules.json asks for a ${other} layer, which is not supported`);
}

function readPooling(file: unknown, dimensions: number): ModelProfile["pooling"] | undefined {
	if (file === undefined) return undefined;
	const parsed = poolingFile.safeParse(file);
	if (!parsed.success) throw new Error("its 1_Pooling/config.json names no way of pooling");
	const { word_embedding_dimension: width = dimensions } = parsed.data;
	if (width !== dimensions) {
		throw new Error(
			`its 1_Pooling/config.json says ${width} dimensions and its config.json ${dimensions}`,
		);
	}
	const modes = poolingModes(parsed.data);
	const [mode, second] = modes;
	if (mode === undefined) return undefined;
	if (second === undefined && (mode === "mean" || mode === "cls")) return mode;
	throw new Error(`it pools by ${modes.join(" and ")}; mean and cls are supported`);
}

/** Either one name, or a switch per mode as `pooling_mode_mean_tokens`. */
function poolingModes(file: Readonly<Record<string, unknown>>): string[] {
	const { pooling_mode: named } = file;
	if (typeof named === "string") return [named];
	const switches = Object.keys(file).filter((key) => key.startsWith("pooling_mode_") && file[key]);
	return switches.map((key) => key.replace(/^pooling_mode_/, "").replace(/_tokens?$/, ""));
}

function readPrompts(file: unknown): Readonly<Record<string, string | null>> {
	const parsed = promptsFile.safeParse(file ?? {});
	if (!parsed.success)
		throw new Error("its config_sentence_transformers.json has no usable prompts");
	return parsed.data.prompts ?? {};
}

/** How a well-known embedding model wants to be used, for folders that do not say so themselves. */
interface KnownModel extends ModelManner {
	/** Hub id of a copy with ONNX weights. */
	readonly id: string;
	readonly dimensions: number;
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
