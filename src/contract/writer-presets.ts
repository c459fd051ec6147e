import type { Micros } from "../kernel/kernel.js";

/** Servers of language models whose ways are known: where they listen, and how they are asked for a draft in a fixed form. */

/** How a server is made to keep to a form; `lines` needs nothing of it, and `json` only asks for it in words. */
export const WRITER_OUTPUTS = [
	"json_schema",
	"json_object",
	"structured_outputs",
	"guided_json",
	"format",
	"json",
	"lines",
] as const;
export type WriterOutput = (typeof WRITER_OUTPUTS)[number];

export const WRITER_PRESET_NAMES = ["ollama", "llama.cpp", "vllm", "openai"] as const;
export type WriterPresetName = (typeof WRITER_PRESET_NAMES)[number];

interface WriterPreset {
	/** Base address of its interface, without a trailing slash. */
	readonly url: string;
	readonly output: WriterOutput;
}

export const WRITER_PRESETS: Readonly<Record<WriterPresetName, WriterPreset>> = {
	ollama: { url: "http://127.0.0.1:11434", output: "format" },
	"llama.cpp": { url: "http://127.0.0.1:8080/v1", output: "json_object" },
	vllm: { url: "http://127.0.0.1:8000/v1", output: "structured_outputs" },
	openai: { url: "https://api.openai.com/v1", output: "json_schema" },
};

/** What a million tokens cost the operator. */
export interface TokenPrice {
	readonly inMicros: Micros;
	readonly outMicros: Micros;
}
